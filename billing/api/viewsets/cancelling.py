"""Cancelling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from billing import clock
from billing.api.idempotency import KEY_HEADER, acts_once
from billing.api.serializers.cancelling import (
    CancelledSerializer,
    NamedSurveySerializer,
    SurveySerializer,
    survey_of,
)
from billing.api.viewsets.base import ACTOR, SubscriberViewSet
from billing.queries.outcomes import cancelled_now
from billing.services import cancelling


class CancelViewSet(SubscriberViewSet):
    """What is cancelled ends with its term or its trial; what is paused ends at once."""

    def check_permissions(self, request: Request) -> None:
        """Refuse everybody where operators have switched cancelling off. Raises CancelDisabled."""
        super().check_permissions(request)
        cancelling.check_enabled()

    @extend_schema(
        operation_id="cancel",
        tags=["cancel"],
        parameters=[KEY_HEADER],
        request=SurveySerializer,
        responses=CancelledSerializer,
    )
    @acts_once
    def cancel(self, request: Request, *, key: str) -> Response:
        """Cancel every subscription that goes on; with nothing to cancel: 409 `invalid_state`."""
        return self._cancel(None, self.checked(SurveySerializer, request.data), key)

    @extend_schema(
        operation_id="cancel_some",
        tags=["cancel"],
        parameters=[KEY_HEADER],
        request=NamedSurveySerializer,
        responses=CancelledSerializer,
    )
    @acts_once
    def cancel_some(self, request: Request, *, key: str) -> Response:
        """Cancel the named subscriptions, all of them or none."""
        asked = self.checked(NamedSurveySerializer, request.data)
        return self._cancel(asked["subscription_ids"], asked, key)

    def _cancel(self, ids: Sequence[str] | None, answers: Mapping[str, Any], key: str) -> Response:
        return self.changed(
            lambda: cancelling.cancel(
                self.account,
                subscription_ids=ids,
                survey=survey_of(answers, offer=answers.get("offer") or ""),
                key=key,
                actor=ACTOR,
                now=clock.now(),
                brand=self.brand,
            ),
            lambda: cancelled_now(self.account, key),
        )
