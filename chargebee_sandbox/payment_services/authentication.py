"""The APIs of Stripe and Cardinal, as far as their scripts in a merchant's page call them for 3-D Secure."""

from __future__ import annotations

from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from chargebee_sandbox.chargebee_js.challenges import find_intent
from chargebee_sandbox.engine import due_work
from chargebee_sandbox.engine.payments import payment_intents


@require_safe
def serve_attempt(request: HttpRequest, attempt: str) -> JsonResponse:
    """Return whether an attempt waits for its payer; any page may read it."""
    due_work.run_due_work()
    intent = find_intent(attempt)
    if intent is None:
        raise Http404
    status = "requires_action" if payment_intents.is_attempt_pending(intent) else "processed"
    return _open_answer({"id": attempt, "object": "payment_intent", "status": status})


@require_safe
def serve_session(request: HttpRequest) -> JsonResponse:
    """Return the session that Cardinal's script begins with; any page may read it."""
    return _open_answer({"ErrorNumber": 0, "Message": "Success"})


def _open_answer(body: dict[str, object]) -> JsonResponse:
    return JsonResponse(body, headers={"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store"})
