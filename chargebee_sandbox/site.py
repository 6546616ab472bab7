"""The row about the site itself, apart from the other models because their versions come from its clock."""

from __future__ import annotations

import time
from typing import Any, ClassVar

from django.db import connection, models

from chargebee_sandbox.row_lookup import find_row


class Site(models.Model):
    """The only row about the site itself: its clock, time machine, and counters."""

    objects: ClassVar[models.Manager[Site]] = models.Manager()

    offset_ms = models.BigIntegerField(default=0)
    genesis_time = models.BigIntegerField(default=0)
    destination_time = models.BigIntegerField(default=0)
    time_travel_status = models.CharField(max_length=20, default="succeeded")
    failure_code = models.CharField(max_length=100, blank=True)
    failure_reason = models.TextField(blank=True)
    # Counts start_afresh, so that a journey in progress notices that its site was erased.
    epoch = models.PositiveIntegerField(default=0)
    invoices_numbered = models.PositiveIntegerField(default=0)
    credit_notes_numbered = models.PositiveIntegerField(default=0)
    # What the API has made of the webhook endpoint (chargebee_sandbox.webhook_endpoint); None: as in the environment.
    webhook_endpoint = models.JSONField(null=True)

    def __str__(self) -> str:
        return "the site"

    @classmethod
    def load(cls) -> Site:
        """Return the row, created on first use."""
        site = find_row(cls, "id", 1)
        if site is not None:
            return site
        now = int(time.time())
        return cls.objects.get_or_create(pk=1, defaults={"genesis_time": now, "destination_time": now})[0]

    @classmethod
    def current_offset_ms(cls) -> int:
        """Return how many milliseconds the site's clock is ahead of the machine's."""
        # Raw SQL: every request runs this several times, and composing a query costs more than running it.
        with connection.cursor() as cursor:
            cursor.execute(_OFFSET_SQL)
            row = cursor.fetchone()
        return int(row[0]) if row else cls.load().offset_ms

    @classmethod
    def current_webhook_endpoint(cls) -> dict[str, Any] | None:
        """Return what the API has made of the webhook endpoint, or None if it is as in the environment."""
        site = find_row(cls, "id", 1)
        return site.webhook_endpoint if site else None


_OFFSET_SQL = f"SELECT offset_ms FROM {Site._meta.db_table} WHERE id = 1"  # noqa: S608  (our own name)
