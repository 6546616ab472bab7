"""A backlog of events: processed in batches, within the rate limit, and without loss when a worker is killed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from celery.signals import before_task_publish
from django.db import connection, transaction
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from billing import clock
from billing.changes.discounts import bundle_coupons
from billing.jobs import recovery, schedule
from billing.mirror.events import webhook_intake, webhook_processing
from billing.models import FeedCursor, RequestPace, Subscription, WebhookEvent
from billing.tests.support.celery_workers import wait_until
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.kill_process import run_and_kill
from billing.tests.support.live_provider import FAITH, GOSPEL, Provider

pytestmark = pytest.mark.django_db(transaction=True)

State = WebhookEvent.State

TOO_MANY_REQUESTS = b"\r\n".join(
    [
        b"HTTP/1.1 429 Too Many Requests",
        b"Content-Type: application/json",
        b"Retry-After: 30",
        b"Content-Length: 55",
        b"Connection: close",
        b"",
        b'{"message":"busy","api_error_code":"api_limit_reached"}',
    ]
)
WORK = "from billing.mirror.events import webhook_processing; webhook_processing.process_due_events()"


def store_events(names: dict[str, list[str]] | Any, *, count: int = 1) -> list[int]:
    """Store events that the feed lacks, as webhooks do, when the feed was read for them; return their primary keys."""
    before = WebhookEvent.objects.count()
    stored = [
        webhook_intake.store_webhook_event(
            {
                "id": f"ev_{before + number}",
                "occurred_at": 1_773_144_000,
                "event_type": "something_happened",
                "api_version": "v2",
                "content": {kind: [{"id": identifier} for identifier in ids] for kind, ids in names.items()},
            }
        )
        for number in range(count)
    ]
    keys = [event.pk for event in stored if event is not None]
    WebhookEvent.objects.filter(pk__in=keys).update(sought_at=timezone.now())
    return keys


def delivered_events() -> QuerySet[WebhookEvent]:
    """Return the events that webhooks delivered."""
    return WebhookEvent.objects.filter(source="webhook")


def resource_paths(requests: list[bytes]) -> list[str]:
    """Return the paths of the requests, without those of the feed."""
    paths = [request.split(b" ")[1].decode() for request in requests]
    return [path for path in paths if not path.startswith("/api/v2/events")]


def count_states() -> dict[str, int]:
    """Return how many events of webhooks are in each state."""
    found = list(delivered_events().values_list("state", flat=True))
    return {state: found.count(state) for state in set(found)}


def expire_waits() -> None:
    """Let every lease and every delay before a retry expire."""
    WebhookEvent.objects.filter(state=State.RECEIVED).update(next_attempt_at=timezone.now())


@contextmanager
def record_task_messages() -> Iterator[list[tuple[str, bool]]]:
    """Yield a list to which each sent task is appended, with whether its message expires."""
    sent: list[tuple[str, bool]] = []

    def record_message(sender: str, headers: dict[str, Any], **_: Any) -> None:
        sent.append((sender.rpartition(".")[2], headers["expires"] is not None))

    before_task_publish.connect(record_message)
    try:
        yield sent
    finally:
        before_task_publish.disconnect(record_message)


def test_a_resource_named_by_many_events_is_refreshed_once(provider: Provider, faulty_proxy: FaultyProxy) -> None:
    alice = provider.subscriber("alice", FAITH)
    subscription = provider.subscription(alice)
    provider.sdk.Subscription.cancel_for_items(subscription.id, {"cancel_option": "end_of_term"})
    store_events({"customer": ["alice"], "subscription": [subscription.id]}, count=40)
    requests = faulty_proxy.record_requests()

    assert webhook_processing.process_due_events()

    assert resource_paths(requests) == [
        "/api/v2/customers/alice",
        f"/api/v2/subscriptions/{subscription.id}",
    ]
    assert Subscription.objects.get().status == "non_renewing"
    assert count_states() == {State.PROCESSED: 40}


def test_events_about_unknown_customers_cause_no_requests_and_few_queries(
    provider: Provider, faulty_proxy: FaultyProxy
) -> None:
    requests = faulty_proxy.record_requests()

    def count_queries(count: int) -> int:
        store_events({"customer": ["stranger"]}, count=count)
        with CaptureQueriesContext(connection) as queries:
            assert webhook_processing.process_due_events()
        return len(queries)

    count_queries(1)  # reads the events of the shop
    assert count_queries(60) == count_queries(2)
    assert resource_paths(requests) == []
    assert count_states() == {State.IGNORED: 63}


@pytest.mark.shows("reliability-14")
def test_an_invalid_event_does_not_block_the_others(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    named = {"customer": ["alice"], "subscription": [provider.subscription(alice).id]}
    store_events(named, count=3)
    [poisoned] = store_events(named)
    WebhookEvent.objects.filter(pk=poisoned).update(payload={"names": 7})
    store_events(named, count=3)

    for _ in range(webhook_processing.MAX_ATTEMPTS):
        webhook_processing.process_due_events()
        expire_waits()

    assert count_states() == {State.PROCESSED: 6, State.PARKED: 1}
    assert WebhookEvent.objects.get(pk=poisoned).attempts == webhook_processing.MAX_ATTEMPTS
    assert set(delivered_events().exclude(pk=poisoned).values_list("attempts", flat=True)) == {1}


def test_an_outage_counts_no_attempt_and_leaves_all_events_due(provider: Provider, faulty_proxy: FaultyProxy) -> None:
    alice = provider.subscriber("alice", FAITH, GOSPEL)
    for plan in (FAITH, GOSPEL):
        store_events({"customer": ["alice"], "subscription": [provider.subscription(alice, plan).id]}, count=5)
    faulty_proxy.answer_with(TOO_MANY_REQUESTS)

    assert webhook_processing.process_due_events()

    assert set(WebhookEvent.objects.values_list("state", "attempts")) == {(State.RECEIVED, 0)}
    delayed = WebhookEvent.objects.filter(next_attempt_at__gt=timezone.now() + timedelta(seconds=20))
    assert delayed.count() == 10
    faulty_proxy.restore()
    expire_waits()
    webhook_processing.process_due_events()
    assert count_states() == {State.PROCESSED: 10}


def test_an_event_replayed_during_an_outage_is_due_at_once(provider: Provider, faulty_proxy: FaultyProxy) -> None:
    alice = provider.subscriber("alice", FAITH)
    replayed, other = store_events({"subscription": [provider.subscription(alice).id]}, count=2)
    faulty_proxy.answer_with(TOO_MANY_REQUESTS)
    faulty_proxy.on_answer = lambda _: webhook_processing.replay_event(replayed)

    webhook_processing.process_due_events()

    assert WebhookEvent.objects.get(pk=other).attempts == 0
    assert webhook_processing.due_event_ids() == [replayed]
    faulty_proxy.restore()
    expire_waits()
    assert webhook_processing.process_due_events()
    assert count_states() == {State.PROCESSED: 2}


@pytest.mark.shows("reliability-30")
def test_a_worker_that_was_suspended_does_not_release_anothers_event(
    provider: Provider, faulty_proxy: FaultyProxy
) -> None:
    alice = provider.subscriber("alice", FAITH)
    [claimed] = store_events({"subscription": [provider.subscription(alice).id]})
    WebhookEvent.objects.filter(pk=claimed).update(attempts=1)  # so that the feed is not read for it
    faulty_proxy.answer_with(TOO_MANY_REQUESTS)

    def claim_for_another(_: bytes) -> None:
        WebhookEvent.objects.filter(pk=claimed).update(next_attempt_at=timezone.now())
        WebhookEvent.objects.claim_page([claimed], lease=timedelta(minutes=1))

    faulty_proxy.on_answer = claim_for_another
    webhook_processing.process_due_events()

    assert WebhookEvent.objects.get(pk=claimed).attempts == 3
    assert webhook_processing.due_event_ids() == []


def test_an_event_replayed_while_it_is_processed_is_processed_once_more(
    provider: Provider, faulty_proxy: FaultyProxy
) -> None:
    alice = provider.subscriber("alice", FAITH)
    [replayed] = store_events({"subscription": [provider.subscription(alice).id]})
    faulty_proxy.on_answer = lambda _: webhook_processing.replay_event(replayed)

    webhook_processing.process_due_events()

    faulty_proxy.restore()
    assert webhook_processing.due_event_ids() == [replayed]
    assert webhook_processing.process_due_events()
    assert count_states() == {State.PROCESSED: 1}


@pytest.mark.shows("reliability-5")
def test_a_webhook_backlog_keeps_to_the_background_rate_limit(
    provider: Provider, faulty_proxy: FaultyProxy, settings: Settings
) -> None:
    settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE = 60  # six at once, then one in a second
    settings.JOB_SLICE_SECONDS = 2
    RequestPace.objects.create(lane="events", next_at=timezone.now())
    keys = [pk for number in range(60) for pk in store_events({"subscription": [f"imported-{number}"]})]
    requests = faulty_proxy.record_requests()
    began = time.monotonic()

    def max_requests() -> float:
        return 6 + time.monotonic() - began + 1

    for pk in keys:
        webhook_processing.process_event(pk)
    assert len(requests) <= max_requests()
    done = len(resource_paths(requests))
    assert count_states() == {State.IGNORED: done, State.RECEIVED: 60 - done}
    assert set(delivered_events().filter(state=State.RECEIVED).values_list("attempts", flat=True)) == {0}

    expire_waits()
    webhook_processing.process_due_slice()
    assert done < len(resource_paths(requests))
    assert len(requests) <= max_requests()
    done = len(resource_paths(requests))
    assert count_states() == {State.IGNORED: done, State.RECEIVED: 60 - done}

    settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE, settings.JOB_SLICE_SECONDS = 0, 60
    expire_waits()
    webhook_processing.process_due_slice()
    assert count_states() == {State.IGNORED: 60}
    assert len(resource_paths(requests)) == 60


def test_a_backlog_does_not_send_a_task_per_event(provider: Provider) -> None:
    bundle_coupons.request_alignment()
    with record_task_messages() as sent:
        store_events({"subscription": ["one"]}, count=webhook_intake.BACKLOG_LIMIT + 5)
        assert sent == [("process_webhook", False)] * webhook_intake.BACKLOG_LIMIT

        recovery.sweep_due_work(now=clock.billing_now())
        repeated = sent[webhook_intake.BACKLOG_LIMIT :]
        assert repeated.count(("process_due_webhooks", True)) == 1
        # The sweep repeats them each time, so they expire instead of piling up behind a long job.
        assert repeated.count(("run_job", True)) == len(schedule.JOBS)
        assert {drops for _, drops in repeated} == {True}


def test_events_of_a_killed_worker_are_retried_one_by_one(
    provider: Provider, faulty_proxy: FaultyProxy, environment: dict[str, str]
) -> None:
    alice = provider.subscriber("alice", FAITH)
    subscription_id = provider.subscription(alice).id
    keys = [
        *store_events({"customer": ["alice"]}, count=3),
        *store_events({"subscription": [subscription_id]}, count=3),
    ]

    run_and_kill(environment, faulty_proxy, WORK, lambda request: b"/subscriptions/" in request)
    assert webhook_processing.due_event_ids() == []
    assert set(delivered_events().values_list("state", "attempts")) == {(State.RECEIVED, 1)}

    expire_waits()
    FeedCursor.objects.update(next_attempt_at=timezone.now())
    requests = faulty_proxy.record_requests()
    webhook_processing.process_event(keys[0])
    assert webhook_processing.process_due_events()
    assert count_states() == {State.PROCESSED: 6}
    assert len(resource_paths(requests)) == 6


@pytest.mark.shows("reliability-14")
def test_an_event_that_killed_every_worker_is_parked(provider: Provider) -> None:
    [deadly] = store_events({"subscription": ["deadly"]})
    WebhookEvent.objects.filter(pk=deadly).update(attempts=webhook_processing.MAX_ATTEMPTS)
    store_events({"subscription": ["harmless"]})

    assert webhook_processing.process_due_events()

    assert count_states() == {State.PARKED: 1, State.IGNORED: 1}
    assert WebhookEvent.objects.get(pk=deadly).state == State.PARKED


@pytest.mark.services
def test_two_concurrent_workers_process_each_event_once(provider: Provider, faulty_proxy: FaultyProxy) -> None:
    for number in range(40):
        store_events({"customer": ["stranger"]}, count=20)
        store_events({"subscription": [f"imported-{number}"]})
    requests = faulty_proxy.record_requests()

    def work(_: int) -> None:
        try:
            webhook_processing.process_due_events()
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as workers:
        list(workers.map(work, range(2)))

    assert count_states() == {State.IGNORED: 840}
    assert len(resource_paths(requests)) == 40
    assert set(delivered_events().filter(owner="").values_list("attempts", flat=True)) == {1}


@pytest.mark.services
def test_a_worker_that_retries_an_event_alone_leaves_the_others_unlocked(provider: Provider) -> None:
    store_events({"subscription": ["imported"]})
    webhook_processing.process_due_events()  # reads the events of the shop
    one, *others = store_events({"subscription": ["imported"]}, count=12)
    WebhookEvent.objects.filter(pk__in=(one, *others)).update(attempts=1)

    def work() -> None:
        try:
            webhook_processing.process_due_events()
        finally:
            connection.close()

    def is_waiting() -> bool:
        waiting = "SELECT count(*) FROM pg_locks WHERE relation = %s::regclass AND NOT granted"
        with connection.cursor() as cursor:
            cursor.execute(waiting, [WebhookEvent._meta.db_table])
            return bool(cursor.fetchone()[0])

    with ThreadPoolExecutor(1) as workers:
        with transaction.atomic():
            # The worker may read events, and blocks where it claims them.
            with connection.cursor() as cursor:
                cursor.execute(f"LOCK TABLE {WebhookEvent._meta.db_table} IN SHARE MODE")
            worker = workers.submit(work)
            wait_until(is_waiting)
            free = WebhookEvent.objects.select_for_update(skip_locked=True).order_by("pk")
            assert list(free.filter(pk__gte=one).values_list("pk", flat=True)) == others
        worker.result()

    assert count_states() == {State.IGNORED: 13}
