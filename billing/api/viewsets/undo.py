"""Undoing scheduled changes and cancellations."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from billing import clock
from billing.api.serializers.plans import PlansSerializer
from billing.api.serializers.requests import NamedSubscriptions
from billing.api.viewsets.base import SUBSCRIBER_ACTOR, SubscriberViewSet
from billing.changes import undo
from core.idempotency import KEY_PARAMETER, idempotent_action


class UndoViewSet(SubscriberViewSet):
    """A scheduled change or cancellation can be undone until its date."""

    @extend_schema(
        operation_id="remove_scheduled_change",
        tags=["plans"],
        parameters=[KEY_PARAMETER],
        request=NamedSubscriptions,
        responses=PlansSerializer,
    )
    @idempotent_action()
    def remove_scheduled_change(self, request: Request, *, key: str) -> Response:
        """Remove the scheduled downgrades of the named subscriptions."""
        ids = self.validate_input(NamedSubscriptions, request.data)["subscription_id"]
        return self.respond_after_change(
            lambda: undo.remove_scheduled_change(
                self.account, subscription_ids=ids, key=key, actor=SUBSCRIBER_ACTOR, now=clock.billing_now()
            )
        )

    @extend_schema(
        operation_id="remove_scheduled_cancellation",
        tags=["plans"],
        parameters=[KEY_PARAMETER],
        request=NamedSubscriptions,
        responses=PlansSerializer,
    )
    @idempotent_action()
    def remove_scheduled_cancellation(self, request: Request, *, key: str) -> Response:
        """Remove the scheduled cancellations of the named subscriptions."""
        ids = self.validate_input(NamedSubscriptions, request.data)["subscription_id"]
        return self.respond_after_change(
            lambda: undo.remove_scheduled_cancellation(
                self.account, subscription_ids=ids, key=key, actor=SUBSCRIBER_ACTOR, now=clock.billing_now()
            )
        )
