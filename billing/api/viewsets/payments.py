"""Payment methods: listing and changing them, and the payment intent for PayPal."""

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
    PaymentChange,
    PaymentMethodsSerializer,
)
from billing.api.viewsets.base import SUBSCRIBER_ACTOR, SubscriberViewSet
from billing.errors import BillingPartial, QuoteChanged
from billing.payment_methods import changes
from billing.payment_methods.changes import MethodChange
from billing.queries.payment_methods import CARD
from core.idempotency import KEY_PARAMETER, idempotent_action
from core.responses import VerbatimResponse


class PaymentsViewSet(SubscriberViewSet):
    """Card data never reaches the portal: the provider's token or intent stands for it."""

    @extend_schema(operation_id="payments", tags=["payments"], responses=PaymentMethodsSerializer)
    def list_methods(self, request: Request) -> Response:
        """Return the account's cards and PayPal accounts, and what is due."""
        return Response(PaymentMethodsSerializer(changes.payment_methods_of(self.account)).data)

    @extend_schema(
        operation_id="payment_token",
        tags=["payments"],
        parameters=[KEY_PARAMETER],
        request=None,
        responses=OpenApiTypes.OBJECT,
    )
    @idempotent_action(limit=PAYMENT_LIMIT)
    def create_paypal_intent(self, request: Request, *, key: str) -> Response:
        """Create a payment intent for saving a PayPal account; the provider's object is returned unchanged."""
        return VerbatimResponse(changes.create_paypal_intent(self.account, key=key))

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
        token=data.get("token") or "",
        owner={name: data.get(name) or "" for name in OWNER_FIELDS} if method == CARD else None,
        quote=data.get("quote"),
    )
