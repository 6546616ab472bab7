"""The free month offered to subscribers who are about to cancel."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from billing import clock
from billing.api.estimate_answers import estimate_action
from billing.api.serializers.changes import FreeMonthSerializer
from billing.api.serializers.requests import Confirmed
from billing.api.viewsets.base import NOTHING_TO_DO, SUBSCRIBER_ACTOR, SubscriberViewSet
from billing.changes.discounts import free_month
from core.idempotency import KEY_PARAMETER, idempotent_action


class FreeMonthViewSet(SubscriberViewSet):
    """The free month: its estimate, and claiming it."""

    figures_serializer = FreeMonthSerializer

    @extend_schema(
        operation_id="claim_my_offer_estimate",
        tags=["plans"],
        responses={200: FreeMonthSerializer, 409: NOTHING_TO_DO},
    )
    @estimate_action
    def estimate_free_month(self, request: Request) -> Response:
        """Return whether the account is eligible, what it saves, and when the next bills come."""
        offer = free_month.estimate_free_month(self.account, now=clock.billing_now())
        return Response(FreeMonthSerializer(offer).data)

    @extend_schema(
        operation_id="claim_my_offer",
        tags=["plans"],
        parameters=[KEY_PARAMETER],
        request=Confirmed,
        responses=FreeMonthSerializer,
    )
    @idempotent_action()
    def claim_free_month(self, request: Request, *, key: str) -> Response:
        """Claim the free month; return the confirmed figures and the plan that it waits on."""
        data = self.validate_input(Confirmed, request.data)
        figures = self.confirm_change(
            lambda: free_month.claim_free_month(
                self.account,
                quote=data.get("quote"),
                key=key,
                actor=SUBSCRIBER_ACTOR,
                now=clock.billing_now(),
            )
        )
        offer = {**figures, **free_month.waiting_free_month(self.account)}
        return Response(FreeMonthSerializer(offer).data)
