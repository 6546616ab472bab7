"""Taking back what is only scheduled: a change of period, a cancellation."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from billing import clock
from billing.api.idempotency import KEY_HEADER, acts_once
from billing.api.serializers.plans import PlansSerializer
from billing.api.serializers.requests import OneSubscription
from billing.api.viewsets.base import ACTOR, SubscriberViewSet
from billing.queries.outcomes import plans_now
from billing.services import undo


class UndoViewSet(SubscriberViewSet):
    """Until its date comes, what is scheduled can be taken back."""

    @extend_schema(
        operation_id="remove_scheduled_change",
        tags=["plans"],
        parameters=[KEY_HEADER],
        request=OneSubscription,
        responses=PlansSerializer,
    )
    @acts_once
    def remove_scheduled_change(self, request: Request, *, key: str) -> Response:
        """Take back the scheduled downgrade of one subscription."""
        ids = self.checked(OneSubscription, request.data)["subscription_id"]
        return self.changed(
            lambda: undo.remove_scheduled_change(
                self.account, subscription_ids=ids, key=key, actor=ACTOR, now=clock.now()
            ),
            lambda: plans_now(self.account),
        )

    @extend_schema(
        operation_id="remove_scheduled_cancellation",
        tags=["plans"],
        parameters=[KEY_HEADER],
        request=OneSubscription,
        responses=PlansSerializer,
    )
    @acts_once
    def remove_scheduled_cancellation(self, request: Request, *, key: str) -> Response:
        """Keep one subscription that was going to end."""
        ids = self.checked(OneSubscription, request.data)["subscription_id"]
        return self.changed(
            lambda: undo.remove_scheduled_cancellation(
                self.account, subscription_ids=ids, key=key, actor=ACTOR, now=clock.now()
            ),
            lambda: plans_now(self.account),
        )
