"""Adding and removing plans."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from billing import clock
from billing.api.estimate_answers import estimate_action
from billing.api.serializers.changes import ServicesSerializer
from billing.api.serializers.requests import WantedPlans, WantedPlansConfirmed
from billing.api.viewsets.base import SUBSCRIBER_ACTOR, SubscriberViewSet
from billing.changes import plan_selection
from core.idempotency import KEY_PARAMETER, idempotent_action


class ServicesViewSet(SubscriberViewSet):
    """Changes of the selected plans: an added plan starts now, a removed one ends with its term."""

    figures_serializer = ServicesSerializer

    @extend_schema(
        operation_id="add_remove_service_estimate",
        tags=["plans"],
        request=WantedPlans,
        responses=ServicesSerializer,
    )
    @estimate_action
    def estimate_selection(self, request: Request) -> Response:
        """Return the plans and totals after selecting exactly these plans. Nothing is changed."""
        data = self.validate_input(WantedPlans, request.data)
        preview = plan_selection.preview_selection(
            self.account,
            plan_ids=data["plan_ids"],
            period_unit=data.get("period_unit"),
            now=clock.billing_now(),
        )
        return Response(self.render_figures(preview.body))

    @extend_schema(
        operation_id="add_remove_service",
        tags=["plans"],
        parameters=[KEY_PARAMETER],
        request=WantedPlansConfirmed,
        responses=ServicesSerializer,
    )
    @idempotent_action()
    def change_selection(self, request: Request, *, key: str) -> Response:
        """Start and end plans so that the account has exactly these.

        Return the confirmed charges, and the plans and totals after the change.
        """
        data = self.validate_input(WantedPlansConfirmed, request.data)
        figures = self.confirm_change(
            lambda: plan_selection.change_selection(
                self.account,
                plan_ids=data["plan_ids"],
                period_unit=data.get("period_unit"),
                quote=data.get("quote"),
                key=key,
                actor=SUBSCRIBER_ACTOR,
                now=clock.billing_now(),
                intents=data.get("payment_intents", ()),
            )
        )
        return Response(self.render_figures(self.state_after(figures)))
