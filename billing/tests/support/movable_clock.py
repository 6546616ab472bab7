"""`python -m billing.tests.support.movable_clock CLOCK MODULE …`: run a module whose clock another process moves.

The file CLOCK contains the time (ISO 8601, UTC), which stands still until the file is rewritten. Beat sleeps by this
clock; all other waits take real time. So a night passes as fast as the processes can follow, and a slow machine makes
none of them late.
"""

from __future__ import annotations

import runpy
import sys
import threading
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import SupportsIndex

import time_machine

POLL_SECONDS = 0.004


class ClockFile:
    """The clock of the processes of this module; the test moves it."""

    def __init__(self, file: Path, now: datetime) -> None:
        self.file = file
        self.now = now
        self.move_forward(timedelta(0))

    def move_forward(self, step: timedelta) -> None:
        """Move the clock forward."""
        self.now += step
        part = self.file.with_suffix(".part")
        part.write_text(self.now.isoformat())
        part.replace(self.file)


def _follow_clock(clock: Path) -> None:
    sleep = time.sleep
    shown = time_machine.travel(datetime.fromisoformat(clock.read_text()), tick=False).start()

    def poll_clock() -> None:
        while True:
            shown.move_to(datetime.fromisoformat(clock.read_text()))
            sleep(POLL_SECONDS)

    def sleep_by_clock(seconds: SupportsIndex | float) -> None:
        wakes_at = time.time() + float(seconds)
        while time.time() < wakes_at:
            sleep(POLL_SECONDS)

    threading.Thread(target=poll_clock, daemon=True).start()
    if "beat" in sys.argv:
        time.sleep = sleep_by_clock


if __name__ == "__main__":
    followed = Path(sys.argv[1])
    sys.argv = sys.argv[2:]
    _follow_clock(followed)
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
