"""Which instant a job runs for: by billing's clock, in the site's time zone, once a day on every day of the year."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from billing.models import JobRun
from billing.services import jobs

pytestmark = pytest.mark.django_db

NEW_YORK = ZoneInfo("America/New_York")


@pytest.mark.parametrize(
    ("now", "night"),
    [
        ("2026-03-08T12:00", "2026-03-08T07:30"),  # the clocks went forward at 2: a day of 23 hours
        ("2026-03-08T07:29", "2026-03-07T08:30"),
        ("2026-11-01T12:00", "2026-11-01T08:30"),  # the clocks went back at 2: a day of 25 hours
        ("2026-11-01T08:29", "2026-10-31T07:30"),
        ("2028-02-29T12:00", "2028-02-29T08:30"),
        ("2027-01-01T08:29", "2026-12-31T08:30"),
    ],
)
def test_the_newest_night_is_half_past_three_in_the_sites_zone(now: str, night: str) -> None:
    instant = datetime.fromisoformat(now).replace(tzinfo=UTC)

    assert jobs.newest_night(instant) == datetime.fromisoformat(night).replace(tzinfo=UTC)


def test_there_is_one_night_for_each_date_of_two_years() -> None:
    first = datetime(2027, 1, 1, tzinfo=UTC)
    # Every three hours: several instants of each date, before and after its night.
    nights = {jobs.newest_night(first + timedelta(hours=3 * step)) for step in range(8 * 730)}

    dates = sorted(night.astimezone(NEW_YORK).date() for night in nights)
    assert len(dates) == len(set(dates))
    assert dates[-1] - dates[0] == timedelta(days=len(dates) - 1)


def test_a_job_is_due_until_its_newest_slot_has_run() -> None:
    now = datetime(2026, 3, 10, 12, 15, tzinfo=UTC)
    assert {job.name for job, _ in jobs.due(now)} == {
        "pauses",
        "resumes",
        "notices",
        "feed",
        "receipts",
        "reconcile",
    }

    JobRun.objects.create(
        job="resumes", scheduled_for=jobs.newest_night(now), started_at=now, finished_at=now
    )

    assert "resumes" not in {job.name for job, _ in jobs.due(now)}
    assert "resumes" in {job.name for job, _ in jobs.due(now + timedelta(days=1))}


def test_a_run_that_died_is_taken_up_again_after_ten_minutes() -> None:
    slot = datetime(2026, 3, 10, 12, tzinfo=UTC)
    long_ago = datetime(2026, 1, 1, tzinfo=UTC)
    JobRun.objects.create(job="pauses", scheduled_for=slot, started_at=long_ago)

    assert "pauses" in {job.name for job, _ in jobs.due(slot)}
    run = jobs.run("pauses", slot, now=slot)

    assert run is not None
    assert run.finished_at is not None
    assert JobRun.objects.count() == 1
