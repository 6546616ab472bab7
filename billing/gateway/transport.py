"""One kept-alive HTTP client under the SDK, in place of a new connection and TLS context on every call.

The SDK builds an `httpx.Client` for each request, which costs twenty times the call itself and two round trips.
`install` puts a shared client behind `chargebee.http_request._make_request`. Certificates are still verified, against
the certificate authorities that the SDK ships; a test proves that a server with another one is refused. The SDK's own
switch is off only so that it does not build a context of its own per call: were this patch lost, httpx would go on
verifying by default.
"""

import logging
import os
import ssl
import threading
import time
from typing import Any
from urllib.parse import urlsplit

import httpx
from chargebee import Chargebee, http_request

logger = logging.getLogger(__name__)

MAX_CONNECTIONS = 20
WRITE_AND_POOL_TIMEOUT_SECONDS = 5.0


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
    told = {"method": request_args["method"], "path": urlsplit(request_args["url"]).path}
    began = time.monotonic()
    try:
        response = _pool.client().request(**request_args, timeout=bounded)
    except httpx.HTTPError as error:
        logger.warning("Chargebee did not answer: %s", type(error).__name__, extra=told | _took(began))
        raise
    replayed = response.headers.get("chargebee-idempotency-replayed") == "true"
    answer = {"status": response.status_code, "replayed": replayed}
    logger.info("Chargebee answered", extra=told | answer | _took(began))
    return http_request._handle_response(request_args, response)


def _took(began: float) -> dict[str, float]:
    return {"milliseconds": round((time.monotonic() - began) * 1000, 1)}
