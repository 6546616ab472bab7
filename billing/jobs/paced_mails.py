"""Mails whose text is asked from the provider when they are sent: notices, and payments that are not mirrored yet.

A night's notices are thousands of requests, so a job sends them, at the pace of jobs and slice by slice. Each tick
announces a slice while some wait. What subscribers ask for meanwhile has its room, and other jobs have their turns.
"""

from time import monotonic

from django.conf import settings

from accounts.mail import outbox
from billing.gateway.http import rate_limit
from core.workers.task_queue import enqueue_expiring_task


def announce_paced_mails() -> None:
    """Enqueue a slice if mails are due."""
    if outbox.has_due_mail(outbox.Queue.JOBS):
        enqueue_expiring_task("billing.tasks.send_paced_mails")


def send_paced_mails() -> int:
    """Send due mails for one slice; return how many were handled."""
    with rate_limit.throttle_jobs():
        return outbox.deliver_due_mails(outbox.Queue.JOBS, until=monotonic() + settings.MAIL_SLICE_SECONDS)
