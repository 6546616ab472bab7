"""Endpoints of PayPal's payments, for Chargebee.js: the gateway account, the beginning of an attempt, and its end."""

from __future__ import annotations

from chargebee_sandbox.api.errors import invalid_state
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.chargebee_js.frame_api import frame_endpoint
from chargebee_sandbox.engine.payments import payment_intents, paypal_attempts
from chargebee_sandbox.models import PaymentIntent
from chargebee_sandbox.operations.lookup import find_resource


@frame_endpoint
def describe_account(params: Params, handle: str) -> Body:
    """Return the gateway of an intent and what its scripts need. Raises: ApiError 404 for an unknown intent."""
    intent = find_resource(PaymentIntent, handle)
    account = intent["gateway_account_id"]
    return {"gateway": intent["gateway"], "client_id": f"client_{account}", "merchant_id": f"merchant_{account}"}


@frame_endpoint
def begin_attempt(params: Params, handle: str) -> Body:
    """Begin an attempt and return its id, which is the token that PayPal's page gets.

    Raises: ApiError 404 for an unknown intent, 409 for one that cannot be authorized with PayPal any more.
    """
    intent = find_resource(PaymentIntent, handle)
    is_paypal = intent["payment_method_type"] == paypal_attempts.PAYMENT_METHOD_TYPE
    if intent["status"] not in payment_intents.OPEN_STATUSES or not is_paypal:
        raise invalid_state("The payment intent cannot be paid with PayPal now")
    return {"attempt": payment_intents.begin_attempt(intent, "requires_redirection")}


@frame_endpoint
def finish_attempt(params: Params, attempt: str) -> Body:
    """Return how an attempt ended (authorized, cancelled, failed, or over) and its intent.

    A pending attempt is canceled, since the payer has left PayPal.
    """
    intent = paypal_attempts.find_attempted_intent(attempt)
    if intent:
        paypal_attempts.apply_decision(intent, "cancel")
    resource = intent.render_resource() if intent else None
    return {"outcome": paypal_attempts.attempt_state(intent), "payment_intent": resource}
