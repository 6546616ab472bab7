"""PostgreSQL crashes, drops its connections, is locked, slow or full."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count

import httpx
import psycopg
import pytest
from django.db import connection
from django.utils import timezone

from billing.models import Command, Customer, WebhookEvent
from billing.tests.support.live_provider import FAITH
from conftest import NO_AUTHORITIES
from core.models import IdempotentRequest
from core.workers.leases import LEASE_DURATION
from faults.support.running_portal import RECOVERY_SECONDS, RunningPortal, wait_until

PAUSE = "/api/account/pause?days=30"
LOGIN = ("chargebee", "demo-webhook-password")
# The maximum: two processes of four threads each.
WEB_CONNECTIONS = 8
LOCK_PATIENCE_SECONDS = 11.0
DROP = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'postgres'"
DROP_OTHERS = f"{DROP} AND NOT pid = ANY(%s)"
SLEEPY = """
    CREATE FUNCTION sleepy() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NEW; END';
    CREATE TRIGGER sleepy BEFORE INSERT ON accounts_loginchallenge EXECUTE FUNCTION sleepy();
"""


def unknown_customer_event(number: int) -> dict[str, object]:
    """Return an event about an unknown customer."""
    return {
        "id": f"ev_outage_{number}",
        "occurred_at": 1_773_144_000,
        "event_type": "customer_changed",
        "api_version": "v2",
        "content": {"customer": {"id": f"stranger-{number}", "resource_version": 1}},
        "object": "event",
    }


def deliver_event(portal: RunningPortal, number: int) -> httpx.Response:
    """Post an event to the webhook endpoint."""
    url = f"{portal.url}/webhooks/chargebee"
    return httpx.post(url, json=unknown_customer_event(number), auth=LOGIN, timeout=60, verify=NO_AUTHORITIES)


@contextmanager
def repeat_meanwhile(call: Callable[[], object], threads: int) -> Iterator[list[object]]:
    """Repeat a call in several threads during the block; yield the list that collects its results."""
    stopped = threading.Event()
    results: list[object] = []

    def repeat_call() -> None:
        while not stopped.is_set():
            results.append(call())

    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(repeat_call) for _ in range(threads)]
        try:
            yield results
        finally:
            stopped.set()
        for future in futures:
            future.result()


@pytest.mark.shows("reliability-13")
def test_an_event_refused_during_an_outage_is_stored_once_when_it_is_sent_again(
    portal: RunningPortal,
) -> None:
    portal.database.crash_server()
    refused = deliver_event(portal, 1)
    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) > 0

    portal.restore_all()
    assert not WebhookEvent.objects.filter(event_id="ev_outage_1").exists()
    assert [deliver_event(portal, 1).status_code for _ in range(2)] == [200, 200]
    assert WebhookEvent.objects.filter(event_id="ev_outage_1").count() == 1


@pytest.mark.shows("reliability-13")
def test_an_event_refused_during_an_outage_is_redelivered_by_the_provider(portal: RunningPortal) -> None:
    account, _ = portal.create_subscriber("dora", FAITH)
    portal.database.crash_server()
    portal.provider.sdk.Customer.update("dora", {"first_name": "Theodora"})

    wait_until(lambda: portal.provider.events("customer_changed")[0].webhooks[0].webhook_status == "re_scheduled")

    portal.restore_all()
    portal.provider.travel(minutes=5)
    customers = Customer.objects.filter(account=account)
    # A worker that the crash interrupted may hold the events feed until its lease expires.
    wait_until(
        lambda: customers.get().text("first_name") == "Theodora",
        seconds=LEASE_DURATION.total_seconds() + RECOVERY_SECONDS,
        what="the event's second delivery",
    )


@pytest.mark.shows("reliability-13", "reliability-20")
def test_a_crash_under_load_leaves_no_event_half_stored(portal: RunningPortal) -> None:
    numbers, statuses = count(100), dict[int, int]()

    def deliver_another() -> int:
        number = next(numbers)
        statuses[number] = deliver_event(portal, number).status_code
        return statuses[number]

    with repeat_meanwhile(deliver_another, threads=16) as seen:
        wait_until(lambda: len(seen) > 60)
        portal.database.crash_server()
        wait_until(lambda: 503 in seen)
        portal.database.start_server()
    portal.restore_all()
    assert set(seen) == {200, 503}

    ids = {number: unknown_customer_event(number)["id"] for number in statuses}
    stored = set(WebhookEvent.objects.values_list("event_id", flat=True))
    assert {ids[number] for number, status in statuses.items() if status == 200} <= stored
    again = [deliver_event(portal, number).status_code for number, status in statuses.items() if status == 503]
    assert set(again) == {200}
    assert WebhookEvent.objects.filter(event_id__in=ids.values()).count() == len(statuses)


@pytest.mark.shows("reliability-20")
def test_a_dropped_connection_costs_at_most_one_503(portal: RunningPortal) -> None:
    _, browser = portal.create_subscriber("erin", FAITH)

    def read_account() -> int:
        return browser.get("/api/account").status_code

    with repeat_meanwhile(read_account, threads=WEB_CONNECTIONS) as seen:
        wait_until(lambda: len(seen) > 40)
        with portal.database.open_connection() as administrator:
            dropped = administrator.execute(DROP).rowcount
        begun = len(seen)
        wait_until(lambda: len(seen) > begun + 40)
    counted = Counter(seen)
    assert set(counted) <= {200, 503}
    assert counted[503] <= dropped


@pytest.mark.shows("reliability-20")
def test_a_crash_under_load_loses_no_command(portal: RunningPortal) -> None:
    names = [f"faye{number}" for number in range(WEB_CONNECTIONS)]
    people = [portal.create_subscriber(name, FAITH) for name in names]
    scheduled = len(portal.provider.events("subscription_pause_scheduled"))

    def pause(browser: httpx.Client) -> int:
        return browser.post(PAUSE, headers={"Idempotency-Key": "pause"}).status_code

    # Slow, so that the crash hits requests before, during and after their call to the provider.
    portal.provider_proxy.slow_down(0.3)
    with ThreadPoolExecutor(len(people)) as pool:
        asked = [pool.submit(pause, browser) for _, browser in people]
        wait_until(lambda: Command.objects.filter(account__in=[account for account, _ in people]).count() >= 4)
        portal.database.crash_server()
        portal.database.start_server()
        counted = Counter(future.result() for future in asked)
    assert set(counted) <= {200, 503}
    assert counted[503] > 0

    portal.restore_all()
    portal.settle_work()
    # Expire the leases of the keys whose request died; the app retries with the same key.
    IdempotentRequest.objects.filter(status=None).update(next_attempt_at=timezone.now())
    assert [pause(browser) for _, browser in people] == [200] * len(people)
    commands = Command.objects.filter(account__in=[account for account, _ in people])
    assert Counter(commands.values_list("state", flat=True)) == {Command.State.SUCCEEDED: len(people)}
    assert len(portal.provider.events("subscription_pause_scheduled")) == scheduled + len(people)
    for name in names:
        assert len(portal.mail_server.wait_for_mails(f"{name}@example.com")) == 1


@pytest.mark.shows("reliability-21")
def test_a_request_behind_a_lock_or_a_slow_statement_ends_in_time(portal: RunningPortal) -> None:
    _, browser = portal.create_subscriber("gwen", FAITH)

    def time_request(send: Callable[[], httpx.Response]) -> tuple[httpx.Response, float]:
        began = time.monotonic()
        return send(), time.monotonic() - began

    with (
        portal.database.open_connection() as administrator,
        portal.database.open_connection() as locker,
        ThreadPoolExecutor(WEB_CONNECTIONS) as pool,
    ):
        administrator.execute(SLEEPY)
        locker.execute("BEGIN")
        locker.execute("LOCK TABLE billing_accountdocument IN ACCESS EXCLUSIVE MODE")
        slow = pool.submit(time_request, lambda: browser.post("/api/auth/send-otp", json={"email": "gwen@example.com"}))
        locked = [pool.submit(time_request, lambda: browser.get("/api/account")) for _ in range(WEB_CONNECTIONS - 2)]
        answers = [future.result() for future in locked]
        locker.execute("ROLLBACK")
        assert browser.get("/api/account").status_code == 200
        answers.append(slow.result())
        administrator.execute("DROP FUNCTION sleepy() CASCADE")
    for answer, seconds in answers:
        assert answer.status_code == 503
        assert answer.json()["code"] == "temporarily_unavailable"
        assert int(answer.headers["Retry-After"]) > 0
        assert seconds < 30
    assert max(seconds for _, seconds in answers[:-1]) < LOCK_PATIENCE_SECONDS


@pytest.mark.shows("reliability-21")
def test_it_answers_503_while_the_database_has_no_connection_left(portal: RunningPortal) -> None:
    _, browser = portal.create_subscriber("hana", FAITH)
    taken = [portal.database.open_connection()]
    answers: list[httpx.Response] = []

    def take_all() -> None:
        while True:
            taken.append(portal.database.open_connection())

    def leave_none() -> bool:
        """Drop the portal's connections and take all free ones before it reconnects."""
        taken[0].execute(DROP_OTHERS, [[connection.info.backend_pid for connection in taken]])
        with pytest.raises(psycopg.OperationalError, match="too many clients"):
            take_all()
        answers.append(browser.get("/api/account"))
        return answers[-1].status_code == 503

    try:
        wait_until(leave_none, what="the portal without a connection")
        # Check the refused answer itself: a further request may find a free connection.
        answer = answers[-1]
        assert (answer.status_code, answer.json()["code"]) == (503, "temporarily_unavailable")
        assert browser.get("/healthz").status_code == 200
    finally:
        for connection in taken:
            connection.close()
    wait_until(lambda: browser.get("/api/account").status_code == 200)


@pytest.mark.shows("reliability-20")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells for how long data may stay unacknowledged")
def test_a_vanished_database_server_is_not_waited_for_forever(portal: RunningPortal) -> None:
    connection.ensure_connection()
    with socket.socket(fileno=os.dup(connection.connection.fileno())) as line:
        assert line.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        idle, interval, count, user_timeout = (
            line.getsockopt(socket.IPPROTO_TCP, option)
            for option in (
                socket.TCP_KEEPIDLE,
                socket.TCP_KEEPINTVL,
                socket.TCP_KEEPCNT,
                socket.TCP_USER_TIMEOUT,
            )
        )
    assert idle + interval * count <= 30
    assert 0 < user_timeout <= 30_000
