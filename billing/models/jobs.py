"""Which scheduled job ran for which instant."""

from django.db import models

from core.leases import Leased, LeaseQuerySet


class JobRun(Leased):
    """One run of one job for one instant on billing's clock; the unique row makes a double beat harmless."""

    UNFINISHED = models.Q(finished_at__isnull=True)

    job = models.CharField(max_length=40)
    scheduled_for = models.DateTimeField()
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    counts = models.JSONField(default=dict, help_text="What was done, skipped and failed.")
    error = models.TextField(blank=True)

    objects = LeaseQuerySet["JobRun"].as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["job", "scheduled_for"], name="one_run_per_slot")]
        indexes = [models.Index(fields=["job", "-scheduled_for"], name="job_newest")]

    def __str__(self) -> str:
        return f"{self.job} {self.scheduled_for:%Y-%m-%d %H:%M}"
