"""The inbox of provider events: stored first, processed later, each a hint to read again (architecture, decision 4)."""

import logging
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from billing.gateway import records
from billing.gateway.errors import Missing, NotSent
from billing.gateway.snapshots import EventSnapshot
from billing.models import Customer, WebhookEvent
from billing.services import mirror, sync
from billing.services.hints import hint
from portal.errors import InvalidInput

logger = logging.getLogger(__name__)

State = WebhookEvent.State

API_VERSION = "v2"
NO_EVENT = "This is not an event of the billing provider."
# What the provider calls things by. No database takes a NUL or half a surrogate pair, and since an id becomes part of
# an address at the provider, none may climb out of it.
IDENTIFIER = re.compile(r"(?!.*\.\.)[^\x00-\x1f\x7f\ud800-\udfff]{1,100}")
ATTEMPTS = 8
# A minute's worth of work: more messages would only wait in the broker, and be sent again the next minute.
ANNOUNCED_AT_ONCE = 500
LEASE = timedelta(seconds=60)
FIRST_BACKOFF = timedelta(seconds=15)
LONGEST_BACKOFF = timedelta(hours=1)


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
    return store(event, source=WebhookEvent.Source.WEBHOOK)


def store(event: EventSnapshot, *, source: str) -> WebhookEvent | None:
    """Store an event once; None when it was stored before. Only the ids it names are kept of its content."""
    wanted = event.api_version == API_VERSION and bool(event.names)
    try:
        with transaction.atomic():
            stored = WebhookEvent.objects.create(
                event_id=event.id,
                event_type=event.event_type,
                occurred_at=event.occurred_at,
                source=source,
                payload={"names": event.names, "api_version": event.api_version},
                owner=next(iter(event.names.get("customer", ())), ""),
                state=State.RECEIVED if wanted else State.IGNORED,
                error="" if wanted else "of another API version, or names nothing that is mirrored",
                next_attempt_at=timezone.now(),
            )
    except IntegrityError:
        return None
    if wanted and source == WebhookEvent.Source.WEBHOOK:
        hint("process_webhook", stored.pk)
    return stored


def process(event_pk: int) -> None:
    """Read again what a stored event names and apply it, if nobody else is doing so.

    A failure keeps its reason and is tried again with growing pauses, then parked for an operator.
    """
    event = _claim(event_pk)
    if event is None:
        return
    try:
        known = _apply(event)
    except Exception as error:  # noqa: BLE001  (whatever it is, it is kept and the others go on)
        _failed(event, error)
        return
    WebhookEvent.objects.filter(pk=event.pk).update(
        state=State.PROCESSED if known else State.IGNORED,
        error="" if known else "about a customer that the portal does not know",
        processed_at=timezone.now(),
        next_attempt_at=None,
        owner=event.owner or _owner(event),
    )


def replay(event_pk: int) -> None:
    """Let a stored event be processed again from the start, whatever became of it."""
    WebhookEvent.objects.filter(pk=event_pk).update(
        state=State.RECEIVED, attempts=0, error="", processed_at=None, next_attempt_at=timezone.now()
    )


def due() -> list[int]:
    """Return the stored events that wait and are not being processed, the longest waiting first."""
    waiting = WebhookEvent.objects.filter(state=State.RECEIVED, next_attempt_at__lte=timezone.now())
    return list(waiting.order_by("next_attempt_at", "pk").values_list("pk", flat=True)[:ANNOUNCED_AT_ONCE])


def _claim(event_pk: int) -> WebhookEvent | None:
    event = WebhookEvent.objects.filter(pk=event_pk, state=State.RECEIVED).first()
    if event is None:
        return None
    won = WebhookEvent.objects.filter(
        pk=event.pk, state=State.RECEIVED, attempts=event.attempts, next_attempt_at__lte=timezone.now()
    ).update(attempts=event.attempts + 1, next_attempt_at=timezone.now() + LEASE)
    event.attempts += 1
    return event if won else None


def _apply(event: WebhookEvent) -> bool:
    """Refresh what the event names; return whether any of it concerns an account or the catalogue."""
    names: dict[str, list[str]] = event.payload["names"]
    customers = names.get("customer", [])
    if customers and not Customer.objects.filter(provider_id__in=customers).exists():
        return False
    known = False
    for kind in records.KINDS:
        for resource_id in names.get(kind, ()):
            known |= _refresh(kind, resource_id)
    return known


def _owner(event: WebhookEvent) -> str:
    """Return the customer of what an event names that does not name the customer itself; empty when nobody owns it."""
    names: dict[str, list[str]] = event.payload["names"]
    for kind in records.OF_A_CUSTOMER:
        rows: QuerySet[Any] = mirror.MODELS[kind]._default_manager.filter(provider_id__in=names.get(kind, ()))
        owned = rows.select_related("customer").first()
        if owned is not None:
            return str(owned.customer.provider_id)
    return ""


def _refresh(kind: str, resource_id: str) -> bool:
    try:
        sync.refresh(kind, resource_id)
    except sync.UnknownCustomer:
        return False
    except Missing:
        sync.bury(kind, resource_id)
    return True


def _failed(event: WebhookEvent, error: Exception) -> None:
    parked = event.attempts >= ATTEMPTS
    if parked:
        logger.error("Event %s is parked after %s attempts", event.event_id, event.attempts, exc_info=error)
    elif not isinstance(error, NotSent):
        logger.warning("Event %s failed, attempt %s", event.event_id, event.attempts, exc_info=error)
    pause = min(FIRST_BACKOFF * 2 ** (event.attempts - 1), LONGEST_BACKOFF)
    WebhookEvent.objects.filter(pk=event.pk).update(
        state=State.PARKED if parked else State.RECEIVED,
        error=f"{type(error).__name__}: {error}"[:2000],
        next_attempt_at=None if parked else timezone.now() + pause,
    )
