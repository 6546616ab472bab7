"""Outgoing webhooks, as their receiver sees them."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from chargebee import Chargebee

from chargebee_sandbox.tests.support.account_setup import make_account
from chargebee_sandbox.tests.support.webhook_receiver import (
    Delivery,
    WebhookReceiver,
    run_receiver,
    wait_until,
)

START = datetime(2026, 3, 10, 12, tzinfo=UTC)
RETRIES = (
    timedelta(minutes=2),
    timedelta(minutes=6),
    timedelta(minutes=30),
    timedelta(hours=1),
    timedelta(hours=5),
    timedelta(days=1),
    timedelta(days=2),
)


CREDENTIALS = {"SANDBOX_WEBHOOK_USERNAME": "chargebee", "SANDBOX_WEBHOOK_PASSWORD": "pass:wörd"}


@pytest.fixture(scope="module")
def sandbox_and_receiver(
    run_sandbox: Callable[..., AbstractContextManager[Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Any, WebhookReceiver]]:
    """A sandbox and the receiver of its webhooks, shared by all tests that need no restart."""
    folder = tmp_path_factory.mktemp("delivery")
    with (
        run_receiver() as receiver,
        run_sandbox(folder, SANDBOX_WEBHOOK_URL=receiver.url, **CREDENTIALS) as sandbox,
    ):
        yield sandbox, receiver


@pytest.fixture
def sandbox(sandbox_and_receiver: tuple[Any, WebhookReceiver]) -> Any:
    sandbox, receiver = sandbox_and_receiver
    sandbox.start_afresh(START)
    receiver.start_over()
    return sandbox


@pytest.fixture
def receiver(sandbox_and_receiver: tuple[Any, WebhookReceiver]) -> WebhookReceiver:
    return sandbox_and_receiver[1]


@pytest.fixture
def own_receiver() -> Iterator[WebhookReceiver]:
    with run_receiver() as receiver:
        yield receiver


@pytest.fixture
def launch(launch_sandbox: Callable[..., Any], own_receiver: WebhookReceiver) -> Callable[[], Any]:
    """Start a sandbox of the test's own; a second one continues with the data of the first."""
    return lambda: launch_sandbox(SANDBOX_WEBHOOK_URL=own_receiver.url, **CREDENTIALS)


@dataclass
class FaultQueue:
    """The fault queue of the sandbox, over HTTP."""

    url: str
    api_key: str

    def order_fault(self, **fault: object) -> None:
        form = {name: str(value) for name, value in fault.items()}
        httpx.post(f"{self.url}/faults", data=form, auth=(self.api_key, "")).raise_for_status()

    def list_strikes(self) -> list[dict[str, Any]]:
        answer = httpx.get(f"{self.url}/faults/struck", auth=(self.api_key, ""))
        return [entry["strike"] for entry in answer.json()["list"]]


@pytest.fixture
def fault_queue(sandbox: Any) -> FaultQueue:
    return FaultQueue(sandbox.url, sandbox.api_key)


def delivery_status(client: Chargebee, event_id: str) -> str:
    event: Any = client.Event.retrieve(event_id).event
    return str(event.webhooks[0].webhook_status)


def wait_for_status(client: Chargebee, event_id: str, status: str) -> None:
    wait_until(lambda: delivery_status(client, event_id) == status, what=f"{event_id} becomes {status}")


def answer_503(_delivery: Delivery) -> int:
    return 503


def test_it_posts_the_documented_envelope_with_basic_auth(sandbox: Any, receiver: WebhookReceiver) -> None:
    client = sandbox.client()
    client.Customer.create({"id": "alice", "email": "alice@example.com"})

    [delivery] = receiver.wait_for(1)

    assert delivery.path == "/webhooks"
    assert delivery.headers["content-type"].startswith("application/json")
    scheme, _, credentials = delivery.headers["authorization"].partition(" ")
    assert (scheme, base64.b64decode(credentials).decode()) == ("Basic", "chargebee:pass:wörd")
    event = delivery.event
    assert event["id"].startswith("ev_")
    assert event["object"] == "event"
    assert event["api_version"] == "v2"
    assert event["event_type"] == "customer_created"
    assert event["source"] == "api"
    assert event["content"]["customer"]["id"] == "alice"
    assert event["webhook_status"] == "not_configured"
    assert [endpoint["webhook_status"] for endpoint in event["webhooks"]] == ["scheduled"]


