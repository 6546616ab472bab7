"""The request limit of the site, counted in real time: travelling does not buy requests."""

from __future__ import annotations

import math
import threading
import time
from collections import deque

from billing.sandbox import settings
from billing.sandbox.wire.errors import ApiError

_WINDOW = 60.0
_seen: deque[float] = deque()
_guard = threading.Lock()


def count_request() -> None:
    """Count one request. Raises: ApiError 429 once the last minute held as many as the site may make."""
    allowed = settings.SANDBOX_REQUESTS_PER_MINUTE
    if not allowed:
        return
    with _guard:
        now = time.monotonic()
        while _seen and _seen[0] <= now - _WINDOW:
            _seen.popleft()
        if len(_seen) >= allowed:
            raise _exceeded(_seen[0] + _WINDOW - now)
        _seen.append(now)


def _exceeded(wait: float) -> ApiError:
    error = ApiError(
        429,
        "api_request_limit_exceeded",
        "Sorry, the API request limit of this site has been exceeded",
        kind="operation_failed",
    )
    error.headers["Retry-After"] = str(math.ceil(wait))
    return error
