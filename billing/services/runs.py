"""Long work in slices: each portion is saved as it is done, so that after a kill or a time limit nothing is done twice.

Whoever works on a run holds it by its number of attempts. A holder that was away for longer than its lease finds
another number there, and stops.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F

from billing import stopping
from billing.models import ReconcileRun
from billing.services import leases, pace

Work = ReconcileRun.Work

# Longer than a portion may take; a task that takes longer is killed.
LEASE = timedelta(minutes=5)
# What began longer ago begins anew: too much has changed since.
STALE_AFTER = timedelta(hours=20)
KEPT = timedelta(days=90)
# Our own rows are looked through in stretches of so many numbers: short statements, however many rows there are.
STRETCH = 5_000


class RunHeld(Exception):
    """Another process is at this work."""


class TakenOver(Exception):
    """Another process went on with this run, or began it anew."""


@dataclass(frozen=True)
class Portion:
    """What one step of a run did; `cursor` are the fields of the run that say where the next one starts."""

    compared: int
    mended: int
    failed: int
    cursor: Mapping[str, Any] = field(default_factory=dict)


Step = Callable[[ReconcileRun], Portion]
# Told of each portion: the stage that it was of, and the run after it.
Watch = Callable[[str, ReconcileRun], None]


def take(work: str, *, first: str, afresh: bool = False) -> ReconcileRun:
    """Claim the unfinished run of some work, or begin one at its `first` stage. Raises RunHeld."""
    _abandon(work, afresh=afresh)
    try:
        with transaction.atomic():
            return ReconcileRun.objects.create(work=work, stage=first, leased_until=leases.now() + LEASE)
    except IntegrityError:
        pass
    unfinished = ReconcileRun.objects.filter(work=work, finished_at__isnull=True)
    free = unfinished.filter(leased_until__lte=leases.now())
    if not free.update(attempts=F("attempts") + 1, leased_until=leases.now() + LEASE, error=""):
        raise RunHeld(work)
    return unfinished.get()


@transaction.atomic
def want(work: str, *, first: str) -> None:
    """Have some work begun anew by whoever finds it, in place of a run that is under way."""
    _abandon(work, afresh=True)
    ReconcileRun.objects.create(work=work, stage=first, leased_until=leases.now())


def is_waiting(work: str) -> bool:
    """Whether a run of some work is unfinished and nobody is at it."""
    unfinished = ReconcileRun.objects.filter(work=work, finished_at__isnull=True)
    return unfinished.filter(leased_until__lte=leases.now()).exists()


def go_on(
    run: ReconcileRun, step: Step, *, until: float = float("inf"), watch: Watch = lambda *_: None
) -> bool:
    """Do step after step until a time of the monotonic clock, at least one; return whether the run is finished.

    What stops it is kept with the run and raised, and somebody else may go on at once. Raises TakenOver.
    """
    try:
        while run.finished_at is None:
            stage = run.stage
            with pace.background():
                portion = step(run)
            _advance(run, portion)
            watch(stage, run)
            if stopping.is_time_up(until):
                break
    except TakenOver:
        raise
    except BaseException as error:
        _give_back(run, f"{type(error).__name__}: {error}")
        raise
    _give_back(run, "")
    return run.finished_at is not None


def to_stage(run: ReconcileRun, stages: tuple[str, ...]) -> dict[str, Any]:
    """Return the cursor at the beginning of the stage after the run's; the end of the run after the last."""
    following = stages[stages.index(run.stage) + 1 :]
    start = {"looking": False, "offset": "", "after": 0, "up_to": None}
    return {**start, "stage": following[0]} if following else {**start, "finished_at": leases.now()}


def forget_old() -> int:
    """Delete the runs that are kept no longer; return how many."""
    deleted, _ = ReconcileRun.objects.filter(started_at__lt=leases.now() - KEPT).delete()
    return deleted


def _abandon(work: str, *, afresh: bool) -> None:
    unfinished = ReconcileRun.objects.filter(work=work, finished_at__isnull=True)
    if not afresh:
        unfinished = unfinished.filter(started_at__lt=leases.now() - STALE_AFTER)
    if work != Work.CHECK:
        unfinished.update(finished_at=leases.now(), error="given up: begun anew")


def _advance(run: ReconcileRun, portion: Portion) -> None:
    done = {"compared": portion.compared, "mended": portion.mended, "failed": portion.failed}
    before = run.counts.get(run.stage, {})
    run.counts[run.stage] = {name: before.get(name, 0) + number for name, number in done.items()}
    totals = {name: getattr(run, name) + number for name, number in done.items()}
    _save(run, **totals, **portion.cursor, counts=run.counts, leased_until=leases.now() + LEASE)


def _give_back(run: ReconcileRun, error: str) -> None:
    at = leases.now()
    held = ReconcileRun.objects.filter(pk=run.pk, attempts=run.attempts)
    held.update(error=error, leased_until=at, updated_at=at)


def _save(run: ReconcileRun, **changes: Any) -> None:
    held = ReconcileRun.objects.filter(pk=run.pk, attempts=run.attempts, finished_at__isnull=True)
    changes["updated_at"] = leases.now()
    if not held.update(**changes):
        raise TakenOver(run.pk)
    for name, value in changes.items():
        setattr(run, name, value)
