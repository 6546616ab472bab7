"""Resuming paused subscriptions."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from billing import clock
from billing.api.estimate_answers import estimate_action
from billing.api.serializers.pauses import ResumeEstimateSerializer
from billing.api.serializers.plans import PlansSerializer
from billing.api.serializers.requests import ResumeEstimateQuery, ResumeSerializer
from billing.api.viewsets.base import NOTHING_TO_DO, SUBSCRIBER_ACTOR, SubscriberViewSet
from billing.changes import resumes
from core.idempotency import KEY_PARAMETER, idempotent_action


class ResumeViewSet(SubscriberViewSet):
    """Resuming bills now when the paid term is over; the estimate says how much."""

    figures_serializer = ResumeEstimateSerializer

    @extend_schema(
        operation_id="resume",
        tags=["pause"],
        parameters=[KEY_PARAMETER],
        request=ResumeSerializer,
        responses=PlansSerializer,
    )
    @idempotent_action()
    def resume_paused(self, request: Request, *, key: str) -> Response:
        """Resume the named subscriptions, or all paused ones."""
        data = self.validate_input(ResumeSerializer, request.data)
        return self.respond_after_change(
            lambda: resumes.resume_subscriptions(
                self.account,
                subscription_ids=data.get("subscription_id"),
                quote=data.get("quote"),
                key=key,
                actor=SUBSCRIBER_ACTOR,
                now=clock.billing_now(),
                intents=data.get("payment_intents", ()),
            )
        )

    @extend_schema(
        operation_id="resume_estimate",
        tags=["pause"],
        parameters=[ResumeEstimateQuery],
        responses={200: ResumeEstimateSerializer, 409: NOTHING_TO_DO},
    )
    @estimate_action
    def estimate_resume(self, request: Request) -> Response:
        """Return when the service would resume and what that would charge."""
        query = self.validate_input(ResumeEstimateQuery, request.query_params)
        estimate = resumes.estimate_resume(
            self.account,
            subscription_ids=query.get("subscription_id"),
            days=query.get("days"),
            now=clock.billing_now(),
        )
        return Response(ResumeEstimateSerializer(estimate).data)
