"""Arithmetic on billing dates, in seconds UTC."""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

_FIXED_UNITS = {"day": timedelta(days=1), "week": timedelta(weeks=1)}
_MONTHS_PER_UNIT = {"month": 1, "year": 12}


def add_periods(instant: int, count: int, unit: str, *, anchor: int | None = None) -> int:
    """Return the instant ``count`` units (day, week, month, year) after ``instant``.

    Months and years end on the anchor's day of the month and time of day, or on the last day of a shorter month:
    anchored on January 31, the month after February 28 ends on March 31.
    """
    start = datetime.fromtimestamp(instant, UTC)
    if unit in _FIXED_UNITS:
        return int((start + count * _FIXED_UNITS[unit]).timestamp())
    model = start if anchor is None else datetime.fromtimestamp(anchor, UTC)
    year, month = divmod(start.year * 12 + start.month - 1 + count * _MONTHS_PER_UNIT[unit], 12)
    day = min(model.day, monthrange(year, month + 1)[1])
    return int(model.replace(year=year, month=month + 1, day=day).timestamp())


def anchor_on_day(instant: int, day: int) -> int:
    """Return an anchor on a day (1 to 31) of the month, at the time of day of ``instant``."""
    # January has all days.
    return int(datetime.fromtimestamp(instant, UTC).replace(month=1, day=day).timestamp())


def end_of_day(instant: int, zone: ZoneInfo) -> int:
    """Return the midnight in a time zone that ends the day of an instant."""
    next_day = datetime.fromtimestamp(instant, zone).date() + timedelta(days=1)
    return int(datetime.combine(next_day, time(), zone).timestamp())


def next_anchored(instant: int, anchor: int) -> int:
    """Return the first instant from ``instant`` on that is on the anchor's day of the month."""
    return next(found for count in (0, 1) if (found := add_periods(instant, count, "month", anchor=anchor)) >= instant)
