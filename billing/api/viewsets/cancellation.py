"""Canceling subscriptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.brands import site
from billing import clock
from billing.api.serializers.cancellation import (
    CancelledSerializer,
    CancelScreenSerializer,
    NamedSurveySerializer,
    SurveySerializer,
    survey_from_answers,
)
from billing.api.viewsets.base import SUBSCRIBER_ACTOR, SubscriberViewSet
from billing.changes import cancellation
from billing.queries.cancel_screen import offered_answers, pause_offers_on
from billing.queries.subscriptions.changed_plans import cancelled_plans
from core.idempotency import KEY_PARAMETER, idempotent_action


class CancelScreenViewSet(SubscriberViewSet):
    """What operators arrange on the cancel screen, which shows it also where canceling is switched off."""

    @extend_schema(operation_id="cancel_screen", tags=["cancel"], responses=CancelScreenSerializer)
    def show_screen(self, request: Request) -> Response:
        """Return the survey's answers, and the words of the pause offers of this brand and day."""
        today = clock.local_date(clock.billing_now(), site.site_settings().time_zone)
        screen = {"survey": offered_answers(), "pause_offers": pause_offers_on(today, brand=self.brand_code)}
        return Response(CancelScreenSerializer(screen).data)


class CancelViewSet(SubscriberViewSet):
    """A canceled subscription ends with its term or trial; a paused one ends now."""

    def check_permissions(self, request: Request) -> None:
        """Raise CancelDisabled when operators have switched canceling off."""
        super().check_permissions(request)
        cancellation.check_cancel_enabled()

    @extend_schema(
        operation_id="cancel",
        tags=["cancel"],
        parameters=[KEY_PARAMETER],
        request=SurveySerializer,
        responses=CancelledSerializer,
    )
    @idempotent_action()
    def cancel_all(self, request: Request, *, key: str) -> Response:
        """Cancel every subscription that renews; with nothing to cancel: 409 `invalid_state`."""
        return self._cancel_subscriptions(None, self.validate_input(SurveySerializer, request.data), key)

    @extend_schema(
        operation_id="cancel_some",
        tags=["cancel"],
        parameters=[KEY_PARAMETER],
        request=NamedSurveySerializer,
        responses=CancelledSerializer,
    )
    @idempotent_action()
    def cancel_some(self, request: Request, *, key: str) -> Response:
        """Cancel the named subscriptions, all of them or none."""
        data = self.validate_input(NamedSurveySerializer, request.data)
        return self._cancel_subscriptions(data["subscription_ids"], data, key)

    def _cancel_subscriptions(self, ids: Sequence[str] | None, answers: Mapping[str, Any], key: str) -> Response:
        return self.respond_after_change(
            lambda: cancellation.cancel_subscriptions(
                self.account,
                subscription_ids=ids,
                survey=survey_from_answers(answers, offer=answers.get("offer") or ""),
                key=key,
                actor=SUBSCRIBER_ACTOR,
                now=clock.billing_now(),
                brand=self.brand_code,
            ),
            CancelledSerializer,
            lambda account: cancelled_plans(account, key),
        )
