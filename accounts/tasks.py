"""Celery tasks. Each is safe to run twice, late or concurrently, because its database row decides what is done."""

from __future__ import annotations

import uuid
from time import monotonic

from celery import shared_task
from django.conf import settings

from accounts import data_retention
from accounts.mail import outbox
from accounts.models import OutgoingMail
from core.workers.task_queue import enqueue_expiring_task


@shared_task
def send_mail(*mail_ids: int) -> None:
    """Send mails of the outbox, each if it is due and no other worker holds its lease; the tick sends what is left."""
    outbox.deliver_mails(mail_ids, until=monotonic() + settings.MAIL_SLICE_SECONDS)


@shared_task
def send_login_code(challenge_id: str) -> None:
    """Create the code of a challenge and send it, if an account has the address."""
    for mail_id in OutgoingMail.objects.filter(challenge=uuid.UUID(challenge_id)).values_list("pk", flat=True):
        outbox.deliver_mail(mail_id)


@shared_task
def send_due_codes() -> None:
    """On every beat, send the sign-in codes whose task was lost or has failed."""
    outbox.deliver_due_mails(outbox.Queue.CODES, until=monotonic() + settings.MAIL_SLICE_SECONDS)


@shared_task
def send_due_mails() -> None:
    """Send due mails for a slice; the next tick enqueues another while some are left."""
    until = monotonic() + settings.MAIL_SLICE_SECONDS
    # First, what the workers for codes should have sent: perhaps none runs.
    for queue in (outbox.Queue.CODES, outbox.Queue.MAIL):
        outbox.deliver_due_mails(queue, until=until)


@shared_task
def tick() -> None:
    """On every beat, announce the due mails and delete expired data."""
    outbox.drop_expired_mails()
    if any(map(outbox.has_due_mail, (outbox.Queue.CODES, outbox.Queue.MAIL))):
        enqueue_expiring_task("accounts.tasks.send_due_mails")
    data_retention.delete_expired_data()
