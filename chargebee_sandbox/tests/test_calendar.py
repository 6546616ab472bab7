"""Arithmetic on billing dates."""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chargebee_sandbox.engine import billing_dates

INSTANTS = st.integers(min_value=946_684_800, max_value=4_102_444_800)


def to_instant(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def to_datetime(instant: int) -> datetime:
    return datetime.fromtimestamp(instant, UTC)


@pytest.mark.shows("reliability-26")
@pytest.mark.parametrize(
    ("start", "count", "unit", "expected"),
    [
        ("2026-01-31T23:59:59", 1, "month", "2026-02-28T23:59:59"),
        ("2024-02-29T00:00:00", 1, "year", "2025-02-28T00:00:00"),
        ("2024-02-29T00:00:00", 4, "year", "2028-02-29T00:00:00"),
        ("2026-12-31T12:00:00", 1, "month", "2027-01-31T12:00:00"),
        ("2026-12-15T12:00:00", 14, "month", "2028-02-15T12:00:00"),
        ("2026-03-28T12:00:00", 1, "day", "2026-03-29T12:00:00"),
        ("2026-12-28T12:00:00", 2, "week", "2027-01-11T12:00:00"),
    ],
)
def test_a_period_ends_on_the_calendar_date(start: str, count: int, unit: str, expected: str):
    assert billing_dates.add_periods(to_instant(start), count, unit) == to_instant(expected)


@given(anchor=INSTANTS, months=st.integers(1, 240))
def test_adding_months_one_by_one_equals_adding_them_at_once(anchor: int, months: int):
    stepped = anchor
    for _ in range(months):
        stepped = billing_dates.add_periods(stepped, 1, "month", anchor=anchor)
    assert stepped == billing_dates.add_periods(anchor, months, "month")


@given(anchor=INSTANTS, months=st.integers(1, 240))
def test_a_period_ends_on_the_anchor_day_or_the_last_of_the_month(anchor: int, months: int):
    end = to_datetime(billing_dates.add_periods(anchor, months, "month"))
    assert end.day == min(to_datetime(anchor).day, monthrange(end.year, end.month)[1])
    assert end.time() == to_datetime(anchor).time()
