"""Read the provider's events feed and apply its content to the mirror (decision 30).

There are two readings of the feed, each with a cursor of its own. One follows webhooks, from where it stopped. The
other runs every hour and overlaps its last one by an hour: it finds what no webhook announced, and what came late.
"""

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import inf

from django.db import transaction

from billing import clock
from billing.gateway import records
from billing.gateway.errors import Refused
from billing.gateway.event_feed import EventsPage, FeedEvent, FeedRecord, read_events_page
from billing.gateway.snapshots import CustomerSnapshot, Snapshot
from billing.mirror import account_identity, account_import, comparisons, erasure, writer
from billing.mirror.events import webhook_intake
from billing.models import Customer, FeedCursor
from billing.models.mirror_row import MirroredResource
from core.workers import shutdown
from core.workers.leases import LEASE_DURATION, keep_leases

logger = logging.getLogger(__name__)

Reading = FeedCursor.Reading

# The feed's order within a second is not defined, and an event may appear a little after its time.
OVERLAPS = {Reading.HINTED: timedelta(minutes=1), Reading.HOURLY: timedelta(hours=1)}
FIRST_LOOKBACK = timedelta(days=4)  # the provider retries a webhook for three days and seven hours

Resource = tuple[str, str]  # its kind, and the provider's id of it


def get_cursor(reading: str, *, now: datetime) -> FeedCursor:
    """Return the cursor of a reading. At first it is where the other reading is, or days before `now` (UTC)."""
    other = FeedCursor.objects.exclude(reading=reading).first()
    begin = other.occurred_at if other is not None else now - FIRST_LOOKBACK
    cursor, _ = FeedCursor.objects.get_or_create(reading=reading, defaults={"occurred_at": begin})
    return cursor


@contextmanager
def hold_cursor(reading: str) -> Iterator[FeedCursor | None]:
    """Hold a reading's cursor during the block; yield None if another worker holds it."""
    cursor = get_cursor(reading, now=clock.billing_now())
    if not cursor.claim(LEASE_DURATION):
        yield None
        return
    try:
        with keep_leases([cursor]):
            yield cursor
    except Exception:
        cursor.retry_later(timedelta(0))
        raise
    cursor.retry_later(timedelta(0))


def read_pages(cursor: FeedCursor, *, until: float = inf) -> Iterator[int]:
    """Apply the feed page by page up to its end; yield for each page how many of its events no webhook had delivered.

    Stops at a time of the monotonic clock. The cursor is saved with each page; while a reading is under way, it has an
    offset, and the next call continues there. Raises NotSent, and LeaseLost if the cursor is held and was lost.
    """
    is_finished = False
    while not is_finished and not shutdown.is_time_up(until):
        page = _read_page(cursor)
        rows = _RecordsApplier(page.events).apply_records()
        with transaction.atomic():
            found = webhook_intake.save_feed_events(rows)
            _advance_cursor(cursor, page)
        is_finished = not page.next_offset
        yield found


def is_under_way(cursor: FeedCursor) -> bool:
    """Return whether a reading has not come to the feed's end."""
    return bool(cursor.offset)


def _read_page(cursor: FeedCursor) -> EventsPage:
    """Read the page at the cursor, or the first page if the provider does not accept the offset any more."""
    # A test site's clock may have been set back since.
    since = min(cursor.occurred_at, clock.billing_now()) - OVERLAPS[Reading(cursor.reading)]
    try:
        return read_events_page(since=since, offset=cursor.offset)
    except Refused:
        if not cursor.offset:
            raise
        return read_events_page(since=since)


def _advance_cursor(cursor: FeedCursor, page: EventsPage) -> None:
    """Move the cursor behind a page; at the feed's end, to the newest event of the reading. Raises LeaseLost."""
    newest = max([entry.event.occurred_at for entry in page.events], default=cursor.occurred_at)
    newest = max(newest, cursor.newest or newest)
    if page.next_offset:
        changes = {"offset": page.next_offset, "newest": newest}
    else:
        changes = {"offset": "", "newest": None, "occurred_at": newest}
    if cursor.reading == Reading.HINTED:
        cursor.renew_lease(LEASE_DURATION, **changes)
    else:
        cursor.update_held(**changes)


