"""The slots of jobs: by billing's clock, in the site's time zone, one for each date."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import SiteSettings
from billing.jobs import schedule
from billing.models import JobRun

pytestmark = pytest.mark.django_db

NEW_YORK = ZoneInfo("America/New_York")


@pytest.mark.shows("reliability-26")
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
def test_the_newest_night_is_half_past_three_in_the_sites_time_zone(now: str, night: str) -> None:
    instant = datetime.fromisoformat(now).replace(tzinfo=UTC)

    assert schedule.newest_night(instant) == datetime.fromisoformat(night).replace(tzinfo=UTC)


@pytest.mark.shows("reliability-26")
@pytest.mark.parametrize(
    ("now", "night"),
    [
        ("2026-03-29T01:15", "2026-03-28T01:30"),  # at 3 the clock went to 4: it shows 4:15
        ("2026-03-29T01:30", "2026-03-29T01:30"),
        ("2026-10-25T00:29", "2026-10-24T00:30"),
        ("2026-10-25T00:30", "2026-10-25T00:30"),
        ("2026-10-25T01:15", "2026-10-25T00:30"),  # at 4 the clock went back to 3: it shows 3:15 once more
    ],
)
def test_the_newest_night_is_never_to_come_where_the_clock_changes_at_that_hour(now: str, night: str) -> None:
    SiteSettings.objects.update_or_create(pk=1, defaults={"time_zone": "Europe/Athens"})
    instant = datetime.fromisoformat(now).replace(tzinfo=UTC)

    assert schedule.newest_night(instant) == datetime.fromisoformat(night).replace(tzinfo=UTC)


@pytest.mark.shows("reliability-26")
def test_each_date_of_two_years_has_one_night() -> None:
    first = datetime(2027, 1, 1, tzinfo=UTC)
    # Every three hours: several instants of each date, before and after its night.
    nights = {schedule.newest_night(first + timedelta(hours=3 * step)) for step in range(8 * 730)}

    dates = sorted(night.astimezone(NEW_YORK).date() for night in nights)
    assert len(dates) == len(set(dates))
    assert dates[-1] - dates[0] == timedelta(days=len(dates) - 1)


@pytest.mark.shows("reliability-26", "reliability-27")
@pytest.mark.parametrize(
    ("date", "hours"),
    [("2026-03-08", 23), ("2026-11-01", 25), ("2028-02-29", 24), ("2026-12-31", 24), ("2026-04-30", 24)],
)
@pytest.mark.parametrize("up_at", [0, 9], ids=["all day", "from nine"])
def test_two_beats_run_each_night_once_on_any_date(date: str, hours: int, up_at: int) -> None:
    midnight = datetime.fromisoformat(date).replace(tzinfo=NEW_YORK)
    assert (midnight + timedelta(days=1)).astimezone(UTC) - midnight.astimezone(UTC) == timedelta(hours=hours)

    for quarter in range(4 * up_at, 4 * hours):
        now = midnight.astimezone(UTC) + timedelta(minutes=15 * quarter)
        for beat in (schedule.due_jobs(now), schedule.due_jobs(now)):
            for job, slot in beat:
                if job.name == "notices":
                    schedule.run_job(job.name, slot, now=now)

    nights = JobRun.objects.filter(job="notices").order_by("scheduled_for")
    dates = [slot.astimezone(NEW_YORK).date() for slot in nights.values_list("scheduled_for", flat=True) if slot]
    before = [] if up_at else [midnight.date() - timedelta(days=1)]
    assert dates == [*before, midnight.date()]


@pytest.mark.shows("reliability-27")
@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_one_of_several_concurrent_workers_claims_a_slot() -> None:
    slot = datetime(2026, 3, 10, 12, tzinfo=UTC)
    start = Barrier(8)

    def run_slot(_: int) -> bool:
        start.wait()
        try:
            return schedule.run_job("notices", slot, now=slot) is not None
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as threads:
        assert sorted(threads.map(run_slot, range(8))) == [False] * 7 + [True]
    assert JobRun.objects.get().finished_at is not None


@pytest.mark.shows("reliability-27")
def test_a_job_is_due_until_its_newest_slot_has_run() -> None:
    now = datetime(2026, 3, 10, 12, 15, tzinfo=UTC)
    assert {job.name for job, _ in schedule.due_jobs(now)} == {
        "pauses",
        "resumes",
        "notices",
        "feed",
        "receipts",
        "addresses",
        "reconcile",
    }

    JobRun.objects.create(job="resumes", scheduled_for=schedule.newest_night(now), started_at=now, finished_at=now)

    assert "resumes" not in {job.name for job, _ in schedule.due_jobs(now)}
    assert "resumes" in {job.name for job, _ in schedule.due_jobs(now + timedelta(days=1))}


@pytest.mark.shows("reliability-27")
def test_a_killed_job_run_is_continued_after_its_lease() -> None:
    slot = datetime(2026, 3, 10, 12, tzinfo=UTC)
    long_ago = datetime(2026, 1, 1, tzinfo=UTC)
    JobRun.objects.create(job="pauses", scheduled_for=slot, started_at=long_ago)

    assert "pauses" in {job.name for job, _ in schedule.due_jobs(slot)}
    run = schedule.run_job("pauses", slot, now=slot)

    assert run is not None
    assert run.finished_at is not None
    assert JobRun.objects.count() == 1


@pytest.mark.shows("reliability-27")
def test_the_next_slot_abandons_a_killed_job_run_but_no_live_one(admin_client: Client) -> None:
    now = timezone.now()
    slots = [datetime(2026, 3, 10, hour, tzinfo=UTC) for hour in (12, 13, 14)]
    killed, live = (
        JobRun.objects.create(job="receipts", scheduled_for=slot, started_at=now, next_attempt_at=lease)
        for slot, lease in zip(slots, [now, now + timedelta(minutes=5)], strict=False)
    )
    other = JobRun.objects.create(job="notices", scheduled_for=slots[0], started_at=now, next_attempt_at=now)

    assert schedule.run_job("receipts", slots[2], now=slots[2]) is not None

    for run in (killed, live, other):
        run.refresh_from_db()
    assert killed.finished_at is not None
    assert killed.error == "abandoned: the run for 2026-03-10 14:00 took over"
    assert [live.finished_at, other.finished_at] == [None, None]
    assert schedule.run_job("receipts", slots[0], now=slots[2]) is None
    listed = admin_client.get(reverse("admin:billing_jobrun_changelist"), {"q": killed.error}).content.decode()
    assert "never finished" in listed
    assert "not finished: " not in listed
