"""A worker that is asked to end begins nothing more: whatever is long stops after what it is at (reliability, row 16).

The signal reaches a worker's leader alone, while the work is done by the processes that it forked.
"""

import mmap
import time
from typing import Any

from celery.signals import worker_shutting_down

LOOKS_EVERY_SECONDS = 0.2

# Memory of no file is shared with whatever is forked later.
_asked = mmap.mmap(-1, 1)


def listen() -> None:
    """Begin to listen; called once, before a worker forks."""
    worker_shutting_down.connect(_ask, dispatch_uid="billing.stopping")


def asked() -> bool:
    """Return whether this worker is to end."""
    return _asked[0] == 1


def is_time_up(until: float) -> bool:
    """Return whether nothing more is to be begun: it is this time of the monotonic clock, or this worker is to end."""
    return asked() or time.monotonic() >= until


def sleep(seconds: float) -> None:
    """Wait for so long, or until this worker is to end."""
    until = time.monotonic() + seconds
    while not asked() and (left := until - time.monotonic()) > 0:
        time.sleep(min(left, LOOKS_EVERY_SECONDS))


def _ask(**_: Any) -> None:
    _asked[0] = 1
