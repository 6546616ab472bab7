"""Responses of the billing history."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from billing.api.serializers.fields import InstantField
from billing.queries.invoices import PAYMENT_METHOD_TYPES

SOURCE_TYPES = tuple(method.upper() for method in PAYMENT_METHOD_TYPES)


class InvoiceRowSerializer(serializers.Serializer[Any]):
    """One invoice; its payment method is null when nothing was charged."""

    number = serializers.CharField()
    status = serializers.CharField(help_text="The provider's status in upper case: PAID, PAYMENT_DUE, …")
    transaction_date = InstantField(help_text="When it was paid, else when it was issued.")
    total = serializers.IntegerField(help_text="In cents, tax included.")
    payment_source_type = serializers.ChoiceField(choices=SOURCE_TYPES, allow_null=True)
    card_brand = serializers.CharField(allow_null=True, help_text="VISA, MASTERCARD, AMERICAN_EXPRESS, …")
    last4 = serializers.CharField(allow_null=True)
    paypal_email = serializers.CharField(allow_null=True)


class DownloadSerializer(serializers.Serializer[Any]):
    """A signed URL of the PDF, valid for a few minutes without a session token."""

    download_url = serializers.CharField()
