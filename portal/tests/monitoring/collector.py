"""A collector of traces: an HTTP server that takes OTLP and keeps the spans."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

WAIT_SECONDS = 60.0


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        cast("Collector", self.server).keep_spans(self.path, body)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Collector(ThreadingHTTPServer):
    """A collector on a local port. `spans` are those that came, `received` are the requests as they came."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.endpoint = f"http://127.0.0.1:{self.server_address[1]}"
        self.spans: list[Span] = []
        self.received = b""
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def keep_spans(self, path: str, body: bytes) -> None:
        """Keep the spans of a request."""
        assert path == "/v1/traces"
        self.received += body
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            for scope in resource.scope_spans:
                self.spans.extend(scope.spans)

    def wait_for_span(self, name: str, holds: Callable[[Span], bool] = lambda _: True) -> Span:
        """Wait for a span with this name for which something holds, and return it. Raises TimeoutError."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not (found := [span for span in [*self.spans] if span.name == name and holds(span)]):
            if time.monotonic() > deadline:
                raise TimeoutError(f"no span {name!r} came; {sorted({span.name for span in self.spans})} did")
            time.sleep(0.05)
        return found[0]

    def ancestors(self, span: Span) -> list[str]:
        """Return the names of the spans above a span, the nearest first."""
        above = {other.span_id: other for other in self.spans if other.trace_id == span.trace_id}
        names = []
        while span.parent_span_id in above:
            span = above[span.parent_span_id]
            names.append(span.name)
        return names


def span_attributes(span: Span) -> dict[str, str | int]:
    """Return the attributes of a span."""
    return {
        item.key: item.value.string_value if item.value.HasField("string_value") else item.value.int_value
        for item in span.attributes
    }
