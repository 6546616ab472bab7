"""Endpoints for the frames: JSON in, JSON out, errors in the provider's shape, serialized writes."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from functools import wraps
from hmac import compare_digest

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase

from chargebee_sandbox import clock, event_log, settings
from chargebee_sandbox.api.errors import ApiError
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine import due_work
from chargebee_sandbox.engine.write_lock import hold_write_lock

logger = logging.getLogger(__name__)


def frame_endpoint(handler: Callable[..., Body]) -> Callable[..., HttpResponseBase]:
    """Turn ``handler(params, **arguments)`` into a view for POSTs of our frames, under the write lock.

    Requests are never logged: they may hold a card number.
    """

    @wraps(handler)
    def handle_request(request: HttpRequest, **arguments: str) -> JsonResponse:
        try:
            params = _read_params(request)
            _check_site(params)
            with hold_write_lock():
                due_work.run_due_work()
                with clock.hold_time(), event_log.act_as("js_api"):
                    return _json_response(handler(params, **arguments), 200)
        except ApiError as error:
            return _json_response(error.as_body(), error.status)
        except Exception:
            logger.exception("%s failed", request.path)
            return _json_response(ApiError(500, "internal_error", "Sorry, something went wrong").as_body(), 500)

    return handle_request


def is_cross_origin(request: HttpRequest) -> bool:
    """Return whether a page of another origin sent this; a program sends no origin."""
    own_origin = f"{request.scheme}://{request.get_host()}"
    return request.headers.get("Origin", own_origin) != own_origin


def _read_params(request: HttpRequest) -> Params:
    if request.method != "POST":
        raise ApiError(405, "http_method_not_supported", f"{request.method} is not supported here")
    if is_cross_origin(request):
        raise ApiError(403, "request_blocked", "Only the provider's own frames may send this")
    try:
        payload = json.loads(request.body)
    except ValueError:
        payload = None
    if request.content_type != "application/json" or not isinstance(payload, dict):
        raise ApiError(400, "invalid_request", "A JSON object is expected")
    return Params(payload)


def _check_site(params: Params) -> None:
    if params.required_text("site") != settings.SANDBOX_SITE:
        raise ApiError(404, "site_not_found", "There is no such site")
    key = params.text("key") or ""
    if not compare_digest(key.encode(), settings.SANDBOX_PUBLISHABLE_KEY.encode()):
        raise ApiError(401, "api_authentication_failed", "The publishable key is not this site's")


def _json_response(body: Body, status: int) -> JsonResponse:
    return JsonResponse(body, status=status, headers={"Cache-Control": "no-store"})
