"""Waiting faults: each lets the first ``skip`` matches pass and strikes the next ``count``.

At most one fault strikes a request or an event: the oldest that is ready for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase

from chargebee_sandbox import identifiers
from chargebee_sandbox.api.errors import wrong_value
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body

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
FAULT_KINDS = {**REQUEST_KINDS, **WEBHOOK_KINDS}
"""Each kind of fault with its description."""

REQUEST_METHODS = ("*", "GET", "POST")
_PARAMETERS = (
    "kind", "method", "path", "event_type", "count", "skip", "status", "api_error_code", "retry_after", "seconds",
)  # fmt: skip
_DEFAULT_STATUS = {"html_body": 502}
# A time-out must outlast the client's own, which is often fifteen seconds.
_DEFAULT_SECONDS = {"time_out_before": 20, "time_out_after": 20, "delay_webhook": 60, "reorder_webhook": 60}
_LONGEST_DELAY = 300
_LONGEST_WEBHOOK_DELAY = 7 * 86_400
_MAX_COUNT = 1000


@dataclass
class Fault:
    """A fault for requests by method and path, or for events by type; path and type are patterns with ``*``."""

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
    id: str = field(default_factory=lambda: identifiers.new_id("fault_"))

    def as_body(self) -> Body:
        """Return the fault as the API has it, with the counts that are left."""
        attributes = {name: value for name, value in asdict(self).items() if value is not None}
        return {**attributes, "object": "fault"}

    @property
    def strikes_webhooks(self) -> bool:
        """Whether the fault is for webhooks."""
        return self.kind in WEBHOOK_KINDS

    @property
    def waits(self) -> bool:
        """Whether ``seconds`` applies to this kind."""
        return self.kind == "delay" or self.kind in _DEFAULT_SECONDS


_queue: list[Fault] = []
_guard = threading.Lock()
_cleared = threading.Event()


def order_fault(params: Params) -> Fault:
    """Queue the requested fault. Raises: ApiError 400 for invalid parameters."""
    params.allow_only(_PARAMETERS)
    kind = params.choice("kind", tuple(FAULT_KINDS), "")
    status = _integer_param(
        params, "status", _DEFAULT_STATUS.get(kind, 500), least=200 if kind == "html_body" else 400, most=599
    )
    code = "api_request_limit_exceeded" if status == 429 else "internal_error"
    longest = _LONGEST_WEBHOOK_DELAY if kind in WEBHOOK_KINDS else _LONGEST_DELAY
    fault = Fault(
        kind=kind,
        method=params.choice("method", REQUEST_METHODS, "*"),
        path=params.text("path", "*") or "*",
        event_type=params.text("event_type", "*") or "*",
        count=_integer_param(params, "count", 1, least=1, most=_MAX_COUNT),
        skip=_integer_param(params, "skip", 0, least=0, most=_MAX_COUNT),
        status=status,
        api_error_code=params.text("api_error_code", code) or code,
        retry_after=params.integer("retry_after", least=0, most=3600),
        seconds=_integer_param(params, "seconds", _DEFAULT_SECONDS.get(kind, 1), least=1, most=longest),
    )
    if not fault.path.startswith(("/", "*")):
        raise wrong_value("path", "should begin with a / as in /subscriptions/*/update_for_items, or be *")
    with _guard:
        _queue.append(fault)
    return fault


def waiting_faults() -> list[Fault]:
    """Return the faults that have strikes left, oldest first."""
    with _guard:
        return list(_queue)


def clear_faults() -> None:
    """Remove all faults and release the requests they hold."""
    global _cleared
    with _guard:
        _queue.clear()
        previous, _cleared = _cleared, threading.Event()
    previous.set()


def hold_request(seconds: float) -> None:
    """Delay a request, at most until the faults are cleared."""
    _cleared.wait(seconds)


def take_for_request(method: str, path: str) -> Fault | None:
    """Return the fault that strikes this request, and count the strike; None if there is none."""
    if not _queue:
        return None
    return _take_fault(
        lambda fault: not fault.strikes_webhooks and fault.method in ("*", method) and fnmatchcase(path, fault.path)
    )


def take_for_event(event_type: str) -> Fault | None:
    """Return the fault that strikes an event of this type, and count the strike; None if there is none."""
    if not _queue:
        return None
    return _take_fault(lambda fault: fault.strikes_webhooks and fnmatchcase(event_type, fault.event_type))


def _take_fault(matches: Callable[[Fault], bool]) -> Fault | None:
    with _guard:
        for fault in filter(matches, list(_queue)):
            if fault.skip:
                fault.skip -= 1
                continue
            fault.count -= 1
            if not fault.count:
                _queue.remove(fault)
            return fault
    return None


def _integer_param(params: Params, name: str, default: int, *, least: int, most: int) -> int:
    value = params.integer(name, least=least, most=most)
    return default if value is None else value
