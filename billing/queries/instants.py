"""Times as they go over the wire."""

from datetime import UTC, datetime


def iso(instant: datetime | None) -> str | None:
    """Return an instant as ISO 8601 in UTC with a `Z`, in whole seconds; None stays None."""
    return None if instant is None else instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
