"""Hourly: check every scheduled pause whose date has come, and update its schedule (docs/rules.md, rule 1)."""

import logging
from datetime import datetime

from billing.gateway.errors import GatewayError
from billing.mirror import account_import
from billing.models import PauseSchedule
from core.workers import shutdown

logger = logging.getLogger(__name__)

State = PauseSchedule.State


def check_due_pauses(*, now: datetime, until: float = float("inf")) -> dict[str, int]:
    """Refresh each subscription whose pause should have begun, which marks its schedule as paused or closes it.

    The provider pauses subscriptions itself, since only it can stop a renewal exactly. A failure does not stop the
    batch. Schedules that are not reached by a time of the monotonic clock are counted as `left` and stay due.
    """
    counts = {"paused": 0, "superseded": 0, "unasked": 0, "failed": 0}
    schedules = PauseSchedule.objects.filter(state=State.SCHEDULED, pause_date__lte=now)
    due = list(schedules.select_related("subscription").order_by("pause_date", "pk"))
    for index, schedule in enumerate(due):
        if index and shutdown.is_time_up(until):
            counts["left"] = len(due) - index
            break
        try:
            counts[_check_pause(schedule)] += 1
        except Exception:
            logger.exception("Checking pause schedule %s failed", schedule.pk)
            counts["failed"] += 1
    return counts


def _check_pause(schedule: PauseSchedule) -> str:
    subscription_id = schedule.subscription.provider_id
    try:
        account_import.refresh_or_mark_deleted("subscription", subscription_id)
    except GatewayError as error:
        logger.warning("Pause schedule %s could not be checked: %s", schedule.pk, error)
        return "unasked"
    schedule.refresh_from_db()
    if schedule.state == State.SCHEDULED:
        return "unasked"
    return "superseded" if schedule.state == State.SUPERSEDED else "paused"
