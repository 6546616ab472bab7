"""Requests and responses of payment methods."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from billing.api.serializers.fields import LONGEST_ID
from billing.api.serializers.requests import LONGEST_QUOTE
from billing.payment_methods.changes import ADD, OPERATIONS, UPDATE
from billing.queries.payments.payment_methods import BRANDS, CARD, OTHER, PAYPAL, kind_of, wallet_of
from billing.terms import DEFAULT_CURRENCY
from core.errors import NotFound
from core.fields import StrictCharField, StrictIntegerField
from core.text import validate_line

logger = logging.getLogger(__name__)

# The kinds that can be entered here, and all kinds.
ENTERED_METHODS = (CARD, PAYPAL)
METHODS = (*ENTERED_METHODS, OTHER)
STATUSES = ("VALID", "EXPIRING", "EXPIRED", "INVALID", "PENDING_VERIFICATION")
# The provider's limits for the cardholder's fields.
LONGEST_NAME, LONGEST_STATE, LONGEST_ZIP = 50, 50, 20
OWNER_FIELDS = ("first_name", "last_name", "billing_state", "billing_zip")
NOT_ENTERED_HERE = "This kind of payment method can't be entered here."
# No change charges more, in cents.
LARGEST_CHARGE = 1_000_000
REQUIRED_MESSAGE = "This field is required."


class PaymentSourceSerializer(serializers.Serializer[Any]):
    """A payment method, masked by the provider. Fields that its kind does not have are null."""

    payment_source_id = serializers.CharField()
    type = serializers.CharField(help_text="The provider's type in upper case: CARD, APPLE_PAY, DIRECT_DEBIT, …")
    type_name = serializers.CharField(help_text="The name of its type.")
    primary_payment_source = serializers.BooleanField(help_text="Renewals are charged to it.")
    deletable = serializers.BooleanField(help_text="False for the default method while a plan is live.")
    status = serializers.ChoiceField(choices=STATUSES, allow_null=True)
    brand = serializers.ChoiceField(choices=BRANDS)
    masked_number = serializers.CharField(source="card.masked_number", allow_null=True)
    first_name = serializers.CharField(source="card.first_name", allow_null=True)
    last_name = serializers.CharField(source="card.last_name", allow_null=True)
    expiry_month = serializers.IntegerField(source="card.expiry_month", allow_null=True)
    expiry_year = serializers.IntegerField(source="card.expiry_year", allow_null=True)
    billing_zip = serializers.CharField(source="card.billing_zip", allow_null=True)
    billing_state = serializers.CharField(source="card.billing_state", allow_null=True)
    email = serializers.CharField(allow_null=True, help_text="The PayPal account's address.")
    account = serializers.CharField(
        allow_null=True, help_text="The address, name or masked number of a method without a card."
    )


class PaymentMethodsSerializer(serializers.Serializer[Any]):
    """The payment methods, and what is due."""

    card = PaymentSourceSerializer(many=True, source="wallet.cards")
    paypal = PaymentSourceSerializer(many=True, source="wallet.paypal_accounts")
    other = PaymentSourceSerializer(
        many=True, source="wallet.others", help_text="Methods of all other types: wallets, bank accounts, …"
    )
    amount_due = serializers.IntegerField(help_text="Cents; charged when a method is added or made default.")
    currency_code = serializers.CharField(
        help_text="Of the amount due. Dues in another currency follow once it is paid."
    )
    quote = serializers.CharField(help_text="Identifies the amount due.")


class ChangedPaymentMethodsSerializer(PaymentMethodsSerializer):
    """The payment methods after a change, the changed source, and the amount collected."""

    payment_source_id = serializers.CharField(
        source="change.source_id", allow_null=True, help_text="Null when it was removed."
    )
    collected = serializers.IntegerField(source="change.collected_cents", help_text="Cents.")


class OwnSource(serializers.Serializer[Any]):
    """A payment source of the account. A foreign one is a 404, whatever else is invalid."""

    payment_source_id = StrictCharField(required=False, allow_null=True, max_length=LONGEST_ID)

    def validate_payment_source_id(self, value: str | None) -> str | None:
        """Return the id of one of the account's own sources. Raises NotFound for any other."""
        account = self.context["account"]
        if value is not None and wallet_of(account).find_source(value) is None:
            logger.warning("Account %s named a payment method that is not its own", account.pk)
            raise NotFound
        return value


class NewIntent(OwnSource):
    """What a payment intent is for: saving a new payment method, or charging a stored card.

    A stored card is charged what is due, or, for a change that the subscriber is about to confirm, `amount`.
    """

    payment_source_id = StrictCharField(
        required=False, allow_null=True, max_length=LONGEST_ID, help_text="The stored card."
    )
    paymentsource = serializers.ChoiceField(choices=ENTERED_METHODS, default=PAYPAL)
    quote = StrictCharField(required=False, max_length=LONGEST_QUOTE, help_text="Of the amount due.")
    amount = StrictIntegerField(
        required=False, min_value=1, max_value=LARGEST_CHARGE, help_text="Cents; the most that the change may charge."
    )
    currency_code = serializers.RegexField(
        r"^[A-Z]{3}\Z", default=DEFAULT_CURRENCY, max_length=3, help_text="Of `amount`; `USD` by default."
    )

    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what the intent is for. Raises a validation error if a source is named that is not a card."""
        source = wallet_of(self.context["account"]).find_source(attrs.get("payment_source_id") or "")
        if source is not None and kind_of(source) != CARD:
            raise serializers.ValidationError({"payment_source_id": ["Only a card can be authorized again."]})
        return attrs


class OwnerField(StrictCharField):
    """A line about a card's owner."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, allow_null=True, validators=[validate_line], **kwargs)


class PaymentChange(OwnSource):
    """A change of payment methods."""

    operation_type = serializers.ChoiceField(choices=OPERATIONS)
    paymentsource = serializers.ChoiceField(choices=METHODS, required=False)
    token = StrictCharField(
        required=False,
        allow_null=True,
        max_length=LONGEST_ID,
        help_text="The id of the authorized payment intent. Not needed to update a card's owner.",
    )
    first_name = OwnerField(max_length=LONGEST_NAME)
    last_name = OwnerField(allow_blank=True, max_length=LONGEST_NAME)
    billing_state = OwnerField(max_length=LONGEST_STATE)
    billing_zip = OwnerField(max_length=LONGEST_ZIP)
    quote = StrictCharField(required=False, max_length=LONGEST_QUOTE)

    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the change. Raises a validation error when a field its operation requires is missing."""
        if attrs["operation_type"] in (ADD, UPDATE) and attrs.get("paymentsource") == OTHER:
            raise serializers.ValidationError({"paymentsource": [NOT_ENTERED_HERE]})
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
