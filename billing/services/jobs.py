"""The scheduled jobs: which are due on billing's clock, each slot run once, missed ones caught up (contract, rule 1).

Beat only ticks. What is due is decided here on billing's clock, so that a travelled clock and a night that nobody was
up for are the same thing: the newest slot of a job that has no run is run. A job takes what is due, whatever the slot,
so that one run makes up for all the slots that were missed. One that asks the provider for long works in slices, and
each announces the next; a slice that was killed is found by the tick. A shared one is worked on by every worker that is
free, slices side by side, and its run tells how far all of them have got. A worker that is to end ends its slice.
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
from django.db.models import Q

from accounts import site
from billing import stopping
from billing.gateway.errors import GatewayError
from billing.models import JobRun
from billing.services import (
    due_resumes,
    hints,
    idempotency,
    invoices,
    leases,
    notices,
    pace,
    parts,
    pausing_night,
    reconcile,
    resuming_night,
    retention,
    runs,
    traffic,
)
from billing.services.due_resumes import Due
from billing.services.hints import SAID_AGAIN_SECONDS
from portal import kill_points

logger = logging.getLogger(__name__)

# Early enough that the promised day has hardly begun, late enough for every change to daylight saving time.
NIGHT = time(hour=3, minute=30)
# A run without an end after this long has died; the slot is taken up again.
DEAD_AFTER = timedelta(minutes=10)
# When a job goes on that could not ask the provider.
AGAIN_AFTER_OUTAGE = timedelta(minutes=5)
# Whoever goes on with a shared job, or helps with it, is a worker that is free by then; the next tick looks again.
SHARED_WITHIN = timedelta(seconds=SAID_AGAIN_SECONDS)
# So many more workers are asked to help at most: what they share is the provider's limit in the end.
HELPERS = 3
HELPING = True
# How the error of a run begins that was ended by a newer slot's.
SUPERSEDED = "died, or was left"

Counts = dict[str, int]
Told = Callable[[Counts], None]


@dataclass(frozen=True)
class Slice:
    """What a job did, and whether that was all."""

    counts: Counts
    finished: bool = True


@dataclass(frozen=True)
class Job:
    """A job: `slot` gives the newest instant at or before now that it should have run for.

    `run` works until a time of the monotonic clock. A job that `keeps_its_place` goes on there when the provider could
    not be asked; one that keeps its `own_totals` counts what all its slices did. One that has work for `helpers`, so
    many, is shared: it tells what it did as it goes, and is finished when nothing is left to anybody.
    """

    name: str
    slot: Callable[[datetime], datetime]
    run: Callable[[datetime, float, Told], Slice]
    keeps_its_place: bool = False
    own_totals: bool = False
    helpers: Callable[[datetime], int] | None = None

    @property
    def shared(self) -> bool:
        """Whether several workers may be at it at once."""
        return self.helpers is not None


def newest_hour(now: datetime) -> datetime:
    """Return the beginning of the hour."""
    return now.replace(minute=0, second=0, microsecond=0)


def newest_night(now: datetime) -> datetime:
    """Return the last half past three in the site's time zone, in UTC: once a day, on 23 and 25 hour days too."""
    zone = ZoneInfo(site.site_settings().time_zone)
    local = now.astimezone(zone)
    today = datetime.combine(local.date(), NIGHT, tzinfo=zone)
    night = (
        today if today <= local else datetime.combine(local.date() - timedelta(days=1), NIGHT, tzinfo=zone)
    )
    return night.astimezone(UTC)


def _look_at_pauses(now: datetime, until: float, _told: Told) -> Slice:
    looked = pausing_night.look_at_due(now=now, until=until)
    retried = resuming_night.resume_due(now=now, only_retries=True, until=until)
    counts = {**looked, **{f"retried_{name}": count for name, count in retried.items()}}
    if stopping.asked():
        return Slice(counts, finished=False)
    # Where a slice only failed, the next hour tries again: the next slice would fail at the same ones.
    moved = any(
        count for name, count in counts.items() if name not in ("unasked", "failed", "left", "retried_left")
    )
    return Slice(counts, finished=("left" not in looked and "left" not in retried) or not moved)


