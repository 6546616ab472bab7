"""The site's time.

``now()`` is the real time plus the site's offset, in whole seconds UTC; ``now_ms()`` the same in milliseconds. Nothing
in the sandbox reads the machine's clock for anything a customer can see. Inside ``with at(instant):`` both stand still
at that instant (per thread): a request happens at one instant, and the engine does each due thing *at* the instant it
was due, however late it gets to it. Only the time machine calls ``move_to``.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_held: ContextVar[int | None] = ContextVar("held_instant_ms", default=None)


def now_ms() -> int:
    """The site's time in milliseconds UTC."""
    held = _held.get()
    return _running_ms() if held is None else held


def now() -> int:
    """The site's time in seconds UTC."""
    return now_ms() // 1000


@contextmanager
def at(instant: int | None = None) -> Iterator[int]:
    """Hold the clock at ``instant`` (seconds; by default the time it is) for this thread."""
    ms = _running_ms() if instant is None else instant * 1000
    token = _held.set(ms)
    try:
        yield ms // 1000
    finally:
        _held.reset(token)


def move_to(instant: int) -> None:
    """Set the running clock, so that it is ``instant`` (seconds) now and goes on from there."""
    from billing.sandbox.models import Site

    site = Site.get()
    site.offset_ms = instant * 1000 - _machine_ms()
    site.save(update_fields=["offset_ms"])


def _running_ms() -> int:
    from billing.sandbox.models import Site

    return _machine_ms() + Site.offset()


def _machine_ms() -> int:
    return time.time_ns() // 1_000_000
