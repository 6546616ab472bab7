"""Adding and removing services."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from billing import clock
from billing.api.idempotency import KEY_HEADER, acts_once
from billing.api.serializers.changing import ServicesSerializer
from billing.api.serializers.requests import WantedPlans, WantedPlansConfirmed
from billing.api.viewsets.base import ACTOR, SubscriberViewSet
from billing.queries.dues import has_payment_failure
from billing.queries.outcomes import state_now
from billing.services import add_remove


class ServicesViewSet(SubscriberViewSet):
    """The plans wanted from now on: what is added starts at once, what is left out ends with its term."""

    @extend_schema(
        operation_id="add_remove_service_estimate",
        tags=["plans"],
        request=WantedPlans,
        responses=ServicesSerializer,
    )
    def estimate(self, request: Request) -> Response:
        """Answer with what wanting exactly these plans leads to. It changes nothing."""
        asked = self.checked(WantedPlans, request.data)
        shown = add_remove.preview(self.account, plan_ids=asked["plan_ids"], now=clock.now())
        return Response({**shown.body, "has_payment_failure": has_payment_failure(self.account)})

    @extend_schema(
        operation_id="add_remove_service",
        tags=["plans"],
        parameters=[KEY_HEADER],
        request=WantedPlansConfirmed,
        responses=ServicesSerializer,
    )
    @acts_once
    def change(self, request: Request, *, key: str) -> Response:
        """Start and end services so that exactly these plans are held.

        The answer has the money that was shown and charged, and plans and totals as they now are.
        """
        asked = self.checked(WantedPlansConfirmed, request.data)
        figures = self.done(
            lambda: add_remove.change(
                self.account,
                plan_ids=asked["plan_ids"],
                quote=asked.get("quote"),
                key=key,
                actor=ACTOR,
                now=clock.now(),
            )
        )
        return Response({**figures, **state_now(self.account)})
