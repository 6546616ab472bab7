"""Instants of the demo's history, in seconds UTC."""

from __future__ import annotations

from chargebee_sandbox.engine import billing_dates

MINUTE = 60
HOUR = 3_600
DAY = 86_400


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
