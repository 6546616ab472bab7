"""One writer at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

_writer = threading.RLock()


@contextmanager
def writing() -> Iterator[None]:
    """Hold the only pen of this process inside one transaction.

    Writes being serialised, no request ever meets a resource another is changing, and the engine never has to merge.
    """
    with _writer, transaction.atomic():
        yield
