"""Billing's clock: real time plus the time machine's offset (docs/rules.md, clock-1).

The offset is stored in the database and refreshed by each tick, so reading the time makes no request to the provider.
Sign-in codes, tokens, limits and signed links use real time instead.
"""

import calendar
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.apps import apps
from django.utils import timezone


def clock_offset() -> timedelta:
    """Return how far the provider's clock is ahead of real time; zero if it has never traveled."""
    model = apps.get_model("billing", "ProviderClock")
    seconds = model._default_manager.values_list("offset_seconds", flat=True).first()
    return timedelta(seconds=seconds or 0)


def billing_now() -> datetime:
    """Return the current time on billing's clock, in UTC."""
    return (timezone.now() + clock_offset()).astimezone(UTC)


def local_date(instant: datetime, zone: str) -> date:
    """Return the calendar date of an instant in an IANA time zone."""
    return instant.astimezone(ZoneInfo(zone)).date()


def start_of_day(day: date, zone: str) -> datetime:
    """Return the start of a day in an IANA time zone."""
    return datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone))


def add_months(instant: datetime, months: int) -> datetime:
    """Return the same day some months later, or that month's last day (UTC)."""
    moment = instant.astimezone(UTC)
    years, month = divmod(moment.month - 1 + months, 12)
    year = moment.year + years
    day = min(moment.day, calendar.monthrange(year, month + 1)[1])
    return moment.replace(year=year, month=month + 1, day=day)


def format_iso_utc(instant: datetime | None) -> str | None:
    """Return a time as ISO 8601 in UTC with a `Z` and whole seconds, None for None."""
    return None if instant is None else instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
