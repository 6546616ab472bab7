"""What a fault does to a request of the API, and what is written down of it and of those that repeat it."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from contextlib import nullcontext, suppress

from django.http import HttpRequest, HttpResponse, JsonResponse

from billing.sandbox.engine import gateway
from billing.sandbox.faults import journal, queue
from billing.sandbox.faults.journal import Strike
from billing.sandbox.faults.queue import Fault
from billing.sandbox.wire import idempotency
from billing.sandbox.wire.errors import ApiError

_PAGE = "<!DOCTYPE html><html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>"
_SILENT = "nothing, the connection was cut"
_MADE = "made"
_NOT_MADE = "not made"


class ConnectionDropped(Exception):
    """The client has been cut off: there is nobody to answer."""


def answer(
    request: HttpRequest, path: str, carry_out: Callable[[], HttpResponse], *, writes: bool
) -> HttpResponse:
    """Carry a request out under the fault it meets, which for most is none.

    Raises: ApiError for an ordered error, or one of the request's own; ConnectionDropped, before it is carried out or
    after.
    """
    method = request.method or ""
    fault = queue.take_for_request(method, path)
    key = request.headers.get(idempotency.HEADER, "")
    trail = key or f"{method} {path}"
    if fault is not None:
        strike = journal.note(Strike(fault.kind, f"{method} {path}", trail, key=key))
        return _struck(fault, strike, request, carry_out, writes=writes)
    if not journal.follows(trail):
        return carry_out()
    return _followed(trail, carry_out, writes=writes)


def _struck(
    fault: Fault, strike: Strike, request: HttpRequest, carry_out: Callable[[], HttpResponse], *, writes: bool
) -> HttpResponse:
    strike.write = _NOT_MADE if writes else ""
    _before(fault, strike, request)
    declining = gateway.declining() if fault.kind == "decline_payment" else nullcontext()
    try:
        with declining:
            response = carry_out()
    except ApiError as refusal:
        strike.answered = _refusal(refusal)
        raise
    if writes:
        strike.write = _write(response)
    return _after(fault, strike, request, response)


def _followed(trail: str, carry_out: Callable[[], HttpResponse], *, writes: bool) -> HttpResponse:
    try:
        response = carry_out()
    except ApiError as refusal:
        journal.follow(trail, _refusal(refusal))
        raise
    journal.follow(trail, f"{_words(response)}: {_write(response)}" if writes else _words(response))
    return response


def _before(fault: Fault, strike: Strike, request: HttpRequest) -> None:
    match fault.kind:
        case "error":
            error = _error(fault)
            strike.answered = _refusal(error)
            raise error
        case "time_out_before":
            queue.hold(fault.seconds)
            _drop(strike, request)
        case "drop_connection_before":
            _drop(strike, request)
        case "delay":
            queue.hold(fault.seconds)


def _after(fault: Fault, strike: Strike, request: HttpRequest, response: HttpResponse) -> HttpResponse:
    match fault.kind:
        case "time_out_after":
            queue.hold(fault.seconds)
            _drop(strike, request)
        case "drop_connection_after":
            _drop(strike, request)
        case "cut_body":
            strike.answered = f"{response.status_code}, cut half-way"
            _cut(request, response)
        case "html_body":
            strike.answered = f"{fault.status}, a page of HTML"
            return HttpResponse(_PAGE, status=fault.status, content_type="text/html; charset=utf-8")
        case "missing_object":
            strike.answered = "200 without the object"
            return JsonResponse({})
    strike.answered = _words(response)
    return response


def _error(fault: Fault) -> ApiError:
    kinds = {"payment_processing_failed": "payment", "payment_method_not_present": "payment"}
    fallback = "operation_failed" if fault.status == 429 or fault.status >= 500 else "invalid_request"
    kind = kinds.get(fault.api_error_code, fallback)
    error = ApiError(fault.status, fault.api_error_code, "This error has been asked for", kind=kind)
    if fault.retry_after is not None:
        error.headers["Retry-After"] = str(fault.retry_after)
    return error


def _drop(strike: Strike, request: HttpRequest) -> None:
    """Cut the client off, outside of any transaction."""
    strike.answered = _SILENT
    _shut(request.META["gunicorn.socket"])


def _cut(request: HttpRequest, response: HttpResponse) -> None:
    """Send the head of an answer and half of its body."""
    connection: socket.socket = request.META["gunicorn.socket"]
    body = response.content
    lines = (
        f"HTTP/1.1 {response.status_code} {response.reason_phrase}",
        f"Content-Type: {response.headers['Content-Type']}",
        f"Content-Length: {len(body)}",
        "\r\n",
    )
    head = "\r\n".join(lines)
    with suppress(OSError):
        connection.sendall(head.encode() + body[: len(body) // 2])
    _shut(connection)


def _shut(connection: socket.socket) -> None:
    # A client whose patience ended first has gone already.
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    raise ConnectionDropped


def _write(response: HttpResponse) -> str:
    if response.status_code != 200:
        return _NOT_MADE
    return "made before, the first answer again" if idempotency.REPLAYED in response.headers else _MADE


def _words(response: HttpResponse) -> str:
    if response.status_code == 200:
        return "200"
    return f"{response.status_code} {json.loads(response.content)['api_error_code']}"


def _refusal(error: ApiError) -> str:
    return f"{error.status} {error.body()['api_error_code']}"
