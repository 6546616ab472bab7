"""A provider that fails again and again is left alone for a moment: whoever asks then is told at once.

Without it each request of a subscriber waits for a time-out of its own, holds a thread of the web server meanwhile, and
adds to the load that the provider cannot bear. After the rest one request goes through: if it is answered, all do.
Each process finds out for itself (reliability, row 7).

One that turns requests away for load (429, row 5) does not fail: it says itself for how long it wants to be left alone.
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

# The provider counts by the minute. Whoever says more than that is asked all the same whether it still holds.
LONGEST_REST_SECONDS = 60


@dataclass
class _Breaker:
    """What this process knows of the last requests: how many in a row failed, and until when nobody is to ask."""

    now: Callable[[], float] = time.monotonic
    failures: int = 0
    rests_until: float = -math.inf
    lock: threading.Lock = field(default_factory=threading.Lock)


_state = _Breaker()


def forget(*, now: Callable[[], float] = time.monotonic) -> None:
    """Forget what failed, and let everybody ask; from now on `now` tells the seconds."""
    global _state  # noqa: PLW0603  (one for the process)
    _state = _Breaker(now)


# A lock that somebody held during the fork would never be let go of in the child.
os.register_at_fork(after_in_child=forget)


def enter() -> None:
    """Take leave to ask. Raises NotSent while the provider is left alone."""
    allowed = settings.PROVIDER_FAILURES_IN_A_ROW
    with _state.lock:
        if allowed is None or _state.failures < allowed:
            return
        left = _state.rests_until - _state.now()
        if left > 0:
            raise NotSent("it failed too often to be asked now", retry_after=math.ceil(left))
        # Nobody else, until this one has been answered or has had the time for it.
        _state.rests_until = _state.now() + settings.PROVIDER_REST_SECONDS


def note(*, failed: bool, told: int | None = None) -> None:
    """Note whether the provider failed at a request, or turned it away; refusing what was asked for is neither.

    One that turned it away has `told` for how many seconds.
    """
    allowed = settings.PROVIDER_FAILURES_IN_A_ROW
    rest = settings.PROVIDER_REST_SECONDS if told is None else min(told, LONGEST_REST_SECONDS)
    with _state.lock:
        _state.failures = _state.failures + 1 if failed else 0
        if not failed or allowed is None or _state.failures < allowed:
            return
        _state.rests_until = _state.now() + rest
    logger.warning("The provider failed or turned us away, and is left alone for %s seconds", rest)
