"""An error is reported to where it is told, with nothing of the subscriber in it."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
import sentry_sdk

from portal.monitoring import sentry

KEY = "live_4f1cf2b0a1"
TOKEN = "5f2c9a7be1d04c3a5f2c9a7be1d04c3a"


class SentryServer(ThreadingHTTPServer):
    """Takes reports as Sentry does."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), SentryHandler)
        self.reports = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def dsn(self):
        return f"http://public@127.0.0.1:{self.server_port}/1"


class SentryHandler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        report = httpx.Response(200, headers={"Content-Encoding": self.headers["Content-Encoding"]}, content=body)
        self.server.reports.append(report.text)  # type: ignore[attr-defined]  # this server's
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_arguments):
        pass


@pytest.fixture
def register():
    register = SentryServer()
    sentry.start_reporting(dsn=register.dsn, environment="production", secrets=[KEY])
    yield register
    sentry_sdk.get_global_scope().set_client(None)
    register.shutdown()
    register.server_close()


def reported_events(register):
    """The events among what came, once all has."""
    sentry_sdk.flush(timeout=10)
    envelopes = [report.split("\n") for report in register.reports]
    return [json.loads(line) for envelope in envelopes for line in envelope if '"exception"' in line]


@pytest.mark.shows("security-19")
def test_an_error_is_reported_without_what_the_subscriber_sent(register, visitor):
    response = visitor.get(
        f"/api/test/crash?code={TOKEN}&email=ava@example.com",
        headers={"Authorization": f"Bearer {TOKEN}", "Cookie": f"sessionid={TOKEN}"},
    )
    assert response.status_code == 500
    (event,) = reported_events(register)
    assert event["tags"]["request_id"] == response["X-Request-ID"]
    assert event["transaction"] == "/api/test/crash"
    assert event.keys().isdisjoint({"request", "user", "breadcrumbs"})
    assert event["environment"] == "production"
    told = json.dumps(register.reports)
    assert "ava@example.com" not in told
    assert TOKEN not in told


def test_its_words_are_redacted(register):
    try:
        raise RuntimeError(f"{KEY} was refused for\nava@example.com")
    except RuntimeError as error:
        sentry_sdk.capture_exception(error)
    (event,) = reported_events(register)
    assert event["exception"]["values"][-1]["value"] == "[secret] was refused for\n[address]"


def test_nothing_is_reported_where_no_address_is_set():
    sentry.start_reporting(dsn="", environment="demo", secrets=[])
    assert not sentry_sdk.get_client().is_active()
