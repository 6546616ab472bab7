"""Celery tasks. Each is safe to run twice, late or concurrently, because its database row decides what is done."""

from __future__ import annotations

import uuid

from celery import shared_task

from accounts import data_retention
from accounts.mail import outbox
from accounts.models import OutgoingMail


@shared_task
def send_mail(mail_id: int) -> None:
    """Send one mail of the outbox if it is due and no other worker holds its lease."""
    outbox.deliver_mail(mail_id)


@shared_task
def send_login_code(challenge_id: str) -> None:
    """Create the code of a challenge and send it, if an account has the address."""
    for mail_id in OutgoingMail.objects.filter(challenge=uuid.UUID(challenge_id)).values_list("pk", flat=True):
        outbox.deliver_mail(mail_id)


@shared_task
def tick() -> None:
    """On every beat, enqueue the due mails again and delete expired data."""
    for mail_id in outbox.due_mail_ids():
        send_mail.delay(mail_id)
    data_retention.delete_expired_data()
