"""The events feed, read page by page: a reading that ends in the middle, however it ends, goes on there."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from billing import clock
from billing.gateway.snapshots import EventSnapshot
from billing.models import FeedCursor, JobRun, WebhookEvent
from billing.services import inbox, jobs, reconcile
from billing.tests.cable import Cable
from billing.tests.killing import killed_at
from billing.tests.live import FAITH, GOSPEL, Provider

pytestmark = pytest.mark.django_db(transaction=True)

READ_THE_FEED = """
from django.conf import settings
from billing import clock
from billing.services import reconcile
settings.CHARGEBEE_PAGE_SIZE = 4
reconcile.read_feed(now=clock.now())
"""


def test_the_feed_is_read_on_from_where_it_was_killed(
    provider: Provider, cable: Cable, environment: dict[str, str], settings: Settings
) -> None:
    provider.subscriber("alice", FAITH, GOSPEL)
    FeedCursor.objects.create(pk=1, occurred_at=clock.now())
    provider.travel(days=32)
    every = {entry.event.id for entry in provider.sdk.Event.list({"limit": 100}).list}
    pages = iter(range(1, 100))

    killed_at(environment, cable, READ_THE_FEED, lambda request: b"/events?" in request and next(pages) == 3)
    assert WebhookEvent.objects.count() == 2 * 4
    assert FeedCursor.objects.get().offset

    settings.CHARGEBEE_PAGE_SIZE = 4
    asked = cable.listen()
    counts = reconcile.read_feed(now=clock.now())

    assert counts["found"] == len(every) - 2 * 4
    assert set(WebhookEvent.objects.values_list("event_id", flat=True)) == every
    read = [line for line in asked if b"/events?" in line]
    assert len(read) == -(-len(every) // 4) - 2
    assert b"offset=" in read[0]
    assert (FeedCursor.objects.get().offset, FeedCursor.objects.get().up_to) == ("", None)
    assert list(reconcile.differences()) == []


def test_a_place_in_the_feed_that_the_provider_forgot_is_looked_for_from_the_beginning(
    provider: Provider,
) -> None:
    provider.subscriber("alice", FAITH)
    provider.travel(days=32)
    FeedCursor.objects.create(
        pk=1, occurred_at=clock.now() - timedelta(days=40), offset="nonsense", up_to=clock.now()
    )

    counts = reconcile.read_feed(now=clock.now())

    assert counts["found"] == len(provider.sdk.Event.list({"limit": 100}).list)


def test_the_feed_is_left_in_the_middle_when_its_time_is_over(provider: Provider, settings: Settings) -> None:
    settings.CHARGEBEE_PAGE_SIZE = 4
    provider.subscriber("alice", FAITH)

    assert reconcile.read_feed(now=clock.now(), until=0)["left"] == 1
    assert "left" not in reconcile.read_feed(now=clock.now())


def test_a_reading_that_the_provider_did_not_answer_is_tried_again_within_minutes(
    provider: Provider, cable: Cable
) -> None:
    provider.subscriber("alice", FAITH)
    hour = jobs.newest_hour(clock.now())
    cable.lose_answers()
    jobs.run("feed", hour, now=clock.now())
    run = JobRun.objects.get()
    assert run.error.startswith("Unreadable")
    assert "feed" not in {job.name for job, _ in jobs.due(hour)}

    cable.mend()
    assert run.leased_until is not None
    assert run.leased_until - run.started_at < timedelta(minutes=6)
    with time_machine.travel(run.leased_until):
        assert ("feed", hour) in {(job.name, slot) for job, slot in jobs.due(hour)}
        jobs.run("feed", hour, now=clock.now())
    run.refresh_from_db()
    assert (run.error, run.finished_at is not None) == ("", True)
    assert set(WebhookEvent.objects.values_list("event_id", flat=True)) == {
        entry.event.id for entry in provider.sdk.Event.list({"limit": 100}).list
    }


@pytest.mark.services
def test_a_page_costs_as_many_queries_however_many_events_are_new(settings: Settings) -> None:
    settings.DATABASE_CLOCK = True
    events = [
        EventSnapshot(f"ev_{number}", "customer_changed", clock.now(), "v2", {"customer": ["ava"]})
        for number in range(51)
    ]
    counted = []
    for page in (events[:1], events[1:]):
        with CaptureQueriesContext(connection) as queries:
            assert inbox.store_found(page) == len(page)
        counted.append(len(queries))

    assert counted[0] == counted[1]
