"""Limits on sign-in, on payments and on codes, in the database: they hold in every process and with the cache down.

A window starts with the first use and is over when its time is. Counting is one conditional UPDATE, which
PostgreSQL and SQLite both decide row by row, so that parallel requests never get more than the limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F

from accounts import clock
from accounts.models import SignInLimit
from portal.errors import PortalError

DEMO_FACTOR = 10  # contract, rule 13


class Throttled(PortalError):
    """Somebody asks too often; `retry_after` says when to try again. It does not tell who is known."""

    code = "throttled"
    status = 429
    message = "That was too many tries. Please wait a little and try again."


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `count` uses in `window`, per subject."""

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
    ends. Raises `Throttled` with the seconds until the refusing window is over.
    """
    now = clock.now()
    with transaction.atomic():
        for limit, subject in uses:
            _take_one(limit, subject, now)


def _take_one(limit: Limit, subject: str, now: datetime) -> None:
    key = f"{limit.name}:{subject}"
    fresh = {"started_at": now, "expires_at": now + limit.window}
    SignInLimit.objects.bulk_create([SignInLimit(key=key, **fresh)], ignore_conflicts=True)
    counter = SignInLimit.objects.filter(key=key)
    started_over = counter.filter(expires_at__lte=now).update(count=1, **fresh)
    if started_over or counter.filter(count__lt=limit.most).update(count=F("count") + 1):
        return
    ends = counter.values_list("expires_at", flat=True).first() or now + limit.window
    raise Throttled(retry_after=seconds_until(ends, now))


def seconds_until(then: datetime, now: datetime) -> int:
    """Give the whole seconds to wait, at least one."""
    return max(1, math.ceil((then - now).total_seconds()))
