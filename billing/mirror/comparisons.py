"""What earlier comparisons with the provider have covered: since when to compare, and whether the mirror is whole."""

from datetime import timedelta

from billing import clock
from billing.gateway import records
from billing.models import JobRun
from billing.models.job_runs import IMPORT, RECONCILE, REPAIR

# A change may appear in the provider's lists a little after its time.
OVERLAP = timedelta(hours=1)
# A record that can never be applied must not make each comparison longer than the one before. After so many in a row it
# is left to the comparison of the whole site.
MAX_FAILURES = 3
# The feed is read every hour; longer than this after the last event's time, it may have stopped.
CURRENT_FOR = timedelta(hours=2)


def find_last_comparison() -> int:
    """Return since when (seconds, billing's time) changes have not been compared; 0 if the site never was.

    The newest comparisons that could not apply a record do not count, so that the next one includes it again.
    """
    finished = JobRun.objects.filter(job__in=(IMPORT, RECONCILE, REPAIR), finished_at__isnull=False, error="")
    compared = (run for run in finished.order_by("-pk") if run.cursor and run.cursor.began)
    for failures, run in enumerate(compared):
        if failures == MAX_FAILURES or not _has_failed_records(run):
            return int(run.cursor.began - OVERLAP.total_seconds())
    return 0


def _has_failed_records(run: JobRun) -> bool:
    """Return whether a comparison could not apply a record; its other stages do not matter."""
    return any(run.counts_by_stage.get(kind, {}).get("failed") for kind in records.KINDS)


def is_site_mirrored() -> bool:
    """Return whether all customers of the site were imported, so that new ones are mirrored as they come."""
    return JobRun.objects.filter(job=IMPORT, finished_at__isnull=False, error="").exists()


def is_feed_current() -> bool:
    """Return whether the hourly reading of the events feed runs, so that the mirror has what happened."""
    run = JobRun.objects.filter(job="feed", finished_at__isnull=False).order_by("-scheduled_for").first()
    if run is None or run.scheduled_for is None or run.error:
        return False
    return clock.billing_now() - run.scheduled_for < CURRENT_FOR
