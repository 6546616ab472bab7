"""How far a job has got that is under way, in words for operators."""

from datetime import datetime, timedelta

from django.db.models import QuerySet

from billing.models import JobRun

LEFT = "left"


def under_way(now: datetime) -> QuerySet[JobRun]:
    """Return the runs that a worker is at, by real time."""
    return JobRun.objects.filter(finished_at__isnull=True, leased_until__gt=now).order_by("started_at", "pk")


def done(run: JobRun) -> str:
    """Return what a run did, and how many it has left, where it tells: `412 resumed, 588 left`."""
    made = sorted(run.counts.items(), key=lambda count: (count[0].endswith(LEFT), count[0]))
    return ", ".join(f"{count} {name}" for name, count in made if count) or "nothing yet"


def pace(run: JobRun, now: datetime) -> str:
    """Return since when a run is under way, and how long it will be if it goes on so: for what tells what is left."""
    spent = now - run.started_at
    begun = f"begun {ago(spent)}"
    made = sum(count for name, count in run.counts.items() if not name.endswith(LEFT))
    left = run.counts.get(LEFT)
    return f"{begun}, about {lasting(spent / made * left)} more" if made and left else begun


def lasting(span: timedelta) -> str:
    """Return a span in its largest unit: `3 minutes`, `less than a minute`."""
    seconds = max(0, int(span.total_seconds()))
    for name, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length:
            count = seconds // length
            return f"{count} {name}{'s' if count > 1 else ''}"
    return "less than a minute"


def ago(span: timedelta) -> str:
    """Return how long ago something was: `3 minutes ago`."""
    return f"{lasting(span)} ago"
