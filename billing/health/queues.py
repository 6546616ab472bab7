"""Work that waits: how much there is in each queue, and how long the oldest has waited.

The rows are the work and messages only hints, so what a broker holds tells little. Each query reads an index of what is
unfinished, and no more rows than wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Min, QuerySet

from accounts.models import OutgoingMail
from billing import clock
from billing.models import Command, InvoicePdf, PauseSchedule, WebhookEvent
from core.clock import database_now


@dataclass(frozen=True)
class QueueDepth:
    """How many items of a queue wait, and for how many seconds the oldest has; 0 if none waits."""

    queue: str
    waiting: int
    oldest_seconds: float


def queue_depths() -> Iterator[QueueDepth]:
    """Return the depth of every queue: each kind of mail, webhook events, open commands, due resumes, PDFs."""
    now, billing_now = database_now(), clock.billing_now()
    mails = OutgoingMail.objects.unfinished()
    for queue in OutgoingMail.Queue:
        yield _measure_queue(queue.value, mails.filter(queue=queue), "created_at", now)
    yield _measure_queue("webhooks", WebhookEvent.objects.unfinished(), "received_at", now)
    yield _measure_queue("commands", Command.objects.unfinished(), "created_at", now)
    yield _measure_queue("resumes", _due_resumes(billing_now), "resume_date", billing_now)
    yield _measure_queue("pdfs", InvoicePdf.objects.unfinished(), "created_at", now)


def _due_resumes(now: datetime) -> QuerySet[PauseSchedule]:
    """Return the pauses that are to end, without those that only the subscriber can end."""
    return PauseSchedule.objects.filter(
        state=PauseSchedule.State.PAUSED, resume_date__lte=now, given_up_at__isnull=True
    )


def _measure_queue(name: str, rows: QuerySet[Any], since: str, now: datetime) -> QueueDepth:
    found = rows.aggregate(waiting=Count("pk"), oldest=Min(since))
    seconds = (now - found["oldest"]).total_seconds() if found["oldest"] else 0.0
    return QueueDepth(name, found["waiting"], max(0.0, seconds))
