"""Faults that are asked for: requests that fail in a way that has been ordered before, so that a client can be tried.

A fault waits in a queue until a request matches it; it lets the first ``skip`` of those pass and strikes the next
``count``. One request meets at most one fault, the oldest that is ready for it. The queue is this process's memory: a
sandbox that is restarted or started afresh has no faults, and without any every request is answered as ever.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase

from django.http import HttpRequest

from billing.sandbox import identifiers
from billing.sandbox.body import Body
from billing.sandbox.engine import gateway
from billing.sandbox.wire.errors import ApiError, wrong_value
from billing.sandbox.wire.params import Params

KINDS = {
    "decline_payment": "Charge declined: every charge the request makes is refused by the gateway",
    "error": "Error: the request is answered with this status and code, and nothing is done",
    "drop_connection_before": "Connection lost before: nothing is done and nothing is answered",
    "drop_connection_after": "Connection lost after: the request is done, and nothing is answered",
    "delay": "Delay: the request waits this many seconds, then goes on as ever",
}
"""Each kind of fault, in words."""

METHODS = ("*", "GET", "POST")
_TAKES = ("kind", "method", "path", "count", "skip", "status", "api_error_code", "seconds")
_LONGEST_DELAY = 300
_MOST = 1000


class ConnectionDropped(Exception):
    """The client has been cut off: there is nobody to answer."""


@dataclass
class Fault:
    """What is to happen to the requests whose method and path (a pattern with ``*``) match."""

    kind: str
    method: str = "*"
    path: str = "*"
    count: int = 1
    skip: int = 0
    status: int = 500
    api_error_code: str = "internal_error"
    seconds: int = 1
    id: str = field(default_factory=lambda: identifiers.new("fault_"))

    def matches(self, method: str, path: str) -> bool:
        """Whether it is meant for such a request."""
        return self.method in ("*", method) and fnmatchcase(path, self.path)

    def body(self) -> Body:
        """The fault as it is answered: what is left of it."""
        return {**asdict(self), "object": "fault"}


_queue: list[Fault] = []
_guard = threading.Lock()


def order(params: Params) -> Fault:
    """Queue the fault that is asked for. Raises: ApiError 400 for what is no fault."""
    params.allow_only(_TAKES)
    fault = Fault(
        kind=params.choice("kind", tuple(KINDS), ""),
        method=params.choice("method", METHODS, "*"),
        path=params.text("path", "*") or "*",
        count=_whole(params, "count", 1, least=1, most=_MOST),
        skip=_whole(params, "skip", 0, least=0, most=_MOST),
        status=_whole(params, "status", 500, least=400, most=599),
        api_error_code=params.text("api_error_code", "internal_error") or "",
        seconds=_whole(params, "seconds", 1, least=1, most=_LONGEST_DELAY),
    )
    if not fault.path.startswith(("/", "*")):
        raise wrong_value("path", "should begin with a / as in /subscriptions/*/update_for_items, or be *")
    with _guard:
        _queue.append(fault)
    return fault


def waiting() -> list[Fault]:
    """The faults that have not struck as often as they are to, oldest first."""
    with _guard:
        return list(_queue)


def clear() -> None:
    """Forget all faults."""
    with _guard:
        _queue.clear()


def take(method: str, path: str) -> Fault | None:
    """The fault that this request meets, counted; None for most requests of most sites."""
    with _guard:
        for fault in [one for one in _queue if one.matches(method, path)]:
            if fault.skip:
                fault.skip -= 1
                continue
            fault.count -= 1
            if not fault.count:
                _queue.remove(fault)
            return fault
    return None


@contextmanager
def struck_by(fault: Fault | None, request: HttpRequest) -> Iterator[None]:
    """Let a request be carried out inside the block under the fault it met.

    Raises: ApiError for an ordered error; ConnectionDropped, before the block or after it.
    """
    if fault is None:
        yield
        return
    _strike_before(fault, request)
    with gateway.declining() if fault.kind == "decline_payment" else nullcontext():
        yield
    if fault.kind == "drop_connection_after":
        _drop(request)


def _strike_before(fault: Fault, request: HttpRequest) -> None:
    match fault.kind:
        case "error":
            raise _error(fault)
        case "drop_connection_before":
            _drop(request)
        case "delay":
            time.sleep(fault.seconds)


def _error(fault: Fault) -> ApiError:
    kinds = {"payment_processing_failed": "payment", "payment_method_not_present": "payment"}
    fallback = "operation_failed" if fault.status == 429 or fault.status >= 500 else "invalid_request"
    kind = kinds.get(fault.api_error_code, fallback)
    return ApiError(fault.status, fault.api_error_code, "This error has been asked for", kind=kind)


def _drop(request: HttpRequest) -> None:
    """Cut the client off, outside of any transaction."""
    connection: socket.socket = request.META["gunicorn.socket"]
    connection.shutdown(socket.SHUT_RDWR)
    raise ConnectionDropped


def _whole(params: Params, name: str, default: int, *, least: int, most: int) -> int:
    value = params.integer(name, least=least, most=most)
    return default if value is None else value
