"""Every failure of the provider becomes one of our errors, and certificates are verified."""

from __future__ import annotations

import http.server
import json
import os
import shutil
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from billing.gateway import subscriptions
from billing.gateway.errors import GatewayError, Missing, NotSent, PaymentRefused, Refused, Unconfirmed
from billing.gateway.scheduled import read_subscription_snapshot
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.live_provider import FAITH, Provider

Answers = Callable[..., None]
# The setting's default.
RESUME_THREADS = 16
MEETING_SECONDS = 20
OPENSSL = shutil.which("openssl") or "openssl"


@pytest.fixture
def answers(settings: Settings) -> Iterator[Answers]:
    """A provider that gives every request the same answer, if asked once as many requests as `meeting` are there."""
    given: dict[str, Any] = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"] or 0))
            if given["meeting"]:
                given["meeting"].wait(timeout=MEETING_SECONDS)
            self.send_response(given["status"])
            for name, value in given["headers"].items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(given["body"])))
            self.end_headers()
            self.wfile.write(given["body"])

        do_GET = do_POST  # noqa: N815  (the standard library's name)

        def log_message(self, *_: Any) -> None:
            """Log nothing."""

    class Server(http.server.ThreadingHTTPServer):
        # How many connections may wait to be accepted.
        request_queue_size = RESUME_THREADS

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.CHARGEBEE_ENDPOINT = f"http://127.0.0.1:{server.server_port}/api/v2"

    def answer(status: int, body: Any, meeting: threading.Barrier | None = None, **headers: str) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        given.update(
            status=status,
            body=raw,
            meeting=meeting,
            headers={name.replace("_", "-"): value for name, value in headers.items()},
        )

    yield answer
    server.shutdown()
    server.server_close()


def error_body(code: str, kind: str | None = None) -> dict[str, Any]:
    return {"message": "for developers", "api_error_code": code, **({"type": kind} if kind else {})}


def test_as_many_calls_as_resumes_wait_for_the_provider_at_once(answers: Answers) -> None:
    answers(409, error_body("invalid_state_for_request", "invalid_request"), meeting=threading.Barrier(RESUME_THREADS))

    def call(_: int) -> type[Exception] | None:
        try:
            subscriptions.pause_at_term_end("sub", key="key")
        except GatewayError as error:
            return type(error)
        return None

    with ThreadPoolExecutor(RESUME_THREADS) as pool:
        assert set(pool.map(call, range(RESUME_THREADS))) == {Refused}


@pytest.mark.shows("reliability-7")
@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (400, error_body("param_wrong_value", "invalid_request"), Refused),
        (400, error_body("payment_processing_failed", "payment"), PaymentRefused),
        (401, error_body("api_authentication_failed"), NotSent),
        (403, error_body("request_blocked"), NotSent),
        (404, error_body("site_not_found", "invalid_request"), NotSent),
        (404, error_body("resource_not_found", "invalid_request"), Missing),
        (409, error_body("invalid_state_for_request", "invalid_request"), Refused),
        (429, error_body("api_request_limit_exceeded", "operation_failed"), NotSent),
        (429, error_body("lock_timeout", "operation_failed"), NotSent),
        (500, error_body("internal_error"), Unconfirmed),
        (503, error_body("internal_temporary_error", "operation_failed"), Unconfirmed),
        (502, b"<html>Bad Gateway</html>", Unconfirmed),
        (200, b"<html>hello</html>", Unconfirmed),
        (200, b"", Unconfirmed),
        (200, {}, Unconfirmed),
        (200, b"null", Unconfirmed),
        (200, b"[]", Unconfirmed),
        (200, b"7", Unconfirmed),
        (200, {"subscription": None}, Unconfirmed),
        (200, {"subscription": "sub"}, Unconfirmed),
        (200, {"subscription": {"id": "sub"}}, Unconfirmed),
        (400, {"oops": True}, Unconfirmed),
    ],
)
def test_a_failed_write_raises_whether_it_may_have_succeeded(
    answers: Answers, status: int, body: Any, error: type[GatewayError]
) -> None:
    answers(status, body)

    with pytest.raises(GatewayError) as raised:
        subscriptions.pause_at_term_end("sub", key="key")

    assert type(raised.value) is error
    assert "for developers" not in str(raised.value)


