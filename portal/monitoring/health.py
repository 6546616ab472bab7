"""Liveness and readiness probes. Only the database decides on readiness; the other details are informational."""

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

from billing.health.heartbeat import is_background_work_running
from core.clock import database_now
from operators.network import can_reach_admin

# Long enough for a distant healthy peer, short enough for a probe that runs every few seconds.
TIME_BOX_SECONDS = 1.0

_check_pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="readyz")


def _is_reachable(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=TIME_BOX_SECONDS):
            return True
    except OSError:
        return False


def is_broker_reachable() -> bool:
    """Return whether a task could be published now."""
    if settings.CELERY_BROKER_URL.startswith(("redis://", "rediss://")):
        address = urlsplit(settings.CELERY_BROKER_URL)
        return _is_reachable(address.hostname or "127.0.0.1", address.port or 6379)
    if settings.CELERY_BROKER_URL.startswith("filesystem://"):
        return os.access(settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_in"], os.W_OK)
    return True


def is_provider_reachable() -> bool:
    """Return whether the provider accepts connections; no request is sent, so none counts against the rate limit."""
    endpoint = settings.CHARGEBEE_ENDPOINT or f"https://{settings.CHARGEBEE_SITE}.chargebee.com/api/v2"
    address = urlsplit(endpoint)
    return _is_reachable(address.hostname or "", address.port or (443 if address.scheme == "https" else 80))


def is_database_reachable() -> bool:
    """Return whether the database runs a query."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return True
    except DatabaseError:
        return False


def _check_status(check: Future[bool]) -> str:
    # The timeout covers the whole check, because a DNS lookup has none of its own.
    try:
        return "ok" if check.result(timeout=TIME_BOX_SECONDS) else "down"
    except FutureTimeout:
        return "down"


@require_safe
@never_cache
def liveness_probe(request: HttpRequest) -> JsonResponse:
    """Return that the process is alive."""
    return JsonResponse({"status": "ok"})


@require_safe
@never_cache
def readiness_probe(request: HttpRequest) -> JsonResponse:
    """Return whether the portal can serve requests; 503 only if the database is down, because reads need nothing else.

    The details are shown only to networks that may reach the admin.
    """
    checks = _start_checks() if can_reach_admin(request) else {}
    is_ready = is_database_reachable()
    status = "ok" if is_ready else "down"
    results = {name: _check_status(check) for name, check in checks.items()}
    details = {"database": status, "workers": _workers_status(is_ready=is_ready), **results} if checks else {}
    return JsonResponse({"status": status, **details}, status=200 if is_ready else 503)


def _workers_status(*, is_ready: bool) -> str:
    """Return whether workers take what beat sends; unknown without the database, where they say so."""
    if not is_ready:
        return "unknown"
    return "ok" if is_background_work_running(database_now()) else "down"


def _start_checks() -> dict[str, Future[bool]]:
    return {
        "broker": _check_pool.submit(is_broker_reachable),
        "provider": _check_pool.submit(is_provider_reachable),
    }
