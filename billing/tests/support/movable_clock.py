"""`python -m billing.tests.support.movable_clock CLOCK MODULE …`: run a module whose clock another process moves.

The file CLOCK says what the clock shows (ISO 8601, UTC): it stands until another time is written there. Beat sleeps by
this clock; what else a process waits for it waits for as long as ever. So a night passes as quickly as the processes
can follow, and none is late for it on a machine that is slow.
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
    """What a process of this module goes by, moved by whoever made it."""

    def __init__(self, file: Path, now: datetime) -> None:
        self.file = file
        self.now = now
        self.move_forward(timedelta(0))

    def move_forward(self, step: timedelta) -> None:
        """Let it show a later time from now on."""
        self.now += step
        part = self.file.with_suffix(".part")
        part.write_text(self.now.isoformat())
        part.replace(self.file)


def _follow_clock(clock: Path) -> None:
    sleep = time.sleep
    shown = time_machine.travel(datetime.fromisoformat(clock.read_text()), tick=False).start()

    def go_on() -> None:
        while True:
            shown.move_to(datetime.fromisoformat(clock.read_text()))
            sleep(POLL_SECONDS)

    def sleep_by_the_clock(seconds: SupportsIndex | float) -> None:
        wakes_at = time.time() + float(seconds)
        while time.time() < wakes_at:
            sleep(POLL_SECONDS)

    threading.Thread(target=go_on, daemon=True).start()
    if "beat" in sys.argv:
        time.sleep = sleep_by_the_clock


if __name__ == "__main__":
    followed = Path(sys.argv[1])
    sys.argv = sys.argv[2:]
    _follow_clock(followed)
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
