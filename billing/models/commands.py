"""The log of commands: every change at the provider is recorded before it is asked for."""

import uuid

from django.db import models

from accounts.models import Account
from accounts.models.events import MAX_REASON_LENGTH
from billing.models.steps import StepsField
from core.tracing import TRACE_LENGTH, current_trace
from core.workers.leases import Leased, LeaseQuerySet

# The actor of what no person asked for.
SYSTEM_ACTOR = "system"
# The kind of command that puts a bundle's coupons right by itself.
ALIGN_BUNDLE = "align_bundle"
# The kind of command by which an operator corrects an email address.
CORRECT_ADDRESS = "correct_address"
# What an operator can do on an account: `billing.act_<name>` is the permission.
OPERATOR_ACTS = {
    "pause": "schedule a pause",
    "remove_pause": "remove a scheduled pause",
    "resume": "resume a subscription",
    "change_period": "switch the billing period",
    "undo_change": "remove a scheduled switch",
    "change_services": "add and remove services",
    "cancel": "cancel at the end of the term",
    "cancel_now": "cancel at once",
    "keep": "remove a scheduled cancellation",
    "redeem_code": "redeem a code",
    "free_month": "give a free month",
    "collect": "collect what is due",
    "correct_address": "correct an email address",
    "refund": "refund or credit an invoice",
    "give_credit": "give a promotional credit",
}


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
    # With only the database's default, Django could not insert a page of commands as arrays.
    reason = models.CharField(
        max_length=MAX_REASON_LENGTH, blank=True, default="", db_default="", help_text="Why an operator did it."
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    steps = StepsField(help_text="The calls to the provider, in order, with their states.")
    shown = models.JSONField(default=dict, help_text="The figures that were confirmed, in cents.")
    error_code = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    first_sent_at = models.DateTimeField(
        null=True, blank=True, help_text="Starts the provider's idempotency window of 30 minutes."
    )
    finished_at = models.DateTimeField(null=True, blank=True)
    trace = models.CharField(
        max_length=TRACE_LENGTH,
        blank=True,
        default=current_trace,
        db_default="",
        editable=False,
        help_text="The trace of the request that opened it.",
    )

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
        indexes = [
            models.Index(fields=["state", "next_attempt_at"], name="command_due"),
            models.Index(fields=["-created_at"], name="command_newest"),
            models.Index(fields=["kind", "-created_at"], name="command_kind"),
            models.Index(
                fields=["error_code", "-created_at"], condition=~models.Q(error_code=""), name="command_error_code"
            ),
            models.Index(fields=["key"], name="command_key"),
            # For the refusals of the last day: those of all years are kept.
            models.Index(fields=["finished_at"], condition=models.Q(state="failed"), name="command_failed"),
        ]
        # What operators may do for a subscriber, each by itself.
        permissions = [(f"act_{name}", f"Can {words} for a subscriber") for name, words in OPERATOR_ACTS.items()]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"
