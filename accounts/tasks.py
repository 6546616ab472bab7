"""Celery tasks. Each is safe to run twice, late, or at the same time: the row it names decides."""

from __future__ import annotations

import uuid

from celery import shared_task

from accounts import outbox, retention
from accounts.models import OutgoingMail


@shared_task
def send_mail(mail_id: int) -> None:
    """Send one mail of the outbox, if it is due and nobody else is sending it."""
    outbox.deliver(mail_id)


@shared_task
def send_login_code(challenge_id: str) -> None:
    """Make the code of one challenge and send it, if its address has an owner."""
    for mail_id in OutgoingMail.objects.filter(challenge=uuid.UUID(challenge_id)).values_list(
        "pk", flat=True
    ):
        outbox.deliver(mail_id)


@shared_task
def tick() -> None:
    """At every beat: publish again what waits in the outbox, and forget what we may not keep."""
    for mail_id in outbox.due():
        send_mail.delay(mail_id)
    retention.forget_what_is_over()
