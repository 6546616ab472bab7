"""A night's resumes against the provider's calls alone: without delay, with delay, and with a rate limit."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial

from dev.benches.support import fake_provider
from dev.benches.support.measurements import Comparison, measure_interleaved, print_figures
from dev.benches.support.scratch_portal import scratch_portal

# Enough that the start of a night, its first claim and its threads, counts as little as in a real one.
AT_ONCE, FAR = 240, 160
THREADS = 8
# The smallest site's limit in requests per minute, and for how many minutes it is used.
LIMIT, MINUTES = 150, 2
_numbers = itertools.count(1)


def _create_paused(count: int) -> list[str]:
    """Open accounts with a pause that is over; return their subscriptions' ids."""
    from billing.mirror import churn_events
    from billing.models import ChurnEvent, PauseSchedule, Subscription
    from billing.tests.api.mirror_factory import NOW, make_subscription, open_account, timestamp_at

    ids = [f"bench-{next(_numbers)}" for _ in range(count)]
    for subscription_id in ids:
        paused = make_subscription(
            subscription_id,
            owner=subscription_id,
            status="paused",
            pause_date=timestamp_at(-30),
            next_billing_at=None,
        )
        open_account(subscription_id, paused)
    rows = Subscription.objects.filter(provider_id__in=ids).select_related("customer__account")
    for row in rows:
        churn_events.record_event(row, ChurnEvent.Kind.PAUSED, at=NOW - timedelta(days=30))
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


def _resumes_per_second(count: int) -> float:
    """Resume what is due; return resumes per second."""
    from billing.jobs.resumes.worker import resume_due_pauses
    from billing.tests.api.mirror_factory import NOW

    _create_paused(count)
    began = time.monotonic()
    counts = resume_due_pauses(now=NOW)
    seconds = time.monotonic() - began
    if counts != {"resumed": count, "declined": 0, "later": 0}:
        raise RuntimeError(f"unexpected counts: {counts}")
    return count / seconds


def _resume_within_limit() -> Comparison:
    """Resume for some minutes of simulated time, in which only the rate limit's waits pass."""
    from django.test import override_settings

    from billing.gateway.http import rate_limit

    asked_at = [0.0]
    clock = rate_limit.Clock(
        now=lambda: datetime.fromtimestamp(asked_at[-1], tz=UTC),
        sleep=lambda seconds: asked_at.append(asked_at[-1] + seconds),
    )
    with (
        fake_provider.run_provider(milliseconds=0) as address,
        override_settings(
            CHARGEBEE_ENDPOINT=f"{address}/api/v2",
            CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE=LIMIT,
            RESUME_THREADS=1,
        ),
        rate_limit.throttle_jobs(clock),
    ):
        _resumes_per_second(LIMIT * MINUTES)
    a_minute = sum(at < MINUTES * 60 for at in asked_at[1:]) / MINUTES
    name = f"nightly resumes, provider at {LIMIT} requests a minute"
    return Comparison(name, "its limit", "a minute", [a_minute], [LIMIT], "≥ 0.97")


def _calls_per_second(count: int, threads: int) -> float:
    """Make the provider's calls alone; return calls per second."""
    from billing.gateway.subscriptions import resume_now

    ids: Sequence[str] = [f"raw-{next(_numbers)}" for _ in range(count)]
    with ThreadPoolExecutor(threads) as pool:
        began = time.monotonic()
        list(pool.map(lambda subscription_id: resume_now(subscription_id, key=subscription_id), ids))
        return count / (time.monotonic() - began)


def _compare_resumes(milliseconds: int, count: int, threads: int, goal: str) -> Comparison:
    from django.test import override_settings

    sides: dict[str, Callable[[], float]] = {
        "ours": partial(_resumes_per_second, count),
        "other": partial(_calls_per_second, count, threads),
    }
    with (
        fake_provider.run_provider(milliseconds=milliseconds) as address,
        override_settings(CHARGEBEE_ENDPOINT=f"{address}/api/v2"),
    ):
        seen = measure_interleaved(sides)
    name = f"nightly resumes, provider at {milliseconds} ms"
    against = f"its calls alone, threads: {threads}"
    return Comparison(name, against, "a second", seen["ours"], seen["other"], goal)


def main() -> None:
    """Measure and print one worker's night, with its default number of threads."""
    with scratch_portal():
        at_once = _compare_resumes(0, AT_ONCE, 1, "≥ 0.30")
        far = _compare_resumes(100, FAR, THREADS, "≥ 0.90")
        print_figures([at_once, far, _resume_within_limit()])


if __name__ == "__main__":
    main()
