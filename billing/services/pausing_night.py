"""Hourly: every scheduled pause whose date has come is looked at, and the schedule follows (contract, rule 1)."""

import logging
from datetime import datetime

from billing import stopping
from billing.gateway.errors import GatewayError
from billing.models import PauseSchedule
from billing.services import sync

logger = logging.getLogger(__name__)

State = PauseSchedule.State


def look_at_due(*, now: datetime, until: float = float("inf")) -> dict[str, int]:
    """Read each subscription whose pause should have begun; its schedule becomes paused, or is closed.

    Nothing is paused here: only the provider can stop a renewal exactly. One failure never stops the batch. What is not
    begun at a time of the monotonic clock is `left`; it stays due.
    """
    counts = {"paused": 0, "superseded": 0, "unasked": 0, "failed": 0}
    waiting = PauseSchedule.objects.filter(state=State.SCHEDULED, pause_date__lte=now)
    due = list(waiting.select_related("subscription").order_by("pause_date", "pk"))
    for index, schedule in enumerate(due):
        if index and stopping.is_time_up(until):
            counts["left"] = len(due) - index
            break
        try:
            counts[_look_at(schedule)] += 1
        except Exception:
            logger.exception("Looking at schedule %s failed", schedule.pk)
            counts["failed"] += 1
    return counts


def _look_at(schedule: PauseSchedule) -> str:
    subscription_id = schedule.subscription.provider_id
    try:
        sync.look_for("subscription", subscription_id)
    except GatewayError as error:
        logger.warning("Schedule %s could not be looked at: %s", schedule.pk, error)
        return "unasked"
    schedule.refresh_from_db()
    if schedule.state == State.SCHEDULED:
        return "unasked"
    return "superseded" if schedule.state == State.SUPERSEDED else "paused"
