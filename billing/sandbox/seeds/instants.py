"""Instants of the demo's past, counted back from the present. Seconds UTC."""

from __future__ import annotations

from billing.sandbox.engine import calendar

MINUTE = 60
HOUR = 3_600
DAY = 86_400


def begun(next_boundary: int, *, months: int) -> int:
    """When a monthly subscription began whose terms end at `next_boundary`, at least `months` before it.

    Terms are counted from the day they began on, and a short month has no 31st: going further back finds a
    month that has the day, so that the boundary is met to the second on month ends and leap days too.
    """
    start = calendar.add(next_boundary, -months, "month")
    while calendar.add(start, months, "month") != next_boundary:
        months += 1
        start = calendar.add(next_boundary, -months, "month")
    return start
