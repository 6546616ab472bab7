"""What the objectives count: reads, changes, codes and notices, each met or missed, and what is overdue."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts import signals
from accounts.mail import outbox
from accounts.models import Account, OutgoingMail
from accounts.signals import MailOutcome
from accounts.tests.sign_in.sign_in_client import SignInClient, send_due_mail
from billing import clock
from billing.commands import lifecycle
from billing.jobs.command_kinds import COMMAND_KINDS
from billing.models import Command
from billing.tests.support.live_provider import FAITH, Provider
from billing.tests.support.webhook_delivery import WebhookDelivery
from conftest import Sandbox
from portal.monitoring import service_metrics
from portal.tests.monitoring.test_metrics import read_metrics

pytestmark = pytest.mark.django_db

PAUSE = "/api/account/pause?days=30"
Figures = dict[tuple[str, ...], float]
ReadChange = Callable[[], Figures]


@pytest.fixture
def counted(visitor: Client) -> ReadChange:
    """Return a function that returns by how much each metric has risen since the test began."""
    service_metrics.begin_at_zero()
    before = read_metrics(visitor)

    def read_change() -> Figures:
        return {key: value - before.get(key, 0) for key, value in read_metrics(visitor).items()}

    return read_change


@pytest.fixture
def travel(db: None) -> Iterator[time_machine.Traveller]:
    with time_machine.travel(timezone.now(), tick=False) as traveller:
        yield traveller


@pytest.fixture
def provider(db: None, sandbox: Sandbox) -> Provider:
    provider = Provider(sandbox=sandbox, sdk=sandbox.client())
    provider.open_shop()
    return provider


@pytest.fixture
def ava(provider: Provider) -> Account:
    return provider.subscriber("ava", FAITH)


def promises(figures: Figures, objective: str) -> tuple[float, float]:
    """Return how many events of an objective were met and missed."""
    name = "portal_objective_events_total"
    return figures[name, *sorted((objective, "met"))], figures[name, *sorted((objective, "missed"))]


def test_every_counter_of_the_objectives_is_there_before_anything_happens(visitor: Client) -> None:
    figures = read_metrics(visitor)
    found = {key[1:] for key in figures if key[0] == "portal_objective_events_total"}
    names = ("reads", "changes", "codes", "notices")
    assert found == {tuple(sorted((name, outcome))) for name in names for outcome in ("met", "missed")}
    assert {key[1] for key in figures if key[0] == "portal_objective_overdue"} == set(names)
    queues = {"codes", "mail", "jobs", "webhooks", "commands", "resumes", "pdfs"}
    assert {key[1] for key in figures if key[0] == "portal_queue_depth"} == queues


def test_a_read_counts_by_whether_it_was_answered(visitor: Client, counted: ReadChange) -> None:
    visitor.get("/api/site")
    visitor.get("/api/account")
    visitor.get("/healthz")
    visitor.post("/api/auth/send-otp")
    assert promises(counted(), "reads") == (2, 0)


@pytest.mark.parametrize(
    ("route", "status", "expected"),
    [
        ("api/account", 500, (0, 1)),
        ("api/invoice/list", 503, (0, 1)),
        ("api/account", 404, (1, 0)),
        # These wait for the provider, or for a file.
        ("api/account/pause/estimate", 503, (0, 0)),
        ("api/invoice/pdf/<invoice_number:number>", 503, (0, 0)),
        ("admin/", 500, (0, 0)),
    ],
)
def test_only_reads_from_the_mirror_count(
    counted: ReadChange, route: str, status: int, expected: tuple[float, float]
) -> None:
    service_metrics.count_read("GET", route, status)
    assert promises(counted(), "reads") == expected


@pytest.mark.parametrize(("seconds", "expected"), [(29, (1, 0)), (31, (0, 1))])
def test_a_code_counts_by_when_the_mail_server_has_it(
    ava: Account, travel: time_machine.Traveller, counted: ReadChange, seconds: int, expected: tuple[float, float]
) -> None:
    SignInClient().request_code()
    travel.shift(seconds)
    overdue = counted()["portal_objective_overdue", "codes"]
    send_due_mail()
    figures = counted()
    assert overdue == expected[1]
    assert promises(figures, "codes") == expected
    assert figures["portal_objective_overdue", "codes"] == 0
    assert figures["portal_mail_seconds_sum", "login_code"] == pytest.approx(seconds)


def test_a_code_that_expires_is_missed_and_one_for_a_stranger_is_none(
    ava: Account, travel: time_machine.Traveller, counted: ReadChange
) -> None:
    SignInClient().request_code("stranger@example.com")
    send_due_mail()
    SignInClient().request_code()
    assert counted()["portal_queue_depth", "codes"] == 1
    travel.shift(660)
    assert counted()["portal_queue_oldest_seconds", "codes"] == pytest.approx(660)
    outbox.drop_expired_mails()
    figures = counted()
    assert promises(figures, "codes") == (0, 1)
    assert figures["portal_queue_depth", "codes"] == 0
    assert figures["portal_mails_total", "login_code", "too_late"] == 1


def test_notices_are_missed_if_they_come_after_a_day_or_never(
    travel: time_machine.Traveller, counted: ReadChange
) -> None:
    signals.announce_settled_mails("notice", MailOutcome.SENT, waited=timedelta(hours=23))
    signals.announce_settled_mails("notice", MailOutcome.SENT, waited=timedelta(hours=25))
    signals.announce_settled_mails("notice", MailOutcome.REFUSED, waited=timedelta(hours=1))
    signals.announce_settled_mails("notice", MailOutcome.UNWANTED, waited=timedelta(hours=1))
    expires_at = timezone.now() + timedelta(days=2)
    for _ in range(2):
        OutgoingMail.objects.create(kind="notice", queue=OutgoingMail.Queue.JOBS, expires_at=expires_at)
    travel.shift(timedelta(days=1, hours=1))
    assert counted()["portal_objective_overdue", "notices"] == 2
    travel.shift(timedelta(days=1))
    outbox.drop_expired_mails()
    figures = counted()
    assert promises(figures, "notices") == (1, 4)
    assert figures["portal_objective_overdue", "notices"] == 0


def test_a_change_counts_by_when_it_is_settled(
    ava: Account, provider: Provider, counted: ReadChange, django_capture_on_commit_callbacks: Any
) -> None:
    api = APIClient()
    with django_capture_on_commit_callbacks(execute=True):
        api.force_authenticate(ava.user)
        assert api.post(PAUSE).status_code == 200
        provider.sandbox.order_fault("error", "*/pause", status=500)
        api.force_authenticate(provider.subscriber("bob", FAITH).user)
        assert api.post(PAUSE).status_code == 503
    assert promises(counted(), "changes") == (1, 0)

    command = Command.objects.get(state=Command.State.UNKNOWN)
    begun_at = clock.billing_now() - timedelta(seconds=61)
    Command.objects.filter(pk=command.pk).update(first_sent_at=begun_at, next_attempt_at=timezone.now())
    assert counted()["portal_objective_overdue", "changes"] == 1
    with django_capture_on_commit_callbacks(execute=True):
        lifecycle.settle_due_commands(COMMAND_KINDS, now=clock.billing_now())
    figures = counted()
    assert promises(figures, "changes") == (1, 1)
    assert figures["portal_objective_overdue", "changes"] == 0
    assert figures["portal_change_seconds_count", "pause", "succeeded"] == 2


def test_the_lag_of_an_event_is_its_time_until_the_mirror_has_it(
    ava: Account, provider: Provider, counted: ReadChange, django_capture_on_commit_callbacks: Any
) -> None:
    delivery = WebhookDelivery(provider)
    provider.console(ava, "pause later", FAITH)
    delivery.collect_new()
    with django_capture_on_commit_callbacks(execute=True):
        delivery.deliver_all()
    figures = counted()
    assert figures["portal_webhook_lag_seconds_count", "webhook"] >= 1
    assert figures["portal_queue_depth", "webhooks"] == 0
