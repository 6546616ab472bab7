"""Pausing, and taking a scheduled pause back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from billing import clock
from billing.api.idempotency import KEY_HEADER, acts_once
from billing.api.serializers.cancelling import survey_of
from billing.api.serializers.pausing import PausedSerializer, PauseEstimateSerializer, PauseOfferSerializer
from billing.api.serializers.plans import PlansSerializer
from billing.api.serializers.requests import (
    OneSubscription,
    PausedSubscriptions,
    PauseEstimateQuery,
    PauseQuery,
)
from billing.api.viewsets.base import ACTOR, NOTHING_TO_DO, SubscriberViewSet
from billing.queries.offers import pause_offer
from billing.queries.outcomes import pause_now, plans_now
from billing.queries.pausing import pause_periods
from billing.services import pauses
from billing.services.schedules import PAUSE_DAYS
from billing.survey import PAUSE, Screen


class PauseViewSet(SubscriberViewSet):
    """A pause starts when the term ends and lasts 30 days."""

    @extend_schema(
        operation_id="pause",
        tags=["pause"],
        parameters=[PauseQuery, KEY_HEADER],
        request=None,
        responses=PausedSerializer,
    )
    @acts_once
    def pause(self, request: Request, *, key: str) -> Response:
        """Pause every subscription that can be paused."""
        asked = self.checked(PauseQuery, request.query_params)
        return self._pause(None, asked, days=asked["days"], key=key)

    @extend_schema(
        operation_id="pause_some",
        tags=["pause"],
        parameters=[KEY_HEADER],
        request=PausedSubscriptions,
        responses=PausedSerializer,
    )
    @acts_once
    def multiple_pause(self, request: Request, *, key: str) -> Response:
        """Pause the named subscriptions, all of them or none."""
        asked = self.checked(PausedSubscriptions, request.data)
        return self._pause(asked["subscription_id"], asked, days=PAUSE_DAYS, key=key)

    @extend_schema(
        operation_id="pause_estimate",
        tags=["pause"],
        parameters=[PauseEstimateQuery],
        responses={200: PauseEstimateSerializer, 409: NOTHING_TO_DO},
    )
    def estimate(self, request: Request) -> Response:
        """Answer when a pause would start and end. With nothing to pause: 409 `nothing_to_pause`."""
        days: int = self.checked(PauseEstimateQuery, request.query_params)["days"]
        periods = pause_periods(self.account, days=days)
        if not periods:
            raise pauses.NothingToPause
        first = {"pause_date": periods[0].pause_date, "resume_date": periods[0].resume_date}
        return Response(PauseEstimateSerializer({**first, "plans": periods}).data)

    @extend_schema(
        operation_id="remove_scheduled_pauses",
        tags=["pause"],
        parameters=[KEY_HEADER],
        request=None,
        responses=PlansSerializer,
    )
    @acts_once
    def remove_scheduled(self, request: Request, *, key: str) -> Response:
        """Take back all scheduled pauses."""
        return self._take_back(None, key=key)

    @extend_schema(
        operation_id="remove_scheduled_pause",
        tags=["pause"],
        parameters=[KEY_HEADER],
        request=OneSubscription,
        responses=PlansSerializer,
    )
    @acts_once
    def remove_scheduled_of_one(self, request: Request, *, key: str) -> Response:
        """Take back the scheduled pause of one subscription."""
        ids = self.checked(OneSubscription, request.data)["subscription_id"]
        return self._take_back(ids, key=key)

    @extend_schema(
        operation_id="pause_offer", tags=["pause"], responses=PauseOfferSerializer(many=True), filters=False
    )
    def offer(self, request: Request) -> Response:
        """Answer with what is worth staying for, per subscribed service."""
        return Response(pause_offer(self.account))

    def _pause(self, ids: Sequence[str] | None, asked: Mapping[str, Any], *, days: int, key: str) -> Response:
        offer: str = asked.get("offer", "")
        return self.changed(
            lambda: pauses.schedule(
                self.account,
                subscription_ids=ids,
                days=days,
                key=key,
                actor=ACTOR,
                now=clock.now(),
                offered=offer,
                screen=Screen(self.brand, survey_of(asked, offer=PAUSE if offer else "")),
            ),
            lambda: pause_now(self.account, ids),
        )

    def _take_back(self, ids: Sequence[str] | None, *, key: str) -> Response:
        return self.changed(
            lambda: pauses.remove_scheduled(
                self.account, subscription_ids=ids, key=key, actor=ACTOR, now=clock.now()
            ),
            lambda: plans_now(self.account),
        )
