"""The settings of a process that a test kills: the portal's settings, and the file that names the kill point.

The file says "call MODULE.FUNCTION" or "return MODULE.FUNCTION". The process that gets there deletes the file
and kills itself, so that later processes run on. The portal itself contains no code for this.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from types import FrameType

from celery.signals import worker_process_init

from portal.settings import *  # noqa: F403

# Processes can be killed one by one, and the worker goes on.
CELERY_WORKER_POOL = "prefork"
# How long the parent process of a worker waits before it reports a dead child's task as lost; the default is 10 s.
CELERY_WORKER_LOST_WAIT = 0.1
KILL_POINT_FILE = Path(os.environ["KILL_POINT_FILE"])
OWN_MODULES = ("accounts.", "billing.", "core.", "portal.")


def die_at_named_point(frame: FrameType, event: str, _argument: object) -> None:
    """Kill this process if the file names this call or return; of two processes that get there at once, one dies."""
    module = frame.f_globals.get("__name__", "")
    if event not in ("call", "return") or not module.startswith(OWN_MODULES):
        return
    with suppress(FileNotFoundError):
        if KILL_POINT_FILE.read_text() == f"{event} {module}.{frame.f_code.co_qualname}":
            KILL_POINT_FILE.unlink()
            os.kill(os.getpid(), signal.SIGKILL)


def watch_calls(**_: object) -> None:
    """Profile the calls of this thread and of the threads that it starts."""
    threading.setprofile(die_at_named_point)
    sys.setprofile(die_at_named_point)


worker_process_init.connect(watch_calls, weak=False)
watch_calls()
