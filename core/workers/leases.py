"""Leases: how one worker at a time holds a row of work, and how another takes over from a worker that died.

A row is claimed by one conditional UPDATE that counts an attempt and moves `next_attempt_at` to the end of the lease.
The number of attempts identifies the holder: a worker that was away for longer than its lease finds another number
and changes nothing. Times are the database's, since several machines take part.

Leases are short, so that the work of a worker that was killed continues soon. Work that can take longer is done within
`keep_leases`, whose thread renews them: it dies with the worker, and pauses with a worker that is suspended.
"""

from __future__ import annotations

import logging
import operator
import threading
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import reduce
from math import ceil
from typing import Any, ClassVar, Self, TypeVar

from django.conf import settings
from django.db import DatabaseError, connection, models
from django.db.models import F, Q
from django.utils import timezone

from core.clock import database_now

logger = logging.getLogger(__name__)

LEASE_DURATION = timedelta(seconds=30)
# A renewal that fails, such as for a restart of the database, is repeated before the lease expires.
RENEWALS_PER_LEASE = 3


class LeaseLost(Exception):
    """The lease expired, and another worker has claimed or finished the row since."""


LeasedRow = TypeVar("LeasedRow", bound="Leased")


class LeaseQuerySet(models.QuerySet[LeasedRow]):
    """Rows of work: which are due, and claiming them."""

    def unfinished(self) -> Self:
        """Return the rows that are not finished."""
        return self.filter(self.model.UNFINISHED)

    def due(self) -> Self:
        """Return the unfinished rows that nobody holds and whose time has come."""
        return self.unfinished().filter(next_attempt_at__lte=database_now())

    def claim_one(self, pk: object, *, lease: timedelta) -> LeasedRow | None:
        """Claim a row and return it; None if it is not due or another worker was faster."""
        row = self.due().filter(pk=pk).first()
        return row if row is not None and row.claim(lease) else None

    def lock_held(self, rows: Sequence[LeasedRow]) -> None:
        """Lock rows for the rest of this transaction. Raises LeaseLost if this worker does not hold one any more."""
        mine = self.unfinished().filter(pk__in=[row.pk for row in rows]).order_by("pk").select_for_update(no_key=True)
        attempts = dict(mine.values_list("pk", "attempts"))
        for row in rows:
            if attempts.get(row.pk) != row.attempts:
                raise LeaseLost(str(row.pk))

    def held_rows(self, rows: Sequence[LeasedRow]) -> Self:
        """Return those of the claimed rows that this worker still holds."""
        pks_by_attempts = defaultdict(list)
        for row in rows:
            pks_by_attempts[row.attempts].append(row.pk)
        held = (Q(attempts=attempts, pk__in=pks) for attempts, pks in pks_by_attempts.items())
        return self.unfinished().filter(reduce(operator.or_, held, Q(pk__in=())))

    def claim_page(self, pks: Collection[Any], *, lease: timedelta) -> None:
        """Claim rows; the caller has found them due and locked them in this transaction."""
        page = self.filter(pk__in=pks)
        page.update(attempts=F("attempts") + 1, next_attempt_at=database_now() + lease)

    def release_page(self, pks: Collection[Any], *, delay: timedelta = timedelta(0), **changes: Any) -> None:
        """Release claimed rows as if they had not been tried, due again after `delay`.

        A row that an operator has reset since has no attempt counted and stays as it is.
        """
        claimed = self.unfinished().filter(pk__in=pks, attempts__gt=0)
        claimed.update(attempts=F("attempts") - 1, next_attempt_at=database_now() + delay, **changes)


class Leased(models.Model):
    """A row of work that one worker at a time holds.

    `next_attempt_at` is when the row may be claimed: while a worker holds it, the end of its lease.
    """

    # Which rows still are work.
    UNFINISHED: ClassVar[Q]

    attempts = models.PositiveIntegerField(default=0, help_text="How often a worker has claimed it.")
    next_attempt_at = models.DateTimeField(
        default=timezone.now,
        null=True,
        blank=True,
        help_text="When a worker may claim it; while one holds it, the end of its lease.",
    )

    class Meta:
        abstract = True

    def claim(self, lease: timedelta) -> bool:
        """Claim the row if it is due; return whether this worker has it now."""
        now = database_now()
        changes = {"attempts": self.attempts + 1, "next_attempt_at": now + lease}
        if not self._held_row().filter(next_attempt_at__lte=now).update(**changes):
            return False
        self._take_over(changes)
        return True

    def update_held(self, **changes: Any) -> bool:
        """Save changes if this worker still holds the row; return whether it does."""
        if not self._held_row().update(**changes):
            return False
        self._take_over(changes)
        return True

    def renew_lease(self, lease: timedelta, **changes: Any) -> None:
        """Extend the lease, and save changes with it. Raises LeaseLost."""
        if not self.update_held(next_attempt_at=database_now() + lease, **changes):
            raise LeaseLost(str(self.pk))

    def retry_later(self, delay: timedelta, **changes: Any) -> bool:
        """Release the row, due again after `delay`; return whether this worker still held it."""
        return self.update_held(next_attempt_at=database_now() + delay, **changes)

    def finish(self, **changes: Any) -> bool:
        """Save changes that end the work; return whether this worker still held it."""
        return self.update_held(next_attempt_at=None, **changes)

    def _held_row(self) -> LeaseQuerySet[Self]:
        rows: LeaseQuerySet[Self] = LeaseQuerySet(type(self))
        return rows.unfinished().filter(pk=self.pk, attempts=self.attempts)

    def _take_over(self, changes: dict[str, Any]) -> None:
        for name, value in changes.items():
            setattr(self, name, value)


@contextmanager
def keep_leases(rows: Sequence[LeasedRow], *, lease: timedelta = LEASE_DURATION) -> Iterator[None]:
    """Renew the leases of claimed rows, all of one model, during the block, but no longer than a task may take.

    What releases or finishes the rows comes after the block, or a renewal could overtake it.
    """
    if not rows:
        yield
        return
    held = LeaseQuerySet[LeasedRow](type(rows[0])).held_rows(rows)
    is_done = threading.Event()
    renewing = threading.Thread(target=_renew_leases, args=(held, lease, is_done), name="leases", daemon=True)
    renewing.start()
    try:
        yield
    finally:
        is_done.set()
        renewing.join()


def _renew_leases(held: LeaseQuerySet[Any], lease: timedelta, is_done: threading.Event) -> None:
    pause = lease / RENEWALS_PER_LEASE
    try:
        # A thread that hangs for good must not keep its rows for good.
        for _ in range(ceil(settings.CELERY_TASK_TIME_LIMIT / pause.total_seconds())):
            if is_done.wait(pause.total_seconds()):
                return
            try:
                held.update(next_attempt_at=database_now() + lease)
            except DatabaseError as error:
                logger.warning("Leases could not be renewed: %s", error)
                connection.close()
    finally:
        # Django has a connection for each thread, and nobody else would close this one.
        connection.close()
