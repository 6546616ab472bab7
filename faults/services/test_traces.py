"""Traces of the running portal: one from a request to its mail, also over a crash, and none of it in anybody's way."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import pytest

from billing.models import Command
from billing.tests.support.live_provider import FAITH
from conftest import free_port
from faults.support.running_portal import RunningPortal, wait_until
from faults.support.sign_in import SOON_SECONDS, ask_for_code
from portal.tests.monitoring.collector import Collector, span_attributes

PAUSE = "/api/account/pause?days=30"
PAUSE_CALL = "POST /subscriptions/{id}/pause"
CHANGE_REQUEST = "POST api/account/pause"
TRACED = ("codes", "worker", "web")
# With what docs/deployment.md gives a process to end, even if nobody takes its last spans.
GRACE_SECONDS = 30.0


def restart_traced(portal: RunningPortal, **settings: str) -> None:
    """Start the processes anew with these settings."""
    for name in TRACED:
        assert portal.processes[name].terminate_process() < GRACE_SECONDS
    for name in TRACED:
        portal.run_process(name, **settings)
    portal.wait_for_all()


@contextmanager
def traced(portal: RunningPortal, endpoint: str) -> Iterator[None]:
    """Have the processes send traces to an endpoint during the block."""
    restart_traced(portal, OTEL_EXPORTER_OTLP_ENDPOINT=endpoint)
    try:
        yield
    finally:
        restart_traced(portal)


@pytest.fixture
def collector(portal: RunningPortal) -> Iterator[Collector]:
    """Yield a collector to which the portal sends its traces."""
    with Collector() as server, traced(portal, server.endpoint):
        yield server
        server.shutdown()


def test_one_trace_leads_from_a_request_to_its_mail_and_one_over_a_crash(
    portal: RunningPortal, collector: Collector
) -> None:
    _, browser = portal.create_subscriber("otto", FAITH)
    request_id = uuid4().hex
    assert browser.post(PAUSE, headers={"X-Request-ID": request_id}).status_code == 200
    portal.mail_server.wait_for_mails("otto@example.com")

    sent = collector.wait_for_span("SMTP", lambda span: span.trace_id.hex() == request_id)
    collector.wait_for_span(CHANGE_REQUEST, lambda span: span.trace_id == sent.trace_id)
    call = collector.wait_for_span(PAUSE_CALL)
    assert collector.ancestors(call) == ["command pause", CHANGE_REQUEST]
    assert collector.ancestors(sent) == ["mail receipt", "accounts.tasks.send_mail", "command pause", CHANGE_REQUEST]
    assert span_attributes(call)["http.response.status_code"] == 200
    collector.wait_for_span("webhook", lambda span: "pause" in str(span_attributes(span)["event.type"]))

    # The provider makes the change, and its answer is lost: recovery finishes it in the trace of its request.
    account, browser = portal.create_subscriber("petra", FAITH)
    interrupted = uuid4().hex
    portal.provider_proxy.lose_write(1)
    assert browser.post(PAUSE, headers={"X-Request-ID": interrupted}).status_code == 503
    Command.objects.filter(account=account).update(next_attempt_at="2026-01-01T00:00Z")
    portal.send_ticks()
    continued = collector.wait_for_span(
        "command pause",
        lambda span: span.trace_id.hex() == interrupted and span_attributes(span)["command.state"] == "succeeded",
    )
    # The web process sends its spans by itself, so those of the worker can come first.
    collector.wait_for_span(CHANGE_REQUEST, lambda span: span.trace_id == continued.trace_id)
    assert collector.ancestors(continued) == [CHANGE_REQUEST]
    tick = collector.wait_for_span("billing.tasks.tick", lambda span: span.span_id == continued.links[0].span_id)
    assert tick.trace_id != continued.trace_id

    ask_for_code(portal, "petra@example.com")
    code = re.search(r"\b\d{6}\b", portal.mail_server.wait_for_mails("petra@example.com", 2)[-1].as_string())
    collector.wait_for_span("mail login_code")
    token = browser.headers["Authorization"].removeprefix("Bearer ")
    for secret in ("@example.com", "otto", "petra", token, code[0] if code else "", portal.provider.sandbox.api_key):
        assert secret.encode() not in collector.received


@pytest.mark.shows("reliability-47")
def test_nobody_waits_for_a_collector_that_is_away(portal: RunningPortal) -> None:
    _, browser = portal.create_subscriber("quinn", FAITH)
    with traced(portal, f"http://127.0.0.1:{free_port()}"):
        began = time.monotonic()
        assert browser.get("/api/account").status_code == 200
        assert time.monotonic() - began < SOON_SECONDS
        ask_for_code(portal, "quinn@example.com")
        portal.mail_server.wait_for_mails("quinn@example.com")
        wait_until(
            lambda: "opentelemetry" in (portal.folder / "web.log").read_text(), what="a line about the collector"
        )
