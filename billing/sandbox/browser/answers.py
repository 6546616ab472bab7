"""How addresses for frames are answered: JSON in, JSON out, the provider's errors, one write at a time."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from functools import wraps
from hmac import compare_digest

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase

from billing.sandbox import clock, events, settings
from billing.sandbox.body import Body
from billing.sandbox.engine import due
from billing.sandbox.engine.lock import writing
from billing.sandbox.wire.errors import ApiError
from billing.sandbox.wire.params import Params

logger = logging.getLogger(__name__)


def from_a_frame(act: Callable[..., Body]) -> Callable[..., HttpResponseBase]:
    """Turn ``act(params, **arguments)`` into a view for POSTs of our own frames, acting once, alone, at one instant.

    What was sent is never logged: it may hold a card number.
    """

    @wraps(act)
    def view(request: HttpRequest, **arguments: str) -> JsonResponse:
        try:
            params = _params(request)
            _check_site(params)
            with writing():
                due.settle()
                with clock.at(), events.acting("js_api"):
                    return _json(act(params, **arguments), 200)
        except ApiError as error:
            return _json(error.body(), error.status)
        except Exception:
            logger.exception("%s failed", request.path)
            return _json(ApiError(500, "internal_error", "Sorry, something went wrong").body(), 500)

    return view


def is_from_elsewhere(request: HttpRequest) -> bool:
    """Whether a page of another origin sent this; a program, which names no origin, did not."""
    own = f"{request.scheme}://{request.get_host()}"
    return request.headers.get("Origin", own) != own


def _params(request: HttpRequest) -> Params:
    if request.method != "POST":
        raise ApiError(405, "http_method_not_supported", f"{request.method} is not supported here")
    if is_from_elsewhere(request):
        raise ApiError(403, "request_blocked", "Only the provider's own frames may send this")
    try:
        sent = json.loads(request.body)
    except ValueError:
        sent = None
    if request.content_type != "application/json" or not isinstance(sent, dict):
        raise ApiError(400, "invalid_request", "A JSON object is expected")
    return Params(sent)


def _check_site(params: Params) -> None:
    if params.needed("site") != settings.SANDBOX_SITE:
        raise ApiError(404, "site_not_found", "There is no such site")
    key = params.text("key") or ""
    if not compare_digest(key.encode(), settings.SANDBOX_PUBLISHABLE_KEY.encode()):
        raise ApiError(401, "api_authentication_failed", "The publishable key is not this site's")


def _json(body: Body, status: int) -> JsonResponse:
    return JsonResponse(body, status=status, headers={"Cache-Control": "no-store"})
