"""Redis is down, silent or empty."""

from __future__ import annotations

import time
from collections.abc import Callable

import httpx
import pytest

from accounts.mail.queue import queue_mail
from accounts.models import OutgoingMail
from billing.models import Command, Heartbeat
from billing.tests.support.live_provider import FAITH
from conftest import NO_AUTHORITIES, free_port
from core.models import LimitCounter
from faults.support.running_portal import PortalProcess, RunningPortal, wait_until

PAUSE = "/api/account/pause?days=30"
RECEIPT: dict[str, object] = {"title": "Kept", "lines": ["It was kept."], "facts": []}
# A request must not wait for Redis when its task cannot be enqueued; this allows for slow machines.
PATIENCE_SECONDS = 15.0


def assert_answers_soon(send: Callable[[], httpx.Response]) -> httpx.Response:
    """Send a request, assert that it is answered quickly, and return the answer."""
    began = time.monotonic()
    answer = send()
    assert time.monotonic() - began < PATIENCE_SECONDS
    return answer


@pytest.mark.shows("reliability-17")
def test_a_silent_redis_delays_no_request(portal: RunningPortal) -> None:
    _, browser = portal.create_subscriber("june", FAITH)
    portal.redis_relay.stop_answering()
    assert assert_answers_soon(lambda: browser.get("/api/account")).status_code == 200
    assert assert_answers_soon(lambda: browser.post(PAUSE)).status_code == 200
    payload = {"email": "june@example.com"}
    assert assert_answers_soon(lambda: browser.post("/api/auth/send-otp", json=payload)).status_code == 200
    portal.redis_relay.restore()
    portal.send_ticks()
    assert len(portal.mail_server.wait_for_mails("june@example.com", 2)) == 2


@pytest.mark.shows("reliability-17", "reliability-19")
def test_a_change_made_while_redis_is_down_succeeds_and_its_mail_is_sent_later(
    portal: RunningPortal,
) -> None:
    account, browser = portal.create_subscriber("iris", FAITH)
    portal.redis.crash_server()
    assert assert_answers_soon(lambda: browser.post(PAUSE)).status_code == 200
    assert assert_answers_soon(lambda: browser.get("/api/account")).status_code == 200
    assert Command.objects.get(account=account).state == Command.State.SUCCEEDED
    assert OutgoingMail.objects.get(account=account).state == OutgoingMail.State.PENDING

    def has_beaten() -> bool:
        # A worker that was running a task when Redis stopped may exit: a bug of the library.
        portal.restart_ended_processes()
        return Heartbeat.objects.exists()

    Heartbeat.objects.all().delete()
    portal.redis.start_server()
    wait_until(has_beaten, what="a beat, through a worker that found Redis again")
    assert len(portal.mail_server.wait_for_mails("iris@example.com")) == 1


@pytest.mark.shows("reliability-18")
def test_it_starts_serves_and_limits_without_redis(portal: RunningPortal) -> None:
    _, browser = portal.create_subscriber("kira", FAITH)
    port = free_port()
    changed = {"REDIS_URL": f"redis://127.0.0.1:{free_port()}/0", "PORT": str(port)}
    server = PortalProcess(
        portal.processes["web"].command, {**portal.environment, **changed}, portal.folder / "alone.log"
    )
    server.start_process()
    try:
        alone = httpx.Client(
            base_url=f"http://127.0.0.1:{port}", headers=browser.headers, timeout=60, verify=NO_AUTHORITIES
        )
        wait_until(lambda: _is_serving(alone), what="a portal without Redis")
        assert assert_answers_soon(lambda: alone.get("/api/account")).status_code == 200
        payload = {"email": "kira@example.com"}
        assert assert_answers_soon(lambda: alone.post("/api/auth/send-otp", json=payload)).status_code == 200
        refused = assert_answers_soon(lambda: alone.post("/api/auth/send-otp", json=payload))
        assert (refused.status_code, refused.json()["code"]) == (429, "throttled")
        assert LimitCounter.objects.filter(key__contains="kira@example.com").exists()
    finally:
        server.kill_process()


def _is_serving(browser: httpx.Client) -> bool:
    try:
        return browser.get("/healthz").status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.shows("reliability-19")
def test_a_mail_whose_task_redis_lost_is_sent_once(portal: RunningPortal) -> None:
    portal.processes["worker"].terminate_process()
    mails = [queue_mail(kind="receipt", to=f"lost{number}@example.com", context=RECEIPT) for number in range(10)]
    for mail in mails:
        assert mail is not None
        portal.send_task("accounts.tasks.send_mail", mail.pk, queue="mail")
    assert portal.redis.open_client().llen("mail") >= 10

    portal.redis.open_client().flushall()
    portal.run_process("worker")
    portal.send_ticks()
    portal.send_ticks()
    for number in range(10):
        assert len(portal.mail_server.wait_for_mails(f"lost{number}@example.com")) == 1
    wait_until(lambda: not portal.redis.open_client().llen("mail"), what="an empty queue")
    assert [len(portal.mail_server.mails_to(f"lost{number}@example.com")) for number in range(10)] == [1] * 10
