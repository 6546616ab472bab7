"""What happens around every request: its id, and for the API its size, its case and its freshness."""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.functional import LazyObject

from portal import logs, metrics
from portal.api.case import to_snake
from portal.api.errors import PayloadTooLarge, error_response, translate
from portal.api.requests import speaks_json

Handler = Callable[[HttpRequest], HttpResponse]

REQUEST_ID = re.compile(r"^[A-Za-z0-9._-]{8,64}$")

access = logging.getLogger("portal.access")


class RequestIdMiddleware:
    """Takes `X-Request-ID` from the proxy when it is well-formed, makes one otherwise, and answers with it."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request under its id, and log that."""
        given = request.headers.get("X-Request-ID", "")
        request_id = given if REQUEST_ID.match(given) else uuid.uuid4().hex
        request.request_id = request_id  # type: ignore[attr-defined]  # read by `request_id_of` alone
        began = time.monotonic()
        with logs.working_for(request_id):
            response = self.get_response(request)
            _note(request, response, time.monotonic() - began)
        response["X-Request-ID"] = request_id
        return response


def _note(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    """Log and count an answer, by its route and not by its address: that holds ids, and signed links."""
    match = request.resolver_match
    method, route = request.method or "", match.route if match else ""
    metrics.observe_request(method, route, response.status_code, seconds)
    # Looking at the user of a page would ask the database for one; only those that are known already are told.
    user = vars(request).get("user")
    access.info(
        "answered",
        extra={
            "method": method,
            "route": route,
            "status": response.status_code,
            "milliseconds": round(seconds * 1000, 1),
            "user": None if user is None or isinstance(user, LazyObject) else user.pk,
        },
    )


class ApiMiddleware:
    """Refuses over-large bodies, takes query keys in either case, and keeps answers out of every cache."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request, within the API's rules when it is one for the API."""
        if not speaks_json(request):
            return self.get_response(request)
        response = self._too_large(request) or self._answer(request)
        response.setdefault("Cache-Control", "no-store")
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer an expected failure of a view that is not one of DRF's; the others rise."""
        expected = translate(exception) if speaks_json(request) else None
        return error_response(request, expected) if expected else None

    def _too_large(self, request: HttpRequest) -> HttpResponse | None:
        if _content_length(request) <= settings.API_BODY_LIMIT:
            return None
        return error_response(request, PayloadTooLarge())

    def _answer(self, request: HttpRequest) -> HttpResponse:
        if request.GET:
            request.GET = _snaked_query(request.GET)  # type: ignore[assignment]  # as immutable as it was
        return self.get_response(request)


def _content_length(request: HttpRequest) -> int:
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0


def _snaked_query(query: QueryDict) -> QueryDict:
    snaked = QueryDict(mutable=True, encoding=query.encoding)
    for key, values in query.lists():
        for value in values:
            snaked.appendlist(to_snake(key), value)
    snaked._mutable = False
    return snaked
