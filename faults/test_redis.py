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
from conftest import free_port
from core.models import LimitCounter
from faults.running_portal import PortalProcess, RunningPortal, wait_until

PAUSE = "/api/account/pause?days=30"
RECEIPT: dict[str, object] = {"title": "Kept", "lines": ["It was kept."], "facts": []}
# A request must not wait for Redis because its task cannot be enqueued; the rest is for slow machines.
PATIENCE_SECONDS = 15.0


def assert_answers_soon(ask: Callable[[], httpx.Response]) -> httpx.Response:
    """Call an endpoint and assert that it answers quickly."""
    began = time.monotonic()
    answer = ask()
    assert time.monotonic() - began < PATIENCE_SECONDS
    return answer


@pytest.mark.shows("reliability-17")
def test_a_redis_that_says_nothing_holds_no_request_up(portal: RunningPortal) -> None:
    _, browser = portal.create_subscriber("june", FAITH)
    portal.to_redis.stop_answering()
    assert assert_answers_soon(lambda: browser.get("/api/account")).status_code == 200
    assert assert_answers_soon(lambda: browser.post(PAUSE)).status_code == 200
    asked = {"email": "june@example.com"}
    assert assert_answers_soon(lambda: browser.post("/api/auth/send-otp", json=asked)).status_code == 200
    portal.to_redis.restore()
    portal.send_ticks()
    assert len(portal.post_office.wait_for("june@example.com", 2)) == 2


@pytest.mark.shows("reliability-17", "reliability-19")
def test_a_change_made_while_redis_is_down_stands_and_what_follows_it_comes_by_itself(
    portal: RunningPortal,
) -> None:
    account, browser = portal.create_subscriber("iris", FAITH)
    portal.redis.crash_server()
    assert assert_answers_soon(lambda: browser.post(PAUSE)).status_code == 200
    assert assert_answers_soon(lambda: browser.get("/api/account")).status_code == 200
    assert Command.objects.get(account=account).state == Command.State.SUCCEEDED
    assert OutgoingMail.objects.get(account=account).state == OutgoingMail.State.PENDING

    def beats() -> bool:
        # A worker that was running a task when Redis stopped may exit: a bug of the library.
        portal.restart_ended_processes()
        return Heartbeat.objects.exists()

    Heartbeat.objects.all().delete()
    portal.redis.start_server()
    wait_until(beats, what="a beat, through a worker that found Redis again")
    assert len(portal.post_office.wait_for("iris@example.com")) == 1


@pytest.mark.shows("reliability-18")
def test_it_starts_serves_and_limits_without_redis(portal: RunningPortal) -> None:
    _, browser = portal.create_subscriber("kira", FAITH)
    port = free_port()
    nowhere = {"REDIS_URL": f"redis://127.0.0.1:{free_port()}/0", "PORT": str(port)}
    served = PortalProcess(
        portal.processes["web"].command, {**portal.environment, **nowhere}, portal.folder / "alone.log"
    )
    served.start_process()
    try:
        alone = httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=browser.headers, timeout=60)
        wait_until(lambda: _is_serving(alone), what="a portal without Redis")
        assert assert_answers_soon(lambda: alone.get("/api/account")).status_code == 200
        asked = {"email": "kira@example.com"}
        assert assert_answers_soon(lambda: alone.post("/api/auth/send-otp", json=asked)).status_code == 200
        refused = assert_answers_soon(lambda: alone.post("/api/auth/send-otp", json=asked))
        assert (refused.status_code, refused.json()["code"]) == (429, "throttled")
        assert LimitCounter.objects.filter(key__contains="kira@example.com").exists()
    finally:
        served.kill_process()


def _is_serving(browser: httpx.Client) -> bool:
    try:
        return browser.get("/healthz").status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.shows("reliability-19")
def test_what_an_empty_redis_forgot_is_done_once(portal: RunningPortal) -> None:
    portal.processes["worker"].terminate_process()
    letters = [
        queue_mail(kind="receipt", to=f"lost{number}@example.com", context=RECEIPT) for number in range(10)
    ]
    for letter in letters:
        assert letter is not None
        portal.send_task("accounts.tasks.send_mail", letter.pk)
    assert portal.redis.open_client().llen("celery") >= 10

    portal.redis.open_client().flushall()
    portal.run_process("worker")
    portal.send_ticks()
    portal.send_ticks()
    for number in range(10):
        assert len(portal.post_office.wait_for(f"lost{number}@example.com")) == 1
    wait_until(lambda: not portal.redis.open_client().llen("celery"), what="an empty queue")
    assert [len(portal.post_office.mails_to(f"lost{number}@example.com")) for number in range(10)] == [1] * 10
