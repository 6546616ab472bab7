"""Billing's clock: the real time plus the time machine's offset (contract, section 1, `clock`).

The offset is a stored row, refreshed by a job; reading the time never asks the provider. Codes, tokens, limits and
signed links do not use this clock: they run on real time.
"""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.apps import apps
from django.utils import timezone


def offset() -> timedelta:
    """Return how far the provider's clock is ahead of the real time; zero when it never travelled."""
    model = apps.get_model("billing", "ProviderClock")
    seconds = model._default_manager.values_list("offset_seconds", flat=True).first()
    return timedelta(seconds=seconds or 0)


def now() -> datetime:
    """Return billing's present instant, in UTC."""
    return (timezone.now() + offset()).astimezone(UTC)


def local_date(instant: datetime, zone: str) -> date:
    """Return the calendar date of an instant in an IANA time zone."""
    return instant.astimezone(ZoneInfo(zone)).date()
