"""Middleware for request ids and access logs, and for the API's size limit, query keys and caching headers."""

from __future__ import annotations

import hashlib
import logging
import re
import time
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from django.conf import settings
from django.db import Error as DatabaseFailure
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.functional import LazyObject

from core import fair_share
from core.limits import Throttled
from core.tracing import NO_SPAN, Span, SpanKind, open_span
from operators.models import AccountView
from portal.api.case import to_snake
from portal.api.errors import PayloadTooLarge, error_response, translate_error
from portal.api.hot_reads import answer_hot_read
from portal.api.requests import is_json_request
from portal.monitoring import logs, metrics
from portal.monitoring.tracing import is_traced

Handler = Callable[[HttpRequest], HttpResponse]

REQUEST_ID = re.compile(r"^[A-Za-z0-9._-]{8,64}$")

access_logger = logging.getLogger("portal.access")


class RequestIdMiddleware:
    """Sets the request's id, from a valid `X-Request-ID` header or a new one, and returns it in the response."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Bind the request's id, and log the response."""
        # Not `request.headers`, which parses all headers.
        header = request.META.get("HTTP_X_REQUEST_ID", "")
        request_id = header if REQUEST_ID.match(header) else uuid.uuid4().hex
        request.request_id = request_id  # type: ignore[attr-defined]  # only `request_id_of` reads it
        started = time.monotonic()
        with logs.bind_request_id(request_id), _open_span(request) as span:
            response = self.get_response(request)
            _log_response(request, response, time.monotonic() - started)
            _describe_response(span, request, response)
        response["X-Request-ID"] = request_id
        return response


def _open_span(request: HttpRequest) -> AbstractContextManager[Span]:
    if not is_traced(request):
        return nullcontext(NO_SPAN)
    return open_span(request.method or "", kind=SpanKind.SERVER)


def _describe_response(span: Span, request: HttpRequest, response: HttpResponse) -> None:
    """Name a request's span by its route, as the log and the metrics do."""
    route = request.resolver_match.route if request.resolver_match else ""
    span.update_name(f"{request.method} {route}")
    span.set_attribute("http.response.status_code", response.status_code)


def _log_response(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    """Log and count a response by its route, because the path may contain ids and signed tokens."""
    match = request.resolver_match
    method, route = request.method or "", match.route if match else ""
    metrics.observe_request(method, route, response.status_code, seconds)
    access_logger.info(
        "answered",
        extra={
            "method": method,
            "route": route,
            "status": response.status_code,
            "milliseconds": round(seconds * 1000, 1),
            "user": _signed_in_user_id(request),
        },
    )


def _signed_in_user_id(request: HttpRequest) -> int | None:
    """Return who made a request: the operator, where one sees a subscriber's screens."""
    known = vars(request)
    if isinstance(view := known.get("auth"), AccountView):
        return view.operator_id
    user = known.get("user")
    # The lazy one of a page would query the database.
    return known.get("signed_in_user_id") if user is None or isinstance(user, LazyObject) else user.pk


class ApiMiddleware:
    """Refuses bodies over the limit, answers hot reads, takes query keys in either case, and disables caching."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Apply the rules if this is a request to the API."""
        if not is_json_request(request):
            return self.get_response(request)
        try:
            with fair_share.share_process(_identify_request(request)):
                response = self._answer_early(request) or self._answer_request(request)
        except (Throttled, DatabaseFailure) as error:
            answer = self.process_exception(request, error)
            if answer is None:
                raise
            response = answer
        response.setdefault("Cache-Control", "no-store")
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Return the response for an expected exception of a plain Django view; pass others on."""
        error = translate_error(exception) if is_json_request(request) else None
        return error_response(request, error) if error else None

    def _answer_early(self, request: HttpRequest) -> HttpResponse | None:
        if _content_length(request) > settings.API_BODY_LIMIT:
            return error_response(request, PayloadTooLarge())
        return answer_hot_read(request)

    def _answer_request(self, request: HttpRequest) -> HttpResponse:
        if request.GET:
            request.GET = _snakify_query(request.GET)  # type: ignore[assignment]  # as immutable as it was
        return self.get_response(request)


def _identify_request(request: HttpRequest) -> str:
    """Return what requests of one session, or of one operator's view, to one address have in common, without tokens."""
    tokens = (request.META.get("HTTP_AUTHORIZATION", ""), request.COOKIES.get(settings.VIEW_COOKIE_NAME, ""))
    parts = (*tokens, request.method or "", request.path)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _content_length(request: HttpRequest) -> int:
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0


def _snakify_query(query: QueryDict) -> QueryDict:
    snaked = QueryDict(mutable=True, encoding=query.encoding)
    for key, values in query.lists():
        for value in values:
            snaked.appendlist(to_snake(key), value)
    snaked._mutable = False
    return snaked
