"""A local HTTP server that receives webhooks as a portal does, and records them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PATIENCE_SECONDS = 60.0


@dataclass(frozen=True)
class Delivery:
    """A received POST: its headers in lower case, its JSON, and the connection it came over."""

    path: str
    headers: dict[str, str]
    event: dict[str, Any]
    connection: tuple[str, int]

    @property
    def customer(self) -> str:
        """The id of the event's customer, or empty."""
        return str(self.event["content"].get("customer", {}).get("id", ""))


@dataclass
class WebhookReceiver:
    """The deliveries so far. `answer` returns the status for each delivery, and may take its time."""

    url: str = ""
    answer: Callable[[Delivery], int] = lambda _delivery: 200
    deliveries: list[Delivery] = field(default_factory=list)
    _arrived: threading.Condition = field(default_factory=threading.Condition)
    _gates: dict[str, threading.Event] = field(default_factory=dict)

    def hold_back(self, customer: str) -> threading.Event:
        """Hold back the answers to a customer's events until the returned gate is set."""
        return self._gates.setdefault(customer, threading.Event())

    def start_over(self) -> None:
        """Forget all deliveries, hold nothing back, and answer everything with 200."""
        for gate in self._gates.values():
            gate.set()
        self._gates.clear()
        self.answer = lambda _delivery: 200
        with self._arrived:
            self.deliveries.clear()

    def record_delivery(self, delivery: Delivery) -> int:
        """Record a delivery and return the status to answer it with."""
        with self._arrived:
            self.deliveries.append(delivery)
            self._arrived.notify_all()
        gate = self._gates.get(delivery.customer)
        if gate is not None:
            gate.wait(PATIENCE_SECONDS)
        return self.answer(delivery)

    def wait_for(self, count: int) -> list[Delivery]:
        """Return the deliveries once there are `count` of them. Raises: TimeoutError."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: len(self.deliveries) >= count, PATIENCE_SECONDS):
                raise TimeoutError(f"{len(self.deliveries)} deliveries instead of {count}")
            return list(self.deliveries)

    def deliveries_of(self, event_type: str) -> list[Delivery]:
        """Return the deliveries of a type of event."""
        return [delivery for delivery in self.deliveries if delivery.event["event_type"] == event_type]


@contextmanager
def run_receiver() -> Iterator[WebhookReceiver]:
    """Serve on a free port of this machine until the block ends."""
    receiver = WebhookReceiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status = receiver.record_delivery(Delivery(self.path, headers, json.loads(body), self.client_address))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_arguments: object) -> None:
            """Do not log: a failing test prints what it needs."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_address[1]}/webhooks"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def wait_until(holds: Callable[[], bool], *, what: str) -> None:
    """Wait until a condition holds. Raises: TimeoutError with `what`."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.02)
