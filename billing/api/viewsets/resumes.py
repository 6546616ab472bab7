"""Resuming what is paused."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from billing import clock
from billing.api.idempotency import KEY_HEADER, acts_once
from billing.api.serializers.pausing import ResumeEstimateSerializer
from billing.api.serializers.plans import PlansSerializer
from billing.api.serializers.requests import ResumeEstimateQuery, ResumeSerializer
from billing.api.viewsets.base import ACTOR, NOTHING_TO_DO, SubscriberViewSet
from billing.queries.outcomes import plans_now
from billing.services import resumes


class ResumeViewSet(SubscriberViewSet):
    """Resuming bills at once when the paid term is over; the estimate says how much."""

    @extend_schema(
        operation_id="resume",
        tags=["pause"],
        parameters=[KEY_HEADER],
        request=ResumeSerializer,
        responses=PlansSerializer,
    )
    @acts_once
    def resume(self, request: Request, *, key: str) -> Response:
        """Resume the named subscriptions, or all that are paused."""
        asked = self.checked(ResumeSerializer, request.data)
        return self.changed(
            lambda: resumes.resume(
                self.account,
                subscription_ids=asked.get("subscription_id"),
                quote=asked.get("quote"),
                key=key,
                actor=ACTOR,
                now=clock.now(),
            ),
            lambda: plans_now(self.account),
        )

    @extend_schema(
        operation_id="resume_estimate",
        tags=["pause"],
        parameters=[ResumeEstimateQuery],
        responses={200: ResumeEstimateSerializer, 409: NOTHING_TO_DO},
    )
    def estimate(self, request: Request) -> Response:
        """Answer when the service would come back and what that would charge."""
        asked = self.checked(ResumeEstimateQuery, request.query_params)
        found = resumes.estimate(
            self.account,
            subscription_ids=asked.get("subscription_id"),
            days=asked.get("days"),
            now=clock.now(),
        )
        return Response(ResumeEstimateSerializer(found).data)
