"""Pausing subscriptions, removing scheduled pauses, and the pause offer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from billing import clock
from billing.api.estimate_answers import estimate_action
from billing.api.serializers.cancellation import survey_from_answers
from billing.api.serializers.pauses import PausedSerializer, PauseEstimateSerializer, PauseOfferSerializer
from billing.api.serializers.plans import PlansSerializer
from billing.api.serializers.requests import (
    NamedSubscriptions,
    PausedSubscriptions,
    PauseEstimateQuery,
    PauseQuery,
)
from billing.api.viewsets.base import NOTHING_TO_DO, SUBSCRIBER_ACTOR, SubscriberViewSet
from billing.changes import pauses
from billing.mirror.pause_schedules import PAUSE_DAYS
from billing.queries.subscriptions.changed_plans import changed_plans
from billing.queries.subscriptions.pauses import pause_offers
from billing.survey import PAUSE, Screen
from core.idempotency import KEY_PARAMETER, idempotent_action


class PauseViewSet(SubscriberViewSet):
    """A pause starts when the term ends and lasts 30 days."""

    @extend_schema(
        operation_id="pause",
        tags=["pause"],
        parameters=[PauseQuery, KEY_PARAMETER],
        request=None,
        responses=PausedSerializer,
    )
    @idempotent_action()
    def pause_all(self, request: Request, *, key: str) -> Response:
        """Pause every subscription that can be paused."""
        query = self.validate_input(PauseQuery, request.query_params)
        return self._schedule_pause(query.get("subscription_id"), query, days=query["days"], key=key)

    @extend_schema(
        operation_id="pause_some",
        tags=["pause"],
        parameters=[KEY_PARAMETER],
        request=PausedSubscriptions,
        responses=PausedSerializer,
    )
    @idempotent_action()
    def pause_some(self, request: Request, *, key: str) -> Response:
        """Pause the named subscriptions, all of them or none."""
        data = self.validate_input(PausedSubscriptions, request.data)
        return self._schedule_pause(data["subscription_id"], data, days=PAUSE_DAYS, key=key)

    @extend_schema(
        operation_id="pause_estimate",
        tags=["pause"],
        parameters=[PauseEstimateQuery],
        responses={200: PauseEstimateSerializer, 409: NOTHING_TO_DO},
    )
    @estimate_action
    def estimate_pause(self, request: Request) -> Response:
        """Return when a pause would start and end, and the bills after it. With nothing to pause: 409."""
        query = self.validate_input(PauseEstimateQuery, request.query_params)
        estimate = pauses.estimate_pause(
            self.account,
            subscription_ids=query.get("subscription_id"),
            days=query["days"],
            now=clock.billing_now(),
        )
        return Response(PauseEstimateSerializer(estimate).data)

    @extend_schema(
        operation_id="remove_scheduled_pauses",
        tags=["pause"],
        parameters=[KEY_PARAMETER],
        request=None,
        responses=PlansSerializer,
    )
    @idempotent_action()
    def remove_scheduled_pauses(self, request: Request, *, key: str) -> Response:
        """Remove all scheduled pauses."""
        return self._remove_pauses(None, key=key)

    @extend_schema(
        operation_id="remove_scheduled_pause",
        tags=["pause"],
        parameters=[KEY_PARAMETER],
        request=NamedSubscriptions,
        responses=PlansSerializer,
    )
    @idempotent_action()
    def remove_scheduled_pause(self, request: Request, *, key: str) -> Response:
        """Remove the scheduled pauses of the named subscriptions."""
        ids = self.validate_input(NamedSubscriptions, request.data)["subscription_id"]
        return self._remove_pauses(ids, key=key)

    @extend_schema(operation_id="pause_offer", tags=["pause"], responses=PauseOfferSerializer(many=True), filters=False)
    def show_offer(self, request: Request) -> Response:
        """Return recommended and upcoming titles of each subscribed service."""
        return Response(PauseOfferSerializer(pause_offers(self.account), many=True).data)

    def _schedule_pause(self, ids: Sequence[str] | None, data: Mapping[str, Any], *, days: int, key: str) -> Response:
        offer: str = data.get("offer", "")
        return self.respond_after_change(
            lambda: pauses.schedule_pause(
                self.account,
                subscription_ids=ids,
                days=days,
                key=key,
                actor=SUBSCRIBER_ACTOR,
                now=clock.billing_now(),
                offered=offer,
                screen=Screen(self.brand_code, survey_from_answers(data, offer=PAUSE if offer else "")),
            ),
            PausedSerializer,
            lambda account: changed_plans(account, ids),
        )

    def _remove_pauses(self, ids: Sequence[str] | None, *, key: str) -> Response:
        return self.respond_after_change(
            lambda: pauses.remove_scheduled_pause(
                self.account, subscription_ids=ids, key=key, actor=SUBSCRIBER_ACTOR, now=clock.billing_now()
            )
        )
