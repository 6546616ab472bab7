"""Figures for Prometheus: requests, tasks and the provider's answers, and every sign of the machinery.

The first are counted in each process's file, in a folder that the processes of one machine or container share, so that
any of them tells them all: web at `/metrics`, a worker at a port of its own where METRICS_PORT names one. The signs are
read from rows when web is asked for them.
"""

from __future__ import annotations

import fcntl
import ipaddress
import logging
import os
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from celery.signals import task_postrun, task_prerun, worker_ready
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

FOLDER = Path(os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(settings.VAR_DIR / "metrics")))
FOLDER.mkdir(parents=True, exist_ok=True)

# The library decides when it is imported how it counts.
from prometheus_client import (  # noqa: E402
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Histogram,
    generate_latest,
)
from prometheus_client.exposition import ThreadingWSGIServer, make_wsgi_app  # noqa: E402
from prometheus_client.metrics_core import GaugeMetricFamily, Metric  # noqa: E402
from prometheus_client.multiprocess import MultiProcessCollector  # noqa: E402

from accounts.network import is_within  # noqa: E402
from billing import clock  # noqa: E402
from billing.gateway import transport  # noqa: E402
from billing.services import machinery  # noqa: E402
from portal import views  # noqa: E402

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

logger = logging.getLogger(__name__)

# A file outlives its process: figures with other bounds need other names, or they would be added to these.
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20)
NO_ANSWER = "none"
# Each new label is kept for good in memory and file, and anybody may send a word of their own for a method.
METHODS = frozenset(name.upper() for name in View.http_method_names)
OTHER_METHOD = "other"
# How long a client of a worker's own port may take to say what it wants.
CLIENT_SECONDS = 10

# The registry that is told is made for each telling, from the files.
_own = CollectorRegistry()
REQUESTS = Histogram(
    "portal_request_seconds",
    "How long requests took, by route and status.",
    ("method", "route", "status"),
    buckets=SECONDS,
    registry=_own,
)
PROVIDER = Histogram(
    "portal_provider_seconds",
    "How long the provider took to answer, by status.",
    ("status",),
    buckets=SECONDS,
    registry=_own,
)
TASKS = Histogram(
    "portal_task_seconds",
    "How long tasks took, by how they ended.",
    ("task", "state"),
    buckets=SECONDS,
    registry=_own,
)


class _Signs:
    """Every sign's number, and whether it needs somebody."""

    def collect(self) -> Iterable[Metric]:
        number = GaugeMetricFamily(
            "portal_sign", "What the page Machinery in the admin shows.", labels=["sign"]
        )
        waiting = GaugeMetricFamily(
            "portal_sign_needs_somebody", "1 where somebody has to look; see the runbook.", labels=["sign"]
        )
        for sign in machinery.signs(now=clock.now()):
            number.add_metric([sign.name], sign.number)
            waiting.add_metric([sign.name], float(sign.needs_somebody))
        return [number, waiting]


def observe_request(method: str, route: str, status: int, seconds: float) -> None:
    """Count an answered request."""
    known = method if method in METHODS else OTHER_METHOD
    _keep(REQUESTS, (known, route, str(status)), seconds)


def _observe_provider(exchange: transport.Exchange) -> None:
    _keep(PROVIDER, (str(exchange.status or NO_ANSWER),), exchange.seconds)


def _begin_task(task: Any, **_: Any) -> None:
    task.request.began_at = time.monotonic()


def _end_task(task: Any, state: str | None = None, **_: Any) -> None:
    _keep(TASKS, (task.name, state or ""), time.monotonic() - task.request.began_at)


def _keep(figures: Histogram, labels: tuple[str, ...], seconds: float) -> None:
    """Add to a figure; on a full disk, where a new process finds no room for its file, what is counted goes on."""
    try:
        figures.labels(*labels).observe(seconds)
    except OSError as error:
        logger.warning("A figure could not be kept (%s).", type(error).__name__)


def connect() -> None:
    """Begin to count; called once, when the application is ready."""
    _inherit()
    transport.watch_with(_observe_provider)
    task_prerun.connect(_begin_task, dispatch_uid="portal.metrics")
    task_postrun.connect(_end_task, dispatch_uid="portal.metrics")
    worker_ready.connect(_serve, dispatch_uid="portal.metrics")


def _inherit() -> None:
    """Go on in the file of a process that is gone.

    Taken away, its counts would be missing from the sum, which Prometheus takes for all of them having been made anew;
    left, there would be one more with every process that starts.
    """
    mine = FOLDER / f"histogram_{os.getpid()}.db"
    with _folder(fcntl.LOCK_EX):
        gone = next(filter(_is_orphan, FOLDER.glob("histogram_*.db")), None)
        if gone is not None and not mine.exists():
            gone.rename(mine)


# Celery's processes, and gunicorn's where they share what its leader loaded.
os.register_at_fork(after_in_child=_inherit)


def _is_orphan(file: Path) -> bool:
    try:
        os.kill(int(file.stem.rsplit("_", 1)[1]), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False  # somebody else's process has the number now
    return False


@contextmanager
def _folder(how: int) -> Iterator[None]:
    """Hold the folder: whoever adds its files up must not meet one that is just getting another name."""
    folder = os.open(FOLDER, os.O_RDONLY)
    try:
        fcntl.flock(folder, how)
        yield
    finally:
        # Closing alone would leave it held by a process that was forked meanwhile.
        fcntl.flock(folder, fcntl.LOCK_UN)
        os.close(folder)


class _Figures(MultiProcessCollector):
    """What all processes counted."""

    def collect(self) -> Iterable[Metric]:
        """Return the figures."""
        with _folder(fcntl.LOCK_SH):
            return list(super().collect())  # type: ignore[no-untyped-call]  # the library's


def _all_figures() -> CollectorRegistry:
    told = CollectorRegistry()
    _Figures(told, path=str(FOLDER))  # type: ignore[no-untyped-call]  # the library's
    return told


class _Quiet(WSGIRequestHandler):
    """Answers without a line in the log, and not to those who never ask."""

    timeout = CLIENT_SECONDS

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _serve(**_: Any) -> None:
    """Tell the figures at METRICS_PORT, where a worker has one. A worker that cannot goes on with its work."""
    if not settings.METRICS_PORT:
        return
    try:
        server = make_server(
            "0.0.0.0",  # noqa: S104  (METRICS_NETWORKS says to whom)
            settings.METRICS_PORT,
            _to_networks,
            server_class=ThreadingWSGIServer,
            handler_class=_Quiet,
        )
    except OSError as error:
        logger.error("Figures are not told at METRICS_PORT: %s", error)
        return
    threading.Thread(target=server.serve_forever, daemon=True).start()


def _to_networks(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    # No proxy stands in front of a worker, so that nobody's claim to come from elsewhere counts.
    address = ipaddress.ip_address(environ["REMOTE_ADDR"])
    if environ["PATH_INFO"] != "/metrics" or not any(address in one for one in settings.METRICS_NETWORKS):
        start_response("404 Not Found", [])
        return []
    answer: Iterable[bytes] = make_wsgi_app(_all_figures())(environ, start_response)
    return answer


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponseBase:
    """Tell the figures to METRICS_NETWORKS; to everybody else there is no such page."""
    if not is_within(request, settings.METRICS_NETWORKS):
        return views.unknown(request)
    told = _all_figures()
    told.register(_Signs())
    return HttpResponse(generate_latest(told), content_type=CONTENT_TYPE_LATEST)
