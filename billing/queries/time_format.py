"""The format of times in responses."""

from datetime import UTC, datetime


def format_iso_utc(instant: datetime | None) -> str | None:
    """Return a time as ISO 8601 in UTC with a `Z` and whole seconds, None for None."""
    return None if instant is None else instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
