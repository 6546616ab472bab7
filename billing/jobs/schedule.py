"""The scheduled jobs: each slot on billing's clock is run once, and missed slots are caught up (docs/rules.md, rule 1).

Beat only ticks; this module decides on billing's clock what is due, so that time travel and an outage look the same: if
a job's newest slot has no run, it is run. A job processes everything that is due, so one run makes up for all missed
slots. A job without slots runs when it is requested. A long job works in slices, each of which enqueues the next; if a
worker dies, its lease on the run expires and the tick finds the run (`billing.job_runs`). A shared job is processed by
all free workers at once, and its run adds up their counts.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, time, timedelta
from functools import partial
from time import monotonic
from zoneinfo import ZoneInfo

from django.conf import settings

from accounts.brands import site
from billing import job_runs
from billing.gateway.errors import GatewayError
from billing.gateway.http import rate_limit
from billing.job_runs import Counts, RunHeld
from billing.jobs import nightly_reconcile, pause_start
from billing.jobs.command_kinds import RECEIPT_COMPOSERS
from billing.jobs.resumes import claim, worker
from billing.jobs.resumes.claim import DueResumes
from billing.jobs.shared_addresses import find_shared_addresses
from billing.mirror import reconcile
from billing.models import JobRun
from billing.models.job_runs import ADDRESSES, BUNDLES, RECONCILE
from billing.receipts import notices, partial_receipts
from core.workers import shutdown
from core.workers.leases import LeaseLost, keep_leases

# Early, because a resume is promised for a day, and after most changes of the clock. Where that hour is left out, as in
# Athens, the night of that date begins an hour later; where it comes twice, it begins at the first time.
NIGHTLY_AT = time(hour=3, minute=30)
# More helpers would not be faster: all of them share the provider's rate limit.
MAX_HELPERS = 3
DAY = timedelta(days=1)


@dataclass(frozen=True)
class SliceResult:
    """What a slice did, and whether the job is finished."""

    counts: Counts
    finished: bool = True


@dataclass(frozen=True)
class Job:
    """A job.

    `newest_slot` returns the newest instant at or before now that the job should have run for. `run_slice` works until
    a time of the monotonic clock. A run of a job that works in portions starts at the stage `first_stage`. If a job
    `resumes_after_outage`, its run continues after an outage of the provider; otherwise the next slot does.
    `count_helpers` makes a job shared: it returns how many more workers may help, and the job adds its counts to the
    run as it goes.
    """

    name: str
    newest_slot: Callable[[datetime], datetime | None]
    run_slice: Callable[[JobRun, datetime, float], SliceResult]
    first_stage: str = ""
    resumes_after_outage: bool = False
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
    today = now.astimezone(zone).date()
    # Compared in UTC: two times of one zone would be compared by their clocks, of which one may have changed.
    nights = (datetime.combine(day, NIGHTLY_AT, tzinfo=zone).astimezone(UTC) for day in (today, today - DAY))
    return next(night for night in nights if night <= now)


def on_request(_now: datetime) -> None:
    """Return no slot: the job runs when it is requested (`job_runs.request_run`)."""


def _run_pauses(_run: JobRun, now: datetime, until: float) -> SliceResult:
    checked = pause_start.check_due_pauses(now=now, until=until)
    retried = worker.resume_due_pauses(now=now, only_retries=True, until=until)
    counts = {**checked, **{f"retried_{name}": count for name, count in retried.items()}}
    if shutdown.is_stopping():
        return SliceResult(counts, finished=False)
    # If a slice made no progress, leave the rest to the next hour: another slice would fail at the same pauses.
    has_progress = any(
        count for name, count in counts.items() if name not in ("unasked", "failed", "left", "retried_left")
    )
    return SliceResult(counts, finished=("left" not in checked and "left" not in retried) or not has_progress)


def _run_resumes(run: JobRun, now: datetime, until: float) -> SliceResult:
    report = partial(job_runs.add_shared_counts, run)
    counts = worker.resume_due_pauses(now=now, until=until, report=report)
    return SliceResult(counts, finished="left" not in counts)


def _count_resume_helpers(now: datetime) -> int:
    return min(MAX_HELPERS, DueResumes(now).due_schedules().count() // claim.PAGE_SIZE)


def _run_receipts(_run: JobRun, now: datetime, _until: float) -> SliceResult:
    return SliceResult(partial_receipts.send_partial_receipts(RECEIPT_COMPOSERS, now=now))


def _run_notices(_run: JobRun, now: datetime, until: float) -> SliceResult:
    counts = notices.queue_due_notices(now=now, until=until)
    return SliceResult(counts, finished="left" not in counts)


def _run_feed(_run: JobRun, now: datetime, until: float) -> SliceResult:
    counts = reconcile.read_feed(now=now, until=until)
    return SliceResult(counts, finished="left" not in counts)


def _run_addresses(run: JobRun, _now: datetime, _until: float) -> SliceResult:
    # Set rather than added: a run that continues counts anew.
    run.update_held(counts=asdict(find_shared_addresses()))
    return SliceResult({})


def _run_reconcile(run: JobRun, now: datetime, until: float) -> SliceResult:
    return SliceResult({}, finished=nightly_reconcile.reconcile_slice(run, now=now, until=until))


JOBS = {
    job.name: job
    for job in (
        Job("pauses", newest_hour, _run_pauses),
        Job("resumes", newest_night, _run_resumes, count_helpers=_count_resume_helpers),
        Job("notices", newest_night, _run_notices),
        Job("feed", newest_hour, _run_feed, resumes_after_outage=True),
        Job("receipts", newest_hour, _run_receipts),
        Job(ADDRESSES, newest_hour, _run_addresses),
        Job(RECONCILE, newest_night, _run_reconcile, nightly_reconcile.STAGES[0], resumes_after_outage=True),
        # The last stage of the nightly reconcile, when an operator has changed a rate.
        Job(BUNDLES, on_request, _run_reconcile, nightly_reconcile.STAGES[-1], resumes_after_outage=True),
    )
}


def due_jobs(now: datetime) -> Iterator[tuple[Job, datetime | None]]:
    """Yield the jobs that may be claimed, with the newest slot: their run is due, or the slot has none."""
    claimable = JobRun.objects.due()
    for job in JOBS.values():
        slot = job.newest_slot(now)
        runs = {"job": job.name, "scheduled_for": slot}
        is_missing = slot is not None and not JobRun.objects.filter(**runs).exists()
        if is_missing or claimable.filter(**runs).exists():
            yield job, slot


def announce_due_jobs(*, now: datetime) -> None:
    """Enqueue a task for each due job."""
    for job, slot in due_jobs(now):
        job_runs.enqueue_run(job.name, slot)


def run_again(run: JobRun) -> bool:
    """Run a job again from its beginning, or continue the one that waits; return whether it could be.

    That is the newest run of a job of this schedule, unless a worker has it. What is done is not done twice.
    """
    job = JOBS.get(run.job)
    newest = JobRun.objects.filter(job=run.job).order_by("-pk").first()
    if job is None or newest is None or newest.pk != run.pk:
        return False
    return job_runs.restart_run(run, stage=job.first_stage)


def run_job(name: str, slot: datetime | None, *, now: datetime, helping: bool = False) -> JobRun | None:
    """Run a slice of a job for a slot, or of the requested run; return None if another worker has it or it is finished.

    With `helping` the worker joins an unfinished run without claiming it. An exception is recorded in the run, which is
    tried again later, and raised. An outage of the provider is only recorded: what is due stays due for the next slice
    or slot.
    """
    job = JOBS[name]
    run = job_runs.find_unfinished_run(name, slot=slot) if helping else _claim_or_begin_run(job, slot)
    if run is None:
        return None
    if job.count_helpers and not helping:
        for _ in range(job.count_helpers(now)):
            job_runs.enqueue_run(name, slot, helping=True)
    return _run_slice(job, run, now)


def _claim_or_begin_run(job: Job, slot: datetime | None) -> JobRun | None:
    run = job_runs.claim_run(job.name, slot=slot)
    if run is None and slot is not None:
        with suppress(RunHeld):
            return job_runs.begin_run(job.name, slot=slot, stage=job.first_stage)
    return run


def _run_slice(job: Job, run: JobRun, now: datetime) -> JobRun:
    until = monotonic() + settings.JOB_SLICE_SECONDS
    try:
        # Of a run that works in portions, each portion keeps the lease.
        with rate_limit.throttle_jobs(), keep_leases([] if job.first_stage else [run]):
            result = job.run_slice(run, now, until)
    except GatewayError as error:
        _handle_outage(job, run, error)
    except LeaseLost as error:
        job_runs.postpone_run(run, error)
    except Exception as error:
        if job.is_shared:  # other workers may be processing it
            job_runs.postpone_run(run, error)
        else:
            job_runs.retry_failed_run(run, error)
        raise
    else:
        _end_slice(job, run, result, is_time_up=shutdown.is_time_up(until))
    return run


def _end_slice(job: Job, run: JobRun, result: SliceResult, *, is_time_up: bool) -> None:
    """Finish the run, or hand over what is left of it."""
    if not job.is_shared:
        run.update_held(counts=job_runs.sum_counts(run.counts, result.counts), failures=0)
    if result.finished:
        job_runs.finish_run(run)
    # A shared job that is not finished before the slice's time is up is held by other workers, who will finish it.
    elif is_time_up or not job.is_shared:
        job_runs.hand_over_run(run, is_shared=job.is_shared)


def _handle_outage(job: Job, run: JobRun, error: GatewayError) -> None:
    if shutdown.is_stopping():
        job_runs.hand_over_run(run, is_shared=job.is_shared)
    elif job.resumes_after_outage:
        job_runs.postpone_run(run, error)
    else:
        job_runs.finish_run(run, error)
