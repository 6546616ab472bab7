"""POST /webhooks/chargebee: authenticate before reading anything, store the event, answer."""

import base64
import binascii
import json
import secrets

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from billing.mirror.events import webhook_intake
from core.errors import InvalidInput


@csrf_exempt
@require_POST
def receive_event(request: HttpRequest) -> HttpResponse:
    """Store an event. 200 once stored, 401 for wrong credentials, 400 for an invalid body, 503 when storing fails."""
    if not _is_provider(request.headers.get("Authorization", "")):
        return HttpResponse(status=401, headers={"WWW-Authenticate": 'Basic realm="webhooks"'})
    if request.content_type != "application/json":
        return HttpResponse(status=415)
    try:
        body = json.loads(request.body)
        webhook_intake.store_webhook_event(body)
    except (ValueError, RecursionError, InvalidInput):
        return HttpResponse(status=400)
    except DatabaseError:
        # The provider retries later; the failed transaction left nothing behind.
        return HttpResponse(status=503, headers={"Retry-After": "60"})
    return HttpResponse(status=200)


def _is_provider(header: str) -> bool:
    """Compare the credentials in constant time with each valid password; during a rotation there are two."""
    scheme, _, encoded = header.partition(" ")
    try:
        credentials = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        credentials = b""
    expected = [
        f"{settings.CHARGEBEE_WEBHOOK_USERNAME}:{password}".encode()
        for password in settings.CHARGEBEE_WEBHOOK_PASSWORDS
    ]
    matches = [secrets.compare_digest(credentials, candidate) for candidate in expected]
    return scheme.lower() == "basic" and any(matches)
