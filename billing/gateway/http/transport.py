"""One shared keep-alive HTTP client for the SDK, in place of a new connection and TLS context on every call.

The SDK builds an `httpx.Client` for each request, which takes twenty times as long as the call and two round trips.
`install_shared_client` replaces `chargebee.http_request._make_request`. Certificates are still verified, against the
certificate authorities that the SDK ships; a test proves that another certificate is refused. The SDK's own switch is
off only so that it does not build a context per call: without this patch, httpx would still verify by default.

The SDK also evaluates the type hints of a class for every record that it reads, which is nine tenths of the time that
reading takes. With the patch it evaluates them once.

The SDK and httpx are imported where they are used: loading them takes a third of the portal's start, and the scheduler
and most management commands call no provider.
"""

from __future__ import annotations

import logging
import os
import re
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, get_type_hints
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import httpx

logger = logging.getLogger(__name__)

WRITE_TIMEOUT_SECONDS = 5.0
# How much of an unreadable answer is logged.
LOGGED_CHARACTERS = 500


@dataclass(frozen=True)
class Exchange:
    """One request to the provider, and its answer: the status, None without one, and the seconds it took.

    `path` is below the API's address, `replayed` whether the answer repeats the first one to an idempotency key.
    """

    status: int | None
    seconds: float
    method: str = ""
    path: str = ""
    body: str = field(default="", repr=False)
    replayed: bool = False


_watchers: list[Callable[[Exchange], None]] = []


def add_watcher(watcher: Callable[[Exchange], None]) -> None:
    """Call `watcher` with every exchange. It must be fast and never raise."""
    _watchers.append(watcher)


_recorded: ContextVar[list[Exchange] | None] = ContextVar("recorded_exchanges", default=None)


@contextmanager
def record_exchanges() -> Iterator[list[Exchange]]:
    """Return a list that gets every exchange of the block, with the bodies of the answers."""
    exchanges: list[Exchange] = []
    token = _recorded.set(exchanges)
    try:
        yield exchanges
    finally:
        _recorded.reset(token)


class _ClientPool:
    """The process's shared client, created on first use."""

    def __init__(self) -> None:
        self.drop_client()

    def drop_client(self) -> None:
        """Drop the client without closing its sockets, which belong to the parent after a fork."""
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None

    def get_client(self) -> httpx.Client:
        """Return the client, created once even when several threads ask at the same time."""
        import httpx
        from chargebee import Chargebee

        with self._lock:
            if self._client is None:
                self._client = httpx.Client(
                    verify=ssl.create_default_context(cafile=Chargebee.ca_cert_path),
                    trust_env=False,
                    # None: each thread has one call at a time, and there are as many threads as the settings say.
                    limits=httpx.Limits(),
                )
            return self._client


# The last answer in this thread or task, for the log when it turns out to be unreadable.
_answer: ContextVar[str] = ContextVar("answer", default="")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*(?P<end>"(?P<names>\s*:)?|\\?\Z)', re.DOTALL)


def describe_last_answer() -> str:
    """Return the beginning of the last answer, redacted for the log."""
    return redact_body(_answer.get())


def redact_body(body: str) -> str:
    """Return the beginning of a body; of JSON, whole or truncated, without any strings but field names."""
    redacted = _STRING.sub(_redact_string, body) if body.lstrip().startswith(("{", "[", '"')) else body
    return redacted[:LOGGED_CHARACTERS]


def _redact_string(match: re.Match[str]) -> str:
    return match[0] if match["names"] else f'"…{match["end"]}'


_pool = _ClientPool()
# Celery's and gunicorn's workers are forked, and two processes must not share a connection.
os.register_at_fork(after_in_child=_pool.drop_client)


# The SDK reads these dictionaries and never changes them.
_cached_type_hints = cache(get_type_hints)


def install_shared_client() -> None:
    """Make the SDK use the shared client, and remember its classes' type hints. Calling it again changes nothing."""
    from chargebee import Chargebee, http_request, model, responses

    Chargebee.verify_ca_certs = False
    http_request._make_request = _send_request
    model.get_type_hints = responses.get_type_hints = _cached_type_hints


def _send_request(request_args: dict[str, Any]) -> Any:
    import httpx
    from chargebee import http_request

    request_args.pop("verify", None)
    timeout: httpx.Timeout = request_args.pop("timeout")
    bounded = httpx.Timeout(WRITE_TIMEOUT_SECONDS, connect=timeout.connect, read=timeout.read)
    started = time.monotonic()
    response = None
    _answer.set("")
    try:
        response = _pool.get_client().request(**request_args, timeout=bounded)
    except httpx.HTTPError as error:
        # Only the error's message tells a DNS, routing or certificate failure apart.
        fields = _log_fields(request_args, started)
        logger.warning("Chargebee did not answer: %s: %s", type(error).__name__, error, extra=fields)
        raise
    finally:
        exchange = _describe_exchange(request_args, response, time.monotonic() - started)
        for watcher in _watchers:
            watcher(exchange)
        if (recorded := _recorded.get()) is not None:
            recorded.append(exchange)
    _answer.set(response.text)
    answer = {"status": exchange.status, "replayed": exchange.replayed}
    logger.info("Chargebee answered", extra=_log_fields(request_args, started) | answer)
    return http_request._handle_response(request_args, response)


def _describe_exchange(request_args: dict[str, Any], response: httpx.Response | None, seconds: float) -> Exchange:
    method, path = request_args["method"], urlsplit(request_args["url"]).path
    if response is None:
        return Exchange(None, seconds, method, path)
    replayed = response.headers.get("chargebee-idempotency-replayed") == "true"
    return Exchange(response.status_code, seconds, method, path, response.text, replayed)


def _log_fields(request_args: dict[str, Any], started: float) -> dict[str, Any]:
    """Return what may be logged of a request: its path holds only ids, but its query may hold an email address."""
    return {
        "method": request_args["method"],
        "path": urlsplit(request_args["url"]).path,
        "milliseconds": round((time.monotonic() - started) * 1000, 1),
    }
