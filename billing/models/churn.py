"""The answers of the cancellation survey, the log of churn events, and the report that adds them up."""

from django.db import models

from accounts.models import Account
from billing.models.commands import Command
from billing.survey import LONGEST_ANSWER, OFFERS, Survey


def _as_choices(values: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(value, value) for value in values]


class SurveyAnswers(models.Model):
    """The survey's answers and the offer shown on the screen, all optional."""

    reason = models.CharField(max_length=LONGEST_ANSWER, blank=True)
    satisfaction = models.CharField(max_length=LONGEST_ANSWER, blank=True)
    usage = models.CharField(max_length=LONGEST_ANSWER, blank=True)
    offer = models.CharField(
        max_length=20, blank=True, choices=_as_choices(OFFERS), help_text="What was offered instead."
    )

    class Meta:
        abstract = True

    @property
    def survey(self) -> Survey:
        """The answers and the offer."""
        return Survey(reason=self.reason, satisfaction=self.satisfaction, usage=self.usage, offer=self.offer)


class CancellationFeedback(SurveyAnswers):
    """The survey of one cancellation, or of the pause chosen instead.

    It is stored before the provider is called, once per idempotency key, and kept whatever the outcome (docs/rules.md,
    rule 7). It outlives its account and its command.
    """

    class Outcome(models.TextChoices):
        REQUESTED = "requested", "requested"
        CANCELLED = "cancelled", "canceled"
        PAUSED = "paused", "paused instead"
        PARTLY = "partly", "partly done"
        FAILED = "failed", "not done"

    account = models.ForeignKey(
        Account, on_delete=models.SET_NULL, null=True, blank=True, related_name="cancellation_feedback"
    )
    command = models.ForeignKey(
        Command, on_delete=models.SET_NULL, null=True, blank=True, related_name="cancellation_feedback"
    )
    key = models.CharField(max_length=100, help_text="The command's idempotency key.")
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
        indexes = [models.Index(fields=["command"], condition=models.Q(outcome="requested"), name="feedback_undecided")]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d} {self.reason or 'no reason given'}"


class ChurnEvent(SurveyAnswers):
    """A cancellation, pause, resume or offer of one subscription, counted by the churn report.

    It outlives its account and its command. Rows are never changed.
    """

    class Kind(models.TextChoices):
        OFFER_SHOWN = "offer_shown", "offer shown"
        OFFER_TAKEN = "offer_taken", "offer taken"
        OFFER_REFUSED = "offer_refused", "offer refused"
        CANCELLED = "cancelled", "canceled"
        PAUSE_SCHEDULED = "pause_scheduled", "pause scheduled"
        PAUSED = "paused", "paused"
        RESUMED = "resumed", "resumed"
        KEPT = "kept", "kept"

    at = models.DateTimeField()
    kind = models.CharField(max_length=16, choices=Kind.choices)
    account = models.ForeignKey(Account, on_delete=models.SET_NULL, null=True, blank=True, related_name="churn_events")
    command = models.ForeignKey(Command, on_delete=models.SET_NULL, null=True, blank=True, related_name="churn_events")
    subscription_id = models.CharField(max_length=100, help_text="The provider's id.")
    service = models.CharField(max_length=40, blank=True)
    plan_id = models.CharField(max_length=100, blank=True)
    brand = models.CharField(max_length=40, blank=True, help_text="The brand's code.")

    class Meta:
        ordering = ["-at", "-id"]
        # The words operators know it by.
        verbose_name = "churn event"
        verbose_name_plural = "churn events"
        indexes = [
            models.Index(fields=["at"], name="churn_at"),
            models.Index(fields=["kind", "at"], name="churn_kind_at"),
            models.Index(fields=["subscription_id", "-at"], name="churn_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d} {self.kind} {self.plan_id}"


class ChurnReport(ChurnEvent):
    """A proxy without rows of its own, for the permissions and admin pages of the churn report."""

    class Meta:
        proxy = True
        default_permissions = ("view",)
        permissions = [("export_churnreport", "Can export the churn report")]
        verbose_name = verbose_name_plural = "churn report"
