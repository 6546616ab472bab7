"""Switching between monthly and yearly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from billing import clock
from billing.api.idempotency import KEY_HEADER, acts_once
from billing.api.serializers.changing import PreviewSerializer
from billing.api.serializers.requests import SwitchedPlans, SwitchedPlansConfirmed
from billing.api.viewsets.base import ACTOR, NOTHING_TO_DO, SubscriberViewSet
from billing.queries.dues import has_payment_failure
from billing.queries.outcomes import preview_now, switching_now
from billing.services import periods
from billing.services.periods import DOWNGRADE, PERIODS, UPGRADE


class PeriodsViewSet(SubscriberViewSet):
    """An upgrade to yearly is made at once; a downgrade to monthly when the year ends, in a trial at once."""

    @extend_schema(
        operation_id="upgrade_estimate",
        tags=["plans"],
        parameters=[SwitchedPlans],
        responses={200: PreviewSerializer, 409: NOTHING_TO_DO},
    )
    def upgrade_estimate(self, request: Request) -> Response:
        """Answer with what billing yearly leads to; a plan whose change is scheduled is shown as it will be."""
        return self._estimate(request, UPGRADE)

    @extend_schema(
        operation_id="upgrade",
        tags=["plans"],
        parameters=[KEY_HEADER],
        request=SwitchedPlansConfirmed,
        responses=PreviewSerializer,
    )
    @acts_once
    def upgrade(self, request: Request, *, key: str) -> Response:
        """Bill yearly from now on, what is left of the paid months credited."""
        return self._switch(request, UPGRADE, key)

    @extend_schema(
        operation_id="downgrade_estimate",
        tags=["plans"],
        parameters=[SwitchedPlans],
        responses={200: PreviewSerializer, 409: NOTHING_TO_DO},
    )
    def downgrade_estimate(self, request: Request) -> Response:
        """Answer with what billing monthly leads to; a plan whose change is scheduled is shown as it will be."""
        return self._estimate(request, DOWNGRADE)

    @extend_schema(
        operation_id="downgrade",
        tags=["plans"],
        parameters=[KEY_HEADER],
        request=SwitchedPlansConfirmed,
        responses=PreviewSerializer,
    )
    @acts_once
    def downgrade(self, request: Request, *, key: str) -> Response:
        """Bill monthly once the year is over; what is in its trial, at once."""
        return self._switch(request, DOWNGRADE, key)

    def _estimate(self, request: Request, direction: str) -> Response:
        asked = self.checked(SwitchedPlans, request.query_params)
        shown = periods.preview(
            self.account, direction=direction, plan_ids=asked.get("plan_ids"), now=clock.now()
        )
        return Response({**shown.body, "has_payment_failure": has_payment_failure(self.account)})

    def _switch(self, request: Request, direction: str, key: str) -> Response:
        asked = self.checked(SwitchedPlansConfirmed, request.data)
        figures = self.done(
            lambda: periods.switch(
                self.account,
                direction=direction,
                plan_ids=asked.get("plan_ids"),
                quote=asked.get("quote"),
                key=key,
                actor=ACTOR,
                now=clock.now(),
            )
        )
        return Response({**figures, **self._after(figures, direction)})

    def _after(self, figures: Mapping[str, Any], direction: str) -> dict[str, Any]:
        """Return what the answer shows over the figures that were confirmed.

        Done at once, plans and totals are as they now are. Only scheduled, the plans are shown as they will be, and
        with them the totals that were confirmed; `/api/account` says when that is.
        """
        if figures["is_immediate"]:
            return preview_now(self.account)
        return switching_now(self.account, period_unit=PERIODS[direction][1])
