"""A provider that fails again and again is left alone for a moment: whoever asks then is told at once (matrix, row 7).

Without it each request of a subscriber waits for a time-out of its own, holds a thread of the web server meanwhile, and
adds to the load that the provider cannot bear. After the rest one request goes through: if it is answered, all do.
Each process finds out for itself.
"""

import logging
import math
import os
import threading
import time
from dataclasses import dataclass, field

from django.conf import settings

from billing.gateway.errors import NotSent

logger = logging.getLogger(__name__)


@dataclass
class _Breaker:
    """What this process knows of the last requests: how many in a row failed, and until when nobody is to ask."""

    failures: int = 0
    rests_until: float = -math.inf
    lock: threading.Lock = field(default_factory=threading.Lock)


_state = _Breaker()


def forget() -> None:
    """Forget what failed, and let everybody ask."""
    global _state  # noqa: PLW0603  (one for the process)
    _state = _Breaker()


# A lock that somebody held during the fork would never be let go of in the child.
os.register_at_fork(after_in_child=forget)


def enter() -> None:
    """Take leave to ask. Raises NotSent while the provider is left alone."""
    allowed = settings.PROVIDER_FAILURES_IN_A_ROW
    with _state.lock:
        if allowed is None or _state.failures < allowed:
            return
        left = _state.rests_until - time.monotonic()
        if left > 0:
            raise NotSent("it failed too often to be asked now", retry_after=math.ceil(left))
        # Nobody else, until this one has been answered or has had the time for it.
        _state.rests_until = time.monotonic() + settings.PROVIDER_REST_SECONDS


def note(*, failed: bool) -> None:
    """Note whether the provider failed at a request, which is not the same as refusing it."""
    allowed = settings.PROVIDER_FAILURES_IN_A_ROW
    with _state.lock:
        _state.failures = _state.failures + 1 if failed else 0
        if not failed or allowed is None or _state.failures < allowed:
            return
        _state.rests_until = time.monotonic() + settings.PROVIDER_REST_SECONDS
    logger.warning("The provider failed and is left alone for %s seconds", settings.PROVIDER_REST_SECONDS)
