"""Payment methods: listing and changing them, and the payment intents with which the payer authorizes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from billing import clock
from billing.api.account_limits import PAYMENT_LIMIT
from billing.api.serializers.payments import (
    OWNER_FIELDS,
    ChangedPaymentMethodsSerializer,
    NewIntent,
    PaymentChange,
    PaymentMethodsSerializer,
)
from billing.api.viewsets.base import SUBSCRIBER_ACTOR, SubscriberViewSet
from billing.errors import BillingPartial, QuoteChanged
from billing.payment_methods import changes, intents
from billing.payment_methods.changes import MethodChange
from billing.queries.payments.payment_methods import CARD
from core.idempotency import KEY_PARAMETER, idempotent_action
from core.responses import VerbatimResponse


class PaymentsViewSet(SubscriberViewSet):
    """Card data never reaches the portal: the provider's payment intent stands for it."""

    @extend_schema(operation_id="payments", tags=["payments"], responses=PaymentMethodsSerializer)
    def list_methods(self, request: Request) -> Response:
        """Return the account's cards and PayPal accounts, and what is due."""
        return Response(PaymentMethodsSerializer(changes.payment_methods_of(self.account)).data)

    @extend_schema(
        operation_id="payment_token",
        tags=["payments"],
        parameters=[KEY_PARAMETER],
        request=NewIntent,
        responses=OpenApiTypes.OBJECT,
    )
    @idempotent_action(limit=PAYMENT_LIMIT)
    def create_intent(self, request: Request, *, key: str) -> Response:
        """Create a payment intent; the provider's object is returned unchanged.

        It saves a new payment method, or charges what is due, or a change, to a stored card.
        """
        requested = self.validate_input(NewIntent, request.data)
        source_id, amount = requested.get("payment_source_id"), requested.get("amount")
        if source_id and amount:
            currency = requested["currency_code"]
            return VerbatimResponse(
                intents.create_change_intent(self.account, source_id, amount, currency=currency, key=key)
            )
        if source_id:
            return VerbatimResponse(self._create_paying_intent(source_id, requested.get("quote"), key=key))
        return VerbatimResponse(intents.create_saving_intent(self.account, requested["paymentsource"], key=key))

    def _create_paying_intent(self, source_id: str, quote: str | None, *, key: str) -> Any:
        try:
            return intents.create_paying_intent(self.account, source_id, quote=quote, key=key)
        except QuoteChanged as error:
            error.extra.update(PaymentMethodsSerializer(changes.payment_methods_of(self.account)).data)
            raise

    @extend_schema(
        operation_id="update_payment_sources",
        tags=["payments"],
        parameters=[KEY_PARAMETER],
        request=PaymentChange,
        responses=ChangedPaymentMethodsSerializer,
    )
    @idempotent_action(limit=PAYMENT_LIMIT)
    def change_methods(self, request: Request, *, key: str) -> Response:
        """Add, update or remove a payment method, or make it the default, and collect what is due with it."""
        requested = _parse_change(self.validate_input(PaymentChange, request.data))
        try:
            change = changes.change_payment_method(
                self.account, requested, key=key, actor=SUBSCRIBER_ACTOR, now=clock.billing_now()
            )
        except (QuoteChanged, BillingPartial) as error:
            error.extra.update(PaymentMethodsSerializer(changes.payment_methods_of(self.account)).data)
            raise
        methods = changes.payment_methods_of(self.account, change=change)
        return Response(ChangedPaymentMethodsSerializer(methods).data)


def _parse_change(data: Mapping[str, Any]) -> MethodChange:
    method = data.get("paymentsource") or ""
    return MethodChange(
        operation=data["operation_type"],
        method=method,
        source_id=data.get("payment_source_id") or "",
        intent=data.get("token") or "",
        owner={name: data.get(name) or "" for name in OWNER_FIELDS} if method == CARD else None,
        quote=data.get("quote"),
    )
