"""The portal's own promise about a pause: when it starts and when the service comes back (docs/rules.md, rule 1)."""

from datetime import datetime

from django.db import models

from billing.models.mirror import Subscription
from core.workers.leases import Leased, LeaseQuerySet


class PauseSchedule(Leased):
    """One pause of one subscription.

    The provider holds the pause; the portal holds `resume_date`, 30 days after `pause_date` (both UTC), and resumes
    on that date in the site's time zone. If customer service gave the pause an end at the provider, that is the resume
    date, and the provider resumes. At most one schedule of a subscription is open.
    """

    class State(models.TextChoices):
        SCHEDULED = "scheduled", "scheduled"
        PAUSED = "paused", "paused"
        RESUMED = "resumed", "resumed"
        REMOVED = "removed", "canceled before start"
        CANCELLED = "cancelled", "subscription canceled"
        SUPERSEDED = "superseded", "removed in Chargebee"

    OPEN = (State.SCHEDULED, State.PAUSED)
    UNFINISHED = models.Q(state__in=OPEN)

    subscription = models.ForeignKey(Subscription, on_delete=models.CASCADE, related_name="pause_schedules")
    state = models.CharField(max_length=12, choices=State.choices, default=State.SCHEDULED)
    pause_date = models.DateTimeField()
    resume_date = models.DateTimeField()
    created_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_because = models.CharField(max_length=200, blank=True)
    failed_attempts = models.PositiveIntegerField(default=0, help_text="Failed attempts to resume.")
    last_error = models.CharField(max_length=100, blank=True, help_text="The code of the last failed resume.")
    retry_at = models.DateTimeField(null=True, blank=True, help_text="After a failure, not retried before this time.")
    declines = models.PositiveSmallIntegerField(
        default=0, help_text="How often in a row the payment method was declined."
    )
    declined_with = models.CharField(
        max_length=100,
        blank=True,
        help_text="The provider's id of the payment method that was declined last.",
    )
    given_up_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the last retry failed. It stays paused until somebody resumes it or fixes the payment method.",
    )

    objects = LeaseQuerySet["PauseSchedule"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["subscription"],
                condition=models.Q(state__in=("scheduled", "paused")),
                name="one_open_pause_schedule",
            ),
            models.CheckConstraint(
                condition=models.Q(resume_date__gt=models.F("pause_date")), name="resumes_after_pause"
            ),
        ]
        indexes = [
            models.Index(fields=["state", "pause_date"], name="pause_due"),
            models.Index(fields=["state", "resume_date"], name="resume_due"),
        ]

    @property
    def resumes_at(self) -> datetime | None:
        """When it is resumed next (UTC): after a failure at the next try, None once nothing more is tried."""
        if self.given_up_at is not None and self.given_up_at >= self.resume_date:
            return None
        return max(self.resume_date, self.retry_at or self.resume_date)

    def __str__(self) -> str:
        return f"{self.subscription} {self.state} {self.pause_date:%Y-%m-%d} to {self.resume_date:%Y-%m-%d}"