def test_it_sends_what_the_endpoint_enables_to_where_the_api_moves_it(
    sandbox: Any, receiver: WebhookReceiver, own_receiver: WebhookReceiver
) -> None:
    client = sandbox.client()
    endpoint = client.WebhookEndpoint.list().list[0].webhook_endpoint
    client.WebhookEndpoint.update(
        endpoint.id,
        {"url": own_receiver.url, "basic_auth_password": "moved", "enabled_events": ["customer_changed"]},
    )
    client.Customer.create({"id": "alice"})
    client.Customer.update("alice", {"first_name": "Alice"})

    [delivery] = own_receiver.wait_for(1)

    assert (endpoint.url, endpoint.api_version, endpoint.enabled_events) == (receiver.url, "v2", None)
    assert delivery.event["event_type"] == "customer_changed"
    credentials = delivery.headers["authorization"].removeprefix("Basic ")
    assert base64.b64decode(credentials).decode() == "chargebee:moved"
    assert receiver.deliveries == []
    client.WebhookEndpoint.delete(endpoint.id)
    client.Customer.update("alice", {"first_name": "Alicia"})
    [event, *_] = [entry.event for entry in client.Event.list({"limit": 1}).list]
    assert getattr(event, "webhooks", None) is None
    assert list(client.WebhookEndpoint.list().list) == []


def test_a_2xx_response_is_recorded_as_success(sandbox: Any, receiver: WebhookReceiver) -> None:
    receiver.answer = lambda _delivery: 204
    client = sandbox.client()
    client.Customer.create({"id": "alice"})

    [delivery] = receiver.wait_for(1)

    wait_for_status(client, delivery.event["id"], "succeeded")


def test_a_burst_is_delivered_once_over_a_few_connections(sandbox: Any, receiver: WebhookReceiver) -> None:
    client = sandbox.client()
    for number in range(60):
        client.Customer.create({"id": f"customer-{number}"})

    deliveries = receiver.wait_for(60)

    sent = Counter(delivery.event["id"] for delivery in deliveries)
    wait_for_status(client, deliveries[-1].event["id"], "succeeded")
    assert set(sent.values()) == {1}
    assert len(receiver.deliveries) == 60
    # On a busy machine a connection may be idle for so long that it is closed.
    assert len({delivery.connection for delivery in deliveries}) <= 12


@pytest.mark.parametrize("status", [302, 400, 401, 404, 500])
def test_any_other_response_is_retried(sandbox: Any, receiver: WebhookReceiver, status: int) -> None:
    receiver.answer = lambda _delivery: status
    client = sandbox.client()
    client.Customer.create({"id": "alice"})

    [delivery] = receiver.wait_for(1)

    wait_for_status(client, delivery.event["id"], "re_scheduled")


def test_it_retries_on_the_documented_schedule_and_then_gives_up(sandbox: Any, receiver: WebhookReceiver) -> None:
    receiver.answer = answer_503
    client = sandbox.client()
    client.Customer.create({"id": "alice"})
    event_id = receiver.wait_for(1)[0].event["id"]
    wait_for_status(client, event_id, "re_scheduled")

    for tries, delay in enumerate(RETRIES, start=1):
        now = site_time(sandbox)
        sandbox.travel_to(now + delay - timedelta(seconds=20))
        assert len(receiver.deliveries) == tries
        sandbox.travel_to(now + delay + timedelta(seconds=5))
        receiver.wait_for(tries + 1)
        wait_for_tries(sandbox, event_id, tries + 1)

    wait_for_status(client, event_id, "failed")
    sandbox.travel_to(site_time(sandbox) + timedelta(days=30))
    assert len(receiver.deliveries) == 1 + len(RETRIES)
    assert {delivery.event["id"] for delivery in receiver.deliveries} == {event_id}


