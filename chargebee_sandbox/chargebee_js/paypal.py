"""PayPal, represented by a page of the sandbox: a payer agrees, cancels, or is declined."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_http_methods, require_safe

from chargebee_sandbox import clock, event_log, identifiers, settings
from chargebee_sandbox.api.errors import invalid_state
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.chargebee_js import pages
from chargebee_sandbox.chargebee_js.frame_api import frame_endpoint, is_cross_origin
from chargebee_sandbox.engine import due_work
from chargebee_sandbox.engine.payments import payment_instruments, payment_intents
from chargebee_sandbox.engine.write_lock import hold_write_lock
from chargebee_sandbox.models import Customer, PaymentIntent
from chargebee_sandbox.operations.lookup import find_resource

PAYMENT_METHOD_TYPE = "paypal_express_checkout"
_DECLINE_ERROR = ("INSTRUMENT_DECLINED", "PayPal could not take a payment from this account")


@frame_endpoint
def begin_paypal_attempt(params: Params, handle: str) -> Body:
    """Begin an attempt, whose id is in the URL of the payer's page.

    Raises: ApiError 404 for an unknown intent, 409 for one that cannot be authorized with PayPal any more.
    """
    intent = find_resource(PaymentIntent, handle)
    if intent["status"] not in payment_intents.OPEN_STATUSES or intent["payment_method_type"] != PAYMENT_METHOD_TYPE:
        raise invalid_state("The payment intent cannot be paid with PayPal now")
    return {"attempt": payment_intents.begin_attempt(intent, "requires_redirection")}


@require_http_methods(["GET", "POST"])
def approval_page(request: HttpRequest, attempt: str) -> HttpResponse:
    """Show the payer's page, or apply the ``decision``: ``agree`` (with an ``email``), ``cancel``, or ``fail``."""
    due_work.run_due_work()
    if request.method == "POST" and not is_cross_origin(request):
        with hold_write_lock(), clock.hold_time(), event_log.act_as("js_api"):
            _apply_decision(attempt, request.POST.get("decision", ""), request.POST.get("email", ""))
    intent = _find_intent(attempt)
    customer = Customer.objects.filter(handle=intent.customer_id).first() if intent else None
    context = {
        "state": _attempt_state(intent),
        "amount": f"{intent['amount'] / 100:,.2f} {intent['currency_code']}" if intent else "",
        "email": customer.get("email", "") if customer else "",
        "site": settings.SANDBOX_SITE,
    }
    return pages.render_page(request, "paypal.html", context, pages.TOP_WINDOW_POLICY, status=200 if intent else 404)


@require_safe
def attempt_outcome(request: HttpRequest, attempt: str) -> HttpResponse:
    """Return the state of an attempt (pending, authorized, cancelled, failed, or over) and its intent."""
    due_work.run_due_work()
    intent = _find_intent(attempt)
    body = {"outcome": _attempt_state(intent), "payment_intent": intent.render_resource() if intent else None}
    return JsonResponse(body, headers={"Cache-Control": "no-store"})


def _find_intent(attempt: str) -> PaymentIntent | None:
    """Return the intent whose newest attempt this is, or None."""
    return PaymentIntent.objects.filter(attempt_id=attempt).first()


def _apply_decision(attempt: str, decision: str, email: str) -> None:
    """Apply a payer's decision to a pending attempt; on any other attempt it changes nothing."""
    intent = _find_intent(attempt)
    if intent is None or _attempt_state(intent) != "pending":
        return
    match decision:
        case "agree":
            agreement = f"B-{identifiers.new_id().upper()}"
            payment_intents.authorize_intent(
                intent, payment_instruments.paypal_instrument(email[:100] or None, agreement)
            )
        case "fail":
            payment_intents.decline_attempt(intent, *_DECLINE_ERROR)
        case "cancel":
            payment_intents.cancel_attempt(intent)


def _attempt_state(intent: PaymentIntent | None) -> str:
    if intent is None or intent["status"] == "expired":
        return "over"
    if payment_intents.is_attempt_pending(intent):
        return "pending"
    newest = intent["payment_attempts"][-1]
    if newest["status"] == "authorized":
        return "authorized"
    return "cancelled" if newest.get("error_code") == "cancelled" else "failed"
