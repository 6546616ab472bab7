"""Attempts to authorize an intent with PayPal, as the payer decides them in PayPal's window."""

from __future__ import annotations

from chargebee_sandbox import identifiers
from chargebee_sandbox.engine.payments import payment_instruments, payment_intents
from chargebee_sandbox.models import PaymentIntent

PAYMENT_METHOD_TYPE = "paypal_express_checkout"
_DECLINE_ERROR = ("INSTRUMENT_DECLINED", "PayPal could not take a payment from this account")


def find_attempted_intent(attempt: str) -> PaymentIntent | None:
    """Return the intent whose newest attempt this is, or None."""
    return PaymentIntent.objects.filter(attempt_id=attempt).first() if attempt else None


def apply_decision(intent: PaymentIntent, decision: str, email: str = "") -> None:
    """Apply a payer's decision (``agree``, ``fail``, ``cancel``); on an attempt that has ended it changes nothing."""
    if attempt_state(intent) != "pending":
        return
    match decision:
        case "agree":
            agreement = f"B-{identifiers.new_id().upper()}"
            account = intent["gateway_account_id"]
            instrument = payment_instruments.paypal_instrument(email[:100] or None, agreement, account)
            payment_intents.authorize_intent(intent, instrument)
        case "fail":
            payment_intents.decline_attempt(intent, *_DECLINE_ERROR)
        case "cancel":
            payment_intents.cancel_attempt(intent)


def attempt_state(intent: PaymentIntent | None) -> str:
    """Return the state of the intent's newest attempt: pending, authorized, cancelled, failed, or over."""
    if intent is None or intent["status"] == "expired":
        return "over"
    if payment_intents.is_attempt_pending(intent):
        return "pending"
    newest = intent["payment_attempts"][-1]
    if newest["status"] == "authorized":
        return "authorized"
    return "cancelled" if newest.get("error_code") == "cancelled" else "failed"
