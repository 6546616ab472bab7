"""Payment intents: a payment, or permission for later ones, that its payer agrees to in the browser.

``inited`` until a payer begins, ``in_progress`` while one decides, ``authorized`` once one agreed, ``consumed`` when a
payment source was made of it; half an hour after it was made, an intent that was not consumed is ``expired``. A refused
attempt leaves it in progress, one that was called off ``inited``, and another attempt may follow.
"""

from __future__ import annotations

from typing import Any

from billing.sandbox import clock, events, identifiers
from billing.sandbox.body import Body
from billing.sandbox.models import PaymentIntent

LIFETIME = 30 * 60
"""Seconds of the site's clock from the making of an intent to its end."""

OPEN = ("inited", "in_progress")
"""Statuses in which a payer may still agree, and the intent may be changed."""


def make(body: Body, customer_id: str) -> PaymentIntent:
    """A new intent with these public attributes."""
    now = clock.now()
    times = {"created_at": now, "modified_at": now, "expires_at": now + LIFETIME}
    intent = PaymentIntent.make(
        "".join(identifiers.new() for _ in range(3)),
        {"status": "inited", **body, **times},
        customer_id=customer_id,
        due_at=now + LIFETIME,
    )
    intent.save()
    events.record("payment_intent_created", payment_intent=intent)
    return intent


def change(intent: PaymentIntent, **attributes: Any) -> None:
    """Set public attributes, save and tell."""
    intent.change(**attributes, modified_at=clock.now())
    intent.save()
    events.record("payment_intent_updated", payment_intent=intent)


def is_pending(intent: PaymentIntent) -> bool:
    """Whether the newest attempt waits for its payer."""
    attempt = intent.get("active_payment_attempt", {})
    return str(attempt.get("status", "")).startswith("requires_")


def begin_attempt(intent: PaymentIntent, status: str) -> str:
    """A payer begins; an attempt under way is given up for it. Returns the attempt's id, which nobody can guess."""
    if is_pending(intent):
        _note(intent, "refused", error_code="abandoned", error_text="Another attempt was begun")
    intent.attempt_id = identifiers.new("pa_") + identifiers.new()
    now = clock.now()
    attempt = {
        "id": intent.attempt_id,
        "status": status,
        "payment_method_type": intent["payment_method_type"],
        "created_at": now,
        "modified_at": now,
        "object": "payment_attempt",
    }
    attempts = [*intent.get("payment_attempts", []), attempt]
    change(intent, status="in_progress", active_payment_attempt=attempt, payment_attempts=attempts)
    return intent.attempt_id


def authorize(intent: PaymentIntent, instrument: Body, refusal: str = "") -> None:
    """The payer agreed to pay with this; ``refusal`` is what its gateway will answer to charges."""
    intent.instrument, intent.refusal = instrument, refusal
    _note(intent, "authorized", id_at_gateway=instrument["reference_id"])
    change(intent, status="authorized")


def refuse(intent: PaymentIntent, error_code: str, error_text: str) -> None:
    """The attempt failed; the payer may try again."""
    _note(intent, "refused", error_code=error_code, error_text=error_text)
    change(intent, status="in_progress")


def call_off(intent: PaymentIntent) -> None:
    """The payer went back without deciding; the intent is as if nobody had begun."""
    _note(intent, "refused", error_code="cancelled", error_text="The payer cancelled")
    change(intent, status="inited", active_payment_attempt=None)


def consume(intent: PaymentIntent) -> None:
    """A payment source was made of it."""
    intent.due_at = None
    change(intent, status="consumed")


def expire(intent: PaymentIntent) -> None:
    """Its time is over, whatever had been agreed."""
    intent.due_at, intent.instrument = None, None
    change(intent, status="expired")


def _note(intent: PaymentIntent, status: str, **more: str) -> None:
    """Write down how the attempt under way ended, unsaved."""
    *earlier, attempt = intent["payment_attempts"]
    ended = {**attempt, "status": status, "modified_at": clock.now(), **more}
    intent.change(active_payment_attempt=ended, payment_attempts=[*earlier, ended])
