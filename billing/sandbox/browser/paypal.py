"""PayPal, played by a page of the sandbox: a payer agrees, goes back, or cannot pay."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_http_methods, require_safe

from billing.sandbox import clock, events, identifiers, settings
from billing.sandbox.body import Body
from billing.sandbox.browser import pages
from billing.sandbox.browser.answers import from_a_frame, is_from_elsewhere
from billing.sandbox.engine import due, instruments, intents
from billing.sandbox.engine.lock import writing
from billing.sandbox.models import Customer, PaymentIntent
from billing.sandbox.operations.lookup import found
from billing.sandbox.wire.errors import invalid_state
from billing.sandbox.wire.params import Params

METHOD = "paypal_express_checkout"
_DECLINED = ("INSTRUMENT_DECLINED", "PayPal could not take a payment from this account")


@from_a_frame
def begin(params: Params, handle: str) -> Body:
    """Begin an attempt, whose id is the address of the payer's page.

    Raises: ApiError 404 for an unknown intent, 409 for one that nobody can agree to with PayPal any more.
    """
    intent = found(PaymentIntent, handle)
    if intent["status"] not in intents.OPEN or intent["payment_method_type"] != METHOD:
        raise invalid_state("The payment intent cannot be paid with PayPal now")
    return {"attempt": intents.begin_attempt(intent, "requires_redirection")}


@require_http_methods(["GET", "POST"])
def page(request: HttpRequest, attempt: str) -> HttpResponse:
    """Ask the payer, or take the answer: ``decision`` is ``agree`` (with an ``email``), ``cancel`` or ``fail``."""
    due.settle()
    if request.method == "POST" and not is_from_elsewhere(request):
        with writing(), clock.at(), events.acting("js_api"):
            _decide(attempt, request.POST.get("decision", ""), request.POST.get("email", ""))
    intent = _intent(attempt)
    customer = Customer.objects.filter(handle=intent.customer_id).first() if intent else None
    context = {
        "state": _state(intent),
        "amount": f"{intent['amount'] / 100:,.2f} {intent['currency_code']}" if intent else "",
        "email": customer.get("email", "") if customer else "",
        "site": settings.SANDBOX_SITE,
    }
    return pages.document(request, "paypal.html", context, pages.TOP_POLICY, status=200 if intent else 404)


@require_safe
def outcome(request: HttpRequest, attempt: str) -> HttpResponse:
    """How an attempt stands (pending, authorized, cancelled, failed or over), with its intent."""
    due.settle()
    intent = _intent(attempt)
    body = {"outcome": _state(intent), "payment_intent": intent.render() if intent else None}
    return JsonResponse(body, headers={"Cache-Control": "no-store"})


def _intent(attempt: str) -> PaymentIntent | None:
    """The intent whose newest attempt this is."""
    return PaymentIntent.objects.filter(attempt_id=attempt).first()


def _decide(attempt: str, decision: str, email: str) -> None:
    """Take a payer's answer; a second one, and one that comes too late, changes nothing."""
    intent = _intent(attempt)
    if intent is None or _state(intent) != "pending":
        return
    match decision:
        case "agree":
            agreement = f"B-{identifiers.new().upper()}"
            intents.authorize(intent, instruments.paypal(email[:100] or None, agreement))
        case "fail":
            intents.refuse(intent, *_DECLINED)
        case "cancel":
            intents.call_off(intent)


def _state(intent: PaymentIntent | None) -> str:
    if intent is None or intent["status"] == "expired":
        return "over"
    ended = intent["payment_attempts"][-1]
    if intents.is_pending(intent):
        return "pending"
    if ended["status"] == "authorized":
        return "authorized"
    return "cancelled" if ended.get("error_code") == "cancelled" else "failed"
