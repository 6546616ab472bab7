"""A lock on a folder. It ends with the process that holds it, however that ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path


class FolderHeld(Exception):
    """Another process holds the folder."""


@contextlib.contextmanager
def hold_folder(folder: Path, *, on_wait: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold a folder during the block; the processes that are started in it do not.

    If another process holds it, call `on_wait` and wait. Raises FolderHeld without `on_wait`.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if on_wait is None:
                raise FolderHeld(str(folder)) from error
            on_wait()
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
