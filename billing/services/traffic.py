"""How much the provider is asked, and how it answers: counted by the minute, for operators.

Each process counts in memory and adds to the minute's row now and then, after a request or a task, so that counting
costs the calls themselves nothing. What a killed process had not added yet is lost, and what the database would
not take: nothing is decided by these figures.
"""

import logging
import threading
import time
from collections import defaultdict
from datetime import datetime, timedelta
from typing import Any

from celery.signals import task_postrun
from django.conf import settings
from django.core.signals import request_finished
from django.db import DatabaseError, transaction
from django.db.models import F
from django.utils import timezone

from billing.gateway import transport
from billing.models import ProviderMinute

logger = logging.getLogger(__name__)

KEPT = timedelta(days=7)
FIELDS = ("asked", "turned_away", "failed", "milliseconds")


class _Tally:
    """What this process has counted and not added yet."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._minutes: dict[datetime, dict[str, int]] = {}
        self._added_at = time.monotonic()

    def note(self, exchange: transport.Exchange) -> None:
        minute = timezone.now().replace(second=0, microsecond=0)
        with self._lock:
            counts = self._minutes.setdefault(minute, defaultdict(int))
            counts["asked"] += 1
            counts["turned_away"] += exchange.status == 429
            counts["failed"] += exchange.status is None or exchange.status >= 500
            counts["milliseconds"] += round(exchange.seconds * 1000)

    def take(self, *, at_least_every: float) -> dict[datetime, dict[str, int]]:
        with self._lock:
            if not self._minutes or time.monotonic() - self._added_at < at_least_every:
                return {}
            taken, self._minutes, self._added_at = self._minutes, {}, time.monotonic()
            return taken


_tally = _Tally()


def connect() -> None:
    """Begin to count; called once, when the application is ready."""
    transport.watch_with(_tally.note)
    request_finished.connect(_add_now_and_then, dispatch_uid="billing.traffic")
    task_postrun.connect(_add_now_and_then, dispatch_uid="billing.traffic")


def _add_now_and_then(**_: Any) -> None:
    seconds = settings.PROVIDER_TRAFFIC_SECONDS
    if seconds is None:
        return
    try:
        add(at_least_every=seconds)
    except DatabaseError as error:
        # The answer is given, or the task done, already: figures for operators must not undo that.
        logger.warning("What the provider was asked could not be noted: %s", type(error).__name__)


def add(*, at_least_every: float = 0) -> None:
    """Add what this process has counted to the minutes' rows, unless it did so within these seconds."""
    taken = _tally.take(at_least_every=at_least_every)
    # Most requests have nothing to add, and ask the database for nothing.
    if not taken:
        return
    with transaction.atomic():
        for minute, counts in sorted(taken.items()):
            row, _ = ProviderMinute.objects.get_or_create(minute=minute)
            ProviderMinute.objects.filter(pk=row.pk).update(
                **{name: F(name) + counts[name] for name in FIELDS}
            )


def forget_old() -> int:
    """Delete the minutes that are older than a week; return how many."""
    deleted, _ = ProviderMinute.objects.filter(minute__lt=timezone.now() - KEPT).delete()
    return deleted
