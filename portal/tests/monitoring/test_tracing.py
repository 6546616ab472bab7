"""Traces: what is in a span, what is not, and where it belongs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from conftest import ROOT
from core import tracing
from portal.env import read_environment
from portal.monitoring import logs
from portal.monitoring.otlp import OtlpTracer
from portal.monitoring.tracing import describe_call
from portal.tests.monitoring.collector import Collector, span_attributes

REQUEST_ID = "0123456789abcdef0123456789abcdef"
LOADED = (
    "import django; django.setup(); import sys, portal.urls, redis; print([n for n in sys.modules if 'opentel' in n])"
)


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as server:
        yield server
        server.shutdown()


@pytest.fixture
def tracer(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> OtlpTracer:
    """Install a tracer that sends all to the collector, and after the test the one before."""
    monkeypatch.setattr(tracing, "_tracer", tracing._tracer)
    tracer = OtlpTracer(endpoint=collector.endpoint, share=1.0, environment="test")
    tracing.install_tracer(tracer)
    return tracer


def loaded_modules(**environment: str) -> str:
    command = [sys.executable, "-c", LOADED]
    settled = {**os.environ, "DJANGO_SETTINGS_MODULE": "portal.settings", "PORTAL_ENV": "demo", **environment}
    return subprocess.run(command, env=settled, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def test_nothing_of_the_library_is_loaded_without_a_collector(tmp_path: Any) -> None:
    redis = {"VAR_DIR": str(tmp_path), "REDIS_URL": "redis://127.0.0.1:6379/0"}
    assert loaded_modules(**redis, OTEL_EXPORTER_OTLP_ENDPOINT="") == "[]"
    assert "opentelemetry.sdk.trace" in loaded_modules(**redis, OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "grpc://collector:4317"),
        ("OTEL_TRACES_SAMPLER_ARG", "1.5"),
        ("OTEL_TRACES_SAMPLER_ARG", "half"),
    ],
)
def test_a_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=name):
        read_environment()


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/api/v2/subscriptions/AzZ1/pause", "POST /subscriptions/{id}/pause"),
        ("/api/v2/customers/ava@example.com", "POST /customers/{id}"),
        ("/api/v2/coupons/c/coupon_codes/SECRET", "POST /coupons/{id}/coupon_codes/{id}"),
        ("/api/v2/payment_sources/create_using_payment_intent", "POST /payment_sources/create_using_payment_intent"),
        ("/api/v2/events", "POST /events"),
    ],
)
def test_a_call_to_the_provider_is_named_without_ids(path: str, name: str) -> None:
    assert describe_call("POST", path) == name


def test_a_trace_has_the_id_of_its_request(collector: Collector, tracer: OtlpTracer) -> None:
    with logs.bind_request_id(REQUEST_ID), tracing.open_span("request"):
        assert tracing.current_trace().split("-")[1] == REQUEST_ID
    with logs.bind_request_id("from-a-client"), tracing.open_span("another"):
        pass
    tracer.flush_spans()

    assert collector.wait_for_span("request").trace_id.hex() == REQUEST_ID
    assert collector.wait_for_span("another").trace_id.hex() != REQUEST_ID


def test_an_exception_is_named_by_its_class_alone(collector: Collector, tracer: OtlpTracer) -> None:
    with pytest.raises(ValueError, match="ava@example"), tracing.open_span("work"):
        raise ValueError("ava@example.com")
    tracer.flush_spans()

    span = collector.wait_for_span("work")
    assert span_attributes(span) == {"error.type": "ValueError"}
    assert span.status.code == span.status.STATUS_CODE_ERROR
    assert b"ava@" not in collector.received


def test_work_that_is_continued_elsewhere_belongs_to_the_trace_that_began_it(
    collector: Collector, tracer: OtlpTracer
) -> None:
    with tracing.open_span("request"):
        begun = tracing.current_trace()
    with tracing.open_span("tick"), tracing.open_span("continued", trace=begun):
        pass
    with tracing.open_span("again"), tracing.open_span("child", trace=tracing.current_trace()):
        pass
    tracer.flush_spans()

    continued, tick = collector.wait_for_span("continued"), collector.wait_for_span("tick")
    assert collector.ancestors(continued) == ["request"]
    assert [link.span_id for link in continued.links] == [tick.span_id]
    child = collector.wait_for_span("child")
    assert (collector.ancestors(child), [*child.links]) == (["again"], [])


def test_nothing_is_sent_of_traces_outside_the_share(collector: Collector, tracer: OtlpTracer) -> None:
    unlucky = OtlpTracer(endpoint=collector.endpoint, share=0.0, environment="test")
    tracing.install_tracer(unlucky)
    with tracing.open_span("unlucky"), tracing.open_span("its child"):
        tracing.record_span("its call", kind=tracing.SpanKind.CLIENT, seconds=1.0, attributes={})
    tracing.install_tracer(tracer)
    with tracing.open_span("lucky"):
        pass
    unlucky.flush_spans()
    tracer.flush_spans()

    collector.wait_for_span("lucky")
    assert {span.name for span in collector.spans} == {"lucky"}
