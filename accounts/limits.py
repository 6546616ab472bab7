"""Limits on sign-in, on payments and on codes, in the database: they hold in every process and with the cache down.

Each use is remembered for as long as it counts, so that there is no moment at which a window begins anew and twice the
limit passes. Who takes one holds the counter's row, so that parallel requests never get more than the limit either.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import transaction

from accounts import clock
from accounts.models import LimitCounter
from portal.errors import PortalError

DEMO_FACTOR = 10  # contract, rule 13


class Throttled(PortalError):
    """Somebody asks too often; `retry_after` says when to try again. It does not tell who is known."""

    code = "throttled"
    status = 429
    message = "That was too many tries. Please wait a little and try again."


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `count` uses in any `window`, per subject."""

    name: str
    count: int
    window: timedelta
    grows_on_demo: bool = True

    @property
    def most(self) -> int:
        """How many uses the window has here: ten times as many on the demo."""
        demo = settings.PORTAL_ENV == "demo" and self.grows_on_demo
        return self.count * DEMO_FACTOR if demo else self.count


# Security, rows 8 and 9; the second of the pair is per network address.
SEND_GAP = Limit("send-gap", 1, timedelta(seconds=30), grows_on_demo=False)
SEND_ADDRESS = Limit("send-address", 5, timedelta(hours=1))
SEND_NETWORK = Limit("send-network", 20, timedelta(hours=1))
TRY_ADDRESS = Limit("try-address", 10, timedelta(minutes=15))
TRY_NETWORK = Limit("try-network", 100, timedelta(minutes=15))
NOTED_REFUSALS = Limit("noted-refusals", 100, timedelta(hours=1))


def take(*uses: tuple[Limit, str]) -> None:
    """Count one use of each limit, given with its subject, or of none.

    Take them always in the same order, address before network: the rows stay locked until the transaction
    ends. Raises `Throttled` with the seconds until the refusing limit has room again.
    """
    now = clock.now()
    with transaction.atomic():
        for limit, subject in uses:
            _take_one(limit, subject, now)


def _take_one(limit: Limit, subject: str, now: datetime) -> None:
    counter = _hold(f"{limit.name}:{subject}", now, now + limit.window)
    lately = [use for use in counter.uses if use > (now - limit.window).timestamp()]
    if len(lately) >= limit.most:
        free_at = datetime.fromtimestamp(lately[-limit.most], UTC) + limit.window
        raise Throttled(retry_after=seconds_until(free_at, now))
    counter.uses = [*lately, now.timestamp()]
    counter.count = len(counter.uses)
    counter.started_at = datetime.fromtimestamp(counter.uses[0], UTC)
    counter.save(update_fields=["uses", "count", "started_at"])


def _hold(key: str, now: datetime, ends: datetime) -> LimitCounter:
    """Make a counter, or lock the one there is, by one statement: the work is the same for whoever is new."""
    fresh = LimitCounter(key=key, started_at=now, expires_at=ends)
    LimitCounter.objects.bulk_create(
        [fresh], update_conflicts=True, unique_fields=["key"], update_fields=["expires_at"]
    )
    return LimitCounter.objects.get(key=key)


def seconds_until(then: datetime, now: datetime) -> int:
    """Give the whole seconds to wait, at least one."""
    return max(1, math.ceil((then - now).total_seconds()))
