"""Leaving and staying: what subscribers said when they cancelled, and what the retention report counts."""

from django.db import models

from accounts.models import Account
from billing.models.commands import Command
from billing.survey import DAILY_USAGES, OFFERS, REASONS, SATISFACTION_LEVELS, Survey

LONGEST_ANSWER = 60


def _options(values: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(value, value) for value in values]


class Answers(models.Model):
    """The survey's answers and the offer that was on the screen, each of which may be empty."""

    reason = models.CharField(max_length=LONGEST_ANSWER, blank=True, choices=_options(REASONS))
    satisfaction = models.CharField(
        max_length=LONGEST_ANSWER, blank=True, choices=_options(SATISFACTION_LEVELS)
    )
    usage = models.CharField(max_length=LONGEST_ANSWER, blank=True, choices=_options(DAILY_USAGES))
    offer = models.CharField(
        max_length=20, blank=True, choices=_options(OFFERS), help_text="What was offered instead."
    )

    class Meta:
        abstract = True

    @property
    def survey(self) -> Survey:
        """The answers and the offer."""
        return Survey(reason=self.reason, satisfaction=self.satisfaction, usage=self.usage, offer=self.offer)


class CancellationFeedback(Answers):
    """What was asked for and answered with one cancellation, or with the pause chosen in its place.

    It is kept whatever became of that (contract, rule 7): stored before the provider is asked, once per intent, and it
    outlives its account and its command.
    """

    class Outcome(models.TextChoices):
        REQUESTED = "requested", "asked for"
        CANCELLED = "cancelled", "cancelled"
        PAUSED = "paused", "paused instead"
        PARTLY = "partly", "done in part"
        FAILED = "failed", "not done"

    account = models.ForeignKey(
        Account, on_delete=models.SET_NULL, null=True, blank=True, related_name="cancellation_feedback"
    )
    command = models.ForeignKey(
        Command, on_delete=models.SET_NULL, null=True, blank=True, related_name="cancellation_feedback"
    )
    key = models.CharField(max_length=100, help_text="The intent: the command's key.")
    at = models.DateTimeField(db_index=True)
    services = models.JSONField(default=list, help_text="The services that were to end.")
    subscription_ids = models.JSONField(default=list)
    plan_ids = models.JSONField(default=list)
    brand = models.CharField(max_length=40, blank=True, help_text="The brand's code.")
    outcome = models.CharField(max_length=10, choices=Outcome.choices, default=Outcome.REQUESTED)
    actor = models.CharField(max_length=170)

    class Meta:
        ordering = ["-at", "-id"]
        verbose_name_plural = "cancellation feedback"
        constraints = [models.UniqueConstraint(fields=["account", "key"], name="one_feedback_per_key")]
        indexes = [
            models.Index(
                fields=["command"], condition=models.Q(outcome="requested"), name="feedback_undecided"
            )
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d} {self.reason or 'no reason given'}"


class RetentionEvent(Answers):
    """One thing that happened to one subscription on its way out or back; the report adds these up.

    It outlives its account and its command. Rows are added and never changed.
    """

    class Kind(models.TextChoices):
        OFFER_SHOWN = "offer_shown", "offer shown"
        OFFER_TAKEN = "offer_taken", "offer taken"
        OFFER_REFUSED = "offer_refused", "offer refused"
        CANCELLED = "cancelled", "cancelled"
        PAUSE_SCHEDULED = "pause_scheduled", "pause scheduled"
        PAUSED = "paused", "paused"
        RESUMED = "resumed", "resumed"
        KEPT = "kept", "kept after all"

    at = models.DateTimeField()
    kind = models.CharField(max_length=16, choices=Kind.choices)
    account = models.ForeignKey(
        Account, on_delete=models.SET_NULL, null=True, blank=True, related_name="retention_events"
    )
    command = models.ForeignKey(
        Command, on_delete=models.SET_NULL, null=True, blank=True, related_name="retention_events"
    )
    subscription_id = models.CharField(max_length=100, help_text="The provider's id.")
    service = models.CharField(max_length=40, blank=True)
    plan_id = models.CharField(max_length=60, blank=True)
    brand = models.CharField(max_length=40, blank=True, help_text="The brand's code.")

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["at"], name="retention_at"),
            models.Index(fields=["kind", "at"], name="retention_kind_at"),
            models.Index(fields=["subscription_id", "-at"], name="retention_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d} {self.kind} {self.plan_id}"
