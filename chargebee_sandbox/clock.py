"""The site's time.

``now_seconds()`` is the machine's time plus the site's offset, in whole seconds UTC; ``now_ms()`` the same in
milliseconds. Nothing a customer can see reads the machine's clock. Inside ``with hold_time(instant):`` both return that
instant (per thread): a request happens at one instant, and due work runs *at* the instant it was due, however late the
engine gets to it. Only the time machine calls ``move_to``.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from chargebee_sandbox.site import Site

_held_instant_ms: ContextVar[int | None] = ContextVar("held_instant_ms", default=None)


def now_ms() -> int:
    """Return the site's time in milliseconds UTC."""
    held_ms = _held_instant_ms.get()
    return _running_ms() if held_ms is None else held_ms


def now_seconds() -> int:
    """Return the site's time in seconds UTC."""
    return now_ms() // 1000


@contextmanager
def hold_time(instant: int | None = None) -> Iterator[int]:
    """Hold the clock at ``instant`` (seconds UTC, by default the present) for this thread."""
    ms = _running_ms() if instant is None else instant * 1000
    token = _held_instant_ms.set(ms)
    try:
        yield ms // 1000
    finally:
        _held_instant_ms.reset(token)


def move_to(instant: int) -> None:
    """Set the running clock to ``instant`` (seconds UTC); it continues from there."""
    site = Site.load()
    site.offset_ms = instant * 1000 - _machine_ms()
    site.save(update_fields=["offset_ms"])


def _running_ms() -> int:
    return _machine_ms() + Site.current_offset_ms()


def _machine_ms() -> int:
    return time.time_ns() // 1_000_000
