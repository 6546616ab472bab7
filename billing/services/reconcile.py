"""Holding the mirror against the provider: missed events from its feed, and a whole comparison that mends or tells."""

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from math import inf

from django.db import transaction

from billing import stopping
from billing.gateway import records
from billing.gateway.errors import Refused
from billing.gateway.snapshots import Snapshot
from billing.models import FeedCursor, ReconcileRun, WebhookEvent
from billing.services import alignment, comparison, inbox, mirror, runs, sync, webhooks
from billing.services.comparison import NEWER, STAGES, Difference, Found
from billing.services.runs import Portion, RunHeld, TakenOver, Work

__all__ = ["Difference", "RunHeld", "TakenOver", "differences", "mend", "night", "read_feed"]

logger = logging.getLogger(__name__)

# Events are not fed in order, and one may be written a little after its time: read again from a little before.
OVERLAP = timedelta(hours=1)
FIRST_LOOK_BACK = timedelta(days=4)  # the provider retries a webhook for three days and seven hours

NIGHT_STAGES = (*STAGES, alignment.STAGE)


def read_feed(*, now: datetime, until: float = inf) -> dict[str, int]:
    """Store the events that no webhook brought, page by page, then process what is due; return how many were found.

    Works until a time of the monotonic clock; `left` is among the counts where it did not finish. Each page is kept
    with the place of the next, where the next run goes on, also after a kill. Raises NotSent when the provider cannot
    be asked.
    """
    cursor = _feed_cursor(now)
    found = 0
    while cursor.up_to is not None and not stopping.is_time_up(until):
        found += _read_page(cursor)
    finished = cursor.up_to is None and webhooks.process_due(until=until)
    parked = WebhookEvent.objects.filter(state=WebhookEvent.State.PARKED).count()
    return {"found": found, "parked": parked} | ({} if finished else {"left": 1})


def _feed_cursor(now: datetime) -> FeedCursor:
    """Return the place in the feed: where a reading stopped, otherwise where one is to begin that reads up to now."""
    first = {"occurred_at": now - FIRST_LOOK_BACK + OVERLAP}
    cursor, _ = FeedCursor.objects.get_or_create(pk=1, defaults=first)
    if cursor.up_to is None:
        cursor.up_to = now
    return cursor


def _read_page(cursor: FeedCursor) -> int:
    """Store a page of events together with the place of the next; return how many no webhook had brought."""
    page = _page(cursor)
    with transaction.atomic():
        found = inbox.store_found(page.events)
        cursor.offset = page.next_offset
        if cursor.up_to is not None and not page.next_offset:
            cursor.occurred_at, cursor.up_to = cursor.up_to, None
        cursor.save()
    return found


def _page(cursor: FeedCursor) -> records.EventsPage:
    """Read the page that a reading is at, or from its beginning where the provider knows its place no more."""
    since = cursor.occurred_at - OVERLAP
    try:
        return records.events(since=since, offset=cursor.offset)
    except Refused:
        if not cursor.offset:
            raise
        return records.events(since=since)


def differences() -> Iterator[Difference]:
    """Compare the mirror with the provider, one kind after the other, changing nothing but marks. Raises NotSent."""
    run = runs.take(Work.CHECK, first=STAGES[0])
    found: list[Difference] = []

    def tell(run: ReconcileRun) -> Portion:
        compared = comparison.next_portion(run)
        found.extend(one.difference for one in compared.found)
        return Portion(compared=compared.count, mended=0, failed=len(compared.found), cursor=compared.cursor)

    while run.finished_at is None:
        runs.go_on(run, tell, until=0)
        yield from found
        found.clear()


def mend(
    *, now: datetime, progress: Callable[[str], None] = lambda _: None, afresh: bool = False
) -> dict[str, int]:
    """Bring the mirror to what the provider holds; return how many rows of each kind were mended, and how many failed.

    Goes on with one that was interrupted less than a day ago, unless it is to begin `afresh`. `progress` is told one
    line per kind. Raises NotSent when the provider cannot be asked, RunHeld and TakenOver where another process is at
    it; what was mended stays mended.
    """
    run = runs.take(Work.MEND, first=STAGES[0], afresh=afresh)

    if run.attempts > 1:
        progress(f"going on at {run.stage}")

    def watch(stage: str, run: ReconcileRun) -> None:
        if run.stage != stage or run.finished_at is not None:
            progress(_line(stage, run.counts[stage]))

    runs.go_on(run, lambda run: _mend_portion(run, STAGES, now), watch=watch)
    return _told(run)


def night(*, now: datetime, until: float) -> tuple[dict[str, int], bool]:
    """Do a slice of the night's comparison, and of the bundles after it, until a time of the monotonic clock.

    Return what was done in all slices, and whether it is finished. Raises NotSent, RunHeld and TakenOver.
    """
    run = runs.take(Work.NIGHT, first=STAGES[0])

    def step(run: ReconcileRun) -> Portion:
        if run.stage == alignment.STAGE:
            return alignment.next_portion(run, NIGHT_STAGES, now=now)
        return _mend_portion(run, NIGHT_STAGES, now)

    finished = runs.go_on(run, step, until=until)
    return {**_told(run), **alignment.told(run)}, finished


def _line(stage: str, done: dict[str, int]) -> str:
    return f"{stage}: {done['compared']} compared, {done['mended']} mended, {done['failed']} failed"


def _told(run: ReconcileRun) -> dict[str, int]:
    kinds = {kind: done for kind, done in run.counts.items() if kind in STAGES}
    mended = {kind: done["mended"] for kind, done in kinds.items()}
    return {"failed": sum(done["failed"] for done in kinds.values()), **mended}


def _mend_portion(run: ReconcileRun, stages: tuple[str, ...], now: datetime) -> Portion:
    compared = comparison.next_portion(run, stages)
    failed = _mend(compared.found, now)
    return Portion(
        compared=compared.count,
        mended=len(compared.found) - failed,
        failed=failed,
        cursor=compared.cursor,
    )


def _mend(found: Sequence[Found], now: datetime) -> int:
    """Mend what was found; return how many could not be."""
    for one in found:
        if one.difference.what == NEWER:
            mirror.forget_version(one.difference.kind, one.difference.id, version=one.our_version)
    snapshots = [one.snapshot for one in found if one.snapshot is not None]
    return _apply(snapshots, now) + sum(not _bury(one) for one in found if one.snapshot is None)


def _apply(snapshots: list[Snapshot], now: datetime) -> int:
    """Apply all at once, and where that fails one by one, so that a bad record stops only itself; return how many."""
    if not snapshots:
        return 0
    try:
        sync.apply(snapshots, now=now)
    except Exception:
        logger.exception("A batch of %s records could not be applied", len(snapshots))
        return sum(not _apply_one(snapshot, now) for snapshot in snapshots)
    return 0


def _apply_one(snapshot: Snapshot, now: datetime) -> bool:
    try:
        sync.apply([snapshot], now=now)
    except Exception:
        logger.exception("%s %s could not be applied", type(snapshot).__name__, snapshot.id)
        return False
    return True


def _bury(found: Found) -> bool:
    """Leave a tombstone of what is gone at the provider; what cannot be read there stays as it is."""
    if found.difference.what != comparison.GONE:
        return False
    try:
        sync.bury(found.difference.kind, found.difference.id)
    except Exception:
        logger.exception("%s could not be buried", found.difference)
        return False
    return True
