"""PayPal: the frame of its button, and its window, where a payer agrees, cancels, or is declined."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from chargebee_sandbox import clock, event_log, settings
from chargebee_sandbox.chargebee_js import pages
from chargebee_sandbox.chargebee_js.frame_api import is_cross_origin
from chargebee_sandbox.engine import due_work
from chargebee_sandbox.engine.payments import paypal_attempts
from chargebee_sandbox.engine.write_lock import hold_write_lock
from chargebee_sandbox.models import Customer, PaymentIntent

# The accessible names of PayPal's button, by the label of its style.
_LABELS = {"paypal": "PayPal", "checkout": "PayPal Checkout", "pay": "Pay with PayPal", "buynow": "Buy now with PayPal"}


@require_safe
def serve_button(request: HttpRequest) -> HttpResponse:
    """Serve the document for the frame of the button."""
    label = _LABELS.get(request.GET.get("label", ""), _LABELS["paypal"])
    return pages.render_frame(request, "paypal_button.html", {"label": label})


@require_http_methods(["GET", "POST"])
def serve_window(request: HttpRequest) -> HttpResponse:
    """Show the payer's page, or apply the ``decision``: ``agree`` (with an ``email``), ``cancel``, or ``fail``.

    Without a token it waits: the button opens the window before it has asked for one.
    """
    due_work.run_due_work()
    attempt = request.GET.get("token", "")
    intent = paypal_attempts.find_attempted_intent(attempt)
    if intent and request.method == "POST" and not is_cross_origin(request):
        with hold_write_lock(), clock.hold_time(), event_log.act_as("js_api"):
            intent.refresh_from_db()
            paypal_attempts.apply_decision(intent, request.POST.get("decision", ""), request.POST.get("email", ""))
    context = _describe_attempt(intent) if attempt else {"state": "waiting"}
    status = 404 if attempt and intent is None else 200
    return pages.render_page(request, "paypal_window.html", context, pages.TOP_WINDOW_POLICY, status=status)


@require_POST
def receive_log(request: HttpRequest) -> HttpResponse:
    """Accept what the script in the merchant's page reports to PayPal, and forget it."""
    return HttpResponse(status=204, headers={"Access-Control-Allow-Origin": "*"})


def _describe_attempt(intent: PaymentIntent | None) -> dict[str, str]:
    customer = Customer.objects.filter(handle=intent.customer_id).first() if intent else None
    return {
        "state": paypal_attempts.attempt_state(intent),
        "amount": f"{intent['amount'] / 100:,.2f} {intent['currency_code']}" if intent else "",
        "email": customer.get("email", "") if customer else "",
        "site": settings.SANDBOX_SITE,
    }
