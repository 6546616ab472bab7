"""What the tests of cancellations share: their requests, and what was recorded of each."""

from __future__ import annotations

from billing.models import ChurnEvent

CANCEL = "/api/account/cancel"
CANCEL_SOME = "/api/account/subscriptions/cancel"
KEEP = "/api/account/subscription/remove-scheduled-cancellation"
SURVEY = {"reason": "Too expensive", "satisfactionLevel": "Neutral", "dailyUsage": "Once a week"}


def churn_event_kinds() -> list[str]:
    """Return the kinds of the churn events, oldest first."""
    return list(ChurnEvent.objects.order_by("pk").values_list("kind", flat=True))
