"""Alive and ready: the database decides, the broker and the provider are only named."""

from __future__ import annotations

import os
import socket
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection
from django.db.utils import Error as DatabaseError
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from operators.network import may_reach_the_admin

# Long enough for a healthy peer far away, short enough for a probe that asks every few seconds.
TIME_BOX_SECONDS = 1.0

_checks = ThreadPoolExecutor(max_workers=4, thread_name_prefix="readyz")


def _reachable(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=TIME_BOX_SECONDS):
            return True
    except OSError:
        return False


def broker_is_reachable() -> bool:
    """Whether a task could be handed over now."""
    if settings.CELERY_BROKER_URL.startswith(("redis://", "rediss://")):
        address = urlsplit(settings.CELERY_BROKER_URL)
        return _reachable(address.hostname or "127.0.0.1", address.port or 6379)
    if settings.CELERY_BROKER_URL.startswith("filesystem://"):
        return os.access(settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_in"], os.W_OK)
    return True


def provider_is_reachable() -> bool:
    """Whether the provider's address accepts connections; no request is made, so nothing counts against its limit."""
    endpoint = settings.CHARGEBEE_ENDPOINT or f"https://{settings.CHARGEBEE_SITE}.chargebee.com/api/v2"
    address = urlsplit(endpoint)
    return _reachable(address.hostname or "", address.port or (443 if address.scheme == "https" else 80))


def database_answers() -> bool:
    """Whether the database answers the simplest question."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return True
    except DatabaseError:
        return False


def _word(check: Future[bool]) -> str:
    # The box is around the whole check: looking a name up has no time limit of its own.
    try:
        return "ok" if check.result(timeout=TIME_BOX_SECONDS) else "down"
    except FutureTimeout:
        return "down"


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """Say that the process answers."""
    return JsonResponse({"status": "ok"})


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Say whether the portal can serve; 503 only when the database is down, since reads need nothing else.

    What it stands on is told to those networks alone that may reach the admin.
    """
    parts = _parts() if may_reach_the_admin(request) else {}
    ready = database_answers()
    state = "ok" if ready else "down"
    told = {"database": state, **{name: _word(check) for name, check in parts.items()}} if parts else {}
    return JsonResponse({"status": state, **told}, status=200 if ready else 503)


def _parts() -> dict[str, Future[bool]]:
    return {
        "broker": _checks.submit(broker_is_reachable),
        "provider": _checks.submit(provider_is_reachable),
    }