def test_a_successful_retry_is_the_last_one(sandbox: Any, receiver: WebhookReceiver) -> None:
    receiver.answer = answer_503
    client = sandbox.client()
    client.Customer.create({"id": "alice"})
    event_id = receiver.wait_for(1)[0].event["id"]
    wait_for_status(client, event_id, "re_scheduled")
    receiver.answer = lambda _delivery: 200

    sandbox.travel_to(site_time(sandbox) + timedelta(minutes=3))

    wait_for_status(client, event_id, "succeeded")
    assert [delivery.event["id"] for delivery in receiver.deliveries] == [event_id, event_id]
    assert receiver.deliveries[1].event["webhooks"][0]["webhook_status"] == "re_scheduled"


def test_an_undelivered_event_survives_a_killed_process(
    launch: Callable[[], Any], own_receiver: WebhookReceiver
) -> None:
    gate = own_receiver.hold_back("alice")
    first = launch()
    first.client().Customer.create({"id": "alice"})
    event_id = own_receiver.wait_for(1)[0].event["id"]
    first.kill()
    gate.set()

    second = launch()

    wait_for_status(second.client(), event_id, "succeeded")
    assert [delivery.event["id"] for delivery in own_receiver.deliveries] == [event_id, event_id]


def test_a_scheduled_retry_survives_a_restart(launch: Callable[[], Any], own_receiver: WebhookReceiver) -> None:
    own_receiver.answer = answer_503
    first = launch()
    first.client().Customer.create({"id": "alice"})
    event_id = own_receiver.wait_for(1)[0].event["id"]
    wait_for_status(first.client(), event_id, "re_scheduled")
    first.process.terminate()
    first.process.wait()
    own_receiver.answer = lambda _delivery: 200

    second = launch()
    assert delivery_status(second.client(), event_id) == "re_scheduled"
    second.travel_to(site_time(second) + timedelta(minutes=3))

    wait_for_status(second.client(), event_id, "succeeded")
    assert len(own_receiver.deliveries) == 2


def test_a_hung_receiver_delays_neither_the_api_nor_other_events(sandbox: Any, receiver: WebhookReceiver) -> None:
    gate = receiver.hold_back("stuck")
    client = sandbox.client()
    client.Customer.create({"id": "stuck"})
    stuck = receiver.wait_for(1)[0].event["id"]

    for number in range(10):
        client.Customer.create({"id": f"customer-{number}"})
    others = receiver.wait_for(11)[1:]

    for delivery in others:
        wait_for_status(client, delivery.event["id"], "succeeded")
    assert delivery_status(client, stuck) == "scheduled"
    gate.set()
    wait_for_status(client, stuck, "succeeded")


def test_events_of_time_travel_are_delivered_once(sandbox: Any, receiver: WebhookReceiver) -> None:
    make_account(sandbox)
    before = len(sandbox.client().Event.list({"limit": 100}).list)
    receiver.wait_for(before)

    sandbox.travel_to(START + timedelta(days=63))

    happened = [entry.event.id for entry in sandbox.client().Event.list({"limit": 100}).list]
    delivered = [delivery.event["id"] for delivery in receiver.wait_for(len(happened))]
    assert len(happened) == before + 2 * len(("renewed", "charged", "paid", "invoiced"))
    assert sorted(delivered) == sorted(happened)


def test_a_request_can_disable_its_webhook(sandbox: Any, receiver: WebhookReceiver) -> None:
    client = sandbox.client()
    client.Customer.create({"id": "quiet"}, {"chargebee-event-webhook": "all-disabled"})
    client.Customer.create({"id": "loud"})

    [delivery] = receiver.wait_for(1)

    assert delivery.customer == "loud"
    wait_for_status(client, delivery.event["id"], "succeeded")
    assert len(receiver.deliveries) == 1


def test_an_event_in_delivery_is_dropped_when_the_site_starts_afresh(sandbox: Any, receiver: WebhookReceiver) -> None:
    gate = receiver.hold_back("old")
    sandbox.client().Customer.create({"id": "old"})
    receiver.wait_for(1)

    sandbox.start_afresh(START)
    gate.set()
    sandbox.client().Customer.create({"id": "new"})

    delivered = receiver.wait_for(2)[1]
    wait_for_status(sandbox.client(), delivered.event["id"], "succeeded")
    assert delivered.customer == "new"


