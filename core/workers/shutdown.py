"""Graceful shutdown: a worker that shuts down finishes its current item and begins nothing more (reliability-16).

Celery's signal reaches only the parent process, while its forked child processes do the work.
"""

import mmap
import time
from typing import Any

from celery.signals import worker_shutting_down

POLL_SECONDS = 0.2

# Anonymous mapped memory is shared with child processes that are forked later.
_stop_flag = mmap.mmap(-1, 1)


def listen_for_shutdown() -> None:
    """Connect to the worker's shutdown signal; called once, before the worker forks."""
    worker_shutting_down.connect(_set_stop_flag, dispatch_uid="core.workers.shutdown")


def is_stopping() -> bool:
    """Return whether this worker is shutting down."""
    return _stop_flag[0] == 1


def is_time_up(until: float) -> bool:
    """Return whether to begin nothing more: the monotonic clock has reached `until`, or the worker is shutting down."""
    return is_stopping() or time.monotonic() >= until


def sleep_unless_stopping(seconds: float) -> None:
    """Sleep for so many seconds, or until the worker shuts down."""
    until = time.monotonic() + seconds
    while not is_stopping() and (left := until - time.monotonic()) > 0:
        time.sleep(min(left, POLL_SECONDS))


def _set_stop_flag(**_: Any) -> None:
    _stop_flag[0] = 1
