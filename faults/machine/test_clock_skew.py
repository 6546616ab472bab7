"""Web servers, workers and a database whose clocks differ by a minute."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import httpx
import pytest

from accounts.models import LoginChallenge
from billing.models import Command, Heartbeat, InvoicePdf
from billing.tests.support.live_provider import FAITH
from conftest import NO_AUTHORITIES, free_port
from faults.support.running_portal import PortalProcess, RunningPortal, wait_until

CODE = re.compile(r"^\s*(\d{6})\s*$", re.MULTILINE)
MINUTE = 60
PAUSE = "/api/account/pause?days=30"


def skewed_process(process: PortalProcess, seconds: int, **changed: str) -> PortalProcess:
    """Return a copy of a process that runs with a clock that is this many seconds ahead."""
    command = [*process.command]
    at = command.index("-m")
    command[at : at + 1] = ["-m", "faults.support.skewed_clock", str(seconds)]
    return replace(process, command=command, environment={**process.environment, **changed}, running=None)


@pytest.fixture(scope="module", params=[MINUTE, -MINUTE], ids=["ahead", "behind"])
def other_browser(running_portal: RunningPortal, request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    """Yield a client of a second web server with a skewed clock; the worker's clock is skewed the other way."""
    port, processes = free_port(), running_portal.processes
    web = skewed_process(processes["web"], request.param, PORT=str(port))
    processes["worker"].terminate_process()
    processes["worker"] = skewed_process(processes["worker"], -request.param)
    for process in (web, processes["worker"]):
        process.start_process()
    client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, verify=NO_AUTHORITIES)
    try:
        wait_until(lambda: _is_serving(client))
        yield client
    finally:
        for process in (web, processes["worker"]):
            process.kill_process()
        running_portal.run_process("worker")
        running_portal.wait_for_all()


def _is_serving(browser: httpx.Client) -> bool:
    try:
        return browser.get("/healthz").status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.shows("reliability-25")
def test_a_code_and_a_link_are_valid_on_every_web_server_and_work_continues(
    portal: RunningPortal, other_browser: httpx.Client, request: pytest.FixtureRequest
) -> None:
    name = f"dina{request.node.callspec.id}"
    address = f"{name}@example.com"
    account, browser = portal.create_subscriber(name, FAITH)
    Heartbeat.objects.all().delete()

    challenge_sent = other_browser.post("/api/auth/send-otp", json={"email": address}).json()
    challenge = LoginChallenge.objects.get(pk=challenge_sent["challengeId"])
    with portal.database.open_connection() as administrator:
        now = administrator.execute("SELECT clock_timestamp()").fetchone()
    assert now is not None
    assert 570 < (challenge.expires_at - now[0]).total_seconds() <= 600
    body = portal.mail_server.wait_for_mails(address)[0].get_body(("plain",))
    assert body is not None
    attempt = {"email": address, "otp": CODE.findall(body.get_content())[0], **challenge_sent}
    assert browser.post("/api/auth/verify-otp", json=attempt).status_code == 200

    invoice = f"/api/invoice/pdf/{portal.provider.invoices(account)[0].id}"
    token = {"Authorization": browser.headers["Authorization"]}
    browser.get(invoice)
    InvoicePdf.objects.filter(invoice__customer__account=account).update(next_attempt_at="2026-01-01T00:00Z")
    portal.send_ticks()
    wait_until(lambda: browser.get(invoice).status_code == 200, what="the invoice")
    for client, other in ((browser, other_browser), (other_browser, browser)):
        link = client.get(invoice, headers=token).json()["downloadUrl"]
        assert other.get(link).content.startswith(b"%PDF-")
    assert Heartbeat.objects.exists()  # no worker discarded the tick as expired


@pytest.mark.shows("reliability-25")
def test_a_change_in_progress_on_another_machine_is_not_taken_over(
    portal: RunningPortal, other_browser: httpx.Client, request: pytest.FixtureRequest
) -> None:
    account, browser = portal.create_subscriber(f"nina{request.node.callspec.id}", FAITH)
    scheduled = len(portal.provider.events("subscription_pause_scheduled"))
    commands = Command.objects.filter(account=account)
    Heartbeat.objects.all().delete()
    portal.provider.sandbox.order_fault("delay", "/subscriptions/*/pause", seconds=8)
    with ThreadPoolExecutor(1) as pool:
        paused = pool.submit(other_browser.post, PAUSE, headers={"Authorization": browser.headers["Authorization"]})
        wait_until(lambda: commands.filter(state__in=Command.OPEN).exists(), what="the change")
        portal.send_ticks()
        wait_until(Heartbeat.objects.exists, what="the sweep")
        assert paused.result().status_code == 200
    assert commands.get().attempts == 1
    assert len(portal.provider.events("subscription_pause_scheduled")) == scheduled + 1
