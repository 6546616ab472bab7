"""Faults that wait: each lets the first ``skip`` matches pass and strikes the next ``count``.

A request or an event meets at most one fault, the oldest that is ready for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase

from billing.sandbox import identifiers
from billing.sandbox.body import Body
from billing.sandbox.wire.errors import wrong_value
from billing.sandbox.wire.params import Params

REQUEST_KINDS = {
    "decline_payment": "Charge declined: every charge the request makes is refused by the gateway",
    "error": "Error: nothing is done, and the answer is this status and code",
    "delay": "Latency: the request waits this many seconds, then goes on as ever",
    "time_out_before": "Time-out before the write: nothing is done, and nothing is answered for this many seconds",
    "time_out_after": "Time-out after the write: it is done, and nothing is answered for this many seconds",
    "drop_connection_before": "Connection lost before the write: nothing is done and nothing is answered",
    "drop_connection_after": "Connection lost after the write: it is done, and nothing is answered",
    "html_body": "HTML body: the request is done, and a page of HTML with this status is the answer",
    "cut_body": "Cut body: the request is done, and the connection ends half-way through the answer",
    "missing_object": "200 without the object: the request is done, and the answer is {}",
}
WEBHOOK_KINDS = {
    "lose_webhook": "Webhook lost: the event is given up without being sent",
    "double_webhook": "Webhook doubled: the event is sent twice",
    "delay_webhook": "Webhook delayed: the event is sent this many seconds of the site's clock later",
    "reorder_webhook": "Webhook out of order: a later event is sent first, or these seconds pass",
}
KINDS = {**REQUEST_KINDS, **WEBHOOK_KINDS}
"""Each kind of fault, in words."""

METHODS = ("*", "GET", "POST")
_TAKES = (
    "kind", "method", "path", "event_type", "count", "skip", "status", "api_error_code", "retry_after", "seconds",
)  # fmt: skip
_STATUS = {"html_body": 502}
# A time-out is one only if it outlasts the client's patience, which is often fifteen seconds.
_SECONDS = {"time_out_before": 20, "time_out_after": 20, "delay_webhook": 60, "reorder_webhook": 60}
_LONGEST_DELAY = 300
_LONGEST_WEBHOOK_DELAY = 7 * 86_400
_MOST = 1000


@dataclass
class Fault:
    """What is to happen to requests by method and path, or to events by type; both are patterns with ``*``."""

    kind: str
    method: str = "*"
    path: str = "*"
    event_type: str = "*"
    count: int = 1
    skip: int = 0
    status: int = 500
    api_error_code: str = "internal_error"
    retry_after: int | None = None
    seconds: int = 1
    id: str = field(default_factory=lambda: identifiers.new("fault_"))

    def body(self) -> Body:
        """The fault as it is answered: what is left of it."""
        known = {name: value for name, value in asdict(self).items() if value is not None}
        return {**known, "object": "fault"}

    @property
    def strikes_webhooks(self) -> bool:
        """Whether it is meant for the delivery of events."""
        return self.kind in WEBHOOK_KINDS

    @property
    def waits(self) -> bool:
        """Whether its seconds mean anything."""
        return self.kind == "delay" or self.kind in _SECONDS


_queue: list[Fault] = []
_guard = threading.Lock()
_forgotten = threading.Event()


def order(params: Params) -> Fault:
    """Queue the fault that is asked for. Raises: ApiError 400 for what is no fault."""
    params.allow_only(_TAKES)
    kind = params.choice("kind", tuple(KINDS), "")
    status = _whole(
        params, "status", _STATUS.get(kind, 500), least=200 if kind == "html_body" else 400, most=599
    )
    code = "api_request_limit_exceeded" if status == 429 else "internal_error"
    longest = _LONGEST_WEBHOOK_DELAY if kind in WEBHOOK_KINDS else _LONGEST_DELAY
    fault = Fault(
        kind=kind,
        method=params.choice("method", METHODS, "*"),
        path=params.text("path", "*") or "*",
        event_type=params.text("event_type", "*") or "*",
        count=_whole(params, "count", 1, least=1, most=_MOST),
        skip=_whole(params, "skip", 0, least=0, most=_MOST),
        status=status,
        api_error_code=params.text("api_error_code", code) or code,
        retry_after=params.integer("retry_after", least=0, most=3600),
        seconds=_whole(params, "seconds", _SECONDS.get(kind, 1), least=1, most=longest),
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
    """Forget all faults, and let go of the requests that one holds."""
    global _forgotten
    with _guard:
        _queue.clear()
        over, _forgotten = _forgotten, threading.Event()
    over.set()


def hold(seconds: float) -> None:
    """Let a request wait, at most until the faults are forgotten."""
    _forgotten.wait(seconds)


def take_for_request(method: str, path: str) -> Fault | None:
    """The fault that this request meets, counted; None for most requests of most sites."""
    if not _queue:
        return None
    return _take(
        lambda one: not one.strikes_webhooks and one.method in ("*", method) and fnmatchcase(path, one.path)
    )


def take_for_event(event_type: str) -> Fault | None:
    """The fault that the delivery of an event of this type meets, counted."""
    if not _queue:
        return None
    return _take(lambda one: one.strikes_webhooks and fnmatchcase(event_type, one.event_type))


def _take(matches: Callable[[Fault], bool]) -> Fault | None:
    with _guard:
        for fault in [one for one in _queue if matches(one)]:
            if fault.skip:
                fault.skip -= 1
                continue
            fault.count -= 1
            if not fault.count:
                _queue.remove(fault)
            return fault
    return None


def _whole(params: Params, name: str, default: int, *, least: int, most: int) -> int:
    value = params.integer(name, least=least, most=most)
    return default if value is None else value
