"""What work in the background leaves for operators: a heartbeat, and how many requests the provider was sent."""

from django.db import models


class RequestPace(models.Model):
    """The requests to the provider of the last seconds: a row for each lane, shared by all processes."""

    class Lane(models.TextChoices):
        SUBSCRIBERS = "subscribers", "subscribers' own requests"
        EVENTS = "events", "reads after webhooks"
        JOBS = "jobs", "jobs"

    lane = models.CharField(max_length=11, choices=Lane.choices, unique=True)
    next_at = models.DateTimeField(help_text="When the next request of the lane may be sent.")
    turns = models.JSONField(default=dict, help_text="Requests of the last seconds, by second.")

    def __str__(self) -> str:
        return f"{self.lane} {self.next_at:%Y-%m-%d %H:%M:%S}"


class ProviderMinute(models.Model):
    """The requests that all processes sent to the provider in one minute of real time."""

    minute = models.DateTimeField(unique=True)
    asked = models.PositiveIntegerField(default=0)
    turned_away = models.PositiveIntegerField(default=0, help_text="Answered 429.")
    failed = models.PositiveIntegerField(default=0, help_text="Answered 5xx, or not at all.")
    milliseconds = models.PositiveBigIntegerField(default=0, help_text="The total response time.")

    def __str__(self) -> str:
        return f"{self.minute:%Y-%m-%d %H:%M}"


class Heartbeat(models.Model):
    """When a worker last ran a tick: one row."""

    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S}"


class SystemHealth(Heartbeat):
    """The system page of the admin; it has permissions, and no rows of its own."""

    class Meta:
        proxy = True
        default_permissions = ("view",)
        verbose_name = verbose_name_plural = "system health"
