"""The site's events.

``record_event("subscription_paused", subscription=row, customer=row)`` writes an event with a snapshot of the
resources, and adds the customer's card where the provider does. ``source`` is what caused it: ``api`` inside a request
(``act_as("api", user)``), by default ``scheduled_job``, the passing of time.

If the site's webhook endpoint takes events of its type, an event starts as ``scheduled`` with ``next_attempt_at`` =
now. After the transaction commits, the signal ``event_recorded`` is sent once per event, so that delivery need not
poll.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from django.db import transaction
from django.dispatch import Signal

from chargebee_sandbox import clock, identifiers, webhook_endpoint
from chargebee_sandbox.body import Body
from chargebee_sandbox.models import Customer, Event, PaymentSource, Resource
from chargebee_sandbox.row_lookup import find_row

EventSubject = Resource | Sequence[Resource] | Body | None
"""What an event may contain: a row, several rows, or a rendered body."""

event_recorded = Signal()
"""Sent after commit with the keyword argument ``event`` (a models.Event)."""

_actor: ContextVar[tuple[str, str]] = ContextVar("actor", default=("scheduled_job", ""))
_webhooks_disabled: ContextVar[bool] = ContextVar("silent", default=False)


@contextmanager
def act_as(source: str, user: str = "") -> Iterator[None]:
    """Set the source and the user of the events recorded inside the block."""
    token = _actor.set((source, user))
    try:
        yield
    finally:
        _actor.reset(token)


@contextmanager
def without_webhooks() -> Iterator[None]:
    """Record events inside the block without sending their webhooks."""
    token = _webhooks_disabled.set(True)
    try:
        yield
    finally:
        _webhooks_disabled.reset(token)


def record_event(event_type: str, **content: EventSubject) -> Event:
    """Record an event with the named resources; those that are None are left out."""
    source, user = _actor.get()
    status = _initial_webhook_status(event_type)
    event = Event.objects.create(
        handle=identifiers.new_id("ev_"),
        event_type=event_type,
        occurred_at=clock.now_seconds(),
        source=source,
        user=user,
        content=_content_snapshot(content),
        webhook_status=status,
        next_attempt_at=clock.now_seconds() if status == "scheduled" else None,
    )
    transaction.on_commit(lambda: event_recorded.send(Event, event=event))
    return event


def render_event(event: Event) -> Body:
    """Return the event as the API and the webhook have it; only ``webhooks`` tells the state of delivery."""
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
        state = {"id": webhook_endpoint.ENDPOINT_ID, "webhook_status": event.webhook_status, "object": "webhook"}
        body["webhooks"] = [state]
    return body


def primary_card(customer: Customer) -> Body | None:
    """Return the customer's primary payment source as the older card resource; None unless it is a card."""
    source = find_row(PaymentSource, "handle", customer.get("primary_payment_source_id", ""))
    return render_card(source) if source is not None and source["type"] == "card" else None


def render_card(source: PaymentSource) -> Body:
    """Return a card payment source in the shape of the older card resource."""
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


def _initial_webhook_status(event_type: str) -> str:
    endpoint = webhook_endpoint.find_endpoint()
    if endpoint is None or not endpoint.takes_event(event_type):
        return "not_configured"
    # A request that disables webhooks does not disable those of due work that runs inside it.
    is_disabled = _webhooks_disabled.get() and _actor.get()[0] == "api"
    return "disabled" if is_disabled else "scheduled"


def _content_snapshot(content: dict[str, EventSubject]) -> Body:
    subjects = {name: subject for name, subject in content.items() if subject is not None}
    bodies: Body = {name: _render_subject(subject) for name, subject in subjects.items()}
    customer = subjects.get("customer")
    has_no_card = bodies.keys() & {"card", "payment_source", "promotional_credit"}
    if isinstance(customer, Customer) and not has_no_card and (card := primary_card(customer)):
        bodies["card"] = card
    return bodies


def _render_subject(subject: Resource | Sequence[Resource] | Body) -> object:
    match subject:
        case Resource():
            return subject.render_resource()
        case dict():
            return subject
        case _:
            return [row.render_resource() for row in subject]
