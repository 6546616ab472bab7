"""Travelling through time on a test site: the clock moves, and the jobs of each simulated hour and night run."""

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from django.db.models import Max, Q

from billing import clock
from billing.models import JobRun, PauseSchedule, WebhookEvent
from billing.services import jobs, provider_clock, reconcile
from billing.services.hints import hint

JOB_TIMEOUT_SECONDS = 60.0
EVENTS_TIMEOUT_SECONDS = 10.0
POLL_SECONDS = 0.02
# A job is mostly done within a second; after this long a person wants to know what is waited for.
PATIENCE_SECONDS = 5.0
HOUR = timedelta(hours=1)
# The next night is 23 to 25 hours after the last one.
LONGER_THAN_A_DAY = timedelta(hours=26)


class WorkerAbsent(RuntimeError):
    """No Celery worker took a job in time."""


def travel(duration: timedelta, *, tell: Callable[[str], None]) -> None:
    """Move the provider's clock forward, stopping at each simulated night and at each hour in which a pause begins.

    At each stop the jobs that are due then run through Celery. An hour with nothing due has nothing to run, and is
    passed over. `tell` is given a line for each stop. Raises NotSent, WorkerAbsent.
    """
    departure = clock.now()
    destination = departure + duration
    tell(f"From {departure:%Y-%m-%d %H:%M} to {destination:%Y-%m-%d %H:%M} UTC, stopping at every night:")
    last_event = WebhookEvent.objects.aggregate(pk=Max("pk"))["pk"] or 0
    for stop in _stops(destination):
        provider_clock.travel_to(stop)
        done = _run_jobs(stop, tell)
        reconcile.read_feed(now=stop)
        _wait_for_events()
        happened = _happened(last_event)
        last_event = WebhookEvent.objects.aggregate(pk=Max("pk"))["pk"] or 0
        tell(f"{stop:%Y-%m-%d %H:%M} UTC  {'; '.join([*done, *happened]) or 'nothing to do'}")


def _stops(destination: datetime) -> Iterator[datetime]:
    """Yield the next instant worth stopping at, until the destination: a night, or the hour after a pause's date."""
    now = clock.now()
    while now < destination:
        night = jobs.newest_night(jobs.newest_night(now) + LONGER_THAN_A_DAY)
        due = PauseSchedule.objects.filter(
            state=PauseSchedule.State.SCHEDULED,
            pause_date__gte=jobs.newest_hour(now),
            pause_date__lte=destination,
        ).order_by("pause_date")
        pauses = [jobs.newest_hour(one.pause_date) + HOUR for one in due[:1]]
        now = min(stop for stop in (night, destination, *pauses) if stop > now)
        yield now


def _run_jobs(stop: datetime, tell: Callable[[str], None]) -> list[str]:
    """Have a worker run what is due at this stop, and wait for it."""
    slots = list(jobs.due(stop))
    for job, slot in slots:
        hint("run_job", job.name, slot.isoformat())
    return [line for job, slot in slots if (line := _outcome(_wait_for(job.name, slot, tell)))]


def _wait_for(name: str, slot: datetime, tell: Callable[[str], None]) -> JobRun:
    began, told = time.monotonic(), False
    while (waited := time.monotonic() - began) < JOB_TIMEOUT_SECONDS:
        ended = Q(finished_at__isnull=False) | ~Q(error="")
        run = JobRun.objects.filter(ended, job=name, scheduled_for=slot).first()
        if run is not None:
            return run
        if waited > PATIENCE_SECONDS and not told:
            tell(f"{slot:%Y-%m-%d %H:%M} UTC  waiting for a worker to run {name} …")
            told = True
        time.sleep(POLL_SECONDS)
    raise WorkerAbsent(
        f"Job {name} was not run within {JOB_TIMEOUT_SECONDS:.0f} s. Is a Celery worker running that takes the queue "
        "`jobs`, on this database and broker?"
    )


def _wait_for_events() -> None:
    """Give the worker a moment with what webhooks brought; what fails is tried again later, travel or not."""
    deadline = time.monotonic() + EVENTS_TIMEOUT_SECONDS
    fresh = WebhookEvent.objects.filter(state=WebhookEvent.State.RECEIVED, error="")
    while fresh.exists() and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)


def _outcome(run: JobRun) -> str:
    if run.error:
        return f"{run.job} failed: {run.error}"
    said = [f"{count} {name}" for name, count in run.counts.items() if count]
    return f"{run.job}: {', '.join(said)}" if said else ""


def _happened(since: int) -> list[str]:
    """Say what the provider reported since the last stop, by kind of event."""
    counts: dict[str, int] = {}
    for kind in WebhookEvent.objects.filter(pk__gt=since).values_list("event_type", flat=True):
        counts[kind] = counts.get(kind, 0) + 1
    return [f"{count} {kind.replace('_', ' ')}" for kind, count in sorted(counts.items())]
