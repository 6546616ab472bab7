"""The provider's events feed: events with the content that the provider itself gives.

A webhook's body is never parsed by this module, so that nothing which somebody else may have sent can be applied.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from billing.gateway.http.client import UNREADABLE_ERRORS, chargebee_sdk, read_page
from billing.gateway.records import KINDS, KINDS_NEVER_UPDATED
from billing.gateway.snapshots import EventSnapshot, Raw, Snapshot, SubscriptionSnapshot

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class FeedRecord:
    """A mirrored resource in an event.

    `snapshot` is its content; None if that cannot be applied and the resource must be read by itself, unless ours has
    this `version` already. A version of 0 is unknown.
    """

    kind: str
    id: str
    version: int = 0
    snapshot: Snapshot | None = None


@dataclass(frozen=True)
class FeedEvent:
    """An event of the feed, and the mirrored resources in it."""

    event: EventSnapshot
    records: tuple[FeedRecord, ...]


@dataclass(frozen=True)
class EventsPage:
    """A page of events; `next_offset` is empty after the last page."""

    events: list[FeedEvent]
    next_offset: str


def read_events_page(*, since: datetime, offset: str = "") -> EventsPage:
    """Return a page of the events after a time (UTC), oldest first; those of one second come in any order.

    An event that cannot be parsed is logged and skipped. Raises NotSent, and Refused for an expired offset.
    """
    params = {"occurred_at": {"after": int(since.timestamp())}, "sort_by": {"asc": "occurred_at"}}
    entries, next_offset = read_page(chargebee_sdk().Event.list, params, offset=offset)
    return EventsPage(list(_parse_events([entry.event.raw_data for entry in entries])), next_offset)


def _parse_events(raws: list[Any]) -> Iterator[FeedEvent]:
    for raw in raws:
        try:
            event = EventSnapshot.from_raw(raw)
        except (*UNREADABLE_ERRORS, OverflowError):
            logger.exception("The provider's event %s cannot be read", raw.get("id"))
            continue
        yield FeedEvent(event, tuple(_parse_records(event, raw["content"])))


def _parse_records(event: EventSnapshot, content: Raw) -> Iterator[FeedRecord]:
    """Yield a record for each resource that the event names."""
    for kind, ids in event.resource_ids.items():
        value = content.get(kind)
        raws = value if isinstance(value, list) else [value or {}]
        raw_by_id = {raw.get("id"): raw for raw in raws}
        for resource_id in ids:
            raw = raw_by_id.get(resource_id)
            if raw is not None:
                yield _parse_record(event.event_type, kind, raw)
            elif kind == "payment_source":
                yield _parse_card(resource_id, content)
            else:
                yield FeedRecord(kind, resource_id)


def _parse_card(source_id: str, content: Raw) -> FeedRecord:
    """Return the payment source of a card's event: it is named by the card, whose content is of another shape."""
    return FeedRecord("payment_source", source_id, int(content["card"].get("resource_version") or 0))


def _parse_record(event_type: str, kind: str, raw: Raw) -> FeedRecord:
    is_deleted_customer = kind == "customer" and raw.get("deleted")  # what it had is not in the event
    has_version = raw.get("resource_version") or kind in KINDS_NEVER_UPDATED
    if not has_version or is_deleted_customer or _may_be_deleted(event_type, kind, raw):
        return FeedRecord(kind, raw["id"])
    try:
        # Of a scheduled change the event has no content.
        is_whole = not (kind == "subscription" and raw.get("has_scheduled_changes"))
        snapshot = _parse_snapshot(kind, raw) if is_whole else None
    except UNREADABLE_ERRORS:
        logger.exception("The content of the provider's %s %s cannot be read", kind, raw.get("id"))
        return FeedRecord(kind, raw["id"])
    version = snapshot.version if snapshot is not None else int(raw["resource_version"])
    return FeedRecord(kind, raw["id"], version, snapshot)


def _may_be_deleted(event_type: str, kind: str, raw: Raw) -> bool:
    """Return whether the event says that the resource was deleted, but its content does not."""
    is_about_kind = event_type.startswith((kind, "customer_deleted"))
    return event_type.endswith("_deleted") and is_about_kind and not raw.get("deleted")


def _parse_snapshot(kind: str, raw: Raw) -> Snapshot:
    parse = SubscriptionSnapshot.from_raw if kind == "subscription" else KINDS[kind][1]
    return parse(raw)
