"""More events than one worker gets done at once: read in pages, in turn with the others, and none is lost by a kill."""

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
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from billing import clock
from billing.models import RequestPace, Subscription, WebhookEvent
from billing.services import alignment, inbox, sweep, webhooks
from billing.tests.cable import Cable
from billing.tests.killing import killed_at
from billing.tests.live import FAITH, GOSPEL, Provider
from billing.tests.workers import until

pytestmark = pytest.mark.django_db(transaction=True)

State = WebhookEvent.State

TURNED_AWAY = b"\r\n".join(
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
WORK = "from billing.services import webhooks; webhooks.process_due()"


def deliver(names: dict[str, list[str]] | Any, *, count: int = 1) -> list[int]:
    """Store events that name these resources, as webhooks bring them; return their keys."""
    before = WebhookEvent.objects.count()
    stored = [
        inbox.receive(
            {
                "id": f"ev_{before + number}",
                "occurred_at": 1_773_144_000,
                "event_type": "something_happened",
                "api_version": "v2",
                "content": {kind: [{"id": one} for one in ids] for kind, ids in names.items()},
            }
        )
        for number in range(count)
    ]
    return [event.pk for event in stored if event is not None]


def states() -> dict[str, int]:
    """Return how many events are in each state."""
    found = list(WebhookEvent.objects.values_list("state", flat=True))
    return {state: found.count(state) for state in set(found)}


def make_due() -> None:
    """Let every pause and every lease run out."""
    WebhookEvent.objects.filter(state=State.RECEIVED).update(next_attempt_at=timezone.now())


@contextmanager
def messages() -> Iterator[list[tuple[str, bool]]]:
    """Give a list that fills with the tasks that workers are sent, and whether the message is dropped in time."""
    sent: list[tuple[str, bool]] = []

    def note(sender: str, headers: dict[str, Any], **_: Any) -> None:
        sent.append((sender.rpartition(".")[2], headers["expires"] is not None))

    before_task_publish.connect(note)
    try:
        yield sent
    finally:
        before_task_publish.disconnect(note)


def test_what_many_events_name_is_read_once_for_all_of_them(provider: Provider, cable: Cable) -> None:
    alice = provider.subscriber("alice", FAITH)
    held = provider.subscription(alice)
    provider.sdk.Subscription.cancel_for_items(held.id, {"cancel_option": "end_of_term"})
    deliver({"customer": ["alice"], "subscription": [held.id]}, count=40)
    asked = cable.listen()

    assert webhooks.process_due()

    assert [request.split(b" ")[1].decode() for request in asked] == [
        "/api/v2/customers/alice",
        f"/api/v2/subscriptions/{held.id}",
    ]
    assert Subscription.objects.get().status == "non_renewing"
    assert states() == {State.PROCESSED: 40}


def test_events_about_strangers_ask_for_nothing_and_cost_as_much_as_one(
    provider: Provider, cable: Cable
) -> None:
    asked = cable.listen()

    def queries(count: int) -> int:
        deliver({"customer": ["stranger"]}, count=count)
        with CaptureQueriesContext(connection) as made:
            assert webhooks.process_due()
        return len(made)

    assert queries(60) == queries(2)
    assert asked == []
    assert states() == {State.IGNORED: 62}


def test_a_poisoned_event_among_many_stops_only_itself(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    named = {"customer": ["alice"], "subscription": [provider.subscription(alice).id]}
    deliver(named, count=3)
    [poisoned] = deliver(named)
    WebhookEvent.objects.filter(pk=poisoned).update(payload={"names": 7})
    deliver(named, count=3)

    for _ in range(webhooks.ATTEMPTS):
        webhooks.process_due()
        make_due()

    assert states() == {State.PROCESSED: 6, State.PARKED: 1}
    assert WebhookEvent.objects.get(pk=poisoned).attempts == webhooks.ATTEMPTS
    assert set(WebhookEvent.objects.exclude(pk=poisoned).values_list("attempts", flat=True)) == {1}


def test_an_outage_is_nobodys_fault_and_leaves_everything_due(provider: Provider, cable: Cable) -> None:
    alice = provider.subscriber("alice", FAITH, GOSPEL)
    for plan in (FAITH, GOSPEL):
        deliver({"customer": ["alice"], "subscription": [provider.subscription(alice, plan).id]}, count=5)
    cable.answer_with(TURNED_AWAY)

    assert webhooks.process_due()

    assert set(WebhookEvent.objects.values_list("state", "attempts")) == {(State.RECEIVED, 0)}
    told_to_wait = WebhookEvent.objects.filter(next_attempt_at__gt=timezone.now() + timedelta(seconds=20))
    assert told_to_wait.count() == 10
    cable.mend()
    make_due()
    webhooks.process_due()
    assert states() == {State.PROCESSED: 10}


def test_one_that_is_replayed_while_the_provider_is_found_away_is_due_again_at_once(
    provider: Provider, cable: Cable
) -> None:
    alice = provider.subscriber("alice", FAITH)
    replayed, other = deliver({"subscription": [provider.subscription(alice).id]}, count=2)
    cable.answer_with(TURNED_AWAY)
    cable.on_answer = lambda _: webhooks.replay(replayed)

    webhooks.process_due()

    assert WebhookEvent.objects.get(pk=other).attempts == 0
    assert webhooks.due() == [replayed]
    cable.mend()
    make_due()
    assert webhooks.process_due()
    assert states() == {State.PROCESSED: 2}


def test_a_flood_leaves_subscribers_their_share_of_the_providers_limit(
    provider: Provider, cable: Cable, settings: Settings
) -> None:
    settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE = 60  # six at once, then one in a second
    settings.JOB_SLICE_SECONDS = 2
    RequestPace.objects.create(pk=1, next_at=timezone.now())
    keys = [pk for number in range(60) for pk in deliver({"subscription": [f"imported-{number}"]})]
    asked = cable.listen()
    began = time.monotonic()

    def allowed() -> float:
        return 6 + time.monotonic() - began + 1

    for pk in keys:
        webhooks.process(pk)
    assert len(asked) <= allowed()
    assert states() == {State.PROCESSED: len(asked), State.RECEIVED: 60 - len(asked)}
    assert set(WebhookEvent.objects.filter(state=State.RECEIVED).values_list("attempts", flat=True)) == {0}

    make_due()
    at_once = len(asked)
    webhooks.process_in_turn()
    assert at_once < len(asked) <= allowed()
    assert states() == {State.PROCESSED: len(asked), State.RECEIVED: 60 - len(asked)}

    settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE, settings.JOB_SLICE_SECONDS = 0, 60
    make_due()
    webhooks.process_in_turn()
    assert states() == {State.PROCESSED: 60}
    assert len(asked) == 60


def test_a_crowd_sends_workers_no_message_each(provider: Provider) -> None:
    alignment.want_all()
    with messages() as sent:
        deliver({"subscription": ["one"]}, count=inbox.CROWD + 5)
        assert sent == [("process_webhook", False)] * inbox.CROWD

        sweep.run(now=clock.now())
        repeated = sent[inbox.CROWD :]
        assert repeated.count(("process_due_webhooks", True)) == 1
        # The sweep says it again: behind a long job nothing piles up.
        assert {("run_job", True), ("align_all_bundles", True)} <= {*repeated}
        assert {drops for _, drops in repeated} == {True}


def test_what_a_killed_worker_had_taken_up_comes_back_and_is_worked_on_alone(
    provider: Provider, cable: Cable, environment: dict[str, str]
) -> None:
    alice = provider.subscriber("alice", FAITH)
    held = provider.subscription(alice).id
    keys = [*deliver({"customer": ["alice"]}, count=3), *deliver({"subscription": [held]}, count=3)]

    killed_at(environment, cable, WORK, lambda request: b"/subscriptions/" in request)
    assert webhooks.due() == []
    assert set(WebhookEvent.objects.values_list("state", "attempts")) == {(State.RECEIVED, 1)}

    make_due()
    asked = cable.listen()
    webhooks.process(keys[0])
    assert webhooks.process_due()
    assert states() == {State.PROCESSED: 6}
    assert len(asked) == 6


def test_an_event_that_every_worker_died_of_is_parked(provider: Provider) -> None:
    [deadly] = deliver({"subscription": ["deadly"]})
    WebhookEvent.objects.filter(pk=deadly).update(attempts=webhooks.ATTEMPTS)
    deliver({"subscription": ["harmless"]})

    assert webhooks.process_due()

    assert states() == {State.PARKED: 1, State.PROCESSED: 1}
    assert WebhookEvent.objects.get(pk=deadly).state == State.PARKED


@pytest.mark.services
def test_two_workers_at_once_take_up_each_event_once(provider: Provider, cable: Cable) -> None:
    for number in range(40):
        deliver({"customer": ["stranger"]}, count=20)
        deliver({"subscription": [f"imported-{number}"]})
    asked = cable.listen()

    def work(_: int) -> None:
        try:
            webhooks.process_due()
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as workers:
        list(workers.map(work, range(2)))

    assert states() == {State.IGNORED: 800, State.PROCESSED: 40}
    assert len(asked) == 40
    assert set(WebhookEvent.objects.filter(state=State.PROCESSED).values_list("attempts", flat=True)) == {1}


@pytest.mark.services
def test_whoever_takes_up_what_a_killed_worker_had_leaves_the_rest_to_others(provider: Provider) -> None:
    _, *others = deliver({"subscription": ["imported"]}, count=12)
    WebhookEvent.objects.update(attempts=1)

    def work() -> None:
        try:
            webhooks.process_due()
        finally:
            connection.close()

    def is_waiting() -> bool:
        waiting = "SELECT count(*) FROM pg_locks WHERE relation = %s::regclass AND NOT granted"
        with connection.cursor() as cursor:
            cursor.execute(waiting, [WebhookEvent._meta.db_table])
            return bool(cursor.fetchone()[0])

    with ThreadPoolExecutor(1) as workers:
        with transaction.atomic():
            # It may look at events, and is held up where it writes that it has them.
            with connection.cursor() as cursor:
                cursor.execute(f"LOCK TABLE {WebhookEvent._meta.db_table} IN SHARE MODE")
            worker = workers.submit(work)
            until(is_waiting)
            free = WebhookEvent.objects.select_for_update(skip_locked=True).order_by("pk")
            assert list(free.values_list("pk", flat=True)) == others
        worker.result()

    assert states() == {State.PROCESSED: 12}
