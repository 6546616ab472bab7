"""Sends spans to a collector by OpenTelemetry's protocol, OTLP over HTTP. Imported only where a collector is named."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import trace as otel
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import ParentBasedTraceIdRatio
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from core.tracing import Attributes, Span, SpanKind
from portal.monitoring import logs

TRACE_HEADER = "traceparent"
# A collector that does not answer must not keep a process from ending.
EXPORT_TIMEOUT_SECONDS = 3
REQUEST_ID_OF_A_TRACE = re.compile(r"[0-9a-f]{32}")
KINDS = {kind: otel.SpanKind[kind.name] for kind in SpanKind}

_propagator = TraceContextTextMapPropagator()


class _RequestIds(RandomIdGenerator):
    """Names a trace by the id of its request, which subscribers see with an error and every log line has."""

    def generate_trace_id(self) -> int:
        request_id = logs.current_request_id()
        is_usable = REQUEST_ID_OF_A_TRACE.fullmatch(request_id) and int(request_id, 16) != otel.INVALID_TRACE_ID
        return int(request_id, 16) if is_usable else super().generate_trace_id()


class OtlpTracer:
    """Sends a share of all traces, in batches, from a thread of its own; drops them if the collector is away."""

    def __init__(self, *, endpoint: str, share: float, environment: str) -> None:
        resource = Resource.create({"service.name": "portal", "deployment.environment.name": environment})
        self._provider = TracerProvider(
            sampler=ParentBasedTraceIdRatio(share), resource=resource, id_generator=_RequestIds()
        )
        exporter = OTLPSpanExporter(endpoint=f"{endpoint}/v1/traces", timeout=EXPORT_TIMEOUT_SECONDS)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("portal")

    @contextmanager
    def open_span(self, name: str, *, kind: SpanKind, trace: str, attributes: Attributes) -> Iterator[Span]:
        """Open a span (`core.tracing.open_span`). Of an exception that passes through it, it holds the class alone."""
        here = otel.get_current_span().get_span_context()
        begun = _read_trace(trace)
        is_elsewhere = begun.is_valid and begun.trace_id != here.trace_id
        with self._tracer.start_as_current_span(
            name,
            context=otel.set_span_in_context(otel.NonRecordingSpan(begun)) if is_elsewhere else None,
            kind=KINDS[kind],
            attributes=attributes,
            links=[otel.Link(here)] if is_elsewhere and here.is_valid else [],
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield span
            except Exception as error:
                span.set_attribute("error.type", type(error).__qualname__)
                span.set_status(otel.StatusCode.ERROR)
                raise

    def record_span(self, name: str, *, kind: SpanKind, seconds: float, attributes: Attributes) -> None:
        """Record a span that ends now (`core.tracing.record_span`)."""
        began_at = time.time_ns() - int(seconds * 1_000_000_000)
        self._tracer.start_span(name, kind=KINDS[kind], attributes=attributes, start_time=began_at).end()

    def current_trace(self) -> str:
        """Return the place in the open trace (`core.tracing.current_trace`)."""
        carrier: dict[str, str] = {}
        _propagator.inject(carrier)
        return carrier.get(TRACE_HEADER, "")

    def flush_spans(self) -> None:
        """Send what waits, before the process ends."""
        self._provider.force_flush(EXPORT_TIMEOUT_SECONDS * 1000)


def _read_trace(trace: str) -> otel.SpanContext:
    return otel.get_current_span(_propagator.extract({TRACE_HEADER: trace})).get_span_context()
