"""The billing history in answers."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from billing.api.serializers.fields import InstantField
from billing.queries.invoices import METHODS

SOURCE_TYPES = tuple(method.upper() for method in METHODS)


class InvoiceRowSerializer(serializers.Serializer[Any]):
    """One invoice; what it was paid with is null when nothing was charged."""

    number = serializers.CharField()
    status = serializers.CharField(help_text="The provider's word in upper case: PAID, PAYMENT_DUE, …")
    transaction_date = InstantField(help_text="When it was paid, else when it was issued.")
    total = serializers.IntegerField(help_text="In cents, tax included.")
    payment_source_type = serializers.ChoiceField(choices=SOURCE_TYPES, allow_null=True)
    card_brand = serializers.CharField(allow_null=True, help_text="VISA, MASTERCARD, AMERICAN_EXPRESS, …")
    last4 = serializers.CharField(allow_null=True)
    paypal_email = serializers.CharField(allow_null=True)


class DownloadSerializer(serializers.Serializer[Any]):
    """Where the PDF can be fetched for a few minutes, without a token: the address is the permission."""

    download_url = serializers.CharField()
