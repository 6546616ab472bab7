"""The events feed: its content is applied, page by page; an interrupted reading continues where it stopped."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from billing import clock
from billing.gateway.snapshots import EventSnapshot
from billing.jobs import schedule
from billing.mirror import reconcile
from billing.mirror.events import webhook_intake, webhook_processing
from billing.mirror.events.webhook_intake import FeedRow
from billing.models import FeedCursor, Invoice, JobRun, PaymentSource, Subscription, WebhookEvent
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.kill_process import run_and_kill
from billing.tests.support.live_provider import FAITH, GOSPEL, Provider
from billing.tests.support.subscriber_wallet import MASTERCARD
from billing.tests.support.webhook_delivery import WebhookDelivery

pytestmark = pytest.mark.django_db(transaction=True)

State = WebhookEvent.State

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
    FeedCursor.objects.create(reading="hourly", occurred_at=clock.billing_now())
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
    assert (FeedCursor.objects.get().offset, FeedCursor.objects.get().newest) == ("", None)
    assert list(reconcile.find_differences()) == []


def test_the_feed_starts_over_when_its_offset_expired(
    provider: Provider,
) -> None:
    provider.subscriber("alice", FAITH)
    provider.travel(days=32)
    FeedCursor.objects.create(
        reading="hourly",
        occurred_at=clock.billing_now() - timedelta(days=40),
        offset="nonsense",
        newest=clock.billing_now(),
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
    rows = [FeedRow(event, owner="ava", is_known=True, unread={}) for event in events]
    query_counts = []
    for page in (rows[:1], rows[1:]):
        with CaptureQueriesContext(connection) as queries:
            assert webhook_intake.save_feed_events(page) == len(page)
        query_counts.append(len(queries))

    assert query_counts[0] == query_counts[1]


# What a feed that lags behind answers.
EMPTY_PAGE = (
    b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\nConnection: close\r\n\r\n{"list":[]}'
)
DELIVER = """
from django.utils import timezone
from billing.mirror.events import webhook_processing
webhook_processing.process_due_events()
"""


@dataclass
class EventStream:
    """The provider's events on their way to the portal, and the paths that the portal requests."""

    provider: Provider
    proxy: FaultyProxy
    delivery: WebhookDelivery
    requests: list[bytes]

    def renew_all(self) -> None:
        """Let the three subscriptions renew."""
        self.provider.travel(days=32)
        self.requests.clear()

    def paths(self) -> list[str]:
        """Return the paths requested since the last call, of the feed only `events`."""
        paths = [request.split(b" ")[1].decode().removeprefix("/api/v2/") for request in self.requests if request]
        self.requests.clear()
        return ["events" if path.startswith("events?") else path for path in paths]

    def deliver_one_by_one(self) -> int:
        """Deliver the new events' webhooks, and process each on its arrival; return how many there were."""
        events = self.delivery.collect_new()
        for event in events:
            self.delivery.under_way = [event]
            self.delivery.deliver_all()
        return len(events)

    def hide_feed(self) -> None:
        """Let the feed show no events, as if it lagged behind."""

        def replace_pages(request: bytes) -> None:
            self.proxy.mode = "replace" if b"/events?" in request else "good"
            self.requests.append(request)

        self.proxy.on_answer, self.proxy.replacement = replace_pages, EMPTY_PAGE

    def show_feed(self) -> None:
        """Let the feed show its events again."""
        self.proxy.mode, self.proxy.on_answer = "good", self.requests.append


@pytest.fixture
def stream(provider: Provider, faulty_proxy: FaultyProxy) -> EventStream:
    """The events of three subscribers, whose first ones are processed."""
    for name in ("alice", "bob", "carol"):
        provider.subscriber(name, FAITH)
    stream = EventStream(provider, faulty_proxy, WebhookDelivery(provider), [])
    stream.deliver_one_by_one()
    stream.requests = faulty_proxy.record_requests()
    return stream


def expire_waits() -> None:
    """Let the delays before the next attempt expire."""
    WebhookEvent.objects.filter(state=State.RECEIVED).update(next_attempt_at=timezone.now())


def test_three_renewals_cost_one_request(stream: EventStream) -> None:
    stream.renew_all()

    assert stream.deliver_one_by_one() >= 3 * 3

    assert stream.paths() == ["events"]
    assert Invoice.objects.count() == 2 * 3
    assert list(reconcile.find_differences()) == []
    assert set(WebhookEvent.objects.values_list("state", flat=True)) <= {State.PROCESSED, State.IGNORED}


