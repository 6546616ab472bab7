"""The base of all mirror models: provider id, version, payload, and when it was read."""

from datetime import UTC, datetime
from typing import Any

from django.db import models


class MirroredResource(models.Model):
    """A copy of one provider resource, written from snapshots by `billing.mirror` alone.

    `payload` holds the provider's fields that the portal uses, in the provider's units (cents, epoch seconds). A
    resource deleted at the provider stays as a tombstone with `deleted` set.
    """

    provider_id = models.CharField(max_length=100, unique=True)
    resource_version = models.BigIntegerField(default=0, help_text="The provider's resource version, in milliseconds.")
    payload = models.JSONField(default=dict)
    synced_at = models.DateTimeField()
    deleted = models.BooleanField(default=False)
    seen_in = models.BigIntegerField(
        null=True, editable=False, help_text="The newest reconcile run that found it at the provider."
    )

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.provider_id

    def text(self, field: str) -> str:
        """Return a text field of the payload, empty when missing."""
        return str(self.payload.get(field) or "")

    def cents(self, field: str) -> int:
        """Return an amount of the payload in cents, 0 when missing."""
        return int(self.payload.get(field) or 0)

    def instant(self, field: str) -> datetime | None:
        """Return a time of the payload in UTC, None when missing."""
        seconds: Any = self.payload.get(field)
        return None if seconds is None else datetime.fromtimestamp(int(seconds), tz=UTC)
