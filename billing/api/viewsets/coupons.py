"""Redeeming coupon codes."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from billing import clock
from billing.api.account_limits import CODE_LIMIT
from billing.api.serializers.changes import RedeemedSerializer
from billing.api.serializers.requests import Confirmed
from billing.api.viewsets.base import SUBSCRIBER_ACTOR, SubscriberViewSet
from billing.changes.discounts import coupons
from core.idempotency import KEY_PARAMETER, idempotent_action


class CouponViewSet(SubscriberViewSet):
    """Coupon codes, each redeemable once per account."""

    figures_serializer = RedeemedSerializer

    @extend_schema(
        operation_id="add_coupon",
        tags=["plans"],
        parameters=[KEY_PARAMETER],
        request=Confirmed,
        responses=RedeemedSerializer,
    )
    @idempotent_action(limit=CODE_LIMIT)
    def redeem_code(self, request: Request, code: str, *, key: str) -> Response:
        """Apply a code to the subscription where it saves most; return the plans and totals after it."""
        data = self.validate_input(Confirmed, request.data)
        figures = self.confirm_change(
            lambda: coupons.redeem_code(
                self.account,
                code=code,
                quote=data.get("quote"),
                key=key,
                actor=SUBSCRIBER_ACTOR,
                now=clock.billing_now(),
            )
        )
        return Response(self.render_figures(self.state_after(figures)))
