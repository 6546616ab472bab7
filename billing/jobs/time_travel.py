"""Time travel on a test site: move the provider's clock, and run the jobs of each simulated hour and night."""

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from django.db.models import Max

from billing import clock, job_runs
from billing.jobs import schedule
from billing.mirror import provider_clock, reconcile
from billing.models import JobRun, PauseSchedule, WebhookEvent

# Long, because a worker on a busy machine may have much to do before, such as the events of skipped months.
JOB_TIMEOUT_SECONDS = 300.0
EVENTS_TIMEOUT_SECONDS = 10.0
POLL_SECONDS = 0.02
# Most jobs take less than a second. After this long, print what is being waited for.
NOTICE_AFTER_SECONDS = 5.0
HOUR = timedelta(hours=1)
# The next night is 23 to 25 hours after the last one, so this long after a night there is exactly one more.
LONGER_THAN_A_DAY = timedelta(hours=26)


class WorkerAbsent(RuntimeError):
    """No Celery worker ran a job in time."""


def travel_forward(duration: timedelta, *, report: Callable[[str], None]) -> None:
    """Move the provider's clock forward, stopping at each simulated night and at each hour in which a pause begins.

    At each stop the due jobs are run through Celery. Other hours are skipped: nothing would be due. `report` is called
    with a line for each stop. Raises NotSent, WorkerAbsent.
    """
    departure = clock.billing_now()
    destination = departure + duration
    report(f"From {departure:%Y-%m-%d %H:%M} to {destination:%Y-%m-%d %H:%M} UTC, stopping at every night:")
    last_event = WebhookEvent.objects.aggregate(pk=Max("pk"))["pk"] or 0
    for stop in _next_stops(destination):
        provider_clock.move_clocks_to(stop)
        outcomes = _run_due_jobs(stop, report)
        reconcile.read_feed(now=stop)
        _wait_for_events()
        event_counts = _event_count_lines(last_event)
        last_event = WebhookEvent.objects.aggregate(pk=Max("pk"))["pk"] or 0
        report(f"{stop:%Y-%m-%d %H:%M} UTC  {'; '.join([*outcomes, *event_counts]) or 'nothing to do'}")


def _next_stops(destination: datetime) -> Iterator[datetime]:
    """Yield the stops up to the destination: nights, and the full hours after a pause's date."""
    now = clock.billing_now()
    while now < destination:
        night = schedule.newest_night(schedule.newest_night(now) + LONGER_THAN_A_DAY)
        due = PauseSchedule.objects.filter(
            state=PauseSchedule.State.SCHEDULED,
            pause_date__gte=schedule.newest_hour(now),
            pause_date__lte=destination,
        ).order_by("pause_date")
        pauses = [schedule.newest_hour(pause.pause_date) + HOUR for pause in due[:1]]
        now = min(stop for stop in (night, destination, *pauses) if stop > now)
        yield now


def _run_due_jobs(stop: datetime, report: Callable[[str], None]) -> list[str]:
    """Enqueue the due jobs and wait until a worker has run them; return a line for each that did something."""
    slots = list(schedule.due_jobs(stop))
    for job, slot in slots:
        job_runs.enqueue_run(job.name, slot, is_repeated=False)
    return [line for job, slot in slots if (line := _outcome_line(_wait_for_run(job.name, slot, report)))]


def _wait_for_run(name: str, slot: datetime | None, report: Callable[[str], None]) -> JobRun:
    began, is_reported = time.monotonic(), False
    while (waited := time.monotonic() - began) < JOB_TIMEOUT_SECONDS:
        run = JobRun.objects.filter(job=name, scheduled_for=slot).last()
        if run is not None and (run.finished_at is not None or run.error):
            return run
        if waited > NOTICE_AFTER_SECONDS and not is_reported:
            report(f"{slot:%Y-%m-%d %H:%M} UTC  waiting for a worker to run {name} …")
            is_reported = True
        time.sleep(POLL_SECONDS)
    raise WorkerAbsent(
        f"Job {name} was not run within {JOB_TIMEOUT_SECONDS:.0f} s. Is a Celery worker running that takes the queue "
        "`schedule`, on this database and broker?"
    )


def _wait_for_events() -> None:
    """Wait a moment for a worker to process new webhook events; those that fail are retried later."""
    deadline = time.monotonic() + EVENTS_TIMEOUT_SECONDS
    fresh = WebhookEvent.objects.filter(state=WebhookEvent.State.RECEIVED, error="")
    while fresh.exists() and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)


def _outcome_line(run: JobRun) -> str:
    if run.error:
        return f"{run.job} failed: {run.error}"
    # Every comparison counts what it compared; only what it found is worth a line.
    counts = [f"{count} {name}" for name, count in run.counts.items() if count and name != "compared"]
    return f"{run.job}: {', '.join(counts)}" if counts else ""


def _event_count_lines(since: int) -> list[str]:
    """Return how many events of each type the provider has sent since the event with this key."""
    counts: dict[str, int] = {}
    for kind in WebhookEvent.objects.filter(pk__gt=since).values_list("event_type", flat=True):
        counts[kind] = counts.get(kind, 0) + 1
    return [f"{count} {kind.replace('_', ' ')}" for kind, count in sorted(counts.items())]
