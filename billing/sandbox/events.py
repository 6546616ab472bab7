"""The log of what happened on the site.

``record("subscription_paused", subscription=row, customer=row)`` writes one event with the resources as they are at
this moment. A customer's card goes along where the provider sends one. Who did it is the ``source``: ``api`` inside a
request (the wire says so with ``acting("api", user)``), ``scheduled_job`` when time did it, which is the default.

With a webhook address configured an event is born ``scheduled`` with ``next_attempt_at`` = now; after the surrounding
transaction commits, the signal ``recorded`` is sent once per event, so that delivery need not poll.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from django.db import transaction
from django.dispatch import Signal

from billing.sandbox import clock, identifiers, settings
from billing.sandbox.body import Body
from billing.sandbox.models import Customer, Event, PaymentSource, Resource

Told = Resource | Sequence[Resource] | Body | None
"""What an event may be about: a row, several, or a finished body."""

recorded = Signal()
"""Sent after commit with the keyword ``event`` (a models.Event)."""

WEBHOOK_ID = "whv2_sandbox_portal"

_actor: ContextVar[tuple[str, str]] = ContextVar("actor", default=("scheduled_job", ""))
_silent: ContextVar[bool] = ContextVar("silent", default=False)


@contextmanager
def acting(source: str, user: str = "") -> Iterator[None]:
    """Say who causes the events recorded inside the block."""
    token = _actor.set((source, user))
    try:
        yield
    finally:
        _actor.reset(token)


@contextmanager
def without_webhooks() -> Iterator[None]:
    """Record what happens inside the block as ever, and send nothing of it."""
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


def record(event_type: str, **content: Told) -> Event:
    """Log that something happened to the resources given by name; None is left out."""
    source, user = _actor.get()
    status = _first_status()
    event = Event.objects.create(
        handle=identifiers.new("ev_"),
        event_type=event_type,
        occurred_at=clock.now(),
        source=source,
        user=user,
        content=_snapshot(content),
        webhook_status=status,
        next_attempt_at=clock.now() if status == "scheduled" else None,
    )
    transaction.on_commit(lambda: recorded.send(Event, event=event))
    return event


def render(event: Event) -> Body:
    """The event as it is answered and delivered; the state of delivery stands in ``webhooks`` only."""
    body: Body = {
        "id": event.handle,
        "occurred_at": event.occurred_at,
        "source": event.source,
        "object": "event",
        "api_version": "v2",
        "content": event.content,
        "event_type": event.event_type,
        "webhook_status": "not_configured",
    }
    if event.user:
        body["user"] = event.user
    if event.webhook_status != "not_configured":
        body["webhooks"] = [{"id": WEBHOOK_ID, "webhook_status": event.webhook_status, "object": "webhook"}]
    return body


def card_of(customer: Customer) -> Body | None:
    """The customer's primary payment source as the older card resource, where it is a card."""
    source = PaymentSource.objects.filter(handle=customer.get("primary_payment_source_id", "")).first()
    return card(source) if source is not None and source["type"] == "card" else None


def card(source: PaymentSource) -> Body:
    """A card payment source in the shape of the older card resource."""
    details = {name: value for name, value in source["card"].items() if name not in ("object", "brand")}
    return {
        **details,
        "card_type": source["card"]["brand"],
        "payment_source_id": source.handle,
        "status": source["status"],
        "gateway": source["gateway"],
        "gateway_account_id": source["gateway_account_id"],
        "created_at": source["created_at"],
        "updated_at": source.updated_at,
        "resource_version": source.resource_version,
        "customer_id": source.customer_id,
        "object": "card",
    }


def _first_status() -> str:
    if not settings.SANDBOX_WEBHOOK_URL:
        return "not_configured"
    # What time does while a silent request waits is not that request's.
    asked_for_silence = _silent.get() and _actor.get()[0] == "api"
    return "disabled" if asked_for_silence else "scheduled"


def _snapshot(content: dict[str, Told]) -> Body:
    given = {name: resource for name, resource in content.items() if resource is not None}
    bodies: Body = {name: _body(resource) for name, resource in given.items()}
    customer = given.get("customer")
    told = bodies.keys() & {"card", "payment_source", "promotional_credit"}
    if isinstance(customer, Customer) and not told and (held := card_of(customer)):
        bodies["card"] = held
    return bodies


def _body(told: Resource | Sequence[Resource] | Body) -> object:
    match told:
        case Resource():
            return told.render()
        case dict():
            return told
        case _:
            return [row.render() for row in told]
