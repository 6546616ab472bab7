"""Figures for Prometheus: requests, tasks and the provider's answers, and every sign of the machinery.

The first are counted in each process's file in a folder that web and workers of one machine share, so that any web
process tells them all. The signs are read from rows when they are asked for.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from celery.signals import task_postrun, task_prerun
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
from prometheus_client.metrics_core import GaugeMetricFamily, Metric  # noqa: E402
from prometheus_client.multiprocess import MultiProcessCollector  # noqa: E402

from accounts.network import is_within  # noqa: E402
from billing import clock  # noqa: E402
from billing.gateway import transport  # noqa: E402
from billing.services import machinery  # noqa: E402
from portal import views  # noqa: E402

logger = logging.getLogger(__name__)

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20)
NO_ANSWER = "none"
# Each new label is kept for good in memory and file, and anybody may send a word of their own for a method.
METHODS = frozenset(name.upper() for name in View.http_method_names)
OTHER_METHOD = "other"
# Each time another process may have started, and found more files to take away.
READINGS = 20

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
    _forget_the_dead()
    transport.watch_with(_observe_provider)
    task_prerun.connect(_begin_task, dispatch_uid="portal.metrics")
    task_postrun.connect(_end_task, dispatch_uid="portal.metrics")


def _forget_the_dead() -> None:
    # Each process leaves a file: without this they would grow with every start. A counter may begin anew.
    for file in FOLDER.glob("*_[0-9]*.db"):
        pid = int(file.stem.rsplit("_", 1)[1])
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            file.unlink(missing_ok=True)
        except PermissionError:
            continue  # somebody else's process has the number now


class _Figures(MultiProcessCollector):
    """What all processes counted."""

    def collect(self) -> Iterable[Metric]:
        """Return the figures, read anew where a process that starts meanwhile takes the files of the dead away."""
        for _ in range(READINGS - 1):
            with suppress(FileNotFoundError):
                return list(super().collect())  # type: ignore[no-untyped-call]  # the library's
        return list(super().collect())  # type: ignore[no-untyped-call]  # the library's


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponseBase:
    """Tell the figures to METRICS_NETWORKS; to everybody else there is no such page."""
    if not is_within(request, settings.METRICS_NETWORKS):
        return views.unknown(request)
    told = CollectorRegistry()
    _Figures(told, path=str(FOLDER))  # type: ignore[no-untyped-call]  # the library's
    told.register(_Signs())
    return HttpResponse(generate_latest(told), content_type=CONTENT_TYPE_LATEST)
