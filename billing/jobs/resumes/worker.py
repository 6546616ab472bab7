"""The nightly resumes: resume each paused subscription whose resume date has come, once (docs/rules.md, rule 1).

Each worker resumes in several threads, since most of the time is spent waiting for the provider. Workers claim pages of
schedules (`claim`), and all of them share one rate limit (`gateway.http.rate_limit`).
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from datetime import datetime
from typing import cast

from django.conf import settings
from django.db import connections

from accounts.brands import site
from accounts.models import Account
from billing.changes import resumes
from billing.errors import (
    BillingError,
    BillingUnavailable,
    BillingUnconfirmed,
    ChangeInProgress,
    InvalidState,
)
from billing.gateway.errors import NotSent, Refused
from billing.jobs.resumes import claim, retry
from billing.jobs.resumes.claim import DueResumes
from billing.jobs.resumes.retry import PostponeReason
from billing.mirror import account_import
from billing.models import PauseSchedule
from core.errors import NotFound
from core.workers import shutdown

logger = logging.getLogger(__name__)

OUTCOMES = ("resumed", "declined", "later")
REPORT_INTERVAL_SECONDS = 2.0

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
    with site.cache_site_settings():
        queue = _ResumeQueue(DueResumes(now, only_retries=only_retries), until, report)
        if settings.RESUME_THREADS <= 1:
            _resume_all(queue)
        else:
            _resume_in_threads(queue, settings.RESUME_THREADS)
        return queue.release_rest()


def _resume_in_threads(queue: "_ResumeQueue", count: int) -> None:
    with ThreadPoolExecutor(count, thread_name_prefix="resumes") as pool:
        # The rate limit and the retry policy are context variables.
        futures = [pool.submit(copy_context().run, _resume_in_thread, queue) for _ in range(count)]
        try:
            for future in futures:
                future.result()
        except BaseException:
            queue.stop_claiming()
            raise


def _resume_in_thread(queue: "_ResumeQueue") -> None:
    try:
        _resume_all(queue)
    finally:
        connections.close_all()


def _resume_all(queue: "_ResumeQueue") -> None:
    for schedule in queue.next_schedules():
        queue.count_outcome(_try_resume(schedule, queue.due.now))


class _ResumeQueue:
    """The claimed schedules and the counts that a worker's threads share."""

    def __init__(self, due: DueResumes, until: float, report: ReportProgress) -> None:
        self.due = due
        self._until, self._report = until, report
        self._claim_lock, self._count_lock = threading.Lock(), threading.Lock()
        # The schedules of one customer per list; the next customer's is the last.
        self._claimed: list[list[PauseSchedule]] = []
        self._after: int | None = 0
        self._has_begun = self._has_claimed = False
        self._counts: Counter[str] = Counter(dict.fromkeys(OUTCOMES, 0))
        self._unreported: Counter[str] = Counter()
        self._next_report_at = time.monotonic() + REPORT_INTERVAL_SECONDS

    def next_schedules(self) -> Iterator[PauseSchedule]:
        """Yield the schedules of one customer after another, at least one customer's, until none are left.

        Stops between customers when the time is up, and between schedules when the worker shuts down.
        """
        while (schedules := self._next_customer()) is not None:
            while schedules and not shutdown.is_stopping():
                yield schedules.pop(0)
            claim.release_schedules(schedules)

    def count_outcome(self, outcome: str | None) -> None:
        """Count how a resume ended; None counts nothing."""
        if outcome is None:
            return
        with self._count_lock:
            self._counts[outcome] += 1
            self._unreported[outcome] += 1
            if time.monotonic() < self._next_report_at:
                return
            self._next_report_at = time.monotonic() + REPORT_INTERVAL_SECONDS
            counts, self._unreported = self._unreported, Counter()
        self._report_progress(counts)

    def stop_claiming(self) -> None:
        """Make `next_schedules` stop in all threads."""
        self._until, self._has_begun = float("-inf"), True

    def release_rest(self) -> Counts:
        """Release what was claimed and not begun; return all counts, and how many pauses are left."""
        claim.release_schedules(schedule for schedules in self._claimed for schedule in schedules)
        left = self._report_progress(self._unreported)
        return {**self._counts, **left}

    def _next_customer(self) -> list[PauseSchedule] | None:
        with self._claim_lock:
            if shutdown.is_stopping() or (self._has_begun and time.monotonic() >= self._until):
                return None
            self._has_begun = True
            while not self._claimed and self._after is not None:
                self._claim_page(self._after)
            return self._claimed.pop() if self._claimed else None

    def _claim_page(self, after: int) -> None:
        self._claimed, self._after = self.due.claim_page(after=after)
        self._claimed.reverse()
        self._has_claimed = self._has_claimed or bool(self._claimed)
        if self._after is None and self._has_claimed:
            # Start over: customers that were locked were skipped.
            self._after, self._has_claimed = 0, False

    def _report_progress(self, counts: Counter[str]) -> Counts:
        """Report counts together with how many pauses are left; return the latter."""
        left = self.due.due_schedules().count()
        left_count = {"left": left} if left else {}
        self._report({**dict.fromkeys(OUTCOMES, 0), **counts, **left_count})
        return left_count


def _try_resume(schedule: PauseSchedule, now: datetime) -> str | None:
    try:
        return _resume_schedule(schedule, now)
    except Exception:
        logger.exception("Resuming schedule %s failed", schedule.pk)
        retry.postpone_retry(schedule, PostponeReason.FAILED, now)
        return "later"


def _resume_schedule(schedule: PauseSchedule, now: datetime) -> str | None:
    account = cast("Account", schedule.subscription.customer.account)  # only pauses of accounts are due
    try:
        resumes.resume_subscriptions(
            account,
            subscription_ids=[schedule.subscription.provider_id],
            quote=None,
            key=f"resume-schedule-{schedule.pk}-{schedule.failed_attempts}",
            actor="system",
            now=now,
        )
    except (ChangeInProgress, BillingUnconfirmed, BillingUnavailable):
        if shutdown.is_stopping():
            claim.release_schedules([schedule])
            return None
        retry.postpone_retry(schedule, PostponeReason.UNAVAILABLE, now)
        return "later"
    except (resumes.NothingToResume, InvalidState, NotFound):
        return _follow_provider(schedule, account, now)
    except BillingError as error:
        retry.record_decline(schedule, account, error.code, now)
        return "declined"
    return "resumed"


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
