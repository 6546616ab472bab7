"""The mail outbox: a row is the work, the task's message only a hint."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils import timezone

from accounts.models.events import AccountEvent
from accounts.models.site import Brand
from accounts.models.users import Account
from core.tracing import TRACE_LENGTH, current_trace
from core.workers.leases import Leased, LeaseQuerySet


class OutgoingMail(Leased):
    """A mail to be sent, or one that was.

    A mail of an account goes to the address that the account has when it is sent; `to` is the one it was queued for,
    and then the one it went to. `category` is the kind of mail one may do without that this is; mail that is needed has
    none. `context` holds what the templates of `kind` are rendered with; a secret never stands in it.

    A mail about an `event` of the activity can be read again: `sent_as` is what was sent, and a mail that another one
    told was `merged_into` that one.

    `queue` says which workers send it, so that none waits behind mail of another kind. `next_attempt_at` is also the
    lease of whoever is sending the mail just now. `given_up_at` is when it failed for good or became too late to be of
    use, which can be days after it was queued. `trace` is that of what queued it. Times are real time.
    """

    class State(models.TextChoices):
        """Where the mail is on its way."""

        PENDING = "pending", "waiting"
        SENT = "sent", "sent"
        DROPPED = "dropped", "not sent"
        FAILED = "failed", "failed"

    class Queue(models.TextChoices):
        """Which workers send a mail: the name of their Celery queue."""

        CODES = "codes", "sign-in codes"
        MAIL = "mail", "mail"
        # What asks the provider before it is sent keeps the pace of jobs.
        JOBS = "jobs", "at the pace of jobs"

    UNFINISHED = models.Q(state=State.PENDING)

    kind = models.CharField(max_length=60)
    category = models.CharField(max_length=20, blank=True)
    to = models.EmailField(blank=True)
    context = models.JSONField(default=dict, blank=True)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, null=True, blank=True, related_name="outgoing_mails")
    brand = models.ForeignKey(Brand, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    event = models.ForeignKey(AccountEvent, on_delete=models.CASCADE, null=True, blank=True, related_name="mails")
    merged_into = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    sent_as = models.JSONField(null=True, blank=True, editable=False)
    dedupe_key = models.CharField(max_length=200, unique=True, null=True, blank=True)
    message_id = models.UUIDField(default=uuid.uuid4, editable=False)
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    queue = models.CharField(max_length=10, choices=Queue.choices, default=Queue.MAIL, db_default=Queue.MAIL)
    last_error = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    given_up_at = models.DateTimeField(null=True, blank=True)
    trace = models.CharField(max_length=TRACE_LENGTH, blank=True, default=current_trace, db_default="", editable=False)

    objects = LeaseQuerySet["OutgoingMail"].as_manager()

    class Meta:
        ordering = ["-created_at"]
        permissions = [("resend_mail", "Can send a mail again")]
        indexes = [
            models.Index(fields=["to"], name="outgoing_mail_address"),
            # What operators look for: a kind, the few that were not sent, and those of the smaller queues.
            models.Index(fields=["kind", "-created_at"], name="outgoing_mail_kind"),
            models.Index(fields=["state"], condition=~models.Q(state="sent"), name="outgoing_mail_not_sent"),
            models.Index(fields=["queue"], condition=~models.Q(queue="mail"), name="outgoing_mail_other_queue"),
            models.Index(
                fields=["queue", "next_attempt_at"],
                condition=models.Q(state="pending"),
                name="outgoing_mail_due_in_queue",
            ),
            models.Index(
                fields=["expires_at"],
                condition=models.Q(state="pending"),
                name="outgoing_mail_expiring",
            ),
            models.Index(
                fields=["expires_at"],
                condition=models.Q(kind="login_code"),
                name="outgoing_mail_code_expiring",
            ),
            models.Index(
                fields=["given_up_at"],
                condition=models.Q(given_up_at__isnull=False),
                name="outgoing_mail_given_up",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.to}"
