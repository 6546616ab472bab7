"""The SDK's client, and the only way to call it: with timeouts, without the SDK's retries, errors translated.

As in `transport`, the SDK and httpx are imported where they are used.
"""

from __future__ import annotations

import logging
import random
import re
import time
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from django.conf import settings

from billing.gateway.errors import Missing, NotSent, PaymentRefused, Refused, Unconfirmed, Unreadable
from billing.gateway.http import breaker, rate_limit, transport
from billing.gateway.http.retry import call_with_retries
from core.workers import shutdown

if TYPE_CHECKING:
    from chargebee import APIError, Chargebee

logger = logging.getLogger(__name__)

CONNECT_TIMEOUT_SECONDS = 3
READ_TIMEOUT_SECONDS = 15
READ_ATTEMPTS = 3
FIRST_BACKOFF_SECONDS = 0.2
DEFAULT_RETRY_AFTER_SECONDS = 5

# What reading an answer of an unexpected shape raises.
UNREADABLE_ERRORS = (AttributeError, KeyError, TypeError, ValueError)
# Access was denied; this says nothing about the requested resource.
ACCESS_DENIED_CODES = ("site_not_found", "http_method_not_supported")

# The SDK does not escape dots in a path, so an id with `..` would address another resource.
PATH_TRAVERSAL = re.compile(r"(?:\A|/)\.\.?(?:/|\Z)")

T = TypeVar("T")


@lru_cache(maxsize=4)
def _build_sdk(site: str, api_key: str, endpoint: str) -> Chargebee:
    from chargebee import Chargebee

    transport.install_shared_client()
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


def chargebee_sdk() -> Chargebee:
    """Return the SDK's client for the configured site. The first call loads the SDK, which takes long."""
    return _build_sdk(settings.CHARGEBEE_SITE, settings.CHARGEBEE_API_KEY, settings.CHARGEBEE_ENDPOINT)


def write_to_provider(operation: Callable[..., T], *args: Any, key: str, params: dict[str, Any] | None = None) -> T:
    """Call an operation that changes something, once, with an idempotency key of at most 100 characters.

    Raises NotSent or Refused (nothing changed), or Unconfirmed (the change may have been made).
    """
    from chargebee import Chargebee

    arguments = (*args, params) if params is not None else args
    # A new dict per call: the SDK adds the API key's header to it.
    return _call_provider(lambda: operation(*arguments, headers={Chargebee.idempotency_header: key}))


def read_from_provider(operation: Callable[..., T], *args: Any, params: dict[str, Any] | None = None) -> T:
    """Call an operation that changes nothing; retry transient failures a few times, with jitter.

    Raises NotSent when the provider could not be reached, Unreadable (a NotSent) when it gave no usable answer, and
    Refused when it refused.
    """
    if any(PATH_TRAVERSAL.search(str(argument)) for argument in args):
        raise Missing("resource_not_found", param="id")
    arguments = (*args, params) if params is not None else args
    for attempt in range(1, READ_ATTEMPTS + 1):
        try:
            return _call_provider(lambda: operation(*arguments))
        except Unconfirmed as error:
            if attempt == READ_ATTEMPTS or shutdown.is_stopping():
                raise Unreadable("no usable answer") from error
        # Jitter spreads out callers that failed together. It is not security-relevant.
        time.sleep(FIRST_BACKOFF_SECONDS * 2 ** (attempt - 1) * random.uniform(0.5, 1.5))  # noqa: S311
    raise AssertionError("unreachable: the last attempt returns or raises")


def read_page(operation: Callable[..., Any], params: dict[str, Any], *, offset: str = "") -> tuple[list[Any], str]:
    """Return a page of a list operation and the offset of the next page, empty after the last one."""
    limits = {"limit": settings.CHARGEBEE_PAGE_SIZE, **({"offset": offset} if offset else {})}
    answer: Any = read_from_provider(operation, params={**params, **limits})
    return list(answer.list), str(answer.next_offset or "")


def read_all_pages(operation: Callable[..., Any], params: dict[str, Any]) -> list[Any]:
    """Return all entries of a list operation."""
    entries, offset = read_page(operation, params)
    while offset:
        more, offset = read_page(operation, params, offset=offset)
        entries.extend(more)
    return entries


def _call_provider(call: Callable[[], T]) -> T:
    """Make a call through the breaker, with retries in the background, and translate its errors."""

    def call_once() -> T:
        breaker.admit_request()
        rate_limit.count_subscriber_request()
        try:
            answer = call()
        except Exception as error:
            breaker.record_outcome(failed=_is_outage(error), retry_after=_throttled_seconds(error))
            if _is_unreadable(error):
                logger.warning("Chargebee's answer is unreadable: %s", transport.describe_last_answer())
            raise translate_error(error) from error
        breaker.record_outcome(failed=False)
        return answer

    return call_with_retries(call_once)


def translate_error(error: Exception) -> Exception:
    """Return our error for an error of the SDK or its HTTP client; other errors are returned unchanged."""
    import httpx
    from chargebee import APIError

    if isinstance(error, APIError):
        return _translate_api_error(error)
    if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout)):
        return NotSent(type(error).__name__)
    if isinstance(error, httpx.HTTPError):
        return Unconfirmed(type(error).__name__)
    if _is_unreadable(error):
        return Unconfirmed("no answer of the provider's")
    return error


def _is_unreadable(error: Exception) -> bool:
    """Return whether an answer is not JSON, not the provider's, or a 200 without its object."""
    return type(error) is Exception or isinstance(error, UNREADABLE_ERRORS)


def _is_outage(error: Exception) -> bool:
    """Return whether the provider or the network failed, rather than the request or the answer's shape."""
    import httpx
    from chargebee import APIError

    if isinstance(error, APIError):
        return int(error.http_status_code) >= 500 or int(error.http_status_code) == 429
    return isinstance(error, httpx.HTTPError) or type(error) is Exception


def _throttled_seconds(error: Exception) -> int | None:
    """Return how many seconds to wait after a throttled request (429); None for other errors."""
    from chargebee import APIError

    is_throttled = isinstance(error, APIError) and int(error.http_status_code) == 429
    return _retry_after_seconds(error) if is_throttled else None


def _translate_api_error(error: APIError) -> Exception:
    from chargebee import PaymentError

    status, code = int(error.http_status_code), str(error.api_error_code)
    if status == 429:
        return NotSent(code, retry_after=_retry_after_seconds(error))
    if status >= 500:
        return Unconfirmed(code)
    if isinstance(error, PaymentError):
        return PaymentRefused(code)
    if status in (401, 403) or code in ACCESS_DENIED_CODES:
        return NotSent(code)
    if code == "resource_not_found":
        return Missing(code, param=str(error.param or ""))
    return Refused(code, param=str(error.param or ""))


def _retry_after_seconds(error: APIError) -> int:
    value = str((error.http_headers or {}).get("retry-after", ""))
    return int(value) if value.isdigit() else DEFAULT_RETRY_AFTER_SECONDS
