"""Responses of the billing history."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from billing.api.serializers.fields import InstantField
from billing.queries.payments.invoices import CREDIT_NOTE_KINDS


class BilledItemSerializer(serializers.Serializer[Any]):
    """What an invoice bills."""

    name = serializers.CharField(help_text="Of the plan; the provider's description if it is no plan.")
    starts_at = InstantField(allow_null=True, help_text="When the time that is billed begins; null without one.")
    ends_at = InstantField(allow_null=True)


class CreditNoteRowSerializer(serializers.Serializer[Any]):
    """A credit note of an invoice; the payment method is the one that a refund went to."""

    number = serializers.CharField()
    kind = serializers.ChoiceField(
        choices=CREDIT_NOTE_KINDS,
        help_text="REFUNDED to a payment method, CREDITED for later bills, or ADJUSTED: taken off what was due.",
    )
    issued_at = InstantField()
    amount = serializers.IntegerField(min_value=0, help_text="In cents, tax included.")
    left = serializers.IntegerField(min_value=0, help_text="What of it still pays the next bills, in cents.")
    currency_code = serializers.CharField()
    refunded_at = InstantField(allow_null=True)
    payment_source_type = serializers.CharField(allow_null=True)
    payment_source_name = serializers.CharField(allow_null=True)
    card_brand = serializers.CharField(allow_null=True)
    last4 = serializers.CharField(allow_null=True)
    paypal_email = serializers.CharField(allow_null=True)


class InvoiceRowSerializer(serializers.Serializer[Any]):
    """One invoice; its payment method is null when nothing was charged."""

    number = serializers.CharField()
    status = serializers.CharField(help_text="The provider's status in upper case: PAID, PAYMENT_DUE, …")
    transaction_date = InstantField(help_text="When it was paid, else when it was issued.")
    items = BilledItemSerializer(many=True)
    total = serializers.IntegerField(help_text="In cents, tax included.")
    credits = serializers.IntegerField(help_text="What the account's credit paid of the total, in cents.")
    charged = serializers.IntegerField(help_text="What a payment method paid of the total, in cents.")
    currency_code = serializers.CharField()
    payment_source_type = serializers.CharField(
        allow_null=True, help_text="The provider's type in upper case: CARD, PAYPAL_EXPRESS_CHECKOUT, APPLE_PAY, …"
    )
    payment_source_name = serializers.CharField(allow_null=True, help_text="The name of that type: Card, Apple Pay, …")
    card_brand = serializers.CharField(
        allow_null=True, help_text="Of a card, also in a wallet: VISA, MASTERCARD, AMERICAN_EXPRESS, …"
    )
    last4 = serializers.CharField(allow_null=True)
    paypal_email = serializers.CharField(allow_null=True)
    paid_together = serializers.ListField(
        child=serializers.CharField(), help_text="The numbers of further invoices that the same payment paid."
    )
    payment_total = serializers.IntegerField(
        allow_null=True, help_text="What that payment was in cents; null if it paid no further invoice."
    )
    credit_notes = CreditNoteRowSerializer(many=True, help_text="What was refunded or credited of it, oldest first.")


class DownloadSerializer(serializers.Serializer[Any]):
    """A signed URL of the PDF, valid for a few minutes without a session token."""

    download_url = serializers.CharField()
