"""Receiving events: authenticate before anything is read, store, answer (contract, `POST /webhooks/chargebee`)."""

import base64
import binascii
import json
import secrets

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from billing.services import inbox
from portal.errors import InvalidInput


@csrf_exempt
@require_POST
def receive_event(request: HttpRequest) -> HttpResponse:
    """Store an event: 200 once stored, 401 for other credentials, 400 for nonsense, 503 when it cannot be stored."""
    if not _is_provider(request.headers.get("Authorization", "")):
        return HttpResponse(status=401, headers={"WWW-Authenticate": 'Basic realm="webhooks"'})
    if request.content_type != "application/json":
        return HttpResponse(status=415)
    try:
        body = json.loads(request.body)
        inbox.receive(body)
    except (ValueError, RecursionError, InvalidInput):
        return HttpResponse(status=400)
    except DatabaseError:
        # The provider tries again later; nothing is half stored.
        return HttpResponse(status=503, headers={"Retry-After": "60"})
    return HttpResponse(status=200)


def _is_provider(header: str) -> bool:
    """Compare the credentials in constant time with each password that is valid while one replaces another."""
    scheme, _, encoded = header.partition(" ")
    try:
        given = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        given = b""
    expected = [
        f"{settings.CHARGEBEE_WEBHOOK_USERNAME}:{password}".encode()
        for password in settings.CHARGEBEE_WEBHOOK_PASSWORDS
    ]
    matches = [secrets.compare_digest(given, credentials) for credentials in expected]
    return scheme.lower() == "basic" and any(matches)
