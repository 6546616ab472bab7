"""The nightly resumes: resume each paused subscription whose resume date has come, once (docs/rules.md, rule 1).

Most of the time is spent waiting for the provider, so each worker has many requests in flight, and writes what they are
about and what they have answered in pages. Workers claim schedules by lease (`claim`), and all of them share one rate
limit (`gateway.http.rate_limit`).
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from datetime import datetime
from typing import Any, TypeVar, cast

from django.conf import settings
from django.db import connections

from accounts.brands import site
from accounts.models import Account
from billing.changes import resumes
from billing.changes.resumes import ScheduledResume
from billing.errors import (
    BillingError,
    BillingUnavailable,
    BillingUnconfirmed,
    ChangeInProgress,
    InvalidState,
)
from billing.gateway.errors import NotSent, Refused
from billing.gateway.http.retry import is_throttled, share_longest_wait
from billing.jobs.resumes import claim, retry
from billing.jobs.resumes.claim import DueResumes
from billing.jobs.resumes.retry import PostponeReason
from billing.mirror import account_import
from billing.models import PauseSchedule
from billing.models.commands import SYSTEM_ACTOR
from core.errors import NotFound
from core.workers import shutdown

logger = logging.getLogger(__name__)

OUTCOMES = ("resumed", "declined", "later")
REPORT_INTERVAL_SECONDS = 2.0
# A page takes the same number of queries whatever its size; each of its threads makes so many requests at most.
MAX_REQUESTS_PER_THREAD = 8
# How long a page should take: until it is done, its accounts can make no other change.
PAGE_SECONDS = 3

T = TypeVar("T")

Counts = dict[str, int]
ReportProgress = Callable[[Counts], None]


def resume_due_pauses(
    *,
    now: datetime,
    only_retries: bool = False,
    until: float = float("inf"),
    report: ReportProgress = lambda _: None,
) -> Counts:
    """Resume every paused subscription whose resume date has come, each once; return how many ended in which way.

    `now` is billing's (UTC). A failure does not stop the others. Stops at a time of the monotonic clock, or when the
    worker shuts down; what is still due then is counted as `left`. `report` is called every few seconds and at the end
    with the counts since the last call. With `only_retries`, only pauses whose last try failed are resumed.
    """
    at_once, most = _page_limits()
    with site.cache_site_settings(), _open_pool(at_once) as pool:
        queue = _ResumeQueue(DueResumes(now, only_retries=only_retries), until, report)
        size = at_once
        while page := queue.next_page(size):
            began = time.monotonic()
            for outcome in _resume_page(page, now, pool):
                queue.count_outcome(outcome)
            size = min(max(at_once, next_page_size(len(page), time.monotonic() - began)), most)
        return queue.release_rest()


def _page_limits() -> tuple[int, int]:
    """Return how many resumes a page has at least, a request for each thread, and at most.

    A single thread makes one: while it asks, nothing renews the leases of others.
    """
    threads = settings.RESUME_THREADS
    most = threads * MAX_REQUESTS_PER_THREAD if threads > 1 else 1
    allowed = settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE
    if allowed and is_throttled():
        most = min(most, max(1, allowed * PAGE_SECONDS // 60))
    return min(threads, most), most


def next_page_size(size: int, seconds: float) -> int:
    """Return how many resumes take `PAGE_SECONDS`, if so many took some seconds."""
    return int(size * PAGE_SECONDS / max(seconds, 0.001))


@contextmanager
def _open_pool(threads: int) -> Iterator[Executor]:
    """Yield what asks the provider: so many threads at most, whose connections are closed at the end, or this one."""
    if threads <= 1:
        yield _InlineExecutor()
        return
    started: list[int] = []
    with ThreadPoolExecutor(threads, "resumes", lambda: started.append(threading.get_ident())) as pool:
        try:
            yield pool
        finally:
            closed = 0
            while closed < len(started):
                closed = len(started)
                # The barrier holds each thread until every thread has come.
                barrier = threading.Barrier(closed)
                wait([pool.submit(_close_connections, barrier) for _ in range(closed)])


def _close_connections(barrier: threading.Barrier) -> None:
    barrier.wait()
    connections.close_all()


class _InlineExecutor(Executor):
    """Does at once what it is given, in the thread that gives it."""

    def submit(self, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Return the future of a call, done."""
        future: Future[T] = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001  (the future raises it)
            future.set_exception(error)
        return future