def test_the_console_can_resend_an_event(sandbox: Any, receiver: WebhookReceiver) -> None:
    sandbox.client().Customer.create({"id": "alice"})
    event_id = receiver.wait_for(1)[0].event["id"]
    wait_for_status(sandbox.client(), event_id, "succeeded")
    with httpx.Client(base_url=sandbox.url) as browser:
        page = browser.get(f"/events/{event_id}")

        answer = browser.post(f"/events/{event_id}/redeliver", data={"csrfmiddlewaretoken": csrf_token(page)})

    assert answer.status_code == 302
    assert [delivery.event["id"] for delivery in receiver.wait_for(2)] == [event_id, event_id]


def test_a_lost_webhook_does_not_stop_the_next_one(
    sandbox: Any, receiver: WebhookReceiver, fault_queue: FaultQueue
) -> None:
    fault_queue.order_fault(kind="lose_webhook", event_type="customer_*")
    client = sandbox.client()
    lost = client.Customer.create({"id": "alice"}).customer.id
    client.Customer.create({"id": "bob"})

    [delivery] = receiver.wait_for(1)

    wait_for_status(client, delivery.event["id"], "succeeded")
    assert (lost, delivery.customer) == ("alice", "bob")
    [strike] = fault_queue.list_strikes()
    assert (strike["answered"], strike["later"]) == ("not sent", [])
    assert delivery_status(client, strike["event"]) == "failed"


def test_a_doubled_webhook_is_recorded_once(sandbox: Any, receiver: WebhookReceiver, fault_queue: FaultQueue) -> None:
    fault_queue.order_fault(kind="double_webhook")
    sandbox.client().Customer.create({"id": "alice"})

    first, second = receiver.wait_for(2)

    assert first.event == second.event
    wait_for_status(sandbox.client(), first.event["id"], "succeeded")
    assert count_tries(sandbox, first.event["id"]) == 1
    assert [later["said"] for later in fault_queue.list_strikes()[0]["later"]] == ["sent: taken", "sent: taken"]


def test_a_delayed_webhook_waits_by_the_sites_clock(
    sandbox: Any, receiver: WebhookReceiver, fault_queue: FaultQueue
) -> None:
    fault_queue.order_fault(kind="delay_webhook", seconds=86_400, count=2)
    sandbox.client().Customer.create({"id": "alice"})
    wait_until(lambda: len(fault_queue.list_strikes()) == 1, what="the event is kept back")
    event_id = fault_queue.list_strikes()[0]["event"]
    wait_for_status(sandbox.client(), event_id, "re_scheduled")
    assert receiver.deliveries == []

    sandbox.travel_to(site_time(sandbox) + timedelta(days=1, minutes=1))

    assert [delivery.event["id"] for delivery in receiver.wait_for(1)] == [event_id]
    wait_for_status(sandbox.client(), event_id, "succeeded")


def test_a_reordered_webhook_arrives_after_the_next_one(
    sandbox: Any, receiver: WebhookReceiver, fault_queue: FaultQueue
) -> None:
    fault_queue.order_fault(kind="reorder_webhook", seconds=3600)
    client = sandbox.client()
    client.Customer.create({"id": "first"})
    wait_until(lambda: len(fault_queue.list_strikes()) == 1, what="the event is kept back")
    client.Customer.create({"id": "second"})

    deliveries = receiver.wait_for(2)

    assert [delivery.customer for delivery in deliveries] == ["second", "first"]
    wait_for_status(client, deliveries[1].event["id"], "succeeded")


def csrf_token(page: httpx.Response) -> str:
    match = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)
    assert match
    return match[1]


def site_time(sandbox: Any) -> datetime:
    page = httpx.get(f"{sandbox.url}/").text
    match = re.search(r'class="clock__now"><time datetime="([^"]+)"', page)
    assert match
    return datetime.fromisoformat(match[1])


def wait_for_tries(sandbox: Any, event_id: str, count: int) -> None:
    wait_until(lambda: count_tries(sandbox, event_id) == count, what=f"try {count} is written down")


def count_tries(sandbox: Any, event_id: str) -> int:
    page = httpx.get(f"{sandbox.url}/events/{event_id}").text
    match = re.search(r"<dt>Tries</dt><dd>(\d+) of 8", page)
    assert match
    return int(match[1])
