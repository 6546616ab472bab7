"""A fake of the provider that answers calls for subscriptions, and a list without events, at once or after a delay."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import IO, Any, cast

from dev.paths import ROOT

CALL = re.compile(r"^/api/v2/subscriptions/([^/?]+)(/resume)?$")
EVENTS = "/api/v2/events"
SEEN = "/seen"
# Newer than any version in a mirror.
VERSION = 2_000_000_000_000
DAY = 86_400


class _ProviderHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body in one packet: otherwise the body would wait for the acknowledgement of the headers.
    wbufsize = -1
    disable_nagle_algorithm = True
    server: _ProviderServer

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def do_GET(self) -> None:
        if self.path == SEEN:
            self._send_answer({"connections": self.server.connections, "calls": self.server.calls})
        else:
            self._handle_call()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._handle_call()

    def _handle_call(self) -> None:
        self.server.calls += 1
        time.sleep(self.server.seconds)
        call = CALL.match(self.path)
        if self.path.startswith(EVENTS):
            self._send_answer({"list": []})
        elif call is None:
            self._send_answer({"message": "unknown", "api_error_code": "resource_not_found"}, status=404)
        else:
            self._send_answer({"subscription": _active_subscription(call[1]), "customer": _customer_object(call[1])})

    def _send_answer(self, body: dict[str, Any], *, status: int = 200) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the base class's name)
        """Log nothing: a line per call would be measured too."""


class _ProviderServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, seconds: float) -> None:
        super().__init__(("127.0.0.1", 0), _ProviderHandler)
        self.seconds, self.connections, self.calls = seconds, 0, 0


def _active_subscription(subscription_id: str) -> dict[str, Any]:
    """Return an active subscription in the provider's JSON; its customer has the same id."""
    now = int(time.time())
    price = "faith-family-plan-USD-Monthly"
    return {
        "object": "subscription",
        "id": subscription_id,
        "customer_id": subscription_id,
        "status": "active",
        "currency_code": "USD",
        "billing_period": 1,
        "billing_period_unit": "month",
        "current_term_start": now,
        "current_term_end": now + 30 * DAY,
        "next_billing_at": now + 30 * DAY,
        "created_at": now - 100 * DAY,
        "resource_version": VERSION,
        "subscription_items": [{"item_price_id": price, "item_type": "plan", "quantity": 1, "amount": 699}],
    }


def _customer_object(customer_id: str) -> dict[str, Any]:
    """Return a customer in the provider's JSON."""
    return {
        "object": "customer",
        "id": customer_id,
        "email": f"{customer_id}@example.com",
        "created_at": int(time.time()) - 100 * DAY,
        "resource_version": VERSION,
    }


@contextmanager
def run_provider(*, milliseconds: int) -> Iterator[str]:
    """Run a fake provider in a process of its own, so that its CPU time is not ours; yield its URL."""
    command = [sys.executable, "-m", "dev.benches.support.fake_provider", str(milliseconds)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            # `stdout` is a pipe, as requested above.
            yield f"http://127.0.0.1:{int(cast('IO[str]', process.stdout).readline())}"
        finally:
            process.terminate()


def main() -> None:
    """Print the port and serve until terminated."""
    provider = _ProviderServer(int(sys.argv[1]) / 1000)
    print(provider.server_port, flush=True)
    provider.serve_forever()


if __name__ == "__main__":
    main()