class _ResumeQueue:
    """The claimed schedules of a worker, and how many resumes ended in which way."""

    def __init__(self, due: DueResumes, until: float, report: ReportProgress) -> None:
        self.due = due
        self._until, self._report = until, report
        # The schedules of one customer per list.
        self._claimed: list[list[PauseSchedule]] = []
        self._begun: list[list[PauseSchedule]] = []
        self._after: int | None = 0
        self._has_begun = self._has_claimed = False
        self._counts: Counter[str] = Counter(dict.fromkeys(OUTCOMES, 0))
        self._unreported: Counter[str] = Counter()
        self._next_report_at = time.monotonic() + REPORT_INTERVAL_SECONDS

    def next_page(self, size: int) -> list[PauseSchedule]:
        """Return the next schedules, one of each customer, of so many customers at most; none if none are left.

        When the time is up, only customers who were begun are finished, and when the worker shuts down, none; at least
        one page is returned.
        """
        if shutdown.is_stopping():
            return []
        customers, waiting = self._begun[:size], self._begun[size:]
        if not (self._has_begun and time.monotonic() >= self._until):
            self._has_begun = True
            customers += self._claim_customers(size - len(customers))
        page = [schedules.pop(0) for schedules in customers]
        self._begun = [*waiting, *(schedules for schedules in customers if schedules)]
        return page

    def count_outcome(self, outcome: str | None) -> None:
        """Count how a resume ended; None counts nothing."""
        if outcome is None:
            return
        self._counts[outcome] += 1
        self._unreported[outcome] += 1
        if time.monotonic() < self._next_report_at:
            return
        self._next_report_at = time.monotonic() + REPORT_INTERVAL_SECONDS
        counts, self._unreported = self._unreported, Counter()
        self._report_progress(counts)

    def release_rest(self) -> Counts:
        """Release what was claimed and not begun; return all counts, and how many pauses are left."""
        rest = [*self._begun, *self._claimed]
        claim.release_schedules(schedule for schedules in rest for schedule in schedules)
        left = self._report_progress(self._unreported)
        return {**self._counts, **left}

    def _claim_customers(self, count: int) -> list[list[PauseSchedule]]:
        """Return the schedules of so many customers, fewer if there are no more."""
        while len(self._claimed) < count and self._after is not None:
            self._claim_page(self._after)
        taken, self._claimed = self._claimed[:count], self._claimed[count:]
        return taken

    def _claim_page(self, after: int) -> None:
        claimed, self._after = self.due.claim_page(after=after)
        self._claimed += claimed
        self._has_claimed = self._has_claimed or bool(claimed)
        if self._after is None and self._has_claimed:
            # Start over: customers that were locked were skipped.
            self._after, self._has_claimed = 0, False

    def _report_progress(self, counts: Counter[str]) -> Counts:
        """Report counts together with how many pauses are left; return the latter."""
        left = self.due.due_schedules().count()
        left_count = {"left": left} if left else {}
        self._report({**dict.fromkeys(OUTCOMES, 0), **counts, **left_count})
        return left_count


def _resume_page(page: Sequence[PauseSchedule], now: datetime, pool: Executor) -> list[str | None]:
    """Resume schedules of different customers together, and by themselves those that need it; return the outcomes."""
    planned = {schedule: _planned_resume(schedule) for schedule in page}
    with share_longest_wait():
        ended = resumes.resume_page(planned.values(), now=now, pool=pool)
        rest = [
            pool.submit(copy_context().run, _settle_resume, schedule, plan, ended.get(plan), now)
            for schedule, plan in planned.items()
            if plan not in ended or ended[plan] is not None
        ]
    outcomes: list[str | None] = ["resumed" for error in ended.values() if error is None]
    return [*outcomes, *(future.result() for future in rest)]


def _planned_resume(schedule: PauseSchedule) -> ScheduledResume:
    return ScheduledResume(
        account=cast("Account", schedule.subscription.customer.account),  # only pauses of accounts are due
        subscription_id=schedule.subscription.provider_id,
        key=f"resume-schedule-{schedule.pk}-{schedule.failed_attempts}",
    )


def _settle_resume(
    schedule: PauseSchedule, plan: ScheduledResume, error: Exception | None, now: datetime
) -> str | None:
    """Record how a resume failed; make it by itself if it was not made."""
    try:
        return _settle_failure(schedule, plan, error, now)
    except Exception:
        logger.exception("Resuming schedule %s failed", schedule.pk)
        retry.postpone_retry(schedule, PostponeReason.FAILED, now)
        return "later"


def _settle_failure(
    schedule: PauseSchedule, plan: ScheduledResume, error: Exception | None, now: datetime
) -> str | None:
    try:
        if error is not None:
            raise error
        _resume_alone(plan, now)
    except (ChangeInProgress, BillingUnconfirmed, BillingUnavailable):
        if shutdown.is_stopping():
            claim.release_schedules([schedule])
            return None
        retry.postpone_retry(schedule, PostponeReason.UNAVAILABLE, now)
        return "later"
    except (resumes.NothingToResume, InvalidState, NotFound):
        return _follow_provider(schedule, plan.account, now)
    except BillingError as declined:
        retry.record_decline(schedule, plan.account, declined.code, now)
        return "declined"
    return "resumed"


def _resume_alone(plan: ScheduledResume, now: datetime) -> None:
    resumes.resume_subscriptions(
        plan.account,
        subscription_ids=[plan.subscription_id],
        quote=None,
        key=plan.key,
        actor=SYSTEM_ACTOR,
        now=now,
    )


def _follow_provider(schedule: PauseSchedule, account: Account, now: datetime) -> str:
    """Resync the account after the provider refused the resume, which syncs or closes the schedule.

    If the subscription is still paused, it is retried with a new key: the refusal is final for the old one.
    """
    try:
        account_import.resync_account(account)
    except (NotSent, Refused):
        retry.postpone_retry(schedule, PostponeReason.UNAVAILABLE, now)
    else:
        retry.postpone_retry(schedule, PostponeReason.REFUSED, now, failed_attempts=schedule.failed_attempts + 1)
    return "later"
