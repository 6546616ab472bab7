"""A night's resumes against the provider's calls alone, with a provider that answers at once and one that is far."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial

from dev.benches import provider
from dev.benches.figures import Comparison, hand_over, interleaved
from dev.benches.scratch import portal

AT_ONCE, FAR = 40, 16
THREADS = 8
_numbers = itertools.count(1)


def _paused(count: int) -> list[str]:
    """Open accounts whose pause is over; return their subscriptions' ids."""
    from billing.models import PauseSchedule, Subscription
    from billing.tests.api.mirrored import NOW, at, open_account, subscription

    ids = [f"bench-{next(_numbers)}" for _ in range(count)]
    for one in ids:
        paused = subscription(one, owner=one, status="paused", pause_date=at(-30), next_billing_at=None)
        open_account(one, paused)
    PauseSchedule.objects.bulk_create(
        PauseSchedule(
            subscription=row,
            state=PauseSchedule.State.PAUSED,
            pause_date=NOW - timedelta(days=30),
            resume_date=NOW,
            created_at=NOW - timedelta(days=40),
        )
        for row in Subscription.objects.filter(provider_id__in=ids)
    )
    return ids


def _night(count: int) -> float:
    """Resume what is due; return how many a second."""
    from billing.services.resumes import resume_due
    from billing.tests.api.mirrored import NOW

    _paused(count)
    began = time.monotonic()
    counts = resume_due(now=NOW)
    seconds = time.monotonic() - began
    if counts != {"resumed": count, "declined": 0, "later": 0}:
        raise RuntimeError(f"the night went otherwise: {counts}")
    return count / seconds


def _calls(count: int, threads: int) -> float:
    """Make the provider's calls alone; return how many a second."""
    from billing.gateway.subscriptions import resume_now

    ids: Sequence[str] = [f"raw-{next(_numbers)}" for _ in range(count)]
    call: Callable[[str], object] = lambda one: resume_now(one, key=one)  # noqa: E731  (a thread's whole work)
    with ThreadPoolExecutor(threads) as pool:
        began = time.monotonic()
        list(pool.map(call, ids))
        return count / (time.monotonic() - began)


def _compared(milliseconds: int, count: int, others: dict[int, str]) -> list[Comparison]:
    from django.test import override_settings

    sides: dict[str, Callable[[], float]] = {"ours": partial(_night, count)}
    sides |= {str(threads): partial(_calls, count, threads) for threads in others}
    with (
        provider.running(milliseconds=milliseconds) as address,
        override_settings(CHARGEBEE_ENDPOINT=f"{address}/api/v2"),
    ):
        seen = interleaved(sides)
    name = f"nightly resumes, provider at {milliseconds} ms"
    return [
        Comparison(
            name, f"its calls alone, threads: {threads}", "a second", seen["ours"], seen[str(threads)], goal
        )
        for threads, goal in others.items()
    ]


def main() -> None:
    """Measure, and hand over what was seen; our night makes one call after the other."""
    with portal():
        hand_over([*_compared(0, AT_ONCE, {1: "≥ 0.50"}), *_compared(100, FAR, {1: "", THREADS: "≥ 0.93"})])


if __name__ == "__main__":
    main()
