"""A night's resumes against the provider's calls alone: answering at once, far away, and with a limit of requests."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial

from dev.benches import provider
from dev.benches.figures import Comparison, hand_over, interleaved
from dev.benches.scratch import portal

AT_ONCE, FAR = 60, 160
THREADS = 8
# The smallest site's limit of requests a minute, and for how many minutes it is used.
LIMIT, MINUTES = 150, 2
_numbers = itertools.count(1)


def _paused(count: int) -> list[str]:
    """Open accounts whose pause is over, as the portal saw it begin; return their subscriptions' ids."""
    from billing.models import PauseSchedule, RetentionEvent, Subscription
    from billing.services import retention_log
    from billing.tests.api.mirrored import NOW, at, open_account, subscription

    ids = [f"bench-{next(_numbers)}" for _ in range(count)]
    for one in ids:
        paused = subscription(one, owner=one, status="paused", pause_date=at(-30), next_billing_at=None)
        open_account(one, paused)
    rows = Subscription.objects.filter(provider_id__in=ids).select_related("customer__account")
    for row in rows:
        retention_log.record(row, RetentionEvent.Kind.PAUSED, at=NOW - timedelta(days=30))
    PauseSchedule.objects.bulk_create(
        PauseSchedule(
            subscription=row,
            state=PauseSchedule.State.PAUSED,
            pause_date=NOW - timedelta(days=30),
            resume_date=NOW,
            created_at=NOW - timedelta(days=40),
        )
        for row in rows
    )
    return ids


def _night(count: int) -> float:
    """Resume what is due; return how many a second."""
    from billing.services.resuming_night import resume_due
    from billing.tests.api.mirrored import NOW

    _paused(count)
    began = time.monotonic()
    counts = resume_due(now=NOW)
    seconds = time.monotonic() - began
    if counts != {"resumed": count, "declined": 0, "later": 0}:
        raise RuntimeError(f"the night went otherwise: {counts}")
    return count / seconds


def _night_within_limit() -> Comparison:
    """Resume for some minutes of simulated time, the only thing that passes being what the pace waits for."""
    from django.test import override_settings

    from billing.services import pace

    asked_at = [0.0]
    clock = pace.Clock(
        now=lambda: datetime.fromtimestamp(asked_at[-1], tz=UTC),
        sleep=lambda seconds: asked_at.append(asked_at[-1] + seconds),
    )
    with (
        provider.running(milliseconds=0) as address,
        override_settings(
            CHARGEBEE_ENDPOINT=f"{address}/api/v2",
            CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE=LIMIT,
            RESUME_THREADS=1,
        ),
        pace.background(clock),
    ):
        _night(LIMIT * MINUTES)
    a_minute = sum(at < MINUTES * 60 for at in asked_at[1:]) / MINUTES
    name = f"nightly resumes, provider at {LIMIT} requests a minute"
    return Comparison(name, "its limit", "a minute", [a_minute], [LIMIT], "≥ 0.97")


def _calls(count: int, threads: int) -> float:
    """Make the provider's calls alone; return how many a second."""
    from billing.gateway.subscriptions import resume_now

    ids: Sequence[str] = [f"raw-{next(_numbers)}" for _ in range(count)]
    call: Callable[[str], object] = lambda one: resume_now(one, key=one)  # noqa: E731  (a thread's whole work)
    with ThreadPoolExecutor(threads) as pool:
        began = time.monotonic()
        list(pool.map(call, ids))
        return count / (time.monotonic() - began)


def _compared(milliseconds: int, count: int, threads: int, goal: str) -> Comparison:
    from django.test import override_settings

    sides: dict[str, Callable[[], float]] = {
        "ours": partial(_night, count),
        "other": partial(_calls, count, threads),
    }
    with (
        provider.running(milliseconds=milliseconds) as address,
        override_settings(CHARGEBEE_ENDPOINT=f"{address}/api/v2"),
    ):
        seen = interleaved(sides)
    name = f"nightly resumes, provider at {milliseconds} ms"
    against = f"its calls alone, threads: {threads}"
    return Comparison(name, against, "a second", seen["ours"], seen["other"], goal)


def main() -> None:
    """Measure, and hand over what was seen: one worker's night, with as many threads as it has by default."""
    with portal():
        at_once = _compared(0, AT_ONCE, 1, "≥ 0.50")
        far = _compared(100, FAR, THREADS, "≥ 0.93")
        hand_over([at_once, far, _night_within_limit()])


if __name__ == "__main__":
    main()
