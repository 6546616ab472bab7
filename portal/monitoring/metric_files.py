"""Counting for Prometheus: the files in which processes count, and counting that never fails.

Each process counts in a file of a folder that the processes of one machine or container share, so that any of them can
serve the sums.
"""

from __future__ import annotations

import fcntl
import logging
import os
from functools import cache
from itertools import count
from pathlib import Path

from django.conf import settings
from prometheus_client import CollectorRegistry, Counter, Histogram, values
from prometheus_client.multiprocess import MultiProcessCollector

logger = logging.getLogger(__name__)

METRICS_FOLDER = Path(os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(settings.VAR_DIR / "metrics")))
METRICS_FOLDER.mkdir(parents=True, exist_ok=True)
# Never closed: closing any descriptor of a file ends all locks that the process has on it.
_SLOT_LOCKS = os.open(METRICS_FOLDER.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o666)


def _lock_slot(slot: int) -> bool:
    try:
        # Held by this process alone, not by its children, until it ends.
        fcntl.lockf(_SLOT_LOCKS, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, slot)
    except BlockingIOError:
        return False
    return True


@cache
def _claim_slot(pid: int) -> int:
    """Return the lowest number that no living process has; it names the process's file.

    So a process continues the file of one that ended. Were files named by process id, each new process would add one;
    were the old ones removed, the sums would fall, which Prometheus takes for a restart from zero.
    """
    return next(filter(_lock_slot, count()))


values.ValueClass = values.MultiProcessValue(lambda: _claim_slot(os.getpid()))  # type: ignore[no-untyped-call]
# The registry to serve is built from the files for each request.
REGISTRY = CollectorRegistry()


def observe_seconds(figures: Histogram, labels: tuple[str, ...], seconds: float) -> None:
    """Observe a duration. On a full disk a new process has no room for its file: what is measured goes on uncounted."""
    try:
        figures.labels(*labels).observe(seconds)
    except OSError as error:
        _warn_of_lost_metric(error)


def count_events(figures: Counter, labels: tuple[str, ...], number: int = 1) -> None:
    """Count events; a number of 0 makes their series begin at zero, so that the first event shows as a rise."""
    try:
        figures.labels(*labels).inc(number)
    except OSError as error:
        _warn_of_lost_metric(error)


def _warn_of_lost_metric(error: OSError) -> None:
    logger.warning("A metric could not be written (%s).", type(error).__name__)


def begin_at_zero(figures: Histogram, labels: tuple[str, ...]) -> None:
    """Let a series exist before anything is observed: one that begins at 1 does not show as a rise."""
    try:
        figures.labels(*labels)
    except OSError as error:
        _warn_of_lost_metric(error)


def collect_counts() -> CollectorRegistry:
    """Return a registry with what all processes that share the folder counted."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(METRICS_FOLDER))  # type: ignore[no-untyped-call]  # the library's
    return registry
