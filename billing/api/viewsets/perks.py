"""Codes and the free month."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from billing import clock
from billing.api.allowances import CODES
from billing.api.idempotency import KEY_HEADER, acts_once, acts_once_within
from billing.api.serializers.changing import FreeMonthSerializer, RedeemedSerializer
from billing.api.serializers.requests import Confirmed
from billing.api.viewsets.base import ACTOR, NOTHING_TO_DO, SubscriberViewSet
from billing.queries.outcomes import preview_now
from billing.services import codes, offers


class PerksViewSet(SubscriberViewSet):
    """What takes something off the next bill."""

    @extend_schema(
        operation_id="add_coupon",
        tags=["plans"],
        parameters=[KEY_HEADER],
        request=Confirmed,
        responses=RedeemedSerializer,
    )
    @acts_once_within(CODES)
    def add_coupon(self, request: Request, code: str, *, key: str) -> Response:
        """Put a code on the subscription where it saves most; the answer has plans and totals as they now are."""
        asked = self.checked(Confirmed, request.data)
        figures = self.done(
            lambda: codes.redeem(
                self.account, code=code, quote=asked.get("quote"), key=key, actor=ACTOR, now=clock.now()
            )
        )
        return Response({**figures, **preview_now(self.account)})

    @extend_schema(
        operation_id="claim_my_offer_estimate",
        tags=["plans"],
        responses={200: FreeMonthSerializer, 409: NOTHING_TO_DO},
    )
    def offer_estimate(self, request: Request) -> Response:
        """Answer whether the account may have a free month, what it saves and what it does to the next bill."""
        return Response(offers.estimate(self.account, now=clock.now()))

    @extend_schema(
        operation_id="claim_my_offer",
        tags=["plans"],
        parameters=[KEY_HEADER],
        request=Confirmed,
        responses=FreeMonthSerializer,
    )
    @acts_once
    def claim_offer(self, request: Request, *, key: str) -> Response:
        """Claim the free month; the answer has what was shown, and that it now waits."""
        asked = self.checked(Confirmed, request.data)
        figures = offers.claim(self.account, quote=asked.get("quote"), key=key, actor=ACTOR, now=clock.now())
        return Response({**figures, **offers.waiting_now(self.account)})
