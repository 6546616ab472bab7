"""The scheduled jobs: each slot on billing's clock is run once, and missed slots are caught up (docs/rules.md, rule 1).

Beat only ticks; this module decides on billing's clock what is due, so that time travel and an outage look the same: if
a job's newest slot has no run, it is run. A job processes everything that is due, so one run makes up for all missed
slots. A long job works in slices, each of which enqueues the next; if a worker dies, its lease on the run expires and
the tick finds the run. A shared job is processed by all free workers at once, and its run adds up their counts.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import partial
from time import monotonic
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import IntegrityError, transaction

from accounts.brands import site
from billing import worker_shutdown
from billing.gateway.errors import GatewayError
from billing.gateway.http import rate_limit
from billing.invoices import pdf_files
from billing.jobs import data_retention, nightly_reconcile, pause_start
from billing.jobs.command_kinds import RECEIPT_COMPOSERS
from billing.jobs.resumes import claim, worker
from billing.jobs.resumes.claim import DueResumes
from billing.mirror import reconcile
from billing.mirror.batch_runs import RunHeld
from billing.models import JobRun
from billing.receipts import notices, partial_receipts
from core import task_queue
from core.clock import database_now
from core.leases import LeaseLost
from core.task_queue import TASK_EXPIRY_SECONDS

logger = logging.getLogger(__name__)

# Early, because a resume is promised for a day; but after every daylight saving change.
NIGHTLY_AT = time(hour=3, minute=30)
# Longer than a slice takes. When the lease expires, its worker has died and another claims the run.
LEASE_DURATION = timedelta(minutes=10)
# When a job continues that could not reach the provider.
RETRY_AFTER_OUTAGE = timedelta(minutes=5)
# By then a free worker has taken the message for the rest of a shared job; otherwise the next tick enqueues another.
SHARED_LEASE = timedelta(seconds=TASK_EXPIRY_SECONDS)
# More helpers would not be faster: all of them share the provider's rate limit.
MAX_HELPERS = 3
HELPING = True
# The prefix of the error of a run that a newer slot's run has ended.
SUPERSEDED = "died, or was left"

Counts = dict[str, int]
ReportProgress = Callable[[Counts], None]


@dataclass(frozen=True)
class SliceResult:
    """What a slice did, and whether the job is finished."""

    counts: Counts
    finished: bool = True


@dataclass(frozen=True)
class Job:
    """A scheduled job.

    `newest_slot` returns the newest instant at or before now that the job should have run for. `run_slice` works until
    a time of the monotonic clock. If a job `resumes_after_outage`, its run continues after an outage of the provider;
    otherwise the next slot does. If it `reports_totals`, each slice returns the counts of all slices. `count_helpers`
    makes a job shared: it returns how many more workers may help, and the job reports its counts as it goes.
    """

    name: str
    newest_slot: Callable[[datetime], datetime]
    run_slice: Callable[[datetime, float, ReportProgress], SliceResult]
    resumes_after_outage: bool = False
    reports_totals: bool = False
    count_helpers: Callable[[datetime], int] | None = None

    @property
    def is_shared(self) -> bool:
        """Return whether several workers may process it at once."""
        return self.count_helpers is not None


def newest_hour(now: datetime) -> datetime:
    """Return the beginning of the hour."""
    return now.replace(minute=0, second=0, microsecond=0)


def newest_night(now: datetime) -> datetime:
    """Return the last 3:30 in the site's time zone, in UTC: once a day, also on days of 23 and 25 hours."""
    zone = ZoneInfo(site.site_settings().time_zone)
    local = now.astimezone(zone)
    today = datetime.combine(local.date(), NIGHTLY_AT, tzinfo=zone)
    night = (
        today
        if today <= local
        else datetime.combine(local.date() - timedelta(days=1), NIGHTLY_AT, tzinfo=zone)
    )
    return night.astimezone(UTC)


