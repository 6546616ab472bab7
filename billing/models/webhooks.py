"""What arrives from the provider, and how far its feed was read."""

from django.db import models

from core.workers.leases import Leased, LeaseQuerySet


class WebhookEvent(Leased):
    """An event of the provider, stored before it is answered and processed later; kept 90 days (rule 17)."""

    class State(models.TextChoices):
        RECEIVED = "received", "waiting"
        PROCESSED = "processed", "applied"
        IGNORED = "ignored", "ignored"
        PARKED = "parked", "failed too often"

    class Source(models.TextChoices):
        WEBHOOK = "webhook", "webhook"
        FEED = "feed", "events feed"

    UNFINISHED = models.Q(state=State.RECEIVED)

    event_id = models.CharField(max_length=100, unique=True)
    event_type = models.CharField(max_length=100)
    occurred_at = models.DateTimeField()
    source = models.CharField(max_length=8, choices=Source.choices)
    payload = models.JSONField(help_text="The ids in the event, filtered by an allow-list.")
    owner = models.CharField(max_length=100, blank=True, help_text="The provider's id of the event's customer.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.RECEIVED)
    received_at = models.DateTimeField(auto_now_add=True, db_index=True)
    sought_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the events feed was read for it. Only after that, its resources are read one by one.",
    )
    unread = models.JSONField(
        default=dict, blank=True, help_text="The ids of the resources whose content the events feed lacks."
    )
    processed_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)

    objects = LeaseQuerySet["WebhookEvent"].as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["state", "id"], name="webhook_waiting"),
            models.Index(fields=["owner", "-received_at"], name="webhook_owner_newest"),
            models.Index(fields=["event_type", "id"], name="webhook_event_type"),
            # Those that no webhook delivered.
            models.Index(fields=["id"], condition=models.Q(source="feed"), name="webhook_from_feed"),
        ]

    def __str__(self) -> str:
        return f"{self.event_type} {self.event_id}"


class FeedCursor(Leased):
    """How far the provider's events feed was read; the next reading starts a little before it.

    A reading that is under way has `newest`, the time of the newest event so far, and continues at `offset`.
    """

    class Reading(models.TextChoices):
        HINTED = "hinted", "after webhooks"
        HOURLY = "hourly", "every hour"

    UNFINISHED = models.Q()  # there is always more to come

    reading = models.CharField(max_length=8, choices=Reading.choices, unique=True)
    occurred_at = models.DateTimeField()
    offset = models.TextField(blank=True, help_text="The provider's offset of the next page.")
    newest = models.DateTimeField(null=True, blank=True)

    objects = LeaseQuerySet["FeedCursor"].as_manager()

    def __str__(self) -> str:
        return f"{self.get_reading_display()}: {self.occurred_at:%Y-%m-%d %H:%M:%S}"


class ProviderClock(models.Model):
    """How far the provider's clock is ahead of the real time: one row."""

    offset_seconds = models.IntegerField(default=0)
    refreshed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.offset_seconds} s ahead"
