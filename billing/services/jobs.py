"""The scheduled jobs: which are due on billing's clock, each slot run once, missed ones caught up (contract, rule 1).

Beat only ticks. What is due is decided here on billing's clock, so that a travelled clock and a night that nobody was
up for are the same thing: the newest slot of a job that has no run is run. A job takes what is due, whatever the slot,
so that one run makes up for all the slots that were missed.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from accounts import site
from billing.gateway.errors import GatewayError
from billing.models import JobRun
from billing.services import alignment, idempotency, invoices, pausing_night, reconcile, resumes, retention
from billing.services.hints import hint

logger = logging.getLogger(__name__)

# Early enough that the promised day has hardly begun, late enough for every change to daylight saving time.
NIGHT = time(hour=3, minute=30)
# A run without an end after this long has died; the slot is taken up again.
DEAD_AFTER = timedelta(minutes=10)

Counts = dict[str, int]


@dataclass(frozen=True)
class Job:
    """A job: `slot` gives the newest instant at or before now that it should have run for."""

    name: str
    slot: Callable[[datetime], datetime]
    run: Callable[[datetime], Counts]


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


def _look_at_pauses(now: datetime) -> Counts:
    retried = resumes.resume_due(now=now, only_retries=True)
    return {
        **pausing_night.look_at_due(now=now),
        **{f"retried_{name}": count for name, count in retried.items()},
    }


def _night_resumes(now: datetime) -> Counts:
    return resumes.resume_due(now=now)


def _hourly_feed(now: datetime) -> Counts:
    return reconcile.read_feed(now=now)


def _nightly_reconcile(now: datetime) -> Counts:
    # What needs no provider comes first: it is done even while nobody can be asked.
    forgotten = {
        "keys_forgotten": idempotency.forget_old(),
        "events_forgotten": retention.forget_old_events(),
    }
    return {
        **reconcile.mend(now=now),
        **alignment.align_all(now=now),
        "pdfs": invoices.want_missing(),
        **forgotten,
    }


JOBS = {
    job.name: job
    for job in (
        Job("pauses", newest_hour, _look_at_pauses),
        Job("resumes", newest_night, _night_resumes),
        Job("feed", newest_hour, _hourly_feed),
        Job("reconcile", newest_night, _nightly_reconcile),
    )
}


def due(now: datetime) -> Iterator[tuple[Job, datetime]]:
    """Return the jobs whose newest slot has no run that ended or is under way."""
    for job in JOBS.values():
        slot = job.slot(now)
        if not JobRun.objects.filter(job=job.name, scheduled_for=slot).exclude(_dead()).exists():
            yield job, slot


def announce_due(*, now: datetime) -> None:
    """Send a worker a message for each job that is due."""
    for job, slot in due(now):
        hint("run_job", job.name, slot.isoformat())


def run(name: str, slot: datetime, *, now: datetime) -> JobRun | None:
    """Run a job for a slot; None when another worker has it. A failure is kept in the row and raised."""
    claimed = _claim(name, slot)
    if claimed is None:
        return None
    try:
        claimed.counts = JOBS[name].run(now)
    except GatewayError as error:
        # The provider could not be asked: what was due stays due, and the next slot takes it.
        claimed.error = f"{type(error).__name__}: {error}"
        logger.warning("Job %s for %s: %s", name, slot, claimed.error)
    except Exception as error:
        claimed.error = f"{type(error).__name__}: {error}"
        claimed.finished_at = timezone.now()
        claimed.save(update_fields=["error", "finished_at"])
        raise
    claimed.finished_at = timezone.now()
    claimed.save(update_fields=["counts", "error", "finished_at"])
    logger.info("Job %s for %s: %s", name, slot, claimed.counts)
    return claimed


def _claim(name: str, slot: datetime) -> JobRun | None:
    now = timezone.now()
    try:
        with transaction.atomic():
            return JobRun.objects.create(job=name, scheduled_for=slot, started_at=now)
    except IntegrityError:
        pass
    won = JobRun.objects.filter(_dead(), job=name, scheduled_for=slot).update(started_at=now)
    return JobRun.objects.get(job=name, scheduled_for=slot) if won else None


def _dead() -> Q:
    return Q(finished_at__isnull=True, started_at__lt=timezone.now() - DEAD_AFTER)
