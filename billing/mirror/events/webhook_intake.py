"""Store the provider's events, each once, from webhooks and from its feed; of their content only the ids are kept."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q

from billing.gateway.event_feed import FeedEvent
from billing.gateway.snapshots import EPOCH, EventSnapshot
from billing.mirror.signals import announce_applied_events
from billing.models import WebhookEvent
from core.clock import database_now
from core.errors import InvalidInput
from core.tracing import open_span
from core.workers.task_queue import enqueue_task

State, Source = WebhookEvent.State, WebhookEvent.Source

API_VERSION = "v2"
NOT_AN_EVENT = "This is not an event of the billing provider."
IRRELEVANT = "of another API version, or names nothing that is mirrored"
UNKNOWN_CUSTOMER = "about a customer that the portal does not know"
# Ignored as it was delivered; the feed has the same event in our version.
_IS_OF_OTHER_VERSION = Q(state=State.IGNORED) & ~Q(payload__api_version=API_VERSION)
# No database stores a NUL or half a surrogate pair. An id becomes part of a URL at the provider, hence no "..".
IDENTIFIER_PATTERN = re.compile(r"(?!.*\.\.)[^\x00-\x1f\x7f\ud800-\udfff]{1,100}")
# Later times cannot be shown in every time zone, and no time machine travels that far.
LATEST_TIME = datetime(3000, 1, 1, tzinfo=UTC)
# With so many events waiting, new ones get no message of their own: it would delay the mail that subscribers wait for.
BACKLOG_LIMIT = 50


@dataclass(frozen=True)
class FeedRow:
    """An event of the feed whose content was applied.

    `owner` is the provider's id of its customer, empty if it has none; `is_known` is whether the portal knows that
    customer. `unread` has the ids, by kind, of the resources that must still be read by themselves.
    """

    event: EventSnapshot
    owner: str
    is_known: bool
    unread: Mapping[str, list[str]]


def store_webhook_event(body: Mapping[str, Any]) -> WebhookEvent | None:
    """Store an event from a webhook; return None if it is stored already. Raises InvalidInput for any other body."""
    try:
        event = EventSnapshot.from_raw(body)
    # A time so far in the past that the system cannot name its year is an OSError.
    except (KeyError, TypeError, ValueError, OverflowError, OSError, AttributeError) as error:
        raise InvalidInput(NOT_AN_EVENT) from error
    identifiers = [
        event.id,
        event.event_type,
        event.api_version or API_VERSION,
        *(resource_id for ids in event.resource_ids.values() for resource_id in ids),
    ]
    if not all(IDENTIFIER_PATTERN.fullmatch(identifier) for identifier in identifiers):
        raise InvalidInput(NOT_AN_EVENT)
    # A number in quotes, a fraction or `true` would be read as a time, but none that the provider sends.
    if type(body["occurred_at"]) is not int or not EPOCH <= event.occurred_at < LATEST_TIME:
        raise InvalidInput(NOT_AN_EVENT)
    return _store_event(event)


def unfinished_entries(entries: Sequence[FeedEvent]) -> list[FeedEvent]:
    """Return those of the feed's events that are not stored yet, that wait, or that came in another API version."""
    events = WebhookEvent.objects.filter(event_id__in=[entry.event.id for entry in entries])
    unfinished = Q(state=State.RECEIVED) | _IS_OF_OTHER_VERSION
    finished = set(events.exclude(unfinished).values_list("event_id", flat=True))
    return [entry for entry in entries if entry.event.id not in finished]


@transaction.atomic
def save_feed_events(rows: Sequence[FeedRow]) -> int:
    """Save events of the feed, whose content was applied; return how many no webhook had delivered."""
    now = database_now()
    saved = {row.event.id: _feed_event(row, now) for row in rows}
    delivered = WebhookEvent.objects.filter(event_id__in=saved)
    # In one order, so that two readers of the feed cannot wait for each other.
    unfinished = delivered.filter(Q(state=State.RECEIVED, attempts=0) | _IS_OF_OTHER_VERSION)
    found = []
    for event in unfinished.order_by("pk").select_for_update(of=("self",)):
        saved[event.event_id].pk = event.pk
        found.append(saved[event.event_id])
    WebhookEvent.objects.bulk_update(
        found, ["state", "error", "payload", "owner", "unread", "sought_at", "processed_at", "next_attempt_at"]
    )
    known = set(delivered.values_list("event_id", flat=True))
    fresh = [event for event_id, event in saved.items() if event_id not in known]
    # A webhook may deliver one at the same time. The next reading overlaps this one and finds it again.
    WebhookEvent.objects.bulk_create(fresh, ignore_conflicts=True)
    for source, events in ((Source.WEBHOOK, found), (Source.FEED, fresh)):
        announce_applied_events(source, [event.occurred_at for event in events if event.state == State.PROCESSED])
    return len(fresh)


def _store_event(event: EventSnapshot) -> WebhookEvent | None:
    with open_span("webhook", attributes={"event.type": event.event_type}):
        return _insert_event(event)


def _insert_event(event: EventSnapshot) -> WebhookEvent | None:
    stored = _build_event(event, Source.WEBHOOK, database_now())
    is_backlogged = _is_backlogged()
    try:
        with transaction.atomic():
            stored.save(force_insert=True)
    except IntegrityError:
        return None
    if stored.state == State.RECEIVED and not is_backlogged:
        enqueue_task("billing.tasks.process_webhook", stored.pk)
    return stored


def _build_event(event: EventSnapshot, source: str, now: datetime) -> WebhookEvent:
    is_relevant = event.api_version == API_VERSION and bool(event.resource_ids)
    return WebhookEvent(
        event_id=event.id,
        event_type=event.event_type,
        occurred_at=event.occurred_at,
        source=source,
        payload={"names": event.resource_ids, "api_version": event.api_version},
        owner=next(iter(event.resource_ids.get("customer", ())), ""),
        state=State.RECEIVED if is_relevant else State.IGNORED,
        error="" if is_relevant else IRRELEVANT,
        next_attempt_at=now,
    )


def _feed_event(row: FeedRow, now: datetime) -> WebhookEvent:
    event = _build_event(row.event, Source.FEED, now)
    event.owner, event.unread, event.sought_at = row.owner, dict(row.unread), now
    if event.state == State.RECEIVED and not row.is_known:
        event.state, event.error = State.IGNORED, UNKNOWN_CUSTOMER
    elif event.state == State.RECEIVED and not row.unread:
        event.state, event.processed_at, event.next_attempt_at = State.PROCESSED, now, None
    return event


def _is_backlogged() -> bool:
    return WebhookEvent.objects.filter(state=State.RECEIVED, attempts=0)[:BACKLOG_LIMIT].count() == BACKLOG_LIMIT
