"""Runs of jobs: begin, claim, process, hand over and finish them.

A run is a row of `JobRun` that a worker holds by its lease (`core.workers.leases`). A scheduled job has one run for
each slot; other runs are requested by operators. A run with a cursor works in portions. Each portion saves the cursor
and the counts and renews the lease, so a worker that dies leaves nothing to repeat, and another one continues.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet

from billing.gateway.http import rate_limit
from billing.models import JobRun
from billing.models.job_runs import IMPORT, Cursor
from core.clock import database_now
from core.workers import task_queue
from core.workers.leases import LEASE_DURATION, LeaseLost, keep_leases
from core.workers.task_queue import TASK_EXPIRY_SECONDS

logger = logging.getLogger(__name__)

# By then a free worker has taken the message for the rest of a shared run; otherwise the next tick enqueues another.
SHARED_LEASE = timedelta(seconds=TASK_EXPIRY_SECONDS)
# When a job continues that could not reach the provider.
RETRY_DELAY = timedelta(minutes=5)
# After an unexpected error: one, two, four minutes and so on, four hours in all.
FIRST_FAILURE_DELAY, MAX_FAILURES = timedelta(minutes=1), 8
RETENTION_PERIOD = timedelta(days=90)
# Our own rows are scanned by primary key, so many numbers per statement, to keep statements short in large tables.
ROWS_PER_STRETCH = 5_000
# The prefix of the error of a run that another run replaced.
ABANDONED = "abandoned"

Counts = Mapping[str, int]


class RunHeld(Exception):
    """Another worker holds the run of this job."""


@dataclass(frozen=True)
class Portion:
    """What a portion of a run did, and where the next one starts; with None, the run is finished."""

    counts: Counts
    cursor: Cursor | None


def enqueue_run(job: str, slot: datetime | None, *, helping: bool = False, is_repeated: bool = True) -> None:
    """Enqueue a slice of a run. If each tick repeats the message, it expires."""
    slot_text = slot.isoformat() if slot else None
    expires = TASK_EXPIRY_SECONDS if is_repeated else None
    task_queue.enqueue_task("billing.tasks.run_job", job, slot_text, helping, expires=expires)


def begin_run(job: str, *, slot: datetime | None = None, stage: str = "") -> JobRun:
    """Create and claim a run, with a cursor if it starts at a stage.

    Abandons unfinished runs of older slots, since this run does what they left; one without a cursor only if no worker
    holds it. Raises RunHeld if the slot has a run already, or if the job has an unfinished run with a cursor.
    """
    lease_end = database_now() + LEASE_DURATION
    free = Q(next_attempt_at__lte=database_now()) | Q(failures__gt=0)
    replaceable = JobRun.objects.unfinished() if stage else JobRun.objects.unfinished().filter(free)
    try:
        with transaction.atomic():
            if slot is not None:
                older = replaceable.filter(job=job, scheduled_for__lt=slot)
                _abandon(older, f"the run for {slot:%Y-%m-%d %H:%M} took over")
            return JobRun.objects.create(
                job=job, scheduled_for=slot, cursor=_start_at(stage), attempts=1, next_attempt_at=lease_end
            )
    except IntegrityError as error:
        raise RunHeld(job) from error


def claim_run(job: str, *, slot: datetime | None = None) -> JobRun | None:
    """Claim the job's unfinished run for a slot, or the one without; return None if there is none or it is held."""
    run = JobRun.objects.due().filter(job=job, scheduled_for=slot).first()
    return run if run is not None and run.claim(LEASE_DURATION) else None


def find_unfinished_run(job: str, *, slot: datetime | None) -> JobRun | None:
    """Return the job's unfinished run for a slot, whether or not a worker holds it."""
    return JobRun.objects.unfinished().filter(job=job, scheduled_for=slot).first()


@transaction.atomic
def request_run(job: str, *, stage: str) -> None:
    """Create a run that any worker may claim, and enqueue it; abandon the job's unfinished ones."""
    abandon_runs(job)
    JobRun.objects.create(job=job, cursor=_start_at(stage), next_attempt_at=database_now())
    enqueue_run(job, None, is_repeated=False)


def restart_run(run: JobRun, *, stage: str) -> bool:
    """Make a run due: a finished one from its beginning, one that waits where it stopped; False if a worker has it."""
    finished = JobRun.objects.filter(pk=run.pk, finished_at__isnull=False)
    waiting = JobRun.objects.due().filter(pk=run.pk) | JobRun.objects.unfinished().filter(pk=run.pk, failures__gt=0)
    now = database_now()
    due = {"next_attempt_at": now, "attempts": F("attempts") + 1, "failures": 0, "error": ""}
    afresh: dict[str, object] = {
        "started_at": now,
        "finished_at": None,
        "cursor": _start_at(stage),
        "counts": {},
        "counts_by_stage": {},
    }
    if not (finished.update(**due, **afresh) or waiting.update(**due)):
        return False
    enqueue_run(run.job, run.scheduled_for)
    return True


