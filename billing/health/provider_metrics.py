"""Metrics of the requests to the provider, counted by the minute, for operators.

Each process counts in memory and adds its counts to the minute's row periodically, after a request or a task, so that
counting does not slow down the calls. Counts are lost if a process dies or the database fails: nothing depends on them.
"""

import logging
import threading
import time
from collections import defaultdict
from datetime import datetime
from typing import Any

from celery.signals import task_postrun
from django.conf import settings
from django.core.signals import request_finished
from django.db import DatabaseError, transaction
from django.db.models import F
from django.utils import timezone

from billing.gateway.http import transport
from billing.models import ProviderMinute

logger = logging.getLogger(__name__)

COUNT_FIELDS = ("asked", "turned_away", "failed", "milliseconds")


class _Tally:
    """The counts of this process that are not in the database yet."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._minutes: dict[datetime, dict[str, int]] = {}
        self._flushed_at = time.monotonic()

    def count_exchange(self, exchange: transport.Exchange) -> None:
        minute = timezone.now().replace(second=0, microsecond=0)
        with self._lock:
            counts = self._minutes.setdefault(minute, defaultdict(int))
            counts["asked"] += 1
            counts["turned_away"] += exchange.status == 429
            counts["failed"] += exchange.status is None or exchange.status >= 500
            counts["milliseconds"] += round(exchange.seconds * 1000)

    def take_counts(self, *, min_interval: float) -> dict[datetime, dict[str, int]]:
        with self._lock:
            if not self._minutes or time.monotonic() - self._flushed_at < min_interval:
                return {}
            minutes, self._minutes, self._flushed_at = self._minutes, {}, time.monotonic()
            return minutes


_tally = _Tally()


def connect_signals() -> None:
    """Start counting; called once, when the application is ready."""
    transport.add_watcher(_tally.count_exchange)
    request_finished.connect(_flush_periodically, dispatch_uid="billing.traffic")
    task_postrun.connect(_flush_periodically, dispatch_uid="billing.traffic")


def _flush_periodically(**_: Any) -> None:
    seconds = settings.PROVIDER_TRAFFIC_SECONDS
    if seconds is None:
        return
    try:
        flush_counts(min_interval=seconds)
    except DatabaseError as error:
        # The request or task has succeeded; metrics must not make it fail.
        logger.warning("Recording the provider metrics failed: %s", type(error).__name__)


def flush_counts(*, min_interval: float = 0) -> None:
    """Add this process's counts to the minutes' rows, unless it did so in the last `min_interval` seconds."""
    counts_by_minute = _tally.take_counts(min_interval=min_interval)
    if not counts_by_minute:
        return
    with transaction.atomic():
        for minute, counts in sorted(counts_by_minute.items()):
            row, _ = ProviderMinute.objects.get_or_create(minute=minute)
            ProviderMinute.objects.filter(pk=row.pk).update(**{name: F(name) + counts[name] for name in COUNT_FIELDS})
