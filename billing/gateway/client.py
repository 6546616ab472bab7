"""The SDK's client, and the one way to call it: bounded in time, never retried by the SDK, errors made ours."""

import logging
import random
import re
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
from chargebee import APIError, Chargebee, PaymentError
from django.conf import settings

from billing import stopping
from billing.gateway import breaker, transport
from billing.gateway.errors import Missing, NotSent, PaymentRefused, Refused, Unconfirmed, Unreadable
from billing.gateway.patience import patiently

logger = logging.getLogger(__name__)

CONNECT_TIMEOUT_SECONDS = 3
READ_TIMEOUT_SECONDS = 15
READ_ATTEMPTS = 3
FIRST_BACKOFF_SECONDS = 0.2
DEFAULT_RETRY_AFTER_SECONDS = 5

# What reading an answer raises that is not of the shape that was promised.
UNREADABLE = (AttributeError, KeyError, TypeError, ValueError)
# The door was shut, whatever was asked for: nothing is said about the thing itself.
TURNED_AWAY = ("site_not_found", "http_method_not_supported")

# The SDK leaves dots in an address as they are, so that such an id would ask for something else.
CLIMBING = re.compile(r"(?:\A|/)\.\.?(?:/|\Z)")

T = TypeVar("T")


@lru_cache(maxsize=4)
def _client(site: str, api_key: str, endpoint: str) -> Chargebee:
    transport.install()
    client = Chargebee(
        api_key=api_key,
        site=site,
        connection_time_out=CONNECT_TIMEOUT_SECONDS,
        read_time_out=READ_TIMEOUT_SECONDS,
    )
    if endpoint:
        client.env.protocol = urlsplit(endpoint).scheme
        client.env.api_endpoint = endpoint
    return client


def sdk() -> Chargebee:
    """Return the SDK's client for the configured site."""
    return _client(settings.CHARGEBEE_SITE, settings.CHARGEBEE_API_KEY, settings.CHARGEBEE_ENDPOINT)


def write(operation: Callable[..., T], *args: Any, key: str, params: dict[str, Any] | None = None) -> T:
    """Call an operation that changes something, once, with the provider's idempotency key (at most 100 characters).

    Raises NotSent (nothing changed), Unconfirmed (may have changed), Refused and its kinds (nothing changed).
    """
    arguments = (*args, params) if params is not None else args
    # A fresh dict per call: the SDK adds the API key's header to the one it is given.
    return _ask(lambda: operation(*arguments, headers={Chargebee.idempotency_header: key}))


def read(operation: Callable[..., T], *args: Any, params: dict[str, Any] | None = None) -> T:
    """Call an operation that changes nothing; what may pass by itself is tried again, bounded and with jitter.

    Raises NotSent when the provider could not be asked, or gave no usable answer (Unreadable), Refused and its kinds
    when it answered no.
    """
    if any(CLIMBING.search(str(one)) for one in args):
        raise Missing("resource_not_found", param="id")
    arguments = (*args, params) if params is not None else args
    for attempt in range(1, READ_ATTEMPTS + 1):
        try:
            return _ask(lambda: operation(*arguments))
        except Unconfirmed as error:
            if attempt == READ_ATTEMPTS or stopping.asked():
                raise Unreadable("no usable answer") from error
        # Jitter spreads callers that failed together; nothing secret depends on it.
        time.sleep(FIRST_BACKOFF_SECONDS * 2 ** (attempt - 1) * random.uniform(0.5, 1.5))  # noqa: S311
    raise AssertionError("unreachable: the last attempt returns or raises")


def page(operation: Callable[..., Any], params: dict[str, Any], *, offset: str = "") -> tuple[list[Any], str]:
    """Return a page of a list operation, and the offset of the next one, empty after the last."""
    limits = {"limit": settings.CHARGEBEE_PAGE_SIZE, **({"offset": offset} if offset else {})}
    answer: Any = read(operation, params={**params, **limits})
    return list(answer.list), str(answer.next_offset or "")


def pages(operation: Callable[..., Any], params: dict[str, Any]) -> "list[Any]":
    """Return every entry of a list operation, page after page."""
    entries, offset = page(operation, params)
    while offset:
        more, offset = page(operation, params, offset=offset)
        entries.extend(more)
    return entries


def _ask(call: Callable[[], T]) -> T:
    """Make a call, in the background patiently, its errors made ours."""

    def once() -> T:
        breaker.enter()
        try:
            answer = call()
        except Exception as error:
            breaker.note(failed=_is_down(error), told=_told_to_wait(error))
            if _says_nothing(error):
                logger.warning("Chargebee's answer says nothing: %s", transport.last_answer())
            raise translated(error) from error
        breaker.note(failed=False)
        return answer

    return patiently(once)


def translated(error: Exception) -> Exception:
    """Return our error for one of the five families the SDK raises; an error of our own code is returned as it is."""
    if isinstance(error, APIError):
        return _of_answer(error)
    if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)):
        return NotSent(type(error).__name__)
    if isinstance(error, httpx.HTTPError):
        return Unconfirmed(type(error).__name__)
    if _says_nothing(error):
        return Unconfirmed("no answer of the provider's")
    return error


def _says_nothing(error: Exception) -> bool:
    """Whether something was answered that is not JSON, not the provider's, or a 200 without its object."""
    return type(error) is Exception or isinstance(error, UNREADABLE)


def _is_down(error: Exception) -> bool:
    """Whether it is the provider, or the way there, that fails, and not what was asked for or the shape it has."""
    if isinstance(error, APIError):
        return int(error.http_status_code) >= 500 or int(error.http_status_code) == 429
    return isinstance(error, httpx.HTTPError) or type(error) is Exception


def _told_to_wait(error: Exception) -> int | None:
    """Return for how many seconds whoever was turned away for load is to wait; None where it is something else."""
    turned_away = isinstance(error, APIError) and int(error.http_status_code) == 429
    return _retry_after(error) if turned_away else None


def _of_answer(error: APIError) -> Exception:
    status, code = int(error.http_status_code), str(error.api_error_code)
    if status == 429:
        return NotSent(code, retry_after=_retry_after(error))
    if status >= 500:
        return Unconfirmed(code)
    if isinstance(error, PaymentError):
        return PaymentRefused(code)
    if status in (401, 403) or code in TURNED_AWAY:
        return NotSent(code)
    if code == "resource_not_found":
        return Missing(code, param=str(error.param or ""))
    return Refused(code, param=str(error.param or ""))


def _retry_after(error: APIError) -> int:
    value = str((error.http_headers or {}).get("retry-after", ""))
    return int(value) if value.isdigit() else DEFAULT_RETRY_AFTER_SECONDS
