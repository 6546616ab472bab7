"""Reconcile the mirror with the provider: read missed events, compare and repair records, import the whole site."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from math import inf

from django.db.models import Max, Min

from billing import job_runs
from billing.gateway.snapshots import Snapshot
from billing.job_runs import Counts, Portion, RunHeld
from billing.mirror import account_identity, account_import, diff, writer
from billing.mirror.diff import NEWER, STAGES, Difference, FoundDifference
from billing.mirror.events import event_feed, webhook_processing
from billing.models import Customer, FeedCursor, JobRun, WebhookEvent
from billing.models.job_runs import CHECK, IMPORT, REPAIR, ROUND, Cursor
from billing.queries.customers import customers_of_address
from core.email_addresses import usable_address
from core.workers import shutdown

logger = logging.getLogger(__name__)

# An interrupted comparison that began longer ago is not continued: too much has changed since.
STALE_AFTER = timedelta(hours=20)
# In so many nights the whole site is compared once.
NIGHTS_PER_ROUND = 28
ACCOUNTS_STAGE = "accounts"
IMPORT_STAGES = (*STAGES, ACCOUNTS_STAGE)
ACCOUNTS_PER_PORTION = 500
PORTIONS_PER_LINE = 10


def read_feed(*, now: datetime, until: float = inf) -> dict[str, int]:
    """Apply the events that no webhook delivered, page by page, then process the due ones; return the counts.

    Stops at a time of the monotonic clock; the counts include `left` if it did not finish. The cursor is saved with
    each page, and the next call continues there. Raises NotSent when the provider cannot be reached.
    """
    cursor = event_feed.get_cursor(FeedCursor.Reading.HOURLY, now=now)
    found = sum(event_feed.read_pages(cursor, until=until))
    is_finished = not shutdown.is_time_up(until) and not event_feed.is_under_way(cursor)
    finished = is_finished and webhook_processing.process_due_events(until=until)
    if not finished:
        return {"found": found, "left": 1}
    # At the end alone: the counts of the slices are added up, and these are the same events.
    return {"found": found, "parked": WebhookEvent.objects.filter(state=WebhookEvent.State.PARKED).count()}


def find_account_differences(emails: Sequence[str]) -> Iterator[Difference]:
    """Yield each difference of the customers with these addresses, and repair nothing. Raises NotSent."""
    for email in emails:
        for customer in customers_of_address(usable_address(email)):
            yield from diff.compare_customer(customer)


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


def import_site(*, now: datetime, progress: Callable[[str], None] = lambda _: None, afresh: bool = False) -> Counts:
    """Import all customers of the site with their records, and open their accounts; return the counts.

    Continues an interrupted import, unless `afresh`. `progress` is called with a line for every tenth portion and for
    the end of each stage. Raises NotSent when the provider cannot be reached, RunHeld and LeaseLost when another worker
    has the run; what was imported before stays.
    """
    if afresh:
        job_runs.abandon_runs(IMPORT)
    run = job_runs.claim_run(IMPORT) or job_runs.begin_run(IMPORT, stage=IMPORT_STAGES[0])
    if run.attempts > 1:
        progress(f"continuing at {run.cursor.stage}")
    with job_runs.release_on_error(run):
        for number, stage in enumerate(job_runs.process_portions(run, partial(_import_portion, now=now)), start=1):
            is_stage_over = run.finished_at is not None or run.cursor.stage != stage
            if is_stage_over or number % PORTIONS_PER_LINE == 0:
                stage_counts = run.counts_by_stage[stage].items()
                progress(f"{stage}: {', '.join(f'{count} {name}' for name, count in stage_counts)}")
    counts: Counts = run.counts
    return counts


def _import_portion(run: JobRun, *, now: datetime) -> Portion:
    if run.cursor.stage == ACCOUNTS_STAGE:
        return open_accounts_portion(run, IMPORT_STAGES)
    return repair_portion(run, IMPORT_STAGES, now=now)


def open_accounts_portion(run: JobRun, stages: Sequence[str]) -> Portion:
    """Open the accounts of the next customers who have none, so that notices reach those who never signed in."""
    cursor: Cursor = run.cursor
    without = Customer.objects.filter(account=None, deleted=False, pk__gt=cursor.after).order_by("pk")
    customers = list(without[:ACCOUNTS_PER_PORTION])
    for customer in customers:
        account_identity.open_account(customer)
    is_last = len(customers) < ACCOUNTS_PER_PORTION
    following = cursor.next_stage(stages) if is_last else replace(cursor, after=customers[-1].pk)
    return Portion({"opened": len(customers)}, following)


def compare_round_portion(run: JobRun, stages: Sequence[str], *, now: datetime) -> Portion:
    """Compare the next portion of the whole site; tonight's part of it is a twenty-eighth. Raises NotSent.

    The round has a run of its own, which each night continues until all is compared and a new one begins.
    """
    cursor: Cursor = run.cursor
    tonight = cursor.up_to if cursor.up_to is not None else -(-_count_mirrored() // NIGHTS_PER_ROUND)
    if cursor.after >= tonight:
        return Portion({}, cursor.next_stage(stages))
    try:
        round_run = job_runs.claim_run(ROUND) or job_runs.begin_run(ROUND, stage=diff.STAGES[0])
    except RunHeld:  # by a worker that has just died; the next night continues
        return Portion({}, cursor.next_stage(stages))
    with job_runs.release_on_error(round_run):
        before = round_run.counts.get("compared", 0)
        next(job_runs.process_portions(round_run, lambda run: repair_portion(run, diff.STAGES, now=now)))
    compared = round_run.counts["compared"] - before
    if round_run.finished_at is not None:
        return Portion({"compared": compared}, cursor.next_stage(stages))
    round_run.retry_later(timedelta(0))
    return Portion({"compared": compared}, replace(cursor, after=cursor.after + compared, up_to=tonight))


def _count_mirrored() -> int:
    """Return how many rows the mirror has, or a few more: by their keys, since counting would read whole tables."""
    ends = (
        model._default_manager.aggregate(oldest=Min("pk"), newest=Max("pk")) for model in writer.MODELS_BY_KIND.values()
    )
    return sum(end["newest"] - end["oldest"] + 1 for end in ends if end["newest"] is not None)


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
