"""The settings of a process that a test kills: the portal's own, and the file in which the test names the point.

Whoever reaches the point takes the file away and dies at once, so that it strikes once: the processes that come after
find none.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

from portal import kill_points
from portal.settings import *  # noqa: F403

# The worker's parent process waits so long, by default ten seconds, before it calls the work of a dead child lost.
CELERY_WORKER_LOST_WAIT = 0.1
KILL_POINT_FILE = Path(os.environ["KILL_POINT_FILE"])


def die(point: str) -> None:
    """Die as by `kill -9`, if this is the point that is named; of two that reach it at once, one."""
    with suppress(FileNotFoundError):
        if KILL_POINT_FILE.read_text() == point:
            KILL_POINT_FILE.unlink()
            os.kill(os.getpid(), signal.SIGKILL)


kill_points.arm(die)
