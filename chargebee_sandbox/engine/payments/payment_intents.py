"""Payment intents: a payment, or permission for later ones, that the payer authorizes in the browser.

An intent is ``inited`` until a payer begins an attempt, ``in_progress`` during attempts, ``authorized`` once the payer
has agreed, and ``consumed`` when a payment source was created or a payment was collected with it. One that is not
consumed within half an hour is ``expired``. After a declined attempt an intent stays in progress, after a canceled one
at PayPal it is ``inited`` again, and another attempt may follow.
"""

from __future__ import annotations

from typing import Any

from chargebee_sandbox import clock, event_log, identifiers
from chargebee_sandbox.body import Body
from chargebee_sandbox.models import PaymentIntent

LIFETIME_SECONDS = 30 * 60
"""How long an intent is valid, in seconds of the site's clock."""

OPEN_STATUSES = ("inited", "in_progress")
"""Statuses in which the payer can authorize the intent and the merchant can update it."""


def create_intent(body: Body, customer_id: str) -> PaymentIntent:
    """Create an intent with these public attributes."""
    now = clock.now_seconds()
    times = {"created_at": now, "modified_at": now, "expires_at": now + LIFETIME_SECONDS}
    intent = PaymentIntent.build_row(
        "".join(identifiers.new_id() for _ in range(3)),
        {"status": "inited", **body, **times},
        customer_id=customer_id,
        due_at=now + LIFETIME_SECONDS,
    )
    intent.save()
    event_log.record_event("payment_intent_created", payment_intent=intent)
    return intent


def update_intent(intent: PaymentIntent, **attributes: Any) -> None:
    """Set public attributes, save, and record the event."""
    intent.set_attributes(**attributes, modified_at=clock.now_seconds())
    intent.save()
    event_log.record_event("payment_intent_updated", payment_intent=intent)


def is_attempt_pending(intent: PaymentIntent) -> bool:
    """Return whether the newest attempt waits for its payer."""
    attempt = intent.get("active_payment_attempt", {})
    return str(attempt.get("status", "")).startswith("requires_")


def begin_attempt(intent: PaymentIntent, status: str) -> str:
    """Begin an attempt, which ends a pending one. Return the attempt's unguessable id."""
    if is_attempt_pending(intent):
        _end_attempt(intent, "refused", error_code="abandoned", error_text="Another attempt was begun")
    intent.attempt_id = identifiers.new_id("pa_") + identifiers.new_id()
    now = clock.now_seconds()
    attempt = {
        "id": intent.attempt_id,
        "status": status,
        "payment_method_type": intent["payment_method_type"],
        "created_at": now,
        "modified_at": now,
        "object": "payment_attempt",
    }
    attempts = [*intent.get("payment_attempts", []), attempt]
    update_intent(intent, status="in_progress", active_payment_attempt=attempt, payment_attempts=attempts)
    return intent.attempt_id


def authorize_intent(intent: PaymentIntent, instrument: Body, refusal: str = "") -> None:
    """Authorize the intent with an instrument; ``refusal`` is the gateway's decline code for charges of it."""
    intent.instrument, intent.refusal = instrument, refusal
    _end_attempt(intent, "authorized", id_at_gateway=instrument["reference_id"])
    update_intent(intent, status="authorized")


def decline_attempt(intent: PaymentIntent, error_code: str, error_text: str) -> None:
    """End an attempt as declined; the payer may try again."""
    _end_attempt(intent, "refused", error_code=error_code, error_text=error_text)
    update_intent(intent, status="in_progress")


def cancel_attempt(intent: PaymentIntent) -> None:
    """End an attempt that the payer canceled; the intent is ``inited`` again."""
    _end_attempt(intent, "refused", error_code="cancelled", error_text="The payer cancelled")
    update_intent(intent, status="inited", active_payment_attempt=None)


def consume_intent(intent: PaymentIntent) -> None:
    """Mark an intent as consumed."""
    intent.due_at = None
    update_intent(intent, status="consumed")


def expire_intent(intent: PaymentIntent) -> None:
    """Mark an intent as expired and drop its instrument."""
    intent.due_at, intent.instrument = None, None
    update_intent(intent, status="expired")


def _end_attempt(intent: PaymentIntent, status: str, **more: str) -> None:
    """Set how the newest attempt ended, unsaved."""
    *earlier, attempt = intent["payment_attempts"]
    ended = {**attempt, "status": status, "modified_at": clock.now_seconds(), **more}
    intent.set_attributes(active_payment_attempt=ended, payment_attempts=[*earlier, ended])
