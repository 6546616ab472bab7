"""What every mirror row has: the provider's id, its version, the payload we use and when it was read."""

from datetime import UTC, datetime
from typing import Any

from django.db import models


class Mirrored(models.Model):
    """A copy of one provider resource. Services write it from a snapshot; everybody else only reads.

    `payload` holds only the provider's fields that the portal uses, in the provider's own words (cents, epoch
    seconds). A resource deleted at the provider stays as a tombstone with `deleted` set.
    """

    provider_id = models.CharField(max_length=100, unique=True)
    resource_version = models.BigIntegerField(default=0, help_text="The provider's, in milliseconds.")
    payload = models.JSONField(default=dict)
    synced_at = models.DateTimeField()
    deleted = models.BooleanField(default=False)
    seen_in = models.BigIntegerField(
        null=True, editable=False, help_text="The newest comparison that saw it at the provider."
    )

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.provider_id

    def text(self, field: str) -> str:
        """Return a text field of the payload, empty when the provider left it out."""
        return str(self.payload.get(field) or "")

    def cents(self, field: str) -> int:
        """Return an amount of the payload in cents, 0 when the provider left it out."""
        return int(self.payload.get(field) or 0)

    def instant(self, field: str) -> datetime | None:
        """Return a time of the payload in UTC, None when the provider left it out."""
        seconds: Any = self.payload.get(field)
        return None if seconds is None else datetime.fromtimestamp(int(seconds), tz=UTC)
