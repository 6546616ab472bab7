"""Which scheduled job ran for which instant."""

from django.db import models


class JobRun(models.Model):
    """One run of one job for one instant on billing's clock; the unique row makes a double beat harmless."""

    job = models.CharField(max_length=40)
    scheduled_for = models.DateTimeField()
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    leased_until = models.DateTimeField(
        null=True, blank=True, help_text="From then on another worker goes on with a run that has no end."
    )
    counts = models.JSONField(default=dict, help_text="What was done, skipped and failed.")
    error = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["job", "scheduled_for"], name="one_run_per_slot")]
        indexes = [models.Index(fields=["job", "-scheduled_for"], name="job_newest")]

    def __str__(self) -> str:
        return f"{self.job} {self.scheduled_for:%Y-%m-%d %H:%M}"
