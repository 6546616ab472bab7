"""A circuit breaker: after several failures in a row, requests to the provider fail at once for a while.

Without it each request of a subscriber would wait for its own timeout, occupy a web server thread meanwhile, and add
to the load of a provider that cannot bear it. When the pause is over, one request is let through; if it succeeds, all
are. Each process has its own breaker.

A throttled request (429) counts as a failure too, but the provider's Retry-After then sets the length of the pause.
"""

import logging
import math
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from django.conf import settings

from billing.gateway.errors import NotSent

logger = logging.getLogger(__name__)

# The provider's limits are per minute: after that, ask again even if its Retry-After was longer.
LONGEST_REST_SECONDS = 60


@dataclass
class _BreakerState:
    """This process's failures in a row, and until when (monotonic seconds) requests are refused."""

    now: Callable[[], float] = time.monotonic
    failures: int = 0
    rests_until: float = -math.inf
    lock: threading.Lock = field(default_factory=threading.Lock)


_state = _BreakerState()


def reset_breaker(*, now: Callable[[], float] = time.monotonic) -> None:
    """Close the breaker and forget failures; `now` becomes its clock, in seconds."""
    global _state  # noqa: PLW0603  (one for the process)
    _state = _BreakerState(now)


# A lock held during a fork would never be released in the child.
os.register_at_fork(after_in_child=reset_breaker)


def admit_request() -> None:
    """Let a request through. Raises NotSent while the breaker is open."""
    allowed = settings.PROVIDER_FAILURES_IN_A_ROW
    with _state.lock:
        if allowed is None or _state.failures < allowed:
            return
        remaining = _state.rests_until - _state.now()
        if remaining > 0:
            raise NotSent("it failed too often to be asked now", retry_after=math.ceil(remaining))
        # Hold others back until this request has been answered or has timed out.
        _state.rests_until = _state.now() + settings.PROVIDER_REST_SECONDS


def record_outcome(*, failed: bool, retry_after: int | None = None) -> None:
    """Record whether a request failed or was throttled; a refused change is neither.

    `retry_after` is the pause in seconds that the provider asked for when it throttled the request.
    """
    allowed = settings.PROVIDER_FAILURES_IN_A_ROW
    pause = settings.PROVIDER_REST_SECONDS if retry_after is None else min(retry_after, LONGEST_REST_SECONDS)
    with _state.lock:
        _state.failures = _state.failures + 1 if failed else 0
        if not failed or allowed is None or _state.failures < allowed:
            return
        _state.rests_until = _state.now() + pause
    logger.warning("The provider keeps failing; requests to it pause for %s seconds", pause)
