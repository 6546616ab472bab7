"""The events feed is read page by page; an interrupted run continues where it stopped."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from billing import clock
from billing.gateway.snapshots import EventSnapshot
from billing.jobs import schedule
from billing.mirror import reconcile, webhook_intake
from billing.models import FeedCursor, JobRun, WebhookEvent
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.kill_process import run_and_kill
from billing.tests.support.live_provider import FAITH, GOSPEL, Provider

pytestmark = pytest.mark.django_db(transaction=True)

READ_THE_FEED = """
from django.conf import settings
from billing import clock
from billing.mirror import reconcile
settings.CHARGEBEE_PAGE_SIZE = 4
reconcile.read_feed(now=clock.billing_now())
"""


@pytest.mark.shows("reliability-12")
def test_a_killed_feed_run_continues_at_its_cursor(
    provider: Provider, faulty_proxy: FaultyProxy, environment: dict[str, str], settings: Settings
) -> None:
    provider.subscriber("alice", FAITH, GOSPEL)
    FeedCursor.objects.create(pk=1, occurred_at=clock.billing_now())
    provider.travel(days=32)
    event_ids = {entry.event.id for entry in provider.sdk.Event.list({"limit": 100}).list}
    pages = iter(range(1, 100))

    run_and_kill(environment, faulty_proxy, READ_THE_FEED, lambda request: b"/events?" in request and next(pages) == 3)
    assert WebhookEvent.objects.count() == 2 * 4
    assert FeedCursor.objects.get().offset

    settings.CHARGEBEE_PAGE_SIZE = 4
    requests = faulty_proxy.record_requests()
    counts = reconcile.read_feed(now=clock.billing_now())

    assert counts["found"] == len(event_ids) - 2 * 4
    assert set(WebhookEvent.objects.values_list("event_id", flat=True)) == event_ids
    pages_read = [request for request in requests if b"/events?" in request]
    assert len(pages_read) == -(-len(event_ids) // 4) - 2
    assert b"offset=" in pages_read[0]
    assert (FeedCursor.objects.get().offset, FeedCursor.objects.get().up_to) == ("", None)
    assert list(reconcile.find_differences()) == []


def test_the_feed_starts_over_when_its_offset_expired(
    provider: Provider,
) -> None:
    provider.subscriber("alice", FAITH)
    provider.travel(days=32)
    FeedCursor.objects.create(
        pk=1,
        occurred_at=clock.billing_now() - timedelta(days=40),
        offset="nonsense",
        up_to=clock.billing_now(),
    )

    counts = reconcile.read_feed(now=clock.billing_now())

    assert counts["found"] == len(provider.sdk.Event.list({"limit": 100}).list)


def test_the_feed_stops_between_pages_at_its_time_limit(provider: Provider, settings: Settings) -> None:
    settings.CHARGEBEE_PAGE_SIZE = 4
    provider.subscriber("alice", FAITH)

    assert reconcile.read_feed(now=clock.billing_now(), until=0)["left"] == 1
    assert "left" not in reconcile.read_feed(now=clock.billing_now())


def test_a_feed_run_without_an_answer_is_retried_within_minutes(provider: Provider, faulty_proxy: FaultyProxy) -> None:
    provider.subscriber("alice", FAITH)
    hour = schedule.newest_hour(clock.billing_now())
    faulty_proxy.lose_answers()
    schedule.run_job("feed", hour, now=clock.billing_now())
    run = JobRun.objects.get()
    assert run.error.startswith("Unreadable")
    assert "feed" not in {job.name for job, _ in schedule.due_jobs(hour)}

    faulty_proxy.restore()
    assert run.next_attempt_at is not None
    assert run.next_attempt_at - run.started_at < timedelta(minutes=6)
    with time_machine.travel(run.next_attempt_at):
        assert ("feed", hour) in {(job.name, slot) for job, slot in schedule.due_jobs(hour)}
        schedule.run_job("feed", hour, now=clock.billing_now())
    run.refresh_from_db()
    assert (run.error, run.finished_at is not None) == ("", True)
    assert set(WebhookEvent.objects.values_list("event_id", flat=True)) == {
        entry.event.id for entry in provider.sdk.Event.list({"limit": 100}).list
    }


@pytest.mark.services
def test_a_page_takes_the_same_queries_for_any_number_of_new_events(settings: Settings) -> None:
    settings.DATABASE_CLOCK = True
    events = [
        EventSnapshot(f"ev_{number}", "customer_changed", clock.billing_now(), "v2", {"customer": ["ava"]})
        for number in range(51)
    ]
    query_counts = []
    for page in (events[:1], events[1:]):
        with CaptureQueriesContext(connection) as queries:
            assert webhook_intake.store_feed_events(page) == len(page)
        query_counts.append(len(queries))

    assert query_counts[0] == query_counts[1]
