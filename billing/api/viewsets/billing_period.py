"""Switching plans between monthly and yearly billing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from billing import clock
from billing.api.estimate_answers import estimate_action
from billing.api.serializers.changes import PreviewSerializer
from billing.api.serializers.requests import SwitchedPlans, SwitchedPlansConfirmed
from billing.api.viewsets.base import NOTHING_TO_DO, SUBSCRIBER_ACTOR, SubscriberViewSet
from billing.changes import billing_period
from billing.changes.billing_period import DOWNGRADE, PERIODS_BY_DIRECTION, UPGRADE
from billing.queries.subscriptions.changed_plans import switched_plans
from core.idempotency import KEY_PARAMETER, idempotent_action


class PeriodsViewSet(SubscriberViewSet):
    """An upgrade to yearly takes effect now. A downgrade to monthly takes effect at term end, in a trial now."""

    figures_serializer = PreviewSerializer

    @extend_schema(
        operation_id="upgrade_estimate",
        tags=["plans"],
        parameters=[SwitchedPlans],
        responses={200: PreviewSerializer, 409: NOTHING_TO_DO},
    )
    @estimate_action
    def estimate_upgrade(self, request: Request) -> Response:
        """Return the plans and totals with yearly billing; scheduled changes are shown as made."""
        return self._estimate_switch(request, UPGRADE)

    @extend_schema(
        operation_id="upgrade",
        tags=["plans"],
        parameters=[KEY_PARAMETER],
        request=SwitchedPlansConfirmed,
        responses=PreviewSerializer,
    )
    @idempotent_action()
    def upgrade_plans(self, request: Request, *, key: str) -> Response:
        """Switch to yearly billing now; the rest of the paid months is credited."""
        return self._switch_period(request, UPGRADE, key)

    @extend_schema(
        operation_id="downgrade_estimate",
        tags=["plans"],
        parameters=[SwitchedPlans],
        responses={200: PreviewSerializer, 409: NOTHING_TO_DO},
    )
    @estimate_action
    def estimate_downgrade(self, request: Request) -> Response:
        """Return the plans and totals with monthly billing; scheduled changes are shown as made."""
        return self._estimate_switch(request, DOWNGRADE)

    @extend_schema(
        operation_id="downgrade",
        tags=["plans"],
        parameters=[KEY_PARAMETER],
        request=SwitchedPlansConfirmed,
        responses=PreviewSerializer,
    )
    @idempotent_action()
    def downgrade_plans(self, request: Request, *, key: str) -> Response:
        """Switch to monthly billing at the end of the year; plans in a trial switch now."""
        return self._switch_period(request, DOWNGRADE, key)

    def _estimate_switch(self, request: Request, direction: str) -> Response:
        data = self.validate_input(SwitchedPlans, request.query_params)
        preview = billing_period.preview_switch(
            self.account, direction=direction, plan_ids=data.get("plan_ids"), now=clock.billing_now()
        )
        return Response(self.render_figures(preview.body))

    def _switch_period(self, request: Request, direction: str, key: str) -> Response:
        data = self.validate_input(SwitchedPlansConfirmed, request.data)
        figures = self.confirm_change(
            lambda: billing_period.switch_period(
                self.account,
                direction=direction,
                plan_ids=data.get("plan_ids"),
                quote=data.get("quote"),
                key=key,
                actor=SUBSCRIBER_ACTOR,
                now=clock.billing_now(),
                intents=data.get("payment_intents", ()),
            )
        )
        return Response(self.render_figures(figures | self._state_after_switch(figures, direction)))

    def _state_after_switch(self, figures: Mapping[str, Any], direction: str) -> dict[str, Any]:
        """Return the state that is merged over the confirmed figures.

        After an immediate switch, plans and totals are as they are now. After a scheduled one, the plans are shown as
        they will be, with the confirmed totals; `/api/account` says when that is.
        """
        if figures["is_immediate"]:
            return self.state_after(figures)
        period_unit = PERIODS_BY_DIRECTION[direction][1]
        return {"existing_plans": switched_plans(self.account, period_unit=period_unit)}