@dataclass
class _RecordsApplier:
    """Applies a page's content: of each resource its newest version, if it is newer than ours."""

    entries: Sequence[FeedEvent]
    _unread: set[Resource] = field(default_factory=set)

    def apply_records(self) -> list[webhook_intake.FeedRow]:
        """Apply the content of the page's new events; return them, each with what must be read by itself."""
        new = webhook_intake.unfinished_entries(self.entries)
        owners = {entry.event.id: _owner_id(entry) for entry in new}
        known = {"", *Customer.objects.filter(provider_id__in=owners.values()).values_list("provider_id", flat=True)}
        # The events before a customer was given an account's address may be out of the feed: it is read by itself.
        snapshots = [record.snapshot for entry in new for record in entry.records]
        unread_customers = account_identity.customer_ids_at_known_addresses(snapshots)
        if comparisons.is_site_mirrored():
            # An erasure deletes what is stored of a customer's events, so that they are new once more.
            wanted = set(owners.values()) - erasure.find_erased_ids(set(owners.values()))
            # The events after its creation have all that is new of a new customer. The feed may show that event late.
            created = {owners[entry.event.id] for entry in new if entry.event.event_type == "customer_created"}
            known |= created & wanted
            unread_customers |= wanted
        unread_customers -= known
        self._unread.update(("customer", customer_id) for customer_id in unread_customers)
        newest: dict[Resource, FeedRecord] = {}
        for entry in new:
            if owners[entry.event.id] in known:
                _keep_newest(newest, entry.records)
        self._apply_newest(newest)
        return [
            webhook_intake.FeedRow(
                event=entry.event,
                owner=owners[entry.event.id],
                is_known=owners[entry.event.id] in known | unread_customers,
                unread=self._unread_ids(entry, owners[entry.event.id]),
            )
            for entry in new
        ]

    def _apply_newest(self, newest: Mapping[Resource, FeedRecord]) -> None:
        ours = _mirrored_rows(newest)
        records_by_owner: dict[str, list[FeedRecord]] = defaultdict(list)
        for resource, record in newest.items():
            row = ours.get(resource)
            if row is not None and record.version and row.resource_version >= record.version:
                continue
            # Content cannot tell whether a resource that was deleted here has come back.
            if record.snapshot is None or (row is not None and row.deleted):
                self._unread.add(resource)
            else:
                records_by_owner[_owner_of_snapshot(record.snapshot)].append(record)
        for feed_records in records_by_owner.values():
            self._apply_together(feed_records)

    def _apply_together(self, feed_records: list[FeedRecord]) -> None:
        """Apply one customer's records; if that fails, each of them is to be read by itself."""
        order = list(records.KINDS)
        ordered = sorted(feed_records, key=lambda record: order.index(record.kind))
        snapshots = [record.snapshot for record in ordered if record.snapshot is not None]
        try:
            account_import.apply_snapshots(snapshots, now=clock.billing_now())
        except Exception as error:
            logger.warning("The content of %s events' records could not be applied", len(snapshots), exc_info=error)
            self._unread.update((record.kind, record.id) for record in feed_records)

    def _unread_ids(self, entry: FeedEvent, owner: str) -> dict[str, list[str]]:
        unread: dict[str, list[str]] = defaultdict(list)
        if ("customer", owner) in self._unread:
            return {"customer": [owner]}
        for record in entry.records:
            if (record.kind, record.id) in self._unread:
                unread[record.kind].append(record.id)
        return dict(unread)


def _keep_newest(newest: dict[Resource, FeedRecord], feed_records: Sequence[FeedRecord]) -> None:
    """Add records; of two of one resource keep the one with the higher rank."""
    for record in feed_records:
        kept = newest.get((record.kind, record.id))
        if kept is None or _rank_of(record) > _rank_of(kept):
            newest[record.kind, record.id] = record


def _rank_of(record: FeedRecord) -> tuple[bool, int, bool]:
    """Rank the newest content highest, and above it a record without a version, which must be read in any case."""
    return not record.version, record.version, record.snapshot is not None


def _mirrored_rows(resources: Mapping[Resource, FeedRecord]) -> dict[Resource, MirroredResource]:
    ids_by_kind: dict[str, list[str]] = defaultdict(list)
    for kind, resource_id in resources:
        ids_by_kind[kind].append(resource_id)
    return {
        (kind, row.provider_id): row
        for kind, ids in ids_by_kind.items()
        for row in writer.MODELS_BY_KIND[kind]._default_manager.filter(provider_id__in=ids).defer("payload")
    }


def _owner_id(entry: FeedEvent) -> str:
    """Return the provider's id of an event's customer; empty if it has none."""
    owners = (_owner_of_snapshot(record.snapshot) for record in entry.records if record.snapshot is not None)
    named = entry.event.resource_ids.get("customer", [])
    return next(filter(None, [*named, *owners]), "")


def _owner_of_snapshot(snapshot: Snapshot) -> str:
    return snapshot.id if isinstance(snapshot, CustomerSnapshot) else str(getattr(snapshot, "customer_id", ""))
