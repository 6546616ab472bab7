"""Instants of the demo's history, in seconds UTC."""

from __future__ import annotations

from datetime import UTC, datetime

from chargebee_sandbox.engine import billing_dates

MINUTE = 60
HOUR = 3_600
DAY = 86_400
# A day that every month has.
LAST_DAY = 28
EVENING = 20 * HOUR
MOST_HOURS_EARLIER = 14 * HOUR
"""What an instant of `find_movable_bill` can be moved back by within its day, in seconds."""
# With fewer days left in this month, the next bills are better spread over the next one.
FEW_DAYS = 7


def find_term_anchor(next_boundary: int, *, months: int) -> int:
    """Return the start of a monthly subscription, at least `months` before `next_boundary`, where a term ends.

    Goes further back if the month is too short to have the boundary's day, so that a term ends exactly at the boundary
    on month ends and leap days too.
    """
    start = billing_dates.add_periods(next_boundary, -months, "month")
    while billing_dates.add_periods(start, months, "month") != next_boundary:
        months += 1
        start = billing_dates.add_periods(next_boundary, -months, "month")
    return start


def find_movable_bill(present: int, *, prefers_this_month: bool) -> tuple[int, int]:
    """Return an instant within a month from `present`, and by how many days it can be moved back.

    Moved back, it is still ahead, and in the same month; so the terms before it still end on one day of each month.
    """
    today = datetime.fromtimestamp(present, UTC)
    evening = present - present % DAY + EVENING
    this_month, next_month = LAST_DAY - today.day - 1, min(today.day - 2, LAST_DAY - 1)
    if this_month > next_month or (prefers_this_month and this_month >= FEW_DAYS):
        return evening + (LAST_DAY - today.day) * DAY, this_month
    first_evening = evening - (today.day - 1) * DAY
    return billing_dates.add_periods(first_evening + next_month * DAY, 1, "month"), next_month
