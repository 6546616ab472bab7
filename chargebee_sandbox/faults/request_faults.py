"""Faults of API requests, recorded together with the requests that repeat them."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse, JsonResponse

from chargebee_sandbox.api import idempotency
from chargebee_sandbox.api.errors import ApiError
from chargebee_sandbox.engine.payments import gateway
from chargebee_sandbox.faults import fault_queue, strike_log
from chargebee_sandbox.faults.fault_queue import Fault
from chargebee_sandbox.faults.strike_log import Strike

_HTML_ERROR_PAGE = (
    "<!DOCTYPE html><html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>"
)
_delay: ContextVar[float] = ContextVar("delay", default=0)
_CONNECTION_CUT = "nothing, the connection was cut"
_WRITE_MADE = "made"
_WRITE_NOT_MADE = "not made"


class ConnectionDropped(Exception):
    """A fault closed the client's connection: nobody reads the answer."""


@contextmanager
def delay_write() -> Iterator[None]:
    """Wait as long as the fault of the present request says, if it is a delay."""
    seconds = _delay.get()
    if seconds:
        fault_queue.hold_request(seconds)
    yield


def answer_request(
    request: HttpRequest, path: str, carry_out: Callable[[], HttpResponse], *, writes: bool
) -> HttpResponse:
    """Carry out a request, under the fault that strikes it if there is one.

    Raises: ApiError for an ordered error or one of the request's own; ConnectionDropped, before the request is carried
    out or after.
    """
    method = request.method or ""
    fault = fault_queue.take_for_request(method, path)
    key = request.headers.get(idempotency.KEY_HEADER, "")
    trail = key or f"{method} {path}"
    if fault is not None:
        strike = strike_log.record_strike(Strike(fault.kind, f"{method} {path}", trail, key=key))
        return _answer_with_fault(fault, strike, request, carry_out, writes=writes)
    if not strike_log.has_strike(trail):
        return carry_out()
    return _answer_and_follow(trail, carry_out, writes=writes)


def _answer_with_fault(
    fault: Fault, strike: Strike, request: HttpRequest, carry_out: Callable[[], HttpResponse], *, writes: bool
) -> HttpResponse:
    strike.write = _WRITE_NOT_MADE if writes else ""
    _strike_before_write(fault, strike, request, writes=writes)
    declining = gateway.decline_charges() if fault.kind == "decline_payment" else nullcontext()
    # A write that takes long holds its customer's lock all the time.
    token = _delay.set(fault.seconds if writes and fault.kind == "delay" else 0)
    try:
        with declining:
            response = carry_out()
    except ApiError as refusal:
        strike.answered = _describe_error(refusal)
        raise
    finally:
        _delay.reset(token)
    if writes:
        strike.write = _describe_write(response)
    return _strike_after_write(fault, strike, request, response)


def _answer_and_follow(trail: str, carry_out: Callable[[], HttpResponse], *, writes: bool) -> HttpResponse:
    try:
        response = carry_out()
    except ApiError as refusal:
        strike_log.record_sequel(trail, _describe_error(refusal))
        raise
    strike_log.record_sequel(
        trail,
        f"{_describe_response(response)}: {_describe_write(response)}" if writes else _describe_response(response),
    )
    return response


def _strike_before_write(fault: Fault, strike: Strike, request: HttpRequest, *, writes: bool) -> None:
    match fault.kind:
        case "error":
            error = _ordered_error(fault)
            strike.answered = _describe_error(error)
            raise error
        case "time_out_before":
            fault_queue.hold_request(fault.seconds)
            _drop_connection(strike, request)
        case "drop_connection_before":
            _drop_connection(strike, request)
        case "delay" if not writes:
            fault_queue.hold_request(fault.seconds)


def _strike_after_write(fault: Fault, strike: Strike, request: HttpRequest, response: HttpResponse) -> HttpResponse:
    match fault.kind:
        case "time_out_after":
            fault_queue.hold_request(fault.seconds)
            _drop_connection(strike, request)
        case "drop_connection_after":
            _drop_connection(strike, request)
        case "cut_body":
            strike.answered = f"{response.status_code}, cut half-way"
            _cut_response(request, response)
        case "html_body":
            strike.answered = f"{fault.status}, a page of HTML"
            return HttpResponse(_HTML_ERROR_PAGE, status=fault.status, content_type="text/html; charset=utf-8")
        case "missing_object":
            strike.answered = "200 without the object"
            return JsonResponse({})
    strike.answered = _describe_response(response)
    return response


def _ordered_error(fault: Fault) -> ApiError:
    kinds = {"payment_processing_failed": "payment", "payment_method_not_present": "payment"}
    fallback = "operation_failed" if fault.status == 429 or fault.status >= 500 else "invalid_request"
    kind = kinds.get(fault.api_error_code, fallback)
    error = ApiError(fault.status, fault.api_error_code, "This error has been asked for", kind=kind)
    if fault.retry_after is not None:
        error.headers["Retry-After"] = str(fault.retry_after)
    return error


def _drop_connection(strike: Strike, request: HttpRequest) -> None:
    """Close the connection. Called outside of any transaction."""
    strike.answered = _CONNECTION_CUT
    _close_connection(request.META["gunicorn.socket"])


def _cut_response(request: HttpRequest, response: HttpResponse) -> None:
    """Send the headers and half of the body, then close the connection."""
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
    _close_connection(connection)


def _close_connection(connection: socket.socket) -> None:
    # The client may have closed it first.
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    raise ConnectionDropped


def _describe_write(response: HttpResponse) -> str:
    if response.status_code != 200:
        return _WRITE_NOT_MADE
    return "made before, the first answer again" if idempotency.REPLAYED_HEADER in response.headers else _WRITE_MADE


def _describe_response(response: HttpResponse) -> str:
    if response.status_code == 200:
        return "200"
    return f"{response.status_code} {json.loads(response.content)['api_error_code']}"


def _describe_error(error: ApiError) -> str:
    return f"{error.status} {error.as_body()['api_error_code']}"
