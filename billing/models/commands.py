"""The log of commands: every change at the provider is recorded before it is asked for."""

import uuid

from django.db import models

from accounts.models import Account
from billing.models.steps import StepsField
from core.leases import Leased, LeaseQuerySet

# The actor of what no person asked for.
SYSTEM_ACTOR = "system"
# The kind of command that puts a bundle's coupons right by itself.
ALIGN_BUNDLE = "align_bundle"


class Command(Leased):
    """One intended change of one account at the provider, of one or more steps.

    Committed before the first call and closed after the last answer was applied. Each step's provider idempotency
    key is made of `id`, so that asking again after a crash or a time-out cannot act twice. At most one command of an
    account is open.
    """

    class State(models.TextChoices):
        PENDING = "pending", "in progress"
        UNKNOWN = "unknown", "being confirmed"
        SUCCEEDED = "succeeded", "done"
        FAILED = "failed", "refused"

    OPEN = (State.PENDING, State.UNKNOWN)
    UNFINISHED = models.Q(state__in=OPEN)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="commands")
    key = models.CharField(max_length=100, help_text="The idempotency key: the client's, or one made for a schedule.")
    kind = models.CharField(max_length=40)
    actor = models.CharField(max_length=170, help_text="you, support:<operator> or system.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    steps = StepsField(help_text="The calls to the provider, in order, with their states.")
    shown = models.JSONField(default=dict, help_text="The figures that were confirmed, in cents.")
    error_code = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    first_sent_at = models.DateTimeField(
        null=True, blank=True, help_text="Starts the provider's idempotency window of 30 minutes."
    )
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = LeaseQuerySet["Command"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "key"], name="one_command_per_key"),
            models.UniqueConstraint(
                fields=["account"],
                condition=models.Q(state__in=("pending", "unknown")),
                name="one_open_command_per_account",
            ),
        ]
        indexes = [models.Index(fields=["state", "next_attempt_at"], name="command_due")]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"
