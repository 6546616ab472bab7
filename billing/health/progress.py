"""Describe the progress of running jobs for operators."""

from datetime import datetime, timedelta

from django.db.models import QuerySet

from billing.models import JobRun

LEFT = "left"


def active_runs(now: datetime) -> QuerySet[JobRun]:
    """Return the runs that a worker holds at this real time (UTC)."""
    return JobRun.objects.filter(finished_at__isnull=True, next_attempt_at__gt=now).order_by("started_at", "pk")


def describe_run(run: JobRun, now: datetime) -> str:
    """Return a run's job, stage, counts and pace: `resumes: 412 resumed, 588 left, started 4 minutes ago`."""
    name = " at ".join(filter(None, (run.job, describe_stage(run))))
    return f"{name}: {describe_counts(run)}, {describe_pace(run, now)}"


def describe_counts(run: JobRun) -> str:
    """Return a run's counts, what is left at the end: `412 resumed, 588 left`."""
    counts = sorted(run.counts.items(), key=lambda item: (item[0].endswith(LEFT), item[0]))
    return ", ".join(f"{count} {name}" for name, count in counts if count) or "nothing yet"


def describe_stage(run: JobRun) -> str:
    """Return the stage of an unfinished run with a cursor, empty for other runs: `invoice: missing records`."""
    if run.cursor is None or run.finished_at is not None:
        return ""
    return f"{run.cursor.stage}{': missing records' if run.cursor.is_list_read else ''}"


def describe_pace(run: JobRun, now: datetime) -> str:
    """Return when a run began, and the time it still needs at its present pace if it counts what is left."""
    elapsed = now - run.started_at
    begun = f"started {format_time_ago(elapsed)}"
    done = sum(count for name, count in run.counts.items() if not name.endswith(LEFT))
    left = run.counts.get(LEFT)
    return f"{begun}, about {format_duration(elapsed / done * left)} left" if done and left else begun


def format_duration(span: timedelta) -> str:
    """Return a duration in its largest unit: `3 minutes`, `less than a minute`."""
    seconds = max(0, int(span.total_seconds()))
    for name, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length:
            count = seconds // length
            return f"{count} {name}{'s' if count > 1 else ''}"
    return "less than a minute"


def format_time_ago(span: timedelta) -> str:
    """Return a duration that has passed: `3 minutes ago`."""
    return f"{format_duration(span)} ago"
