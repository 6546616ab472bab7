"""The issuer's challenge (3-D Secure): the bank's page, of another origin, in a frame above the merchant's page.

The provider, or the gateway whose script opened the frame, redirects it to the issuer, and the issuer, once the payer
has decided, back, so that the merchant's page is told that the attempt has ended.
"""

from __future__ import annotations

import json
from urllib.parse import urlencode, urlsplit

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_http_methods, require_safe

from chargebee_sandbox import clock, event_log, settings
from chargebee_sandbox.chargebee_js import pages
from chargebee_sandbox.chargebee_js.frame_api import is_cross_origin
from chargebee_sandbox.engine import due_work
from chargebee_sandbox.engine.payments import payment_intents, three_d_secure
from chargebee_sandbox.engine.write_lock import hold_write_lock
from chargebee_sandbox.models import PaymentIntent

ISSUER_HOST = "issuer.localhost"
"""Another origin than the provider's on every machine: names under `localhost` are this one (RFC 6761, section 6.3)."""

OPENERS = {
    "127.0.0.1": "/v2/challenges",
    "localhost": "/v2/challenges",
    "hooks.stripe.localhost": "/redirect/authenticate",
    "centinelapi.cardinalcommerce.localhost": "/V2/Cruise/StepUp",
}
"""The hosts that open a challenge, the provider's and the gateways', and where ``opening_page`` is on each."""


@require_safe
def opening_page(request: HttpRequest, attempt: str) -> HttpResponse:
    """Redirect the frame to the issuer while the challenge is pending; tell the merchant's page once it has ended."""
    due_work.run_due_work()
    intent = find_intent(attempt)
    if intent is not None and payment_intents.is_attempt_pending(intent):
        query = urlencode({"parent": request.GET.get("parent", ""), "opener": request.get_host()})
        issuer = f"{request.scheme}://{ISSUER_HOST}:{request.get_port()}"
        return HttpResponseRedirect(f"{issuer}/v2/issuer/{attempt}?{query}")
    ended = json.dumps(intent.render_resource()) if intent else ""
    return pages.render_frame(request, "challenge_end.html", {"intent": ended})


@require_http_methods(["GET", "POST"])
def issuer_page(request: HttpRequest, attempt: str) -> HttpResponse:
    """Show the issuer's page, or apply the payer's ``decision`` (see three_d_secure) and return to the opener."""
    due_work.run_due_work()
    parent, opener = request.GET.get("parent", ""), request.GET.get("opener", "")
    path = OPENERS.get(urlsplit(f"//{opener}").hostname or "")
    if path is None:
        raise Http404
    origin = f"{request.scheme}://{opener}"
    if request.method == "POST" and not is_cross_origin(request):
        with hold_write_lock(), clock.hold_time(), event_log.act_as("js_api"):
            _apply_decision(attempt, request.POST.get("decision", ""))
    intent = find_intent(attempt)
    if intent is None or not payment_intents.is_attempt_pending(intent):
        return HttpResponseRedirect(f"{origin}{path}/{attempt}?{urlencode({'parent': parent})}")
    context = {
        "amount": f"{intent['amount'] / 100:,.2f} {intent['currency_code']}" if intent["amount"] else "",
        "last4": (intent.instrument or {})["card"]["last4"],
        "site": settings.SANDBOX_SITE,
    }
    embedders = " ".join(pages.portal_origins())
    policy = f"{pages.OWN_ORIGIN_POLICY}; form-action 'self' {origin}; frame-ancestors {embedders}"
    return pages.render_page(request, "issuer.html", context, policy)


def find_intent(attempt: str) -> PaymentIntent | None:
    """Return the card intent whose newest attempt this is, or None."""
    return PaymentIntent.objects.filter(attempt_id=attempt, body__payment_method_type="card").first()


def _apply_decision(attempt: str, decision: str) -> None:
    intent = find_intent(attempt)
    if intent is not None and payment_intents.is_attempt_pending(intent):
        three_d_secure.decide_challenge(intent, decision)