def _run_pauses(now: datetime, until: float, _report: ReportProgress) -> SliceResult:
    checked = pause_start.check_due_pauses(now=now, until=until)
    retried = worker.resume_due_pauses(now=now, only_retries=True, until=until)
    counts = {**checked, **{f"retried_{name}": count for name, count in retried.items()}}
    if worker_shutdown.is_stopping():
        return SliceResult(counts, finished=False)
    # If a slice made no progress, leave the rest to the next hour: another slice would fail at the same pauses.
    has_progress = any(
        count for name, count in counts.items() if name not in ("unasked", "failed", "left", "retried_left")
    )
    return SliceResult(counts, finished=("left" not in checked and "left" not in retried) or not has_progress)


def _run_resumes(now: datetime, until: float, report: ReportProgress) -> SliceResult:
    counts = worker.resume_due_pauses(now=now, until=until, report=report)
    return SliceResult(counts, finished="left" not in counts)


def _count_resume_helpers(now: datetime) -> int:
    return min(MAX_HELPERS, DueResumes(now).due_schedules().count() // claim.PAGE_SIZE)


def _run_receipts(now: datetime, _until: float, _report: ReportProgress) -> SliceResult:
    return SliceResult(partial_receipts.send_partial_receipts(RECEIPT_COMPOSERS, now=now))


def _run_notices(now: datetime, _until: float, _report: ReportProgress) -> SliceResult:
    return SliceResult(notices.queue_due_notices(now=now))


def _run_feed(now: datetime, until: float, _report: ReportProgress) -> SliceResult:
    counts = reconcile.read_feed(now=now, until=until)
    return SliceResult(counts, finished="left" not in counts)


def _run_reconcile(now: datetime, until: float, _report: ReportProgress) -> SliceResult:
    # Data retention comes first: it must not wait for the provider.
    deleted = data_retention.delete_old_data()
    counts, finished = nightly_reconcile.run_nightly_reconcile(now=now, until=until)
    if not finished:
        return SliceResult({**counts, **deleted}, finished=False)
    return SliceResult({**counts, "pdfs": pdf_files.request_missing_pdfs(), **deleted})


JOBS = {
    job.name: job
    for job in (
        Job("pauses", newest_hour, _run_pauses),
        Job("resumes", newest_night, _run_resumes, count_helpers=_count_resume_helpers),
        Job("notices", newest_night, _run_notices),
        Job("feed", newest_hour, _run_feed, resumes_after_outage=True),
        Job("receipts", newest_hour, _run_receipts),
        Job("reconcile", newest_night, _run_reconcile, resumes_after_outage=True, reports_totals=True),
    )
}


def due_jobs(now: datetime) -> Iterator[tuple[Job, datetime]]:
    """Yield the jobs whose newest slot has no run, or one that may be claimed, with that slot."""
    claimable = JobRun.objects.due().values("pk")
    for job in JOBS.values():
        slot = job.newest_slot(now)
        if not JobRun.objects.filter(job=job.name, scheduled_for=slot).exclude(pk__in=claimable).exists():
            yield job, slot


def announce_due_jobs(*, now: datetime) -> None:
    """Enqueue a task for each due job."""
    for job, slot in due_jobs(now):
        task_queue.enqueue_expiring_task("billing.tasks.run_job", job.name, slot.isoformat())


def _request_helpers(job: Job, slot: datetime, now: datetime) -> None:
    """Enqueue tasks for the workers that may help with a shared job."""
    for _ in range(job.count_helpers(now) if job.count_helpers else 0):
        task_queue.enqueue_expiring_task("billing.tasks.run_job", job.name, slot.isoformat(), HELPING)


def run_job(name: str, slot: datetime, *, now: datetime, helping: bool = False) -> JobRun | None:
    """Run a slice of a job for a slot; return None if another worker has claimed the run or it is finished.

    With `helping` the worker joins an unfinished run without claiming it. An exception is recorded in the run and
    raised. An outage of the provider is only recorded: what is due stays due for the next slice or slot.
    """
    job = JOBS[name]
    run = _find_unfinished_run(name, slot) if helping else _claim_run(name, slot)
    if run is None:
        return None
    if not helping:
        _request_helpers(job, slot, now)
    return _run_slice(job, run, now)


def _run_slice(job: Job, run: JobRun, now: datetime) -> JobRun:
    until = monotonic() + settings.JOB_SLICE_SECONDS
    try:
        with rate_limit.throttle_background():
            result = job.run_slice(now, until, partial(_add_counts, run))
    except GatewayError as error:
        return _hand_over_rest(job, run) if worker_shutdown.is_stopping() else _handle_outage(job, run, error)
    except (RunHeld, LeaseLost) as error:
        return _postpone_run(run, f"another process is at it: {error}")
    except Exception as error:
        _record_failure(job, run, error)
        raise
    if not job.is_shared:
        counts = result.counts if job.reports_totals else _sum_counts(run.counts, result.counts)
        run.update_held(counts=counts)
    if result.finished:
        return _finish_run(run, "")
    # A shared job that is not finished before the slice's time is up is held by other workers, who will finish it.
    return _hand_over_rest(job, run) if not job.is_shared or worker_shutdown.is_time_up(until) else run


def _hand_over_rest(job: Job, run: JobRun) -> JobRun:
    """Release the run and enqueue a task for its next slice."""
    if job.is_shared:
        run.retry_later(SHARED_LEASE, error=run.error)
        task_queue.enqueue_expiring_task(
            "billing.tasks.run_job", job.name, run.scheduled_for.isoformat(), HELPING
        )
    else:
        run.retry_later(timedelta(0), error=run.error)
        task_queue.enqueue_task("billing.tasks.run_job", job.name, run.scheduled_for.isoformat())
    return run


@transaction.atomic
def _add_counts(run: JobRun, counts: Counts) -> None:
    """Add a worker's counts to a shared run, and renew the run's lease for all its workers."""
    run.counts = _sum_counts(JobRun.objects.select_for_update().get(pk=run.pk).counts, counts)
    run.next_attempt_at = database_now() + LEASE_DURATION
    run.save(update_fields=["counts", "next_attempt_at"])


def _find_unfinished_run(name: str, slot: datetime) -> JobRun | None:
    return JobRun.objects.filter(job=name, scheduled_for=slot, finished_at__isnull=True).first()


def _sum_counts(before: Counts, more: Counts) -> Counts:
    """Add up the counts of slices; counts of what is left are the newest slice's."""
    return {
        name: count if name.endswith("left") else before.get(name, 0) + count for name, count in more.items()
    }


def _handle_outage(job: Job, run: JobRun, error: GatewayError) -> JobRun:
    message = f"{type(error).__name__}: {error}"
    return _postpone_run(run, message) if job.resumes_after_outage else _finish_run(run, message)


def _record_failure(job: Job, run: JobRun, error: Exception) -> None:
    """Record why a slice failed. That finishes the run, unless it is shared: other workers may be processing it."""
    message = f"{type(error).__name__}: {error}"
    if job.is_shared:
        _postpone_run(run, message)
    else:
        _finish_run(run, message)


def _postpone_run(run: JobRun, error: str) -> JobRun:
    run.retry_later(RETRY_AFTER_OUTAGE, error=error)
    logger.warning("Job %s goes on later: %s", run, error)
    return run


def _finish_run(run: JobRun, error: str) -> JobRun:
    run.finish(error=error, finished_at=database_now())
    logger.info("Job %s: %s %s", run, run.counts, error)
    return run


def _claim_run(name: str, slot: datetime) -> JobRun | None:
    now = database_now()
    try:
        with transaction.atomic():
            run = JobRun.objects.create(
                job=name, scheduled_for=slot, started_at=now, attempts=1, next_attempt_at=now + LEASE_DURATION
            )
            _supersede_older_runs(run)
            return run
    except IntegrityError:
        run = JobRun.objects.get(job=name, scheduled_for=slot)
    return run if run.claim(LEASE_DURATION) else None


def _supersede_older_runs(run: JobRun) -> None:
    """Finish the runs of older slots that no worker holds: this run does what they left."""
    older = JobRun.objects.due().filter(job=run.job, scheduled_for__lt=run.scheduled_for)
    older.update(
        finished_at=database_now(),
        error=f"{SUPERSEDED}: the run for {run.scheduled_for:%Y-%m-%d %H:%M} took over",
    )
