"""Errors are reported to the configured DSN, without data of the subscriber."""

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
    """A server that accepts reports as Sentry does."""

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
def sentry_server():
    sentry_server = SentryServer()
    sentry.start_reporting(dsn=sentry_server.dsn, environment="production", secrets=[KEY])
    yield sentry_server
    sentry_sdk.get_global_scope().set_client(None)
    sentry_server.shutdown()
    sentry_server.server_close()


def reported_events(sentry_server):
    """Flush the reports and return the error events among them."""
    sentry_sdk.flush(timeout=10)
    envelopes = [report.split("\n") for report in sentry_server.reports]
    return [json.loads(line) for envelope in envelopes for line in envelope if '"exception"' in line]


@pytest.mark.shows("security-19")
def test_an_error_is_reported_without_the_subscribers_data(sentry_server, visitor):
    response = visitor.get(
        f"/api/test/crash?code={TOKEN}&email=ava@example.com",
        headers={"Authorization": f"Bearer {TOKEN}", "Cookie": f"sessionid={TOKEN}"},
    )
    assert response.status_code == 500
    (event,) = reported_events(sentry_server)
    assert event["tags"]["request_id"] == response["X-Request-ID"]
    assert event["transaction"] == "/api/test/crash"
    assert event.keys().isdisjoint({"request", "user", "breadcrumbs"})
    assert event["environment"] == "production"
    reported_text = json.dumps(sentry_server.reports)
    assert "ava@example.com" not in reported_text
    assert TOKEN not in reported_text


def test_the_error_message_is_redacted(sentry_server):
    try:
        raise RuntimeError(f"{KEY} was refused for\nava@example.com")
    except RuntimeError as error:
        sentry_sdk.capture_exception(error)
    (event,) = reported_events(sentry_server)
    assert event["exception"]["values"][-1]["value"] == "[secret] was refused for\n[address]"


def test_nothing_is_reported_without_a_dsn():
    sentry.start_reporting(dsn="", environment="demo", secrets=[])
    assert not sentry_sdk.get_client().is_active()
