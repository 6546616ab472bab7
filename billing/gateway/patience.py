"""Patience: in the background each request waits for its turn, and for as long as the provider asks one to wait.

A subscriber's request never waits: it is answered at once that the provider is busy (reliability, row 5).
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

from billing import stopping
from billing.gateway.errors import NotSent

TRIES = 5
# The provider counts by the minute: whoever is told to wait much longer than that is better off going on later.
LONGEST_WAIT_SECONDS = 75.0

T = TypeVar("T")


@dataclass(frozen=True)
class _Patience:
    """How a request comes to its turn, and how long it may wait when it was turned away."""

    turn: Callable[[], None]
    longest_wait: float


_patience: ContextVar[_Patience | None] = ContextVar("patience", default=None)


@contextmanager
def patient(turn: Callable[[], None], *, longest_wait: float = LONGEST_WAIT_SECONDS) -> Iterator[None]:
    """Make the requests of a block patient; `turn` waits for each one's turn, or raises NotSent.

    One that is turned away for load waits for as long as it is told, but no longer than these seconds in all.
    """
    token = _patience.set(_Patience(turn, longest_wait))
    try:
        yield
    finally:
        _patience.reset(token)


def patiently(call: Callable[[], T]) -> T:
    """Make a call; where patience is asked for, in its turn, and again when the provider turned it away for load.

    Raises what the call raises: NotSent when it was turned away too often or for too long.
    """
    patience = _patience.get()
    if patience is None:
        return call()
    waited = 0.0
    for _ in range(TRIES - 1):
        patience.turn()
        try:
            return call()
        except NotSent as error:
            # Only an answer of 429 says how long to wait. A little more spreads those who were told the same.
            pause = (error.retry_after or 0) + random.uniform(0, 1)  # noqa: S311
            waited += pause
            if error.retry_after is None or waited > patience.longest_wait:
                raise
        stopping.sleep(pause)
    patience.turn()
    return call()
