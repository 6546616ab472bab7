"""The settings of a process that a test kills: the portal's own, and the file that names where the process dies.

The file says "call MODULE.FUNCTION" or "return MODULE.FUNCTION". Whoever gets there takes the file away and dies at
once, so that it strikes once: the processes that come after find none. The product needs no code for this.
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

# The worker's parent process waits so long, by default ten seconds, before it calls the work of a dead child lost.
CELERY_WORKER_LOST_WAIT = 0.1
KILL_POINT_FILE = Path(os.environ["KILL_POINT_FILE"])
OWN_MODULES = ("accounts.", "billing.", "core.", "portal.")


def die_at_named_point(frame: FrameType, event: str, _argument: object) -> None:
    """Die as by `kill -9`, if this call or return is the one that is named; of two at once, one."""
    module = frame.f_globals.get("__name__", "")
    if event not in ("call", "return") or not module.startswith(OWN_MODULES):
        return
    with suppress(FileNotFoundError):
        if KILL_POINT_FILE.read_text() == f"{event} {module}.{frame.f_code.co_qualname}":
            KILL_POINT_FILE.unlink()
            os.kill(os.getpid(), signal.SIGKILL)


def watch_calls(**_: object) -> None:
    """Watch the calls of this thread and of those that it starts."""
    threading.setprofile(die_at_named_point)
    sys.setprofile(die_at_named_point)


worker_process_init.connect(watch_calls, weak=False)
watch_calls()
