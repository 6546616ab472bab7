"""Holding the mirror against the provider: missed events from its feed, and a whole comparison that mends or tells."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from billing.gateway import records
from billing.gateway.errors import Missing
from billing.gateway.snapshots import CustomerSnapshot, Snapshot
from billing.models import Customer, FeedCursor, WebhookEvent
from billing.models.mirrored import Mirrored
from billing.services import mirror, sync, webhooks

logger = logging.getLogger(__name__)

# Events are not fed in order, and one may be written a little after its time: read again from a little before.
OVERLAP = timedelta(hours=1)
FIRST_LOOK_BACK = timedelta(days=4)  # the provider retries a webhook for three days and seven hours
BATCH = 200


@dataclass(frozen=True)
class Difference:
    """One thing that the mirror has otherwise than the provider: `what` is `missing`, `older` or `not there`."""

    kind: str
    id: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind} {self.id}: {self.what}"


def read_feed(*, now: datetime) -> dict[str, int]:
    """Store and process the events that no webhook brought; return how many were found and how many are parked.

    Raises NotSent when the provider cannot be asked; the next run starts where this one did.
    """
    cursor = FeedCursor.objects.first()
    since = (cursor.occurred_at - OVERLAP) if cursor else now - FIRST_LOOK_BACK
    found = [webhooks.store(event, source=WebhookEvent.Source.FEED) for event in records.events_since(since)]
    fresh = [event for event in found if event is not None]
    for event in fresh:
        webhooks.process(event.pk)
    FeedCursor.objects.update_or_create(pk=1, defaults={"occurred_at": now})
    return {
        "found": len(fresh),
        "parked": WebhookEvent.objects.filter(state=WebhookEvent.State.PARKED).count(),
    }


def differences() -> Iterator[Difference]:
    """Compare the mirror with the provider, one kind after the other. Raises NotSent."""
    for kind, found in _held_by_provider():
        yield from (difference for _, difference in _compare(kind, found))


def mend(*, now: datetime, progress: Callable[[str], None] = lambda _: None) -> dict[str, int]:
    """Bring the mirror to what the provider holds; return how many rows of each kind were mended, and how many failed.

    Raises NotSent when a list cannot be read.
    `progress` is told one line per kind. Interrupted, it can be run again: what was applied stays applied.
    """
    mended = {"failed": 0}
    for kind, found in _held_by_provider():
        different = _compare(kind, found)
        snapshots = [snapshot for snapshot, _ in different if snapshot is not None]
        gone = [difference.id for snapshot, difference in different if snapshot is None]
        failed = _apply(snapshots, now) + sum(not _look_for(kind, resource_id) for resource_id in gone)
        mended[kind] = len(different) - failed
        mended["failed"] += failed
        progress(f"{kind}: {len(found)} compared, {mended[kind]} mended, {failed} failed")
    return mended


def _apply(snapshots: list[Snapshot], now: datetime) -> int:
    """Apply in batches, and a batch that fails one by one, so that a bad record stops only itself; return how many."""
    failed = 0
    for start in range(0, len(snapshots), BATCH):
        batch = snapshots[start : start + BATCH]
        try:
            sync.apply(batch, now=now)
        except Exception:
            logger.exception("A batch of %s records could not be applied", len(batch))
            failed += sum(not _apply_one(snapshot, now) for snapshot in batch)
    return failed


def _apply_one(snapshot: Snapshot, now: datetime) -> bool:
    try:
        sync.apply([snapshot], now=now)
    except Exception:
        logger.exception("%s %s could not be applied", type(snapshot).__name__, snapshot.id)
        return False
    return True


def _look_for(kind: str, resource_id: str) -> bool:
    """Read one that was not in the list: it may have been made after the list was read. Bury it if it is gone."""
    try:
        sync.refresh(kind, resource_id)
    except Missing:
        sync.bury(kind, resource_id)
    except Exception:
        logger.exception("%s %s could not be looked for", kind, resource_id)
        return False
    return True


def _held_by_provider() -> Iterator[tuple[str, list[Snapshot]]]:
    """Read kind after kind, of the customers that are mirrored (others are not ours to hold)."""
    for kind in records.KINDS:
        known = set(Customer.objects.values_list("provider_id", flat=True))
        yield kind, [snapshot for snapshot in records.everything(kind) if _is_ours(snapshot, known)]


def _is_ours(snapshot: Snapshot, known: set[str]) -> bool:
    owner = snapshot.id if isinstance(snapshot, CustomerSnapshot) else getattr(snapshot, "customer_id", None)
    return owner is None or owner in known


def _compare(kind: str, found: list[Snapshot]) -> list[tuple[Snapshot | None, Difference]]:
    rows = {row.provider_id: row for row in mirror.MODELS[kind]._default_manager.all()}
    different: list[tuple[Snapshot | None, Difference]] = []
    for snapshot in found:
        what = _difference(rows.pop(snapshot.id, None), snapshot)
        if what:
            different.append((snapshot, Difference(kind, snapshot.id, what)))
    gone = [row for row in rows.values() if not row.deleted]
    different.extend((None, Difference(kind, row.provider_id, "not there")) for row in gone)
    return different


def _difference(row: Mirrored | None, snapshot: Snapshot) -> str:
    if row is None:
        return "missing"
    same = row.payload == snapshot.payload and row.deleted == snapshot.deleted
    return "" if same else "older" if row.resource_version <= snapshot.version else "newer than the provider"