def test_the_retry_after_of_the_provider_is_passed_on(answers: Answers) -> None:
    answers(429, error_body("api_request_limit_exceeded", "operation_failed"), Retry_After="17")

    with pytest.raises(NotSent) as raised:
        subscriptions.pause_at_term_end("sub", key="key")

    assert raised.value.retry_after == 17


def test_a_read_without_a_usable_answer_raises_not_sent(answers: Answers) -> None:
    answers(502, b"<html>")

    with pytest.raises(NotSent):
        subscriptions.retrieve_subscription("sub")


@pytest.mark.django_db(transaction=True)
def test_a_subscription_is_read_although_its_scheduled_change_is_gone(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    raw = {**provider.subscription(alice).raw_data, "has_scheduled_changes": True}

    assert read_subscription_snapshot(raw).id == raw["id"]


def test_an_unreachable_provider_raises_not_sent(settings: Settings) -> None:
    settings.CHARGEBEE_ENDPOINT = "http://127.0.0.1:9/api/v2"

    with pytest.raises(NotSent):
        subscriptions.pause_at_term_end("sub", key="key")


@pytest.mark.django_db(transaction=True)
def test_calls_share_one_connection(provider: Provider, faulty_proxy: FaultyProxy) -> None:
    alice = provider.subscriber("alice", FAITH)
    subscription_id = provider.subscription(alice).id
    subscriptions.retrieve_subscription(subscription_id)
    before = faulty_proxy.connections

    for _ in range(5):
        subscriptions.retrieve_subscription(subscription_id)

    assert faulty_proxy.connections == before


@pytest.mark.django_db(transaction=True)
def test_a_forked_child_opens_its_own_connection(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    subscription_id = provider.subscription(alice).id
    subscriptions.retrieve_subscription(subscription_id)

    child = os.fork()
    if child == 0:  # the child reports by its exit status alone
        all_match = all(subscriptions.retrieve_subscription(subscription_id).id == subscription_id for _ in range(20))
        os._exit(0 if all_match else 1)
    parent_ids = [subscriptions.retrieve_subscription(subscription_id).id for _ in range(20)]

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert parent_ids == [subscription_id] * 20


@pytest.fixture
def untrusted(tmp_path: Path, settings: Settings) -> Iterator[list[str]]:
    """A provider with a self-signed certificate; returns the list of requests it receives."""
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(
        [OPENSSL, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", *subject,
         "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    seen: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.path)

        def log_message(self, *_: Any) -> None:
            """Log nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.CHARGEBEE_ENDPOINT = f"https://127.0.0.1:{server.server_port}/api/v2"
    yield seen
    server.shutdown()
    server.server_close()


def test_a_self_signed_certificate_is_refused_and_logged(
    untrusted: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(NotSent):
        subscriptions.retrieve_subscription("sub")

    assert untrusted == []
    assert "CERTIFICATE_VERIFY_FAILED" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_every_write_sends_its_idempotency_key(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    subscription_id = provider.subscription(alice).id

    subscriptions.pause_at_term_end(subscription_id, key="the-same-key")
    subscriptions.pause_at_term_end(subscription_id, key="the-same-key")

    assert len(provider.events("subscription_pause_scheduled")) == 1


@pytest.mark.parametrize("name", ["..", ".", "../customers/alice", "sub/../../customers", "a/."])
def test_an_id_that_leads_to_another_path_is_missing_without_a_request(settings: Settings, name: str) -> None:
    settings.CHARGEBEE_ENDPOINT = "http://127.0.0.1:9/api/v2"
    with pytest.raises(Missing):
        subscriptions.retrieve_subscription(name)
