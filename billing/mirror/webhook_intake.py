"""Store the provider's events, each once, before they are processed; of their content only the ids are kept."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from billing.gateway.snapshots import EventSnapshot
from billing.models import WebhookEvent
from core.clock import database_now
from core.errors import InvalidInput
from core.task_queue import enqueue_task

State, Source = WebhookEvent.State, WebhookEvent.Source

API_VERSION = "v2"
NOT_AN_EVENT = "This is not an event of the billing provider."
# No database stores a NUL or half a surrogate pair. An id becomes part of a URL at the provider, hence no "..".
IDENTIFIER_PATTERN = re.compile(r"(?!.*\.\.)[^\x00-\x1f\x7f\ud800-\udfff]{1,100}")
# With so many events waiting, new ones get no message of their own: it would delay the mail that subscribers wait for.
BACKLOG_LIMIT = 50


def store_webhook_event(body: Mapping[str, Any]) -> WebhookEvent | None:
    """Store an event from a webhook; return None if it is stored already. Raises InvalidInput for any other body."""
    try:
        event = EventSnapshot.from_raw(body)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise InvalidInput(NOT_AN_EVENT) from error
    identifiers = [
        event.id,
        event.event_type,
        event.api_version or API_VERSION,
        *(resource_id for ids in event.resource_ids.values() for resource_id in ids),
    ]
    if not all(IDENTIFIER_PATTERN.fullmatch(identifier) for identifier in identifiers):
        raise InvalidInput(NOT_AN_EVENT)
    return _store_event(event)


def store_feed_events(events: Sequence[EventSnapshot]) -> int:
    """Store the feed's events that no webhook delivered; return how many."""
    ids = [event.id for event in events]
    known = set(WebhookEvent.objects.filter(event_id__in=ids).values_list("event_id", flat=True))
    due_at = database_now()
    fresh = {event.id: _event_row(event, Source.FEED, due_at) for event in events if event.id not in known}
    # A webhook may deliver one at the same time.
    WebhookEvent.objects.bulk_create(fresh.values(), ignore_conflicts=True)
    return len(fresh)


def _store_event(event: EventSnapshot) -> WebhookEvent | None:
    stored = _event_row(event, Source.WEBHOOK, database_now())
    is_backlogged = _is_backlogged()
    try:
        with transaction.atomic():
            stored.save(force_insert=True)
    except IntegrityError:
        return None
    if stored.state == State.RECEIVED and not is_backlogged:
        enqueue_task("billing.tasks.process_webhook", stored.pk)
    return stored


def _event_row(event: EventSnapshot, source: str, due_at: datetime) -> WebhookEvent:
    is_relevant = event.api_version == API_VERSION and bool(event.resource_ids)
    return WebhookEvent(
        event_id=event.id,
        event_type=event.event_type,
        occurred_at=event.occurred_at,
        source=source,
        payload={"names": event.resource_ids, "api_version": event.api_version},
        owner=next(iter(event.resource_ids.get("customer", ())), ""),
        state=State.RECEIVED if is_relevant else State.IGNORED,
        error="" if is_relevant else "of another API version, or names nothing that is mirrored",
        next_attempt_at=due_at,
    )


def _is_backlogged() -> bool:
    return WebhookEvent.objects.filter(state=State.RECEIVED, attempts=0)[:BACKLOG_LIMIT].count() == BACKLOG_LIMIT
