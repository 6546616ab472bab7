"""Properties of a request: whether it expects JSON, and its id."""

from __future__ import annotations

from django.http import HttpRequest

from portal.monitoring import logs

JSON_PREFIXES = ("/api/", "/webhooks/")


def is_json_request(request: HttpRequest) -> bool:
    """Return whether the request is for the API or a webhook, which respond with JSON."""
    return f"{request.path_info}/".startswith(JSON_PREFIXES)


def request_id_of(request: HttpRequest | None) -> str:
    """Return the request's id in the logs."""
    return getattr(request, "request_id", None) or logs.current_request_id()
