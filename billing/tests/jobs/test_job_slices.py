"""Jobs with more work than fits into one slice: each slice continues the last one, and nothing is done twice."""

from __future__ import annotations

from datetime import timedelta

import pytest
from pytest_django import Settings

from billing import clock
from billing.changes import pauses
from billing.jobs import schedule
from billing.models import JobRun, PauseSchedule, WebhookEvent
from billing.tests.support.live_provider import FAITH, Provider

pytestmark = pytest.mark.django_db(transaction=True)

NAMES = ("alice", "bob", "carol")


def run_slices(name: str) -> list[dict[str, int]]:
    """Run a job's newest slot slice by slice until it is finished; return the counts after each slice."""
    now = clock.billing_now()
    counts: list[dict[str, int]] = []
    slot = schedule.JOBS[name].newest_slot(now)
    while not JobRun.objects.filter(job=name, scheduled_for=slot, finished_at__isnull=False).exists():
        run = schedule.run_job(name, slot, now=now, helping=bool(counts))
        assert run is not None
        counts.append(run.counts)
    return counts


def test_resumes_run_in_slices_and_each_happens_once(provider: Provider, settings: Settings) -> None:
    settings.JOB_SLICE_SECONDS = 0
    accounts = [provider.subscriber(name, FAITH) for name in NAMES]
    for account in accounts:
        pauses.schedule_pause(
            account, subscription_ids=None, days=30, key="pause", actor="you", now=clock.billing_now()
        )
    provider.travel_to(PauseSchedule.objects.latest("pause_date").pause_date + timedelta(hours=1))

    pause_counts = run_slices("pauses")
    provider.travel_to(PauseSchedule.objects.latest("resume_date").resume_date + timedelta(hours=12))
    resume_counts = run_slices("resumes")

    assert [counts.get("left") for counts in pause_counts] == [2, 1, None]
    assert pause_counts[-1]["paused"] == 3
    assert [(counts["resumed"], counts.get("left")) for counts in resume_counts] == [(1, 2), (2, 1), (3, None)]
    assert len(provider.events("subscription_resumed")) == 3
    assert {provider.subscription(account).status for account in accounts} == {"active"}
    assert not JobRun.objects.filter(finished_at__isnull=True).exists()


def test_a_feed_read_in_slices_counts_each_parked_event_once(provider: Provider, settings: Settings) -> None:
    now = clock.billing_now()
    WebhookEvent.objects.create(
        event_id="ev_1", event_type="x", occurred_at=now, source="webhook", payload={}, state="parked"
    )
    slot = schedule.newest_hour(now)
    settings.JOB_SLICE_SECONDS = 0
    schedule.run_job("feed", slot, now=now)
    settings.JOB_SLICE_SECONDS = 60
    run = schedule.run_job("feed", slot, now=now)
    assert run is not None
    assert (run.finished_at is not None, run.counts["parked"]) == (True, 1)