def abandon_runs(job: str, *, older_than: timedelta = timedelta(0)) -> None:
    """Finish the job's unfinished runs that began so long ago or earlier, even those that a worker holds."""
    old = JobRun.objects.unfinished().filter(job=job, started_at__lte=database_now() - older_than)
    _abandon(old, "a new run began")


def process_portions(run: JobRun, process_portion: Callable[[JobRun], Portion]) -> Iterator[str]:
    """Process a run's portions until it is finished; yield the stage of each after it was saved. Raises LeaseLost."""
    while run.finished_at is None:
        stage = run.cursor.stage
        with rate_limit.throttle_jobs(), keep_leases([run]):
            portion = process_portion(run)
        _save_portion(run, stage, portion)
        yield stage


@contextmanager
def release_on_error(run: JobRun) -> Iterator[None]:
    """If the block raises, save the error in the run and release it, so that it can be continued at once."""
    try:
        yield
    except BaseException as error:
        postpone_run(run, error, delay=timedelta(0))
        raise


def hand_over_run(run: JobRun, *, is_shared: bool = False) -> None:
    """Release a run and enqueue its next slice; a shared run is released only if no helper has come by then."""
    run.retry_later(SHARED_LEASE if is_shared else timedelta(0), error="", updated_at=database_now())
    enqueue_run(run.job, run.scheduled_for, helping=is_shared, is_repeated=is_shared)


def postpone_run(run: JobRun, error: BaseException, *, delay: timedelta = RETRY_DELAY) -> None:
    """Release a run with the error that stopped it, due again after `delay`.

    `updated_at` stays when it last got on, which tells the age of its cursor's offset.
    """
    message = _describe_error(error)
    run.retry_later(delay, error=message)
    logger.warning("Job %s continues later: %s", run, message)


def retry_failed_run(run: JobRun, error: Exception) -> None:
    """Release a run after an unexpected error, due again after a while that doubles each time; at last finish it."""
    failures = run.failures + 1
    if failures > MAX_FAILURES:
        finish_run(run, error)
        return
    run.update_held(failures=failures)
    postpone_run(run, error, delay=FIRST_FAILURE_DELAY * 2 ** (failures - 1))


def finish_run(run: JobRun, error: BaseException | None = None) -> None:
    """Finish a run, with the error that ended it, if this worker still holds it."""
    now = database_now()
    message = _describe_error(error) if error else ""
    run.finish(error=message, finished_at=now, updated_at=now)
    logger.info("Job %s: %s %s", run, run.counts, message)


@transaction.atomic
def add_shared_counts(run: JobRun, counts: Counts) -> None:
    """Add a worker's counts to a shared run, and renew the run's lease for all its workers."""
    run.counts = sum_counts(JobRun.objects.select_for_update().get(pk=run.pk).counts, counts)
    run.next_attempt_at = database_now() + LEASE_DURATION
    run.save(update_fields=["counts", "next_attempt_at", "updated_at"])


def sum_counts(before: Counts, more: Counts) -> dict[str, int]:
    """Add up counts. What is left is not added up: only the newest counts of it are kept."""
    done = {name: count for name, count in before.items() if not name.endswith("left")}
    return done | {name: done.get(name, 0) + count for name, count in more.items()}


def delete_old_runs() -> int:
    """Delete the runs that began more than ninety days ago, except imports of the site; return how many."""
    old = JobRun.objects.filter(started_at__lt=database_now() - RETENTION_PERIOD).exclude(job=IMPORT)
    deleted, _ = old.delete()
    return deleted


def _describe_error(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _start_at(stage: str) -> Cursor | None:
    return Cursor(stage) if stage else None


def _abandon(runs: QuerySet[JobRun], reason: str) -> None:
    now = database_now()
    runs.update(finished_at=now, updated_at=now, error=f"{ABANDONED}: {reason}")


def _save_portion(run: JobRun, stage: str, portion: Portion) -> None:
    """Save a portion; the last one finishes the run. Raises LeaseLost."""
    now = database_now()
    stage_counts = sum_counts(run.counts_by_stage.get(stage, {}), portion.counts)
    changes = {
        "counts": sum_counts(run.counts, portion.counts),
        "counts_by_stage": {**run.counts_by_stage, stage: stage_counts},
        "error": "",
        "failures": 0,
        "updated_at": now,
    }
    if portion.cursor is not None:
        run.renew_lease(LEASE_DURATION, cursor=portion.cursor, **changes)
    elif not run.finish(finished_at=now, **changes):
        raise LeaseLost(str(run.pk))
