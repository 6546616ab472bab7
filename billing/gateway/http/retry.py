"""Retries of throttled requests, for background jobs only.

A subscriber's request never waits: when the provider throttles it, it fails at once.
"""

import math
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TypeVar

from billing.gateway.errors import NotSent
from core.workers import shutdown

MAX_TRIES = 5
# The provider's limits are per minute; a job told to wait much longer continues later instead.
LONGEST_WAIT_SECONDS = 75.0

T = TypeVar("T")


@dataclass(frozen=True)
class _RetryPolicy:
    """How a request waits for its turn, how many seconds it may wait in all when throttled, and until when.

    `waits_until` is a time of the monotonic clock.
    """

    wait_for_turn: Callable[[], None]
    longest_wait: float
    waits_until: float = math.inf


_retry_policy: ContextVar[_RetryPolicy | None] = ContextVar("retry_policy", default=None)


@contextmanager
def retry_when_throttled(
    wait_for_turn: Callable[[], None], *, longest_wait: float = LONGEST_WAIT_SECONDS
) -> Iterator[None]:
    """Retry throttled requests within this block.

    `wait_for_turn` is called before each request, and may raise NotSent. A throttled request waits as long as the
    provider asks, `longest_wait` seconds in all at most.
    """
    token = _retry_policy.set(_RetryPolicy(wait_for_turn, longest_wait))
    try:
        yield
    finally:
        _retry_policy.reset(token)


@contextmanager
def share_longest_wait() -> Iterator[None]:
    """Let throttled requests of this block wait no longer, one after the other, than one of them may."""
    policy = _retry_policy.get()
    if policy is None:
        yield
        return
    token = _retry_policy.set(replace(policy, waits_until=time.monotonic() + policy.longest_wait))
    try:
        yield
    finally:
        _retry_policy.reset(token)


def is_throttled() -> bool:
    """Return whether the caller is within `retry_when_throttled`."""
    return _retry_policy.get() is not None


def call_with_retries(call: Callable[[], T]) -> T:
    """Make a call; within `retry_when_throttled`, wait for its turn and retry it when the provider throttles it.

    Raises the errors of the call, NotSent when it was throttled too often or for too long.
    """
    policy = _retry_policy.get()
    if policy is None:
        return call()
    waited = 0.0
    for _ in range(MAX_TRIES - 1):
        policy.wait_for_turn()
        try:
            return call()
        except NotSent as error:
            # Only a 429 and the breaker's pause set retry_after. Jitter spreads out callers that were told the same.
            pause = (error.retry_after or 0) + random.uniform(0, 1)  # noqa: S311
            waited += pause
            ends_at = time.monotonic() + pause
            if error.retry_after is None or waited > policy.longest_wait or ends_at > policy.waits_until:
                raise
        shutdown.sleep_unless_stopping(pause)
    policy.wait_for_turn()
    return call()
