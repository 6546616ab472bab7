"""The thread that runs due work as the site's clock advances, and the journeys of the time machine."""

from __future__ import annotations

import logging
import threading

from django.db import close_old_connections

from chargebee_sandbox.engine import due_work, time_machine
from chargebee_sandbox.site import Site

logger = logging.getLogger(__name__)

_TICK_SECONDS = 1.0
"""The longest delay of due work, in real seconds."""

_woken = threading.Event()


def start_clock() -> None:
    """Start the thread, which runs as long as the process."""
    threading.Thread(target=_run_forever, name="clockwork", daemon=True).start()


def wake_clock() -> None:
    """Run the next tick at once: a journey has begun."""
    _woken.set()


def _run_forever() -> None:
    while True:
        try:
            _run_tick()
        except Exception:
            logger.exception("The clock thread failed and continues")
            close_old_connections()
        _woken.wait(_TICK_SECONDS)
        _woken.clear()


def _run_tick() -> None:
    if Site.load().time_travel_status == "in_progress":
        time_machine.run_journey()
    due_work.run_due_work()
