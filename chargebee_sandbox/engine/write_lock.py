"""The lock that serializes all writes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

_write_lock = threading.RLock()


@contextmanager
def hold_write_lock() -> Iterator[None]:
    """Hold the process's write lock, in a transaction.

    As writes are serialized, no request meets a resource that another one is changing.
    """
    with _write_lock, transaction.atomic():
        yield
