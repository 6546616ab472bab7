"""Traces of requests, tasks and calls to the provider, where OTEL_EXPORTER_OTLP_ENDPOINT names a collector.

OpenTelemetry's own instrumentations would record addresses with signed tokens, headers, and messages of exceptions. So
spans are opened here and by the applications (`core.tracing`), with what no span may hold left out.
"""

from __future__ import annotations

import importlib
import re
import sys
from contextlib import ExitStack
from typing import Any

from celery.signals import before_task_publish, task_postrun, task_prerun, worker_process_shutdown
from django.conf import settings
from django.http import HttpRequest

from billing.gateway.http import transport
from core import tracing
from core.tracing import SpanKind

TRACE_HEADER = "traceparent"
# Asked for all day, and told by the metrics.
UNTRACED_PATHS = ("/static/", "/healthz", "/readyz", "/metrics")
API_PATH = re.compile(r"^.*/api/v2(?=/)")
# In the place of an id, where something new is made.
OPERATION = re.compile(r"(?:create|update|change)_[a-z_]+")


def start_tracing() -> None:
    """Start to send traces to the collector; without one, nothing of the library is loaded."""
    if not settings.OTEL_EXPORTER_OTLP_ENDPOINT:
        _load_redis_alone()
        return
    from portal.monitoring.otlp import OtlpTracer

    tracer = OtlpTracer(
        endpoint=settings.OTEL_EXPORTER_OTLP_ENDPOINT,
        share=settings.OTEL_TRACES_SAMPLER_ARG,
        environment=settings.PORTAL_ENV,
    )
    tracing.install_tracer(tracer)
    transport.add_watcher(_record_provider_call)
    before_task_publish.connect(_send_trace, dispatch_uid="portal.monitoring.tracing")
    task_prerun.connect(_open_task_span, dispatch_uid="portal.monitoring.tracing")
    task_postrun.connect(_close_task_span, dispatch_uid="portal.monitoring.tracing")
    worker_process_shutdown.connect(lambda **_: tracer.flush_spans(), weak=False)


def _load_redis_alone() -> None:
    """Import the driver of Redis, where there is one, without OpenTelemetry, which it would load if it found it."""
    if not settings.CELERY_BROKER_URL.startswith(("redis:", "rediss:")) or "redis" in sys.modules:
        return
    sys.modules["opentelemetry"] = None  # type: ignore[assignment]  # the import system's sign for "not there"
    importlib.import_module("redis")
    del sys.modules["opentelemetry"]


def is_traced(request: HttpRequest) -> bool:
    """Return whether a request has a span: not a file, and no probe."""
    return not request.path.startswith(UNTRACED_PATHS)


def describe_call(method: str, path: str) -> str:
    """Return a call to the provider without the ids in its path: `POST /subscriptions/{id}/pause`."""
    parts = API_PATH.sub("", path).split("/")
    # A path is a kind, an id of it, what is done with it, and for that perhaps another id.
    shown = [part if index % 2 or OPERATION.fullmatch(part) else "{id}" for index, part in enumerate(parts[1:], 1)]
    return f"{method} /{'/'.join(shown)}"


def _record_provider_call(exchange: transport.Exchange) -> None:
    name = describe_call(exchange.method, exchange.path)
    attributes: dict[str, str | int] = {"provider.replayed": int(exchange.replayed)}
    if exchange.status is None:
        attributes["error.type"] = "no answer"
    else:
        attributes["http.response.status_code"] = exchange.status
    tracing.record_span(name, kind=SpanKind.CLIENT, seconds=exchange.seconds, attributes=attributes)


def _send_trace(headers: dict[str, Any], **_: Any) -> None:
    headers[TRACE_HEADER] = tracing.current_trace()


def _open_task_span(task: Any, **_: Any) -> None:
    trace = getattr(task.request, TRACE_HEADER, None) or ""
    task.request.spans = ExitStack()
    task.request.span = task.request.spans.enter_context(
        tracing.open_span(task.name, kind=SpanKind.CONSUMER, trace=trace)
    )


def _close_task_span(task: Any, state: str | None = None, **_: Any) -> None:
    task.request.span.set_attribute("task.state", state or "")
    task.request.spans.close()