def _night_resumes(now: datetime, until: float, told: Told) -> Slice:
    counts = resuming_night.resume_due(now=now, until=until, told=told)
    return Slice(counts, finished="left" not in counts)


def _resume_helpers(now: datetime) -> int:
    return min(HELPERS, Due(now).everything().count() // due_resumes.PAGE)


def _hourly_receipts(now: datetime, _until: float, _told: Told) -> Slice:
    return Slice(parts.tell_what_is_left(now=now))


def _nightly_notices(now: datetime, _until: float, _told: Told) -> Slice:
    return Slice(notices.queue_due(now=now))


def _hourly_feed(now: datetime, until: float, _told: Told) -> Slice:
    counts = reconcile.read_feed(now=now, until=until)
    return Slice(counts, finished="left" not in counts)


def _nightly_reconcile(now: datetime, until: float, _told: Told) -> Slice:
    # What needs no provider comes first: it is done even while nobody can be asked.
    forgotten = {
        "keys_forgotten": idempotency.forget_old(),
        "events_forgotten": retention.forget_old_events(),
        "runs_forgotten": runs.forget_old(),
        "minutes_forgotten": traffic.forget_old(),
    }
    counts, finished = reconcile.night(now=now, until=until)
    if not finished:
        return Slice({**counts, **forgotten}, finished=False)
    return Slice({**counts, "pdfs": invoices.want_missing(), **forgotten})


JOBS = {
    job.name: job
    for job in (
        Job("pauses", newest_hour, _look_at_pauses),
        Job("resumes", newest_night, _night_resumes, helpers=_resume_helpers),
        Job("notices", newest_night, _nightly_notices),
        Job("feed", newest_hour, _hourly_feed, keeps_its_place=True),
        Job("receipts", newest_hour, _hourly_receipts),
        Job("reconcile", newest_night, _nightly_reconcile, keeps_its_place=True, own_totals=True),
    )
}


def due(now: datetime) -> Iterator[tuple[Job, datetime]]:
    """Return the jobs whose newest slot has no run that ended, is under way or waits for the provider."""
    for job in JOBS.values():
        slot = job.slot(now)
        if not JobRun.objects.filter(job=job.name, scheduled_for=slot).exclude(_free()).exists():
            yield job, slot


def announce_due(*, now: datetime) -> None:
    """Send a worker a message for each job that is due."""
    for job, slot in due(now):
        hints.announce("run_job", job.name, slot.isoformat())


def _ask_for_help(job: Job, slot: datetime, now: datetime) -> None:
    """Have other workers take part in a shared job where there is enough to do."""
    for _ in range(job.helpers(now) if job.helpers else 0):
        hints.announce("run_job", job.name, slot.isoformat(), HELPING)


def run(name: str, slot: datetime, *, now: datetime, helping: bool = False) -> JobRun | None:
    """Run a job for a slot, or a slice of it; None when another worker has it, or it is done.

    Who is `helping` takes part in a run that others are at. A failure is kept in the row and raised. A provider that
    could not be asked is no failure of ours: what was due stays due, and the next slot takes it, or the next slice.
    """
    job = JOBS[name]
    claimed = _unfinished(name, slot) if helping else _claim(name, slot)
    if claimed is None:
        return None
    kill_points.reached("job claimed")
    if not helping:
        _ask_for_help(job, slot, now)
    return _run_slice(job, claimed, now)


def _run_slice(job: Job, run: JobRun, now: datetime) -> JobRun:
    until = monotonic() + settings.JOB_SLICE_SECONDS
    try:
        with pace.background():
            done = job.run(now, until, partial(_add, run))
    except GatewayError as error:
        return _leave(job, run) if stopping.asked() else _unasked(job, run, error)
    except (runs.RunHeld, runs.TakenOver) as error:
        return _go_on_later(run, f"another process is at it: {error}")
    except Exception as error:
        _failed(job, run, error)
        raise
    kill_points.reached("job worked")
    if not job.shared:
        run.counts = done.counts if job.own_totals else _sum(run.counts, done.counts)
        run.save(update_fields=["counts"])
    if done.finished:
        return _end(run, "")
    # What is left of a shared job's slice before its time is others'. Should they die, the run's lease runs out.
    return _leave(job, run) if not job.shared or stopping.is_time_up(until) else run


def _leave(job: Job, run: JobRun) -> JobRun:
    """Leave what is left to whoever is free, the same worker perhaps."""
    if job.shared:
        _give_back(run, SHARED_WITHIN)
        hints.announce("run_job", job.name, run.scheduled_for.isoformat(), HELPING)
    else:
        _give_back(run, timedelta(0))
        hints.hint("run_job", job.name, run.scheduled_for.isoformat())
    return run


@transaction.atomic
def _add(run: JobRun, done: Counts) -> None:
    """Add what a worker did to a run that several work on, and hold the run for them."""
    run.counts = _sum(JobRun.objects.select_for_update().get(pk=run.pk).counts, done)
    run.leased_until = leases.now() + DEAD_AFTER
    run.save(update_fields=["counts", "leased_until"])


def _unfinished(name: str, slot: datetime) -> JobRun | None:
    return JobRun.objects.filter(job=name, scheduled_for=slot, finished_at__isnull=True).first()


def _sum(before: Counts, more: Counts) -> Counts:
    """Add up what slices did; what is left is what the newest left."""
    return {
        name: count if name.endswith("left") else before.get(name, 0) + count for name, count in more.items()
    }


def _unasked(job: Job, run: JobRun, error: GatewayError) -> JobRun:
    words = f"{type(error).__name__}: {error}"
    return _go_on_later(run, words) if job.keeps_its_place else _end(run, words)


def _failed(job: Job, run: JobRun, error: Exception) -> None:
    """Keep why a slice failed: the end of the run, but for a shared one, which others may be at and which goes on."""
    words = f"{type(error).__name__}: {error}"
    if job.shared:
        _go_on_later(run, words)
    else:
        _end(run, words)


def _go_on_later(run: JobRun, error: str) -> JobRun:
    run.error = error
    _give_back(run, AGAIN_AFTER_OUTAGE)
    logger.warning("Job %s goes on later: %s", run, error)
    return run


def _give_back(run: JobRun, pause: timedelta) -> None:
    run.leased_until = leases.now() + pause
    run.save(update_fields=["error", "leased_until"])


def _end(run: JobRun, error: str) -> JobRun:
    run.error = error
    run.finished_at = leases.now()
    run.save(update_fields=["error", "finished_at"])
    logger.info("Job %s: %s %s", run, run.counts, error)
    return run


def _claim(name: str, slot: datetime) -> JobRun | None:
    lease = leases.now() + DEAD_AFTER
    try:
        with transaction.atomic():
            run = JobRun.objects.create(
                job=name, scheduled_for=slot, started_at=leases.now(), leased_until=lease
            )
            _supersede(run)
            return run
    except IntegrityError:
        pass
    won = JobRun.objects.filter(_free(), job=name, scheduled_for=slot).update(leased_until=lease)
    return JobRun.objects.get(job=name, scheduled_for=slot) if won else None


def _supersede(run: JobRun) -> None:
    """End the runs of older slots that nobody is at: what they left is this one's, and nobody goes on with them."""
    older = JobRun.objects.filter(_free(), job=run.job, scheduled_for__lt=run.scheduled_for)
    older.update(
        finished_at=leases.now(),
        error=f"{SUPERSEDED}: the run for {run.scheduled_for:%Y-%m-%d %H:%M} took over",
    )


def _free() -> Q:
    """Return what an unfinished run is known by that a worker may go on with; the oldest rows have no lease."""
    now = leases.now()
    died = Q(leased_until__isnull=True, started_at__lt=now - DEAD_AFTER)
    return Q(finished_at__isnull=True) & (died | Q(leased_until__lte=now))
