"""The site's request limit, counted in real time: time travel does not reset it."""

from __future__ import annotations

import math
import threading
import time
from collections import deque

from chargebee_sandbox import settings
from chargebee_sandbox.api.errors import ApiError

_WINDOW_SECONDS = 60.0
_request_times: deque[float] = deque()
_guard = threading.Lock()


def count_request() -> None:
    """Count a request. Raises: ApiError 429 if the last minute had as many as the site may make."""
    limit = settings.SANDBOX_REQUESTS_PER_MINUTE
    if not limit:
        return
    with _guard:
        now = time.monotonic()
        while _request_times and _request_times[0] <= now - _WINDOW_SECONDS:
            _request_times.popleft()
        if len(_request_times) >= limit:
            raise _limit_exceeded(_request_times[0] + _WINDOW_SECONDS - now)
        _request_times.append(now)


def _limit_exceeded(wait: float) -> ApiError:
    error = ApiError(
        429,
        "api_request_limit_exceeded",
        "Sorry, the API request limit of this site has been exceeded",
        kind="operation_failed",
    )
    error.headers["Retry-After"] = str(math.ceil(wait))
    return error
