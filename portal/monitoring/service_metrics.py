"""Metrics of what subscribers wait for: changes, mail, and events of the provider; and what the objectives count.

The applications announce what happened by signals. Of each objective (docs/reliability.md, "Objectives") every event is
`met` or `missed`; what is overdue and not done yet is read from the database when web is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import product
from typing import Any

from prometheus_client import Counter, Histogram
from prometheus_client.metrics_core import GaugeMetricFamily, Metric

from accounts.signals import MailOutcome, mails_settled
from billing.commands.signals import command_settled
from billing.health import queues
from billing.mirror.signals import events_applied
from billing.models import Command
from portal.monitoring import objectives
from portal.monitoring.metric_files import REGISTRY, count_events, observe_seconds

MET, MISSED = "met", "missed"
# With the limits of the objectives among them.
WAIT_BUCKETS = (0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 900, 3_600, 21_600, 86_400)
READ_METHODS = ("GET", "HEAD")
# Reads are answered from the mirror. An estimate asks the provider, and a file may have to be made first.
READ_ROUTE = re.compile(r"api/(?!schema|invoice/(?!list$)).*(?<!/estimate)")

OBJECTIVE_EVENTS = Counter(
    "portal_objective_events",
    "What an objective counts, by whether it was met.",
    ("objective", "outcome"),
    registry=REGISTRY,
)
CHANGE_SECONDS = Histogram(
    "portal_change_seconds",
    "How long changes took until they were settled, by kind and how they ended.",
    ("kind", "state"),
    buckets=WAIT_BUCKETS,
    registry=REGISTRY,
)
MAIL_SECONDS = Histogram(
    "portal_mail_seconds",
    "How long mails took until the mail server had them, by kind.",
    ("kind",),
    buckets=WAIT_BUCKETS,
    registry=REGISTRY,
)
MAILS = Counter("portal_mails", "Mails that left the outbox, by kind and how.", ("kind", "outcome"), registry=REGISTRY)
EVENT_LAG_SECONDS = Histogram(
    "portal_webhook_lag_seconds",
    "How far the mirror was behind an event of the provider, by what delivered the event.",
    ("source",),
    buckets=WAIT_BUCKETS,
    registry=REGISTRY,
)


class QueueCollector:
    """What waits, and what is overdue, read from the database."""

    def collect(self) -> Iterable[Metric]:
        """Return the gauges."""
        waiting = GaugeMetricFamily("portal_queue_depth", "What waits in a queue.", labels=["queue"])
        oldest = GaugeMetricFamily("portal_queue_oldest_seconds", "How long its oldest has waited.", labels=["queue"])
        for depth in queues.queue_depths():
            waiting.add_metric([depth.queue], depth.waiting)
            oldest.add_metric([depth.queue], depth.oldest_seconds)
        overdue = GaugeMetricFamily(
            "portal_objective_overdue", "What is past an objective's time and not done.", labels=["objective"]
        )
        for objective, count in objectives.count_overdue().items():
            overdue.add_metric([objective], count)
        return [waiting, oldest, overdue]


def connect_service_metrics() -> None:
    """Start counting; called once, when the application is ready."""
    mails_settled.connect(_count_mails, dispatch_uid="portal.monitoring.service_metrics")
    command_settled.connect(_count_change, dispatch_uid="portal.monitoring.service_metrics")
    events_applied.connect(_observe_lags, dispatch_uid="portal.monitoring.service_metrics")


def begin_at_zero() -> None:
    """Let all counters of the objectives exist: a series that begins at 1 does not show as a rise."""
    for labels in product(objectives.OBJECTIVES, (MET, MISSED)):
        count_events(OBJECTIVE_EVENTS, labels, 0)


def count_read(method: str, route: str, status: int) -> None:
    """Count a response, if it answers a read of the API."""
    if method in READ_METHODS and READ_ROUTE.fullmatch(route):
        _count_promises(objectives.READS, is_met=status < 500)


def _count_promises(objective: str, *, is_met: bool, count: int = 1) -> None:
    count_events(OBJECTIVE_EVENTS, (objective, MET if is_met else MISSED), count)


def _count_mails(kind: str, outcome: MailOutcome, count: int, waited: timedelta | None, **_: Any) -> None:
    count_events(MAILS, (kind, outcome), count)
    sent_after = waited if outcome == MailOutcome.SENT else None
    if sent_after is not None:
        observe_seconds(MAIL_SECONDS, (kind,), sent_after.total_seconds())
    objective = objectives.MAIL_OBJECTIVES.get(kind)
    if objective is not None and outcome != MailOutcome.UNWANTED:
        is_met = sent_after is not None and sent_after <= objective.sent_within
        _count_promises(objective.name, is_met=is_met, count=count)


def _count_change(command: Command, seconds: float, **_: Any) -> None:
    observe_seconds(CHANGE_SECONDS, (command.kind, command.state), seconds)
    _count_promises(objectives.CHANGES, is_met=seconds <= objectives.CHANGE_SETTLED_WITHIN.total_seconds())


def _observe_lags(source: str, lags: Sequence[timedelta], **_: Any) -> None:
    for lag in lags:
        observe_seconds(EVENT_LAG_SECONDS, (source,), max(0.0, lag.total_seconds()))
