"""A stand-in for the provider: says at once, or after so many milliseconds, what each resume is answered with."""

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

from dev.places import ROOT

CALL = re.compile(r"^/api/v2/subscriptions/([^/?]+)(/resume)?$")
SEEN = "/seen"
# Newer than whatever a mirror was given before.
VERSION = 2_000_000_000_000
DAY = 86_400


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body in one packet: apart, each answer would wait for the acknowledgement of its head.
    wbufsize = -1
    disable_nagle_algorithm = True
    server: _Provider

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def do_GET(self) -> None:
        if self.path == SEEN:
            self._answer({"connections": self.server.connections, "calls": self.server.calls})
        else:
            self._call()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._call()

    def _call(self) -> None:
        self.server.calls += 1
        time.sleep(self.server.seconds)
        asked = CALL.match(self.path)
        if asked is None:
            self._answer({"message": "unknown", "api_error_code": "resource_not_found"}, status=404)
        else:
            self._answer({"subscription": _running(asked[1]), "customer": _owner(asked[1])})

    def _answer(self, body: dict[str, Any], *, status: int = 200) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (its name there)
        """Say nothing: a line per call would be measured too."""


class _Provider(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, seconds: float) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.seconds, self.connections, self.calls = seconds, 0, 0


def _running(subscription_id: str) -> dict[str, Any]:
    """A subscription that runs, as the provider writes it; it belongs to the customer of the same id."""
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


def _owner(customer_id: str) -> dict[str, Any]:
    """A customer, as the provider writes it."""
    return {
        "object": "customer",
        "id": customer_id,
        "email": f"{customer_id}@example.com",
        "created_at": int(time.time()) - 100 * DAY,
        "resource_version": VERSION,
    }


@contextmanager
def running(*, milliseconds: int) -> Iterator[str]:
    """Run one in a process of its own, so that its work is not ours; give its address."""
    command = [sys.executable, "-m", "dev.benches.provider", str(milliseconds)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            # It has one: it was asked for.
            yield f"http://127.0.0.1:{int(cast('IO[str]', process.stdout).readline())}"
        finally:
            process.terminate()


def main() -> None:
    """Serve until the end, having said on which port."""
    provider = _Provider(int(sys.argv[1]) / 1000)
    print(provider.server_port, flush=True)
    provider.serve_forever()


if __name__ == "__main__":
    main()