def test_an_event_that_the_feed_shows_late_costs_no_further_read(stream: EventStream) -> None:
    stream.renew_all()
    stream.hide_feed()
    stream.deliver_one_by_one()
    assert Invoice.objects.count() == 3
    waiting = WebhookEvent.objects.filter(state=State.RECEIVED)
    assert set(waiting.values_list("attempts", flat=True)) == {0}
    soon = timezone.now() + timedelta(seconds=16)
    assert waiting.filter(next_attempt_at__gt=timezone.now(), next_attempt_at__lt=soon).count() == waiting.count() > 0
    stream.requests.clear()

    stream.show_feed()
    expire_waits()
    webhook_processing.process_due_events()

    assert stream.paths() == ["events"]
    assert Invoice.objects.count() == 6
    assert not waiting.all().exists()


def test_resources_are_read_one_by_one_when_the_feed_lacks_the_event(stream: EventStream) -> None:
    alice = Subscription.objects.get(customer__provider_id="alice").provider_id
    stream.provider.sdk.Subscription.cancel_for_items(alice, {"cancel_option": "end_of_term"})
    stream.hide_feed()
    stream.deliver_one_by_one()
    assert "events" in stream.paths()
    assert Subscription.objects.get(provider_id=alice).status == "active"

    expire_waits()
    webhook_processing.process_due_events()

    assert stream.paths() == ["events", "customers/alice", f"subscriptions/{alice}"]
    assert Subscription.objects.get(provider_id=alice).status == "non_renewing"


def test_a_scheduled_change_is_read_by_itself_because_events_lack_it(stream: EventStream) -> None:
    alice = Subscription.objects.get(customer__provider_id="alice").provider_id
    items = [{"item_price_id": f"{GOSPEL}-USD-Monthly", "quantity": 1}]
    change = {"subscription_items": items, "replace_items_list": True, "end_of_term": True}
    stream.provider.sdk.Subscription.update_for_items(alice, change)

    stream.deliver_one_by_one()

    path = f"subscriptions/{alice}"
    assert stream.paths() == ["events", path, f"{path}/retrieve_with_scheduled_changes"]
    assert Subscription.objects.get(provider_id=alice).payload["scheduled_item_price_id"] == f"{GOSPEL}-USD-Monthly"


def test_a_deletion_is_applied_and_older_events_do_not_bring_the_source_back(stream: EventStream) -> None:
    stream.provider.add_card("alice", MASTERCARD)
    sources = PaymentSource.objects.filter(customer__provider_id="alice", deleted=False)
    stream.deliver_one_by_one()
    [visa, mastercard] = sources.order_by("pk").values_list("provider_id", flat=True)
    stream.provider.sdk.PaymentSource.update_card(visa, {"card": {"first_name": "Operator"}})
    stream.provider.sdk.PaymentSource.delete(visa)
    [added, *rest] = stream.delivery.collect_new()
    stream.hide_feed()
    stream.delivery.under_way = rest
    stream.delivery.deliver_all()
    expire_waits()
    webhook_processing.process_due_events()
    assert list(sources.values_list("provider_id", flat=True)) == [mastercard]

    stream.show_feed()
    stream.delivery.under_way = [added]
    stream.delivery.deliver_all()

    assert list(sources.values_list("provider_id", flat=True)) == [mastercard]
    assert list(reconcile.find_differences()) == []


@pytest.mark.parametrize("death_at", [1, 2, 3])
def test_a_reading_that_was_killed_is_repeated_without_loss(
    stream: EventStream, environment: dict[str, str], settings: Settings, death_at: int
) -> None:
    settings.CHARGEBEE_PAGE_SIZE = 4
    stream.renew_all()
    for event in stream.delivery.collect_new():
        webhook_intake.store_webhook_event(event)
    pages = iter(range(1, 100))
    program = f"from django.conf import settings; settings.CHARGEBEE_PAGE_SIZE = 4{DELIVER}"
    run_and_kill(environment, stream.proxy, program, lambda request: b"/events?" in request and next(pages) == death_at)

    webhook_processing.process_due_events()
    assert WebhookEvent.objects.filter(state=State.RECEIVED).exists()  # the killed worker still holds the feed
    FeedCursor.objects.update(next_attempt_at=timezone.now())
    webhook_processing.process_due_events()

    assert not WebhookEvent.objects.filter(state=State.RECEIVED).exists()
    assert Invoice.objects.count() == 6
    assert list(reconcile.find_differences()) == []
