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

DEMO_FACTOR = 10  # docs/rules.md, rule 13


class Throttled(PortalError):
    """A limit is exceeded; `retry_after` says when to try again."""

    code = "throttled"
    status = 429
    message = "Too many tries. Please wait a moment and try again."


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


def consume_limits(*uses: tuple[Limit, str]) -> None:
    """Count one use of each limit, given with its subject, or of none if one is exceeded.

    The counters stay locked until the transaction ends. To avoid deadlocks, pass limits in one order, address
    before network. Raises Throttled with the seconds until the exceeded limit allows another use.
    """
    now = clock.database_now()
    with transaction.atomic():
        for limit, subject in uses:
            _consume_limit(limit, subject, now)


def seconds_until(then: datetime, now: datetime) -> int:
    """Return the whole seconds until `then`, at least one."""
    return max(1, math.ceil((then - now).total_seconds()))


def _consume_limit(limit: Limit, subject: str, now: datetime) -> None:
    counter = _lock_counter(f"{limit.name}:{subject}", now, now + limit.window)
    recent = [use for use in counter.uses if use > (now - limit.window).timestamp()]
    if len(recent) >= limit.max_uses:
        free_at = datetime.fromtimestamp(recent[-limit.max_uses], UTC) + limit.window
        raise Throttled(retry_after=seconds_until(free_at, now))
    counter.uses = [*recent, now.timestamp()]
    counter.count = len(counter.uses)
    counter.started_at = datetime.fromtimestamp(counter.uses[0], UTC)
    counter.save(update_fields=["uses", "count", "started_at"])


def _lock_counter(key: str, now: datetime, ends: datetime) -> LimitCounter:
    """Create or lock a counter, with one statement so that the timing does not tell whether it existed."""
    fresh = LimitCounter(key=key, started_at=now, expires_at=ends)
    LimitCounter.objects.bulk_create(
        [fresh], update_conflicts=True, unique_fields=["key"], update_fields=["expires_at"]
    )
    return LimitCounter.objects.get(key=key)
