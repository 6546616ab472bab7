"""One kept-alive HTTP client under the SDK, in place of a new connection and TLS context on every call.

The SDK builds an `httpx.Client` for each request, which costs twenty times the call itself and two round trips.
`install` puts a shared client behind `chargebee.http_request._make_request`. Certificates are still verified, against
the certificate authorities that the SDK ships; a test proves that a server with another one is refused. The SDK's own
switch is off only so that it does not build a context of its own per call: were this patch lost, httpx would go on
verifying by default.
"""

import logging
import os
import re
import ssl
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx
from chargebee import Chargebee, http_request

logger = logging.getLogger(__name__)

MAX_CONNECTIONS = 20
WRITE_AND_POOL_TIMEOUT_SECONDS = 5.0
# Of an answer that nobody can use, so much is told to the log.
LONGEST = 500


@dataclass(frozen=True)
class Exchange:
    """One request to the provider: the status of its answer, None where none came, and how long it took."""

    status: int | None
    seconds: float


_watchers: list[Callable[[Exchange], None]] = []


def watch_with(watcher: Callable[[Exchange], None]) -> None:
    """Have every exchange told to a watcher, which must neither fail nor take time."""
    _watchers.append(watcher)


class _Pool:
    """The process's shared client, made on first use."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Drop the client without closing its sockets: after a fork they are the parent's."""
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None

    def client(self) -> httpx.Client:
        """Return the client, made once however many threads ask at the same time."""
        with self._lock:
            if self._client is None:
                self._client = httpx.Client(
                    verify=ssl.create_default_context(cafile=Chargebee.ca_cert_path),
                    trust_env=False,
                    limits=httpx.Limits(max_connections=MAX_CONNECTIONS),
                )
            return self._client


# What was answered last, in this thread or task: whoever finds no use for it tells what it looked like.
_answer: ContextVar[str] = ContextVar("answer", default="")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*(?P<end>"(?P<names>\s*:)?|\\?\Z)', re.DOTALL)


def last_answer() -> str:
    """Return what the last answer looked like, fit for a log."""
    return shape_of(_answer.get())


def shape_of(body: str) -> str:
    """Return the beginning of a body, and of JSON, cut short or whole, no text but the names of its fields."""
    told = _STRING.sub(_named, body) if body.lstrip().startswith(("{", "[", '"')) else body
    return told[:LONGEST]


def _named(found: re.Match[str]) -> str:
    return found[0] if found["names"] else f'"…{found["end"]}'


_pool = _Pool()
# Two processes must not talk on one connection: Celery's workers and gunicorn's are forked.
os.register_at_fork(after_in_child=_pool.forget)


def install() -> None:
    """Put the shared client under the SDK; calling it again changes nothing."""
    Chargebee.verify_ca_certs = False
    http_request._make_request = _send


def _send(request_args: dict[str, Any]) -> Any:
    request_args.pop("verify", None)
    timeout: httpx.Timeout = request_args.pop("timeout")
    bounded = httpx.Timeout(WRITE_AND_POOL_TIMEOUT_SECONDS, connect=timeout.connect, read=timeout.read)
    began = time.monotonic()
    status = None
    _answer.set("")
    try:
        response = _pool.client().request(**request_args, timeout=bounded)
        status = response.status_code
    except httpx.HTTPError as error:
        # Which of a name, a route and a certificate it is, is in the error's own words alone.
        told = _told(request_args, began)
        logger.warning("Chargebee did not answer: %s: %s", type(error).__name__, error, extra=told)
        raise
    finally:
        exchange = Exchange(status, time.monotonic() - began)
        for tell in _watchers:
            tell(exchange)
    _answer.set(response.text)
    replayed = response.headers.get("chargebee-idempotency-replayed") == "true"
    answer = {"status": status, "replayed": replayed}
    logger.info("Chargebee answered", extra=_told(request_args, began) | answer)
    return http_request._handle_response(request_args, response)


def _told(request_args: dict[str, Any], began: float) -> dict[str, Any]:
    """What may be known of a request: its path has ids of the provider's, its query may have an address."""
    return {
        "method": request_args["method"],
        "path": urlsplit(request_args["url"]).path,
        "milliseconds": round((time.monotonic() - began) * 1000, 1),
    }
