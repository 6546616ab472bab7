"""Redis is away, silent or empty (reliability, rows 17, 18 and 19)."""

from __future__ import annotations

import time
from collections.abc import Callable

import httpx

from accounts.mail import queue
from accounts.models import LimitCounter, OutgoingMail
from billing.models import Command, Heartbeat
from billing.tests.live import FAITH
from conftest import free_port
from faults.portal import RECOVERY_SECONDS, Portal, Process, wait_until

PAUSE = "/api/account/pause?days=30"
RECEIPT: dict[str, object] = {"title": "Kept", "lines": ["It was kept."], "facts": []}
# Nobody waits longer for an answer because a message could not be sent.
PATIENCE_SECONDS = 5.0


def timed(ask: Callable[[], httpx.Response]) -> httpx.Response:
    """Ask, and see that the answer came soon."""
    began = time.monotonic()
    answer = ask()
    assert time.monotonic() - began < PATIENCE_SECONDS
    return answer


def test_a_redis_that_says_nothing_holds_no_request_up(portal: Portal) -> None:
    _, browser = portal.subscriber("june", FAITH)
    portal.to_redis.fall_silent()
    assert timed(lambda: browser.get("/api/account")).status_code == 200
    assert timed(lambda: browser.post(PAUSE)).status_code == 200
    asked = {"email": "june@example.com"}
    assert timed(lambda: browser.post("/api/auth/send-otp", json=asked)).status_code == 200
    portal.to_redis.mend()
    portal.tick()
    assert len(portal.post_office.wait_for("june@example.com", 2)) == 2


def test_a_change_made_while_redis_is_down_stands_and_what_follows_it_comes_by_itself(portal: Portal) -> None:
    account, browser = portal.subscriber("iris", FAITH)
    portal.redis.stop()
    assert timed(lambda: browser.post(PAUSE)).status_code == 200
    assert timed(lambda: browser.get("/api/account")).status_code == 200
    assert Command.objects.get(account=account).state == Command.State.SUCCEEDED
    assert OutgoingMail.objects.get(account=account).state == OutgoingMail.State.PENDING

    def beats() -> bool:
        # A worker that had a task in its hands when Redis went may end of it: the library's fault.
        portal.restart_ended()
        return Heartbeat.objects.exists()

    Heartbeat.objects.all().delete()
    portal.redis.start()
    wait_until(beats, seconds=2 * RECOVERY_SECONDS, what="a beat, through a worker that found Redis again")
    assert len(portal.post_office.wait_for("iris@example.com")) == 1


def test_it_starts_serves_and_limits_without_redis(portal: Portal) -> None:
    _, browser = portal.subscriber("kira", FAITH)
    port = free_port()
    nowhere = {"REDIS_URL": f"redis://127.0.0.1:{free_port()}/0", "PORT": str(port)}
    served = Process(
        portal.processes["web"].command, {**portal.environment, **nowhere}, portal.folder / "alone.log"
    )
    served.start()
    try:
        alone = httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=browser.headers, timeout=60)
        wait_until(lambda: _serves(alone), what="a portal without Redis")
        assert timed(lambda: alone.get("/api/account")).status_code == 200
        asked = {"email": "kira@example.com"}
        assert timed(lambda: alone.post("/api/auth/send-otp", json=asked)).status_code == 200
        refused = timed(lambda: alone.post("/api/auth/send-otp", json=asked))
        assert (refused.status_code, refused.json()["code"]) == (429, "throttled")
        assert LimitCounter.objects.filter(key__contains="kira@example.com").exists()
    finally:
        served.kill()


def _serves(browser: httpx.Client) -> bool:
    try:
        return browser.get("/healthz").status_code == 200
    except httpx.TransportError:
        return False


def test_what_an_empty_redis_forgot_is_done_once(portal: Portal) -> None:
    portal.processes["worker"].terminate()
    letters = [queue(kind="receipt", to=f"lost{number}@example.com", context=RECEIPT) for number in range(10)]
    for letter in letters:
        assert letter is not None
        portal.send("accounts.tasks.send_mail", letter.pk)
    assert portal.redis.client().llen("celery") >= 10

    portal.redis.client().flushall()
    portal.run("worker")
    portal.tick()
    portal.tick()
    for number in range(10):
        assert len(portal.post_office.wait_for(f"lost{number}@example.com")) == 1
    wait_until(lambda: not portal.redis.client().llen("celery"), what="an empty queue")
    assert [len(portal.post_office.to(f"lost{number}@example.com")) for number in range(10)] == [1] * 10
