"""A worker that dies at any of its kill points: what it had begun is finished, once (reliability, row 15)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from pytest_django import Settings

from accounts.mail import queue
from accounts.models import Account, OutgoingMail
from billing import clock
from billing.models import Command, Invoice, InvoicePdf, JobRun, PauseSchedule, Subscription, WebhookEvent
from billing.services import jobs
from billing.tests.api.browser import Browser
from billing.tests.calm import let_all_leases_run_out
from billing.tests.live import FAITH, Provider
from billing.tests.services.test_pausing import asleep_until_the_promised_day, run_due_jobs
from billing.tests.services.test_webhooks import post
from billing.tests.workers import MortalWorker, environment_of_workers, until
from portal import kill_points

pytestmark = pytest.mark.django_db(transaction=True)

RESUMES = ("job claimed", "command intended", "step begun", "step answered", "step applied", "job worked")
MAILS = ("mail claimed", "mail sent")
DECLINED = ("step refused", "message due")
EVENTS = ("event claimed", "event applied")
INVOICES = ("invoice claimed", "invoice stored")
MESSAGE_ID = re.compile(r"^Message-ID: (\S+)", re.MULTILINE)


@pytest.fixture(params=["embedded", pytest.param("services", marks=pytest.mark.services)])
def worker(provider: Provider, in_step: None, tmp_path: Path) -> Iterator[MortalWorker]:
    """A real worker, after whose last death the portal holds what the provider holds."""
    with MortalWorker(
        environment_of_workers(tmp_path, provider.sandbox.endpoint), tmp_path
    ).running() as mortal:
        yield mortal


@pytest.fixture
def alice(provider: Provider) -> Account:
    """Alice, whose pause ends tonight."""
    account = provider.subscriber("alice", FAITH)
    asleep_until_the_promised_day(provider, account)
    provider.travel_to(jobs.newest_night(clock.now()) + timedelta(hours=24, minutes=1))
    run_due_jobs_but_resumes()
    OutgoingMail.objects.all().delete()
    return account


def run_due_jobs_but_resumes() -> None:
    for job, slot in list(jobs.due(clock.now())):
        if job.name != "resumes":
            jobs.run(job.name, slot, now=clock.now())


def taken_up_again(worker: MortalWorker, task: str, *arguments: str) -> None:
    """Whoever died before holds nothing any more, and beat, or the sweep, sends a message again."""
    let_all_leases_run_out()
    worker.send(task, *arguments)


def the_night_comes(worker: MortalWorker) -> None:
    taken_up_again(worker, "billing.tasks.run_job", "resumes", jobs.newest_night(clock.now()).isoformat())


def all_is_done() -> bool:
    """Nothing is open, due or wanted, and every mail has left."""
    return not (
        Command.objects.filter(state__in=Command.OPEN).exists()
        or JobRun.objects.filter(finished_at__isnull=True).exists()
        or WebhookEvent.objects.filter(state=WebhookEvent.State.RECEIVED).exists()
        or OutgoingMail.objects.exclude(state=OutgoingMail.State.SENT).exists()
        or InvoicePdf.objects.filter(state=InvoicePdf.State.WANTED).exists()
        or list(jobs.due(clock.now()))
    )


def test_there_is_a_test_for_each_point() -> None:
    assert {*RESUMES, *MAILS, *DECLINED, *EVENTS, *INVOICES} == set(kill_points.POINTS)


def test_a_resume_is_made_and_told_once(provider: Provider, alice: Account, worker: MortalWorker) -> None:
    for point in RESUMES:
        worker.dies(point, lambda: the_night_comes(worker))
    let_all_leases_run_out()
    until(all_is_done, meanwhile=worker.tick)

    assert provider.subscription(alice).status == "active"
    assert len(provider.events("subscription_resumed")) == 1
    assert [invoice.status for invoice in provider.invoices(alice)] == ["paid", "paid"]
    assert PauseSchedule.objects.get().state == PauseSchedule.State.RESUMED
    assert Command.objects.get(kind="resume").state == Command.State.SUCCEEDED
    assert [mail.context["title"] for mail in OutgoingMail.objects.all()] == ["Faith & Family resumed"]
    assert len(MESSAGE_ID.findall(worker.mailbox())) == 1


def test_a_resume_that_is_declined_is_tried_and_told_once(
    provider: Provider, alice: Account, worker: MortalWorker
) -> None:
    provider.sandbox.misbehave("decline_payment", "/subscriptions/*/resume")

    for point in DECLINED:
        worker.dies(point, lambda: the_night_comes(worker))
    let_all_leases_run_out()
    until(all_is_done, meanwhile=worker.tick)

    assert provider.subscription(alice).status == "paused"
    # It would have been paid, had it been asked for under another key: the provider only gave its first answer again.
    assert provider.sandbox.struck()[0]["later"] != []
    schedule = PauseSchedule.objects.get()
    assert (schedule.state, schedule.declines) == (PauseSchedule.State.PAUSED, 1)
    assert Command.objects.get(kind="resume").error_code == "payment_processing_failed"
    assert OutgoingMail.objects.count() == len(MESSAGE_ID.findall(worker.mailbox())) == 1


def test_an_event_a_mail_and_an_invoice_come_to_their_ends(
    provider: Provider, worker: MortalWorker, settings: Settings
) -> None:
    alice = provider.subscriber("alice", FAITH)
    run_due_jobs()
    provider.sdk.Subscription.cancel_for_items(provider.subscription(alice).id, {"end_of_term": True})
    [told] = provider.events("subscription_cancellation_scheduled")
    assert post(settings, told.raw_data) == 200
    queue(kind="receipt", to="alice@example.com", context={"title": "Hello", "lines": [], "facts": []})
    settings.MEDIA_ROOT = worker.folder / "media"
    browser, path = Browser(alice), f"/api/invoice/pdf/{Invoice.objects.get().provider_id}"
    assert browser.get(path).json()["code"] == "invoice_not_ready"

    for points, task in (
        (EVENTS, "billing.tasks.process_due_webhooks"),
        (MAILS, "accounts.tasks.tick"),
        (INVOICES, "billing.tasks.tick"),
    ):
        for point in points:
            worker.dies(point, partial(taken_up_again, worker, task))
    let_all_leases_run_out()
    until(all_is_done, meanwhile=worker.tick)

    assert Subscription.objects.get().status == "non_renewing"
    assert WebhookEvent.objects.get(event_id=told.id).state == WebhookEvent.State.PROCESSED
    # The mail server had taken it when the worker died: it went out twice, and says by its id that it is one.
    went_out = MESSAGE_ID.findall(worker.mailbox())
    assert (len(went_out), len(set(went_out))) == (2, 1)
    drawn = b"".join(browser.get(browser.get(path).json()["downloadUrl"]))
    assert (drawn[:5], drawn.rstrip()[-5:]) == (b"%PDF-", b"%%EOF")
