"""The inbox of provider events: stored once, before they are worked on; of their content only the ids are kept."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from billing.gateway.snapshots import EventSnapshot
from billing.models import WebhookEvent
from billing.services import leases
from billing.services.hints import hint
from portal.errors import InvalidInput

State, Source = WebhookEvent.State, WebhookEvent.Source

API_VERSION = "v2"
NO_EVENT = "This is not an event of the billing provider."
# What the provider calls things by. No database takes a NUL or half a surrogate pair, and since an id becomes part of
# an address at the provider, none may climb out of it.
IDENTIFIER = re.compile(r"(?!.*\.\.)[^\x00-\x1f\x7f\ud800-\udfff]{1,100}")
# Where so many wait, events come faster than they are worked on: with a message each, the mails that subscribers wait
# for would stand in line behind them.
CROWD = 50


def receive(body: Mapping[str, Any]) -> WebhookEvent | None:
    """Store an event that the provider sent; None when it was stored before. Raises InvalidInput when it is none."""
    try:
        event = EventSnapshot.of(body)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise InvalidInput(NO_EVENT) from error
    named = [
        event.id,
        event.event_type,
        event.api_version or API_VERSION,
        *(one for ids in event.names.values() for one in ids),
    ]
    if not all(IDENTIFIER.fullmatch(one) for one in named):
        raise InvalidInput(NO_EVENT)
    return _store(event)


def store_found(events: Sequence[EventSnapshot]) -> int:
    """Store those of the feed's events that no webhook brought; return how many that were."""
    ids = [event.id for event in events]
    known = set(WebhookEvent.objects.filter(event_id__in=ids).values_list("event_id", flat=True))
    due_at = leases.now()
    fresh = {event.id: _row(event, Source.FEED, due_at) for event in events if event.id not in known}
    # A webhook may bring one meanwhile.
    WebhookEvent.objects.bulk_create(fresh.values(), ignore_conflicts=True)
    return len(fresh)


def _store(event: EventSnapshot) -> WebhookEvent | None:
    """Store an event once; None when it was stored before."""
    stored = _row(event, Source.WEBHOOK, leases.now())
    crowded = _is_crowded()
    try:
        with transaction.atomic():
            stored.save(force_insert=True)
    except IntegrityError:
        return None
    if stored.state == State.RECEIVED and not crowded:
        hint("process_webhook", stored.pk)
    return stored


def _row(event: EventSnapshot, source: str, due_at: datetime) -> WebhookEvent:
    """Return an event as it is stored: of its content only the ids that it names are kept."""
    wanted = event.api_version == API_VERSION and bool(event.names)
    return WebhookEvent(
        event_id=event.id,
        event_type=event.event_type,
        occurred_at=event.occurred_at,
        source=source,
        payload={"names": event.names, "api_version": event.api_version},
        owner=next(iter(event.names.get("customer", ())), ""),
        state=State.RECEIVED if wanted else State.IGNORED,
        error="" if wanted else "of another API version, or names nothing that is mirrored",
        next_attempt_at=due_at,
    )


def _is_crowded() -> bool:
    return WebhookEvent.objects.filter(state=State.RECEIVED, attempts=0)[:CROWD].count() == CROWD
