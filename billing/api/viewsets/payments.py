"""Payment methods: the lists, the provider's intent for PayPal, and every change of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from billing import clock
from billing.api.allowances import PAYMENTS
from billing.api.idempotency import KEY_HEADER, acts_once_within
from billing.api.serializers.payments import (
    OWNER,
    ChangedPaymentMethodsSerializer,
    PaymentChange,
    PaymentMethodsSerializer,
)
from billing.api.verbatim import Verbatim
from billing.api.viewsets.base import ACTOR, SubscriberViewSet
from billing.errors import BillingPartial, QuoteChanged
from billing.queries.payment_methods import CARD, payment_lists
from billing.services import payment_methods
from billing.services.payment_methods import Wish


class PaymentsViewSet(SubscriberViewSet):
    """Card data never comes here: a token or an intent of the provider's stands for it."""

    @extend_schema(operation_id="payments", tags=["payments"], responses=PaymentMethodsSerializer)
    def methods(self, request: Request) -> Response:
        """Answer with the account's cards and PayPal accounts, and what is due."""
        return Response(self._state())

    @extend_schema(
        operation_id="payment_token",
        tags=["payments"],
        parameters=[KEY_HEADER],
        request=None,
        responses=OpenApiTypes.OBJECT,
    )
    @acts_once_within(PAYMENTS)
    def token(self, request: Request, *, key: str) -> Response:
        """Make a payment intent for keeping a PayPal account; it passes through as the provider made it."""
        return Verbatim(payment_methods.paypal_intent(self.account, key=key))

    @extend_schema(
        operation_id="update_payment_sources",
        tags=["payments"],
        parameters=[KEY_HEADER],
        request=PaymentChange,
        responses=ChangedPaymentMethodsSerializer,
    )
    @acts_once_within(PAYMENTS)
    def change(self, request: Request, *, key: str) -> Response:
        """Add, update, remove a payment method or make it the default, and collect what is due with it."""
        wish = _wish(self.checked(PaymentChange, request.data))
        try:
            outcome = payment_methods.change(self.account, wish, key=key, actor=ACTOR, now=clock.now())
        except (QuoteChanged, BillingPartial) as error:
            error.extra.update(self._state())
            raise
        done = {"payment_source_id": outcome.source_id, "collected": outcome.collected}
        return Response({**self._state(), **done})

    def _state(self) -> dict[str, Any]:
        return {**payment_lists(self.account), **payment_methods.state_of(self.account)}


def _wish(asked: Mapping[str, Any]) -> Wish:
    method = asked.get("paymentsource") or ""
    return Wish(
        operation=asked["operation_type"],
        method=method,
        source_id=asked.get("payment_source_id") or "",
        token=asked.get("token") or "",
        owner={name: asked.get(name) or "" for name in OWNER} if method == CARD else None,
        quote=asked.get("quote"),
    )
