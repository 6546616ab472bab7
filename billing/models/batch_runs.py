"""Long work in slices: how far it got, so that whoever goes on starts where the last one stopped."""

from django.db import models

from core.leases import Leased, LeaseQuerySet


class ReconcileRun(Leased):
    """One comparison of the mirror with the provider, or one round over all bundles.

    Its number is what a mirror row is marked with when the provider is seen to hold it. Whoever works on it holds it
    by its number of attempts, until the lease runs out.
    """

    class Work(models.TextChoices):
        NIGHT = "night", "nightly comparison"
        MEND = "mend", "manage.py reconcile"
        CHECK = "check", "manage.py reconcile --check"
        BUNDLES = "bundles", "bundle coupons"

    UNFINISHED = models.Q(finished_at__isnull=True)

    work = models.CharField(max_length=10, choices=Work.choices)
    started_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    stage = models.CharField(max_length=40, blank=True, help_text="The kind of record it is at.")
    looking = models.BooleanField(
        default=False,
        help_text="The provider's list was read to its end; what was not in it is looked for.",
    )
    offset = models.TextField(blank=True, help_text="The provider's, of the next page of its list.")
    after = models.BigIntegerField(default=0, help_text="The last of our rows that was looked at.")
    up_to = models.BigIntegerField(
        null=True, blank=True, help_text="Our newest row when the list was begun; later ones were just read."
    )
    compared = models.PositiveIntegerField(default=0)
    mended = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    counts = models.JSONField(default=dict, help_text="What was compared, mended and failed, by kind.")
    error = models.TextField(blank=True, help_text="Why it stopped last.")

    objects = LeaseQuerySet["ReconcileRun"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["work"],
                condition=models.Q(finished_at__isnull=True) & ~models.Q(work="check"),
                name="one_unfinished_run_of_a_work",
            )
        ]
        indexes = [models.Index(fields=["-started_at"], name="run_newest")]

    def __str__(self) -> str:
        return f"{self.get_work_display()} {self.started_at:%Y-%m-%d %H:%M}"


class RequestPace(models.Model):
    """When the next request of the background has its turn at the provider: one row, shared by all workers."""

    next_at = models.DateTimeField()
    turns = models.JSONField(default=dict, help_text="How many there were lately, by the second.")

    def __str__(self) -> str:
        return f"{self.next_at:%Y-%m-%d %H:%M:%S}"


class ProviderMinute(models.Model):
    """What the provider was asked in one minute of real time, by all processes together."""

    minute = models.DateTimeField(unique=True)
    asked = models.PositiveIntegerField(default=0)
    turned_away = models.PositiveIntegerField(default=0, help_text="Answered 429.")
    failed = models.PositiveIntegerField(default=0, help_text="Answered 5xx, or not at all.")
    milliseconds = models.PositiveBigIntegerField(default=0, help_text="How long the answers took, together.")

    def __str__(self) -> str:
        return f"{self.minute:%Y-%m-%d %H:%M}"


class Heartbeat(models.Model):
    """When a worker last took up a beat: one row."""

    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S}"


class SystemHealth(Heartbeat):
    """How everything that works unseen stands, on one page; it has no rows of its own, but permissions."""

    class Meta:
        proxy = True
        default_permissions = ("view",)
        verbose_name = verbose_name_plural = "system health"
