"""Rate limits, stored in the database: they hold across processes, and with the cache down.

The window slides: each use is stored until it expires. A window that starts over would allow twice the limit around its
boundary. Consuming a limit locks its counter's row, so concurrent requests cannot exceed it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import transaction

from core import clock
from core.errors import PortalError
from core.models import LimitCounter

SECONDS_IN_MINUTE = 60
DEMO_FACTOR = 10  # docs/rules.md, rule 13


class Throttled(PortalError):
    """A limit is exceeded; `retry_after` says when to try again."""

    code = "throttled"
    status = 429
    message = "Please wait a moment and try again."


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `count` uses in any `window`, per subject."""

    name: str
    count: int
    window: timedelta
    grows_on_demo: bool = True

    @property
    def max_uses(self) -> int:
        """How many uses the window has here: ten times as many on the demo."""
        demo = settings.PORTAL_ENV == "demo" and self.grows_on_demo
        return self.count * DEMO_FACTOR if demo else self.count


def consume_limits(*uses: tuple[Limit, str]) -> int:
    """Count one use of each limit, given with its subject, or of none if one is exceeded; return the fewest uses left.

    The counters stay locked until the transaction ends. To avoid deadlocks, pass limits in one order, address
    before network. Raises Throttled with the seconds until the exceeded limit allows another use.
    """
    now = clock.database_now()
    with transaction.atomic():
        return min(_consume_limit(limit, subject, now) for limit, subject in uses)


def check_limit(limit: Limit, subject: str) -> None:
    """Check that a limit allows a use now, without counting one. One query. Raises Throttled."""
    counter = LimitCounter.objects.filter(key=_counter_key(limit, subject)).first()
    if counter is not None:
        now = clock.database_now()
        _check_recent_uses(_recent_uses(counter, limit, now), limit, now)


def is_used_up(limit: Limit, subject: str) -> bool:
    """Return whether a limit allows no use now, without counting one."""
    try:
        check_limit(limit, subject)
    except Throttled:
        return True
    return False


@transaction.atomic
def count_uses(limit: Limit, subject: str, count: int) -> None:
    """Count uses that have been made already, even beyond the limit."""
    now = clock.database_now()
    counter = _lock_counter(_counter_key(limit, subject), now, now + limit.window)
    _save_uses(counter, [*_recent_uses(counter, limit, now), *([now.timestamp()] * count)])


def count_used_up(limit: Limit) -> int:
    """Return for how many subjects a limit is used up; uses that have expired since then may still count."""
    counters = LimitCounter.objects.filter(key__startswith=_counter_key(limit, ""), expires_at__gt=clock.database_now())
    return counters.filter(count__gte=limit.max_uses).count()


def forget_uses(limit: Limit, subject: str) -> None:
    """Let a limit begin anew."""
    LimitCounter.objects.filter(key=_counter_key(limit, subject)).delete()


def forget_uses_of_all(limit: Limit, subject: str) -> None:
    """Let a limit begin anew for a subject and for all that end with a colon and it, such as `browser:subject`."""
    counters = LimitCounter.objects.filter(key__startswith=_counter_key(limit, ""))
    counters.filter(key__endswith=f":{subject}").delete()


def seconds_until(then: datetime, now: datetime) -> int:
    """Return the whole seconds until `then`, at least one."""
    return max(1, math.ceil((then - now).total_seconds()))


def format_wait(seconds: int) -> str:
    """Return `90 seconds` or `3 minutes`."""
    if seconds < 2 * SECONDS_IN_MINUTE:
        return f"{seconds} second{'' if seconds == 1 else 's'}"
    return f"{math.ceil(seconds / SECONDS_IN_MINUTE)} minutes"


def _counter_key(limit: Limit, subject: str) -> str:
    return f"{limit.name}:{subject}"


def _recent_uses(counter: LimitCounter, limit: Limit, now: datetime) -> list[float]:
    return [use for use in counter.uses if use > (now - limit.window).timestamp()]


def _consume_limit(limit: Limit, subject: str, now: datetime) -> int:
    counter = _lock_counter(_counter_key(limit, subject), now, now + limit.window)
    recent = _recent_uses(counter, limit, now)
    _check_recent_uses(recent, limit, now)
    _save_uses(counter, [*recent, now.timestamp()])
    return limit.max_uses - counter.count


def _check_recent_uses(recent: list[float], limit: Limit, now: datetime) -> None:
    if len(recent) >= limit.max_uses:
        free_at = datetime.fromtimestamp(recent[-limit.max_uses], UTC) + limit.window
        seconds = seconds_until(free_at, now)
        raise Throttled(f"You can try again in {format_wait(seconds)}.", retry_after=seconds)


def _save_uses(counter: LimitCounter, uses: list[float]) -> None:
    counter.uses = uses
    counter.count = len(uses)
    counter.started_at = datetime.fromtimestamp(uses[0], UTC)
    counter.save(update_fields=["uses", "count", "started_at"])


def _lock_counter(key: str, now: datetime, ends: datetime) -> LimitCounter:
    """Create or lock a counter, with one statement so that the timing does not tell whether it existed."""
    fresh = LimitCounter(key=key, started_at=now, expires_at=ends)
    LimitCounter.objects.bulk_create(
        [fresh], update_conflicts=True, unique_fields=["key"], update_fields=["expires_at"]
    )
    return LimitCounter.objects.get(key=key)
