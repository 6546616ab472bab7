"""Metrics for Prometheus: requests, tasks, the provider's answers, and every health check.

Web serves them at `/metrics`, a worker at METRICS_PORT where it has one, both with the counts of all processes that
share their folder (`metric_files`). Health checks and queues are read from the database when web is asked for them.
"""

from __future__ import annotations

import ipaddress
import logging
import threading
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from celery import states
from celery.signals import task_postrun, task_prerun, worker_ready
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, Counter, Histogram, generate_latest
from prometheus_client.exposition import ThreadingWSGIServer, make_wsgi_app
from prometheus_client.metrics_core import GaugeMetricFamily, Metric

from billing import clock
from billing.gateway.http import transport
from billing.health import checks
from core.network import is_from_networks
from portal import views
from portal.monitoring import service_metrics
from portal.monitoring.metric_files import REGISTRY, begin_at_zero, collect_counts, count_events, observe_seconds
from portal.monitoring.service_metrics import QueueCollector

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

logger = logging.getLogger(__name__)

# A file outlives its process: metrics with other buckets need other names, or they would be added to these.
LATENCY_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20)
NO_ANSWER = "none"
# Each new label stays in memory and file for good, and a client may send any word as its method.
KNOWN_METHODS = frozenset(name.upper() for name in View.http_method_names)
OTHER_METHOD = "other"
# Of the names of Celery's own tasks.
CELERY_PREFIX = "celery."
# How long a client of a worker's port may take to send its request.
CLIENT_TIMEOUT_SECONDS = 10

REQUEST_SECONDS = Histogram(
    "portal_request_seconds",
    "How long requests took, by route and status.",
    ("method", "route", "status"),
    buckets=LATENCY_BUCKETS,
    registry=REGISTRY,
)
PROVIDER_SECONDS = Histogram(
    "portal_provider_seconds",
    "How long the provider took to answer, by status.",
    ("status",),
    buckets=LATENCY_BUCKETS,
    registry=REGISTRY,
)
TASK_SECONDS = Histogram(
    "portal_task_seconds",
    "How long tasks took, by how they ended.",
    ("task", "state"),
    buckets=LATENCY_BUCKETS,
    registry=REGISTRY,
)


POLICY_REPORTS = Counter(
    "portal_policy_reports",
    "Reports of browsers that a page broke the content security policy, by directive.",
    ("directive",),
    registry=REGISTRY,
)


class HealthCheckCollector:
    """Each health check's number, and whether it needs somebody."""

    def collect(self) -> Iterable[Metric]:
        """Return the gauges."""
        number = GaugeMetricFamily("portal_sign", "Values on the System health page in the admin.", labels=["sign"])
        waiting = GaugeMetricFamily(
            "portal_sign_needs_somebody", "1 where somebody has to look; see the runbook.", labels=["sign"]
        )
        for sign in checks.run_health_checks(now=clock.billing_now()):
            number.add_metric([sign.name], sign.number)
            waiting.add_metric([sign.name], float(sign.needs_somebody))
        return [number, waiting]


def observe_request(method: str, route: str, status: int, seconds: float) -> None:
    """Count an answered request."""
    known = method if method in KNOWN_METHODS else OTHER_METHOD
    observe_seconds(REQUEST_SECONDS, (known, route, str(status)), seconds)
    service_metrics.count_read(method, route, status)


def count_policy_report(directive: str) -> None:
    """Count a browser's report about a directive, which must be one of a fixed set."""
    count_events(POLICY_REPORTS, (directive,))


def _observe_provider(exchange: transport.Exchange) -> None:
    observe_seconds(PROVIDER_SECONDS, (str(exchange.status or NO_ANSWER),), exchange.seconds)


def _begin_task(task: Any, **_: Any) -> None:
    task.request.began_at = time.monotonic()


def _end_task(task: Any, state: str | None = None, **_: Any) -> None:
    observe_seconds(TASK_SECONDS, (task.name, state or ""), time.monotonic() - task.request.began_at)


def connect_metrics() -> None:
    """Start counting; called once, when the application is ready."""
    service_metrics.connect_service_metrics()
    transport.add_watcher(_observe_provider)
    task_prerun.connect(_begin_task, dispatch_uid="portal.monitoring.metrics")
    task_postrun.connect(_end_task, dispatch_uid="portal.monitoring.metrics")
    worker_ready.connect(_begin_failures, dispatch_uid="portal.monitoring.metrics.failures")
    worker_ready.connect(_serve_metrics, dispatch_uid="portal.monitoring.metrics")


def _begin_failures(*, sender: Any, **_: Any) -> None:
    """Let the failures of each task begin at zero, or the first one would raise no alert."""
    for name in sender.app.tasks:
        if not name.startswith(CELERY_PREFIX):
            begin_at_zero(TASK_SECONDS, (name, states.FAILURE))


class _QuietHandler(WSGIRequestHandler):
    """Answer without a line in the log, and drop clients that send no request."""

    timeout = CLIENT_TIMEOUT_SECONDS

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _serve_metrics(**_: Any) -> None:
    """Serve the metrics at METRICS_PORT, where a worker has one. A worker that cannot listen goes on working."""
    if not settings.METRICS_PORT:
        return
    service_metrics.begin_at_zero()
    try:
        server = make_server(
            "0.0.0.0",  # noqa: S104  (METRICS_NETWORKS says to whom)
            settings.METRICS_PORT,
            _metrics_application,
            server_class=ThreadingWSGIServer,
            handler_class=_QuietHandler,
        )
    except OSError as error:
        logger.error("Metrics are not served at METRICS_PORT: %s", error)
        return
    threading.Thread(target=server.serve_forever, daemon=True).start()


def _metrics_application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    # No proxy stands in front of a worker, so a header that names another address counts for nothing.
    address = ipaddress.ip_address(environ["REMOTE_ADDR"])
    if environ["PATH_INFO"] != "/metrics" or not any(address in network for network in settings.METRICS_NETWORKS):
        start_response("404 Not Found", [])
        return []
    answer: Iterable[bytes] = make_wsgi_app(collect_counts())(environ, start_response)
    return answer


@require_safe
@never_cache
def metrics_page(request: HttpRequest) -> HttpResponseBase:
    """Serve the metrics to METRICS_NETWORKS; for everybody else there is no such page."""
    if not is_from_networks(request, settings.METRICS_NETWORKS):
        return views.unknown_path(request)
    service_metrics.begin_at_zero()
    registry = collect_counts()
    registry.register(HealthCheckCollector())
    registry.register(QueueCollector())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
