"""Standstill: a worker whose processes take nothing ends itself, and its manager starts it anew (reliability-39).

A process of the pool that is killed while it holds the pool's lock leaves the others waiting for it. The parent goes
on, answers pings, and keeps the messages that it was given; nobody else would notice.

While it works, a worker renews WORKER_HEARTBEAT_FILE, which the health check of its container reads.
"""

import os
from pathlib import Path
from typing import Any

from celery.signals import worker_ready
from celery.utils.log import get_logger
from celery.worker import state
from django.conf import settings

from core.workers.shutdown import is_stopping

logger = get_logger(__name__)

POLL_SECONDS = 10.0
# A free process takes a task within milliseconds. Polls are counted instead of seconds, for a machine that sleeps.
MOST_POLLS = 6
# EX_TEMPFAIL of sysexits.h: `make run` starts a worker anew that ends with it, as Docker and systemd do with any.
RESTART_EXIT_CODE = 75


class StandstillWatch:
    """Counts the polls at which the same request waited although a process of the pool was free."""

    def __init__(self, *, processes: int) -> None:
        self._processes = processes
        self._polls_by_request: dict[str, int] = {}

    def is_standing_still(self, *, reserved: set[str], active: set[str]) -> bool:
        """Return whether a request has waited for a minute, given the ids of those received and of those begun."""
        waiting = reserved - active if len(active) < self._processes else set()
        self._polls_by_request = {request: self._polls_by_request.get(request, 0) + 1 for request in waiting}
        return any(polls >= MOST_POLLS for polls in self._polls_by_request.values())


def listen_for_start() -> None:
    """Connect to the worker's start."""
    worker_ready.connect(_begin_watch, dispatch_uid="core.workers.standstill")


def _begin_watch(*, sender: Any, **_: Any) -> None:
    # Only processes share a lock that one of them can leave locked; threads end with their process.
    if not sender.pool.uses_semaphore:
        return
    watch = StandstillWatch(processes=sender.pool.limit)
    # The timer of the loop that changes these sets: neither changes meanwhile.
    sender.timer.call_repeatedly(POLL_SECONDS, _poll_pool, (watch,))


def _poll_pool(watch: StandstillWatch) -> None:
    """End this worker if its processes take nothing, otherwise renew its heartbeat. The worker's own loop calls it."""
    reserved = {request.id for request in state.reserved_requests}
    active = {request.id for request in state.active_requests}
    if watch.is_standing_still(reserved=reserved, active=active) and not is_stopping():
        logger.error("The processes of this worker take no tasks. It ends, to be started anew.")
        # A shutdown would wait for the processes. What was received is not acknowledged, and is delivered again.
        os._exit(RESTART_EXIT_CODE)
    if settings.WORKER_HEARTBEAT_FILE:
        Path(settings.WORKER_HEARTBEAT_FILE).touch()
