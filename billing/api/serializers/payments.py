"""What the payment endpoints take and answer with."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from accounts.input import TextField
from billing.api.serializers.fields import LONGEST_ID
from billing.api.serializers.requests import LONGEST_QUOTE
from billing.queries.payment_methods import BRANDS, CARD, OTHER_BRAND, PAYPAL
from billing.queries.payment_methods import wallet_of as wallet
from billing.services.payment_methods import ADD, OPERATIONS, UPDATE
from portal.errors import NotFound

logger = logging.getLogger(__name__)

METHODS = (CARD, PAYPAL)
STATUSES = ("VALID", "EXPIRING", "EXPIRED", "INVALID", "PENDING_VERIFICATION")
# What the provider takes of a card's owner.
LONGEST_NAME, LONGEST_STATE, LONGEST_ZIP = 50, 50, 20
OWNER = ("first_name", "last_name", "billing_state", "billing_zip")
REQUIRED = "This field is required."


class PaymentSourceSerializer(serializers.Serializer[Any]):
    """A card or a PayPal account; the number is the provider's masked one. What a kind has not is null."""

    payment_source_id = serializers.CharField()
    primary_payment_source = serializers.BooleanField(help_text="Renewals are charged to it.")
    deletable = serializers.BooleanField(help_text="False for the default one while any plan is live.")
    status = serializers.ChoiceField(choices=STATUSES, allow_null=True)
    brand = serializers.ChoiceField(choices=(*BRANDS.values(), PAYPAL, OTHER_BRAND))
    masked_number = serializers.CharField(allow_null=True)
    first_name = serializers.CharField(allow_null=True)
    last_name = serializers.CharField(allow_null=True)
    expiry_month = serializers.IntegerField(allow_null=True)
    expiry_year = serializers.IntegerField(allow_null=True)
    billing_zip = serializers.CharField(allow_null=True)
    billing_state = serializers.CharField(allow_null=True)
    email = serializers.CharField(allow_null=True, help_text="The PayPal account's.")


class PaymentMethodsSerializer(serializers.Serializer[Any]):
    """What the subscriber pays with, and what is due."""

    card = PaymentSourceSerializer(many=True)
    paypal = PaymentSourceSerializer(many=True)
    amount_due = serializers.IntegerField(help_text="Cents; charged when a method is added or made default.")
    quote = serializers.CharField(help_text="Stands for what is due.")


class ChangedPaymentMethodsSerializer(PaymentMethodsSerializer):
    """The lists after a change, the source it was about, and what was collected with it."""

    payment_source_id = serializers.CharField(allow_null=True, help_text="Null when it was removed.")
    collected = serializers.IntegerField(help_text="Cents.")


class PaymentChange(serializers.Serializer[Any]):
    """A change of payment methods. The source is looked for first: somebody else's is not found."""

    payment_source_id = TextField(required=False, allow_null=True, max_length=LONGEST_ID)
    operation_type = serializers.ChoiceField(choices=OPERATIONS)
    paymentsource = serializers.ChoiceField(choices=METHODS, required=False)
    token = TextField(
        required=False,
        allow_null=True,
        max_length=LONGEST_ID,
        help_text="The card's token, or the id of PayPal's intent. A card's names can be updated without.",
    )
    first_name = TextField(required=False, allow_null=True, max_length=LONGEST_NAME)
    last_name = TextField(required=False, allow_null=True, allow_blank=True, max_length=LONGEST_NAME)
    billing_state = TextField(required=False, allow_null=True, max_length=LONGEST_STATE)
    billing_zip = TextField(required=False, allow_null=True, max_length=LONGEST_ZIP)
    quote = TextField(required=False, max_length=LONGEST_QUOTE)

    def validate_payment_source_id(self, value: str | None) -> str | None:
        """Return the id of a source of the account's own. Raises NotFound, whatever else is wrong."""
        account = self.context["account"]
        if value is not None and wallet(account).find(value) is None:
            logger.warning("Account %s named a payment method that is not its own", account.pk)
            raise NotFound
        return value

    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the change when it has what its operation needs."""
        missing = [name for name in _needed(attrs) if attrs.get(name) is None]
        if missing:
            raise serializers.ValidationError({name: [REQUIRED] for name in missing})
        return attrs


def _needed(asked: Mapping[str, Any]) -> list[str]:
    operation, method = asked["operation_type"], asked.get("paymentsource")
    names = [] if operation == ADD else ["payment_source_id"]
    if operation in (ADD, UPDATE):
        names.append("paymentsource")
        if method == CARD:
            names.extend(OWNER)
        if operation == ADD or method == PAYPAL:
            names.append("token")
    return names
