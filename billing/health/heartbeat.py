"""The heartbeat: a row that each tick of beat renews once a worker has taken it."""

from __future__ import annotations

from datetime import datetime, timedelta

from billing.models import Heartbeat

# Beat ticks three times in it.
STILL_AFTER = timedelta(minutes=1)


def last_heartbeat() -> datetime | None:
    """Return when a worker took the last tick, in real time (UTC); None before the first."""
    return Heartbeat.objects.values_list("at", flat=True).order_by("-at").first()


def is_background_work_running(now: datetime) -> bool:
    """Return whether a worker took a tick within the last minute before real time `now`."""
    at = last_heartbeat()
    return at is not None and now - at < STILL_AFTER
