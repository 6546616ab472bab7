"""Reconcile the mirror with the provider: read missed events from its feed, and compare and repair every record."""

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from math import inf

from django.db import transaction

from billing import job_runs, worker_shutdown
from billing.gateway import records
from billing.gateway.errors import Refused
from billing.gateway.snapshots import Snapshot
from billing.job_runs import Portion
from billing.mirror import account_import, diff, webhook_intake, webhook_processing, writer
from billing.mirror.diff import NEWER, STAGES, Difference, FoundDifference
from billing.models import FeedCursor, JobRun, WebhookEvent
from billing.models.job_runs import CHECK, REPAIR

logger = logging.getLogger(__name__)

# The feed is not strictly in order, and an event may appear a little after its time, so each reading overlaps the last.
FEED_OVERLAP = timedelta(hours=1)
FIRST_LOOKBACK = timedelta(days=4)  # the provider retries a webhook for three days and seven hours
# An interrupted comparison that began longer ago is not continued: too much has changed since.
STALE_AFTER = timedelta(hours=20)


def read_feed(*, now: datetime, until: float = inf) -> dict[str, int]:
    """Store the events that no webhook delivered, page by page, then process the due ones; return the counts.

    Stops at a time of the monotonic clock; the counts include `left` if it did not finish. The cursor is saved with
    each page, and the next call continues there. Raises NotSent when the provider cannot be reached.
    """
    cursor = _get_feed_cursor(now)
    found = 0
    while cursor.up_to is not None and not worker_shutdown.is_time_up(until):
        found += _store_next_page(cursor)
    finished = cursor.up_to is None and webhook_processing.process_due_events(until=until)
    parked = WebhookEvent.objects.filter(state=WebhookEvent.State.PARKED).count()
    return {"found": found, "parked": parked} | ({} if finished else {"left": 1})


def _get_feed_cursor(now: datetime) -> FeedCursor:
    """Return the cursor of the unfinished reading, or one of a new reading up to `now`."""
    first = {"occurred_at": now - FIRST_LOOKBACK + FEED_OVERLAP}
    cursor, _ = FeedCursor.objects.get_or_create(pk=1, defaults=first)
    if cursor.up_to is None:
        cursor.up_to = now
    return cursor


def _store_next_page(cursor: FeedCursor) -> int:
    """Store a page of events and the cursor of the next page; return how many events no webhook had delivered."""
    page = _read_feed_page(cursor)
    with transaction.atomic():
        found = webhook_intake.store_feed_events(page.events)
        cursor.offset = page.next_offset
        if cursor.up_to is not None and not page.next_offset:
            cursor.occurred_at, cursor.up_to = cursor.up_to, None
        cursor.save()
    return found


def _read_feed_page(cursor: FeedCursor) -> records.EventsPage:
    """Read the page at the cursor, or the first page if the provider does not accept the offset any more."""
    since = cursor.occurred_at - FEED_OVERLAP
    try:
        return records.read_events_page(since=since, offset=cursor.offset)
    except Refused:
        if not cursor.offset:
            raise
        return records.read_events_page(since=since)


def find_differences() -> Iterator[Difference]:
    """Yield each difference from the provider, and repair nothing. Raises NotSent, LeaseLost."""
    run = job_runs.begin_run(CHECK, stage=STAGES[0])
    differences: list[Difference] = []

    def compare_portion(run: JobRun) -> Portion:
        compared = diff.compare_next_portion(run)
        differences.extend(found.difference for found in compared.found)
        counts = {"compared": compared.count, "different": len(compared.found)}
        return Portion(counts, compared.cursor)

    with job_runs.release_on_error(run):
        for _stage in job_runs.process_portions(run, compare_portion):
            yield from differences
            differences.clear()


def repair_mirror(
    *, now: datetime, progress: Callable[[str], None] = lambda _: None, afresh: bool = False
) -> dict[str, int]:
    """Make the mirror equal to the provider; return how many rows of each kind were repaired, and how many failed.

    Continues a run that was interrupted less than 20 hours ago, unless `afresh`. `progress` is called with a line per
    kind. Raises NotSent when the provider cannot be reached, RunHeld and LeaseLost when another worker has the run;
    what was repaired before stays repaired.
    """
    job_runs.abandon_runs(REPAIR, older_than=timedelta(0) if afresh else STALE_AFTER)
    run = job_runs.claim_run(REPAIR) or job_runs.begin_run(REPAIR, stage=STAGES[0])
    if run.attempts > 1:
        progress(f"continuing at {run.cursor.stage}")
    with job_runs.release_on_error(run):
        for stage in job_runs.process_portions(run, lambda run: repair_portion(run, STAGES, now=now)):
            if run.finished_at is not None or run.cursor.stage != stage:
                progress(_progress_line(stage, run.counts_by_stage[stage]))
    repaired = {kind: counts["repaired"] for kind, counts in run.counts_by_stage.items()}
    return {"failed": run.counts["failed"], **repaired}


def _progress_line(stage: str, counts: dict[str, int]) -> str:
    return f"{stage}: {counts['compared']} compared, {counts['repaired']} repaired, {counts['failed']} failed"


def repair_portion(run: JobRun, stages: tuple[str, ...], *, now: datetime) -> Portion:
    """Compare the portion at a run's cursor and repair what differs. Raises NotSent."""
    compared = diff.compare_next_portion(run, stages)
    failed = _repair_differences(compared.found, now)
    counts = {"compared": compared.count, "repaired": len(compared.found) - failed, "failed": failed}
    return Portion(counts, compared.cursor)


def _repair_differences(found: Sequence[FoundDifference], now: datetime) -> int:
    """Repair differences; return how many repairs failed."""
    for newer in (row for row in found if row.difference.problem == NEWER):
        writer.reset_resource_version(newer.difference.kind, newer.difference.id, version=newer.our_version)
    snapshots = [row.snapshot for row in found if row.snapshot is not None]
    return _apply_snapshots(snapshots, now) + sum(
        not _mark_gone_row_deleted(row.difference) for row in found if row.snapshot is None
    )


def _apply_snapshots(snapshots: list[Snapshot], now: datetime) -> int:
    """Apply snapshots together, or one by one if that fails; return how many failed."""
    if not snapshots:
        return 0
    try:
        account_import.apply_snapshots(snapshots, now=now)
    except Exception:
        logger.exception("A batch of %s records could not be applied", len(snapshots))
        return sum(not _apply_snapshot(snapshot, now) for snapshot in snapshots)
    return 0


def _apply_snapshot(snapshot: Snapshot, now: datetime) -> bool:
    try:
        account_import.apply_snapshots([snapshot], now=now)
    except Exception:
        logger.exception("%s %s could not be applied", type(snapshot).__name__, snapshot.id)
        return False
    return True


def _mark_gone_row_deleted(difference: Difference) -> bool:
    """Mark a row that is gone at the provider as deleted; return whether that was done. Unreadable ones stay."""
    if difference.problem != diff.GONE:
        return False
    try:
        account_import.mark_deleted(difference.kind, difference.id)
    except Exception:
        logger.exception("%s could not be marked as deleted", difference)
        return False
    return True
