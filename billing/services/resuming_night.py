"""The night's resumes: each pause whose date has come ends, once, and how it went is counted (contract, rule 1).

Threads wait for the provider side by side, in as many workers as there are; what there is to do they share out by
claims (`due_resumes`), and how fast they may ask is told by one row for all (`pace`).
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

from accounts import site
from accounts.models import Account
from billing import stopping
from billing.errors import (
    BillingError,
    BillingUnavailable,
    BillingUnconfirmed,
    ChangeInProgress,
    InvalidState,
)
from billing.gateway.errors import NotSent, Refused
from billing.models import PauseSchedule
from billing.services import due_resumes, resume_retries, resumes, sync
from billing.services.due_resumes import Due
from billing.services.resume_retries import Postponed
from portal.errors import NotFound

logger = logging.getLogger(__name__)

OUTCOMES = ("resumed", "declined", "later")
# How often somebody is told how far it has got.
TOLD_EVERY_SECONDS = 2.0

Counts = dict[str, int]
Told = Callable[[Counts], None]


def resume_due(
    *,
    now: datetime,
    only_retries: bool = False,
    until: float = float("inf"),
    told: Told = lambda _: None,
) -> Counts:
    """Resume every paused subscription whose resume date has come, each once, and say how it went.

    `now` is billing's (UTC). One failure never stops the others. What is not begun at a time of the monotonic clock or
    when this worker is to end, or is another's, is `left`; it stays due. `told` is given what was done since it was
    told last, now and then and at the end. With `only_retries` only those whose last try failed and whose next is due.
    """
    with site.read_once():
        work = _Work(Due(now, only_retries=only_retries), until, told)
        if settings.RESUME_THREADS <= 1:
            _work_off(work)
        else:
            _work_off_in_threads(work, settings.RESUME_THREADS)
        return work.end()


def _work_off_in_threads(work: "_Work", count: int) -> None:
    with ThreadPoolExecutor(count, thread_name_prefix="resumes") as pool:
        # Patience with the provider is the context's.
        working = [pool.submit(copy_context().run, _work_off_and_hang_up, work) for _ in range(count)]
        try:
            for one in working:
                one.result()
        except BaseException:
            work.stop()
            raise


def _work_off_and_hang_up(work: "_Work") -> None:
    try:
        _work_off(work)
    finally:
        connections.close_all()


def _work_off(work: "_Work") -> None:
    for schedule in work.turns():
        work.count(_outcome(schedule, work.due.now))


class _Work:
    """What one worker's threads share: what is to be done, and what was done."""

    def __init__(self, due: Due, until: float, told: Told) -> None:
        self.due = due
        self._until, self._told = until, told
        self._turn, self._counting = threading.Lock(), threading.Lock()
        self._claimed: list[list[PauseSchedule]] = []
        self._after: int | None = 0
        self._begun = self._found = False
        self._counts: Counter[str] = Counter(dict.fromkeys(OUTCOMES, 0))
        self._untold: Counter[str] = Counter()
        self._tell_at = time.monotonic() + TOLD_EVERY_SECONDS

    def turns(self) -> Iterator[PauseSchedule]:
        """Give one customer's pauses after the other, until there are no more or the time is up; at least one's.

        A worker that is to end is given none, not the rest of a customer's either.
        """
        while (mine := self._next()) is not None:
            while mine and not stopping.asked():
                yield mine.pop(0)
            due_resumes.release(mine)

    def count(self, outcome: str | None) -> None:
        """Count how one went; None is one that was left as it was."""
        if outcome is None:
            return
        with self._counting:
            self._counts[outcome] += 1
            self._untold[outcome] += 1
            if time.monotonic() < self._tell_at:
                return
            self._tell_at = time.monotonic() + TOLD_EVERY_SECONDS
            news, self._untold = self._untold, Counter()
        self._tell(news)

    def stop(self) -> None:
        """Begin nothing more."""
        self._until, self._begun = float("-inf"), True

    def end(self) -> Counts:
        """Give back what was not begun; return all that was done, and how many are left."""
        due_resumes.release(one for mine in self._claimed for one in mine)
        left = self._tell(self._untold)
        return {**self._counts, **left}

    def _next(self) -> list[PauseSchedule] | None:
        with self._turn:
            if stopping.asked() or (self._begun and time.monotonic() >= self._until):
                return None
            self._begun = True
            while not self._claimed and self._after is not None:
                self._claim(self._after)
            return self._claimed.pop() if self._claimed else None

    def _claim(self, after: int) -> None:
        self._claimed, self._after = self.due.claim(after=after)
        self._claimed.reverse()
        self._found = self._found or bool(self._claimed)
        if self._after is None and self._found:
            # Once more from the start: who was being written to was passed over.
            self._after, self._found = 0, False

    def _tell(self, news: Counter[str]) -> Counts:
        """Tell what is new, with what is left; return the latter."""
        left = self.due.everything().count()
        counted = {"left": left} if left else {}
        self._told({**dict.fromkeys(OUTCOMES, 0), **news, **counted})
        return counted


def _outcome(schedule: PauseSchedule, now: datetime) -> str | None:
    try:
        return _resume_one(schedule, now)
    except Exception:
        logger.exception("Resuming schedule %s failed", schedule.pk)
        resume_retries.postpone(schedule, Postponed.FAILED, now)
        return "later"


def _resume_one(schedule: PauseSchedule, now: datetime) -> str | None:
    account = cast("Account", schedule.subscription.customer.account)  # only pauses of accounts are due
    try:
        resumes.resume(
            account,
            subscription_ids=[schedule.subscription.provider_id],
            quote=None,
            key=f"resume-schedule-{schedule.pk}-{schedule.attempts}",
            actor="system",
            now=now,
        )
    except (ChangeInProgress, BillingUnconfirmed, BillingUnavailable):
        if stopping.asked():
            due_resumes.release([schedule])
            return None
        resume_retries.postpone(schedule, Postponed.UNAVAILABLE, now)
        return "later"
    except (resumes.NothingToResume, InvalidState, NotFound):
        return _follow_provider(schedule, account, now)
    except BillingError as error:
        resume_retries.declined(schedule, account, error.code, now)
        return "declined"
    return "resumed"


def _follow_provider(schedule: PauseSchedule, account: Account, now: datetime) -> str:
    """It is not paused any more, or not as we thought: read what the provider holds, and let the schedule follow.

    One that is paused all the same is tried again with a new key: the refusal is final for the old one.
    """
    try:
        sync.resync_account(account)
    except (NotSent, Refused):
        resume_retries.postpone(schedule, Postponed.UNAVAILABLE, now)
    else:
        resume_retries.postpone(schedule, Postponed.REFUSED, now, attempts=schedule.attempts + 1)
    return "later"
