"""Arithmetic on billing dates: pure, UTC, seconds."""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, datetime, timedelta

_FIXED = {"day": timedelta(days=1), "week": timedelta(weeks=1)}
_MONTHS = {"month": 1, "year": 12}


def add(instant: int, count: int, unit: str, *, anchor: int | None = None) -> int:
    """``count`` units (day, week, month, year) after ``instant``.

    Months and years land on the anchor's day of the month and time of day, or on the last day of a month that is too
    short: anchored on 31 January, the month after 28 February ends on 31 March.
    """
    start = datetime.fromtimestamp(instant, UTC)
    if unit in _FIXED:
        return int((start + count * _FIXED[unit]).timestamp())
    model = start if anchor is None else datetime.fromtimestamp(anchor, UTC)
    year, month = divmod(start.year * 12 + start.month - 1 + count * _MONTHS[unit], 12)
    day = min(model.day, monthrange(year, month + 1)[1])
    return int(model.replace(year=year, month=month + 1, day=day).timestamp())
