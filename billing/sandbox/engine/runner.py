"""The thread in which time passes: it does what falls due as the clock runs, and travels when told to."""

from __future__ import annotations

import logging
import threading

from django.db import close_old_connections

from billing.sandbox.engine import due, travel
from billing.sandbox.models import Site

logger = logging.getLogger(__name__)

_TICK = 1.0
"""Seconds after which something that fell due is done at the latest."""

_woken = threading.Event()


def start() -> None:
    """Start the thread; it lives as long as the process."""
    threading.Thread(target=_run, name="clockwork", daemon=True).start()


def wake() -> None:
    """Do not wait for the next tick: there is a journey to travel."""
    _woken.set()


def _run() -> None:
    while True:
        try:
            _turn()
        except Exception:
            logger.exception("the clockwork stumbled and goes on")
            close_old_connections()
        _woken.wait(_TICK)
        _woken.clear()


def _turn() -> None:
    if Site.get().time_travel_status == "in_progress":
        travel.journey()
    due.settle()
