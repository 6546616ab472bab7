"""Long work in portions: the cursor is saved with each portion, so that a worker that dies leaves nothing to repeat.

A worker claims a run by its lease (`core.leases`) and renews the lease with each portion. If the lease expires, another
worker continues at the cursor.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction

from billing import worker_shutdown
from billing.gateway.http import rate_limit
from billing.models import ReconcileRun
from core.clock import database_now
from core.leases import LeaseLost

Work = ReconcileRun.Work

# Longer than a portion can take: a task that takes longer is killed.
LEASE_DURATION = timedelta(minutes=5)
# An older unfinished run is abandoned: too much has changed since it began.
STALE_AFTER = timedelta(hours=20)
RETENTION_PERIOD = timedelta(days=90)
# Our own rows are scanned by primary key, so many numbers per statement, to keep statements short in large tables.
ROWS_PER_STRETCH = 5_000


class RunHeld(Exception):
    """Another worker holds the run of this work."""


@dataclass(frozen=True)
class PortionResult:
    """Counts of one portion of a run; `cursor` holds the run's fields that say where the next portion starts."""

    compared: int
    mended: int
    failed: int
    cursor: Mapping[str, Any] = field(default_factory=dict)


ProcessPortion = Callable[[ReconcileRun], PortionResult]
# Called after each portion with the portion's stage and the run.
WatchProgress = Callable[[str, ReconcileRun], None]


def claim_run(work: str, *, first: str, afresh: bool = False) -> ReconcileRun:
    """Claim the unfinished run of a kind of work, or begin one at its `first` stage. Raises RunHeld.

    With `afresh`, or when the unfinished run is too old, it is abandoned and a new one begins.
    """
    _abandon_unfinished_runs(work, afresh=afresh)
    try:
        with transaction.atomic():
            return ReconcileRun.objects.create(
                work=work, stage=first, attempts=1, next_attempt_at=database_now() + LEASE_DURATION
            )
    except IntegrityError:
        pass
    run = ReconcileRun.objects.unfinished().filter(work=work).first()
    if run is None or not run.claim(LEASE_DURATION):
        raise RunHeld(work)
    run.update_held(error="")
    return run


@transaction.atomic
def request_run(work: str, *, first: str) -> None:
    """Create a run that is due at once and that any worker may claim; abandon the unfinished one."""
    _abandon_unfinished_runs(work, afresh=True)
    ReconcileRun.objects.create(work=work, stage=first, next_attempt_at=database_now())


def is_run_waiting(work: str) -> bool:
    """Return whether a run of this work is unfinished and may be claimed."""
    return ReconcileRun.objects.due().filter(work=work).exists()


def continue_run(
    run: ReconcileRun,
    process_portion: ProcessPortion,
    *,
    until: float = float("inf"),
    watch: WatchProgress = lambda *_: None,
) -> bool:
    """Process portions, at least one, until a time of the monotonic clock; return whether the run is finished.

    An exception is recorded in the run and raised, and another worker may claim the run at once. Raises LeaseLost.
    """
    try:
        while run.finished_at is None:
            stage = run.stage
            with rate_limit.throttle_background():
                portion = process_portion(run)
            _record_portion(run, portion)
            watch(stage, run)
            if worker_shutdown.is_time_up(until):
                break
    except LeaseLost:
        raise
    except BaseException as error:
        _release_run(run, f"{type(error).__name__}: {error}")
        raise
    _release_run(run, "")
    return run.finished_at is not None


def next_stage_cursor(run: ReconcileRun, stages: tuple[str, ...]) -> dict[str, Any]:
    """Return the cursor at the start of the next stage; after the last stage, one that ends the run."""
    following = stages[stages.index(run.stage) + 1 :]
    start = {"looking": False, "offset": "", "after": 0, "up_to": None}
    return {**start, "stage": following[0]} if following else {**start, "finished_at": database_now()}


def delete_old_runs() -> int:
    """Delete the runs that are older than ninety days; return how many."""
    deleted, _ = ReconcileRun.objects.filter(started_at__lt=database_now() - RETENTION_PERIOD).delete()
    return deleted


def _abandon_unfinished_runs(work: str, *, afresh: bool) -> None:
    unfinished = ReconcileRun.objects.unfinished().filter(work=work)
    if not afresh:
        unfinished = unfinished.filter(started_at__lt=database_now() - STALE_AFTER)
    if work != Work.CHECK:
        unfinished.update(finished_at=database_now(), error="given up: begun anew")


def _record_portion(run: ReconcileRun, portion: PortionResult) -> None:
    counts = {"compared": portion.compared, "mended": portion.mended, "failed": portion.failed}
    stage_counts = run.counts.get(run.stage, {})
    run.counts[run.stage] = {name: stage_counts.get(name, 0) + count for name, count in counts.items()}
    totals = {name: getattr(run, name) + count for name, count in counts.items()}
    run.renew_lease(LEASE_DURATION, **totals, **portion.cursor, counts=run.counts, updated_at=database_now())


def _release_run(run: ReconcileRun, error: str) -> None:
    run.retry_later(timedelta(0), error=error, updated_at=database_now())
