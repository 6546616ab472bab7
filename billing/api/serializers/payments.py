"""Requests and responses of payment methods."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from billing.api.serializers.fields import LONGEST_ID
from billing.api.serializers.requests import LONGEST_QUOTE
from billing.payment_methods.changes import ADD, OPERATIONS, UPDATE
from billing.queries.payment_methods import CARD, CARD_BRAND_CODES, OTHER_CARD_BRAND, PAYPAL, wallet_of
from core.errors import NotFound
from core.fields import StrictCharField

logger = logging.getLogger(__name__)

METHODS = (CARD, PAYPAL)
STATUSES = ("VALID", "EXPIRING", "EXPIRED", "INVALID", "PENDING_VERIFICATION")
# The provider's limits for the cardholder's fields.
LONGEST_NAME, LONGEST_STATE, LONGEST_ZIP = 50, 50, 20
OWNER_FIELDS = ("first_name", "last_name", "billing_state", "billing_zip")
REQUIRED_MESSAGE = "This field is required."


class PaymentSourceSerializer(serializers.Serializer[Any]):
    """A card or PayPal account, masked by the provider. Fields that its kind does not have are null."""

    payment_source_id = serializers.CharField()
    primary_payment_source = serializers.BooleanField(help_text="Renewals are charged to it.")
    deletable = serializers.BooleanField(help_text="False for the default method while a plan is live.")
    status = serializers.ChoiceField(choices=STATUSES, allow_null=True)
    brand = serializers.ChoiceField(choices=(*CARD_BRAND_CODES.values(), PAYPAL, OTHER_CARD_BRAND))
    masked_number = serializers.CharField(source="card.masked_number", allow_null=True)
    first_name = serializers.CharField(source="card.first_name", allow_null=True)
    last_name = serializers.CharField(source="card.last_name", allow_null=True)
    expiry_month = serializers.IntegerField(source="card.expiry_month", allow_null=True)
    expiry_year = serializers.IntegerField(source="card.expiry_year", allow_null=True)
    billing_zip = serializers.CharField(source="card.billing_zip", allow_null=True)
    billing_state = serializers.CharField(source="card.billing_state", allow_null=True)
    email = serializers.CharField(allow_null=True, help_text="The PayPal account's address.")


class PaymentMethodsSerializer(serializers.Serializer[Any]):
    """The payment methods, and what is due."""

    card = PaymentSourceSerializer(many=True, source="wallet.cards")
    paypal = PaymentSourceSerializer(many=True, source="wallet.paypal_accounts")
    amount_due = serializers.IntegerField(help_text="Cents; charged when a method is added or made default.")
    quote = serializers.CharField(help_text="Identifies the amount due.")


class ChangedPaymentMethodsSerializer(PaymentMethodsSerializer):
    """The payment methods after a change, the changed source, and the amount collected."""

    payment_source_id = serializers.CharField(
        source="change.source_id", allow_null=True, help_text="Null when it was removed."
    )
    collected = serializers.IntegerField(source="change.collected_cents", help_text="Cents.")


class PaymentChange(serializers.Serializer[Any]):
    """A change of payment methods. A foreign source is a 404, whatever else is invalid."""

    payment_source_id = StrictCharField(required=False, allow_null=True, max_length=LONGEST_ID)
    operation_type = serializers.ChoiceField(choices=OPERATIONS)
    paymentsource = serializers.ChoiceField(choices=METHODS, required=False)
    token = StrictCharField(
        required=False,
        allow_null=True,
        max_length=LONGEST_ID,
        help_text="The card's token, or the id of the PayPal intent. Not needed to update a card's owner.",
    )
    first_name = StrictCharField(required=False, allow_null=True, max_length=LONGEST_NAME)
    last_name = StrictCharField(required=False, allow_null=True, allow_blank=True, max_length=LONGEST_NAME)
    billing_state = StrictCharField(required=False, allow_null=True, max_length=LONGEST_STATE)
    billing_zip = StrictCharField(required=False, allow_null=True, max_length=LONGEST_ZIP)
    quote = StrictCharField(required=False, max_length=LONGEST_QUOTE)

    def validate_payment_source_id(self, value: str | None) -> str | None:
        """Return the id of one of the account's own sources. Raises NotFound for any other."""
        account = self.context["account"]
        if value is not None and wallet_of(account).find_source(value) is None:
            logger.warning("Account %s named a payment method that is not its own", account.pk)
            raise NotFound
        return value

    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the change. Raises a validation error when a field its operation requires is missing."""
        missing = [name for name in _required_fields(attrs) if attrs.get(name) is None]
        if missing:
            raise serializers.ValidationError({name: [REQUIRED_MESSAGE] for name in missing})
        return attrs


def _required_fields(attrs: Mapping[str, Any]) -> list[str]:
    operation, method = attrs["operation_type"], attrs.get("paymentsource")
    names = [] if operation == ADD else ["payment_source_id"]
    if operation in (ADD, UPDATE):
        names.append("paymentsource")
        if method == CARD:
            names.extend(OWNER_FIELDS)
        if operation == ADD or method == PAYPAL:
            names.append("token")
    return names
