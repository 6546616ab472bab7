"""Braintree's API, as far as its scripts in a merchant's page call it."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe


@require_safe
def serve_configuration(request: HttpRequest, merchant: str) -> JsonResponse:
    """Return a merchant's configuration, with the client id for PayPal's SDK; any page may read it."""
    body = {"merchantId": merchant, "paypal": {"braintreeClientId": f"client_{merchant}"}}
    return JsonResponse(body, headers={"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store"})
