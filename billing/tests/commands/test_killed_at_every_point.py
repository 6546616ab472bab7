"""A worker that dies at any of its kill points: what it had begun is finished, once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from pytest_django import Settings

from accounts.mail.queue import queue_mail
from accounts.models import Account, OutgoingMail
from billing import clock
from billing.jobs import schedule as job_schedule
from billing.models import Command, Invoice, InvoicePdf, JobRun, PauseSchedule, Subscription, WebhookEvent
from billing.tests.api.browser import Browser
from billing.tests.changes.test_pauses import pause_until_promised_day, run_due_jobs
from billing.tests.mirror.test_webhooks import post_webhook
from billing.tests.support.celery_workers import KillableWorker, wait_until, worker_environment
from billing.tests.support.invariants import expire_leases
from billing.tests.support.live_provider import FAITH, Provider

pytestmark = pytest.mark.django_db(transaction=True)

JOBS, LIFECYCLE, EXECUTOR = "billing.jobs.schedule", "billing.commands.lifecycle", "billing.commands.executor"
RESUMES = (
    f"return {JOBS}._claim_or_begin_run",  # the slot is claimed, nothing was done
    f"return {LIFECYCLE}._open_command",  # its row is committed, nothing was asked
    f"return {EXECUTOR}._begin_step",  # it is committed that it will be asked, it was not
    f"return {EXECUTOR}._send_or_read_back",  # the provider has answered, nothing of it is stored
    f"return {EXECUTOR}._run_step",  # its effects are committed, the command's end is not told to anybody
    f"return {JOBS}._run_resumes",  # all is done, and it is not yet stored that it is
)
DECLINED = (
    f"call {EXECUTOR}._handle_refusal",  # the provider has refused, nothing of it is stored
    "call core.task_queue.enqueue_task.<locals>.publish_task",  # the row is committed, no message was sent
)
EVENTS = (
    "call billing.mirror.webhook_processing._process_events",  # a worker has it, nothing was read
    "return billing.mirror.webhook_processing._process_claimed_event",  # applied, and not stored that it is
)
MAILS = (
    "call accounts.mail.outbox._send_mail",  # a worker has it, it was not sent
    "return accounts.mail.outbox._send_mail",  # the mail server took it, and that is not stored
)
INVOICES = (
    "call billing.invoices.pdf_content.invoice_pdf_content",  # a worker has it, nothing was drawn
    "return portal.backends.storage.WholeFileStorage._save",  # its file is there, and its row does not say so
)
MESSAGE_ID = re.compile(r"^Message-ID: (\S+)", re.MULTILINE)


@pytest.fixture(params=["embedded", pytest.param("services", marks=pytest.mark.services)])
def worker(provider: Provider, assert_settled_after: None, tmp_path: Path) -> Iterator[KillableWorker]:
    """A real worker, after whose last death the portal holds what the provider holds."""
    with KillableWorker(worker_environment(tmp_path, provider.sandbox.endpoint), tmp_path).run_process() as mortal:
        yield mortal


@pytest.fixture
def alice(provider: Provider) -> Account:
    """Alice, whose pause ends tonight."""
    account = provider.subscriber("alice", FAITH)
    pause_until_promised_day(provider, account)
    provider.travel_to(job_schedule.newest_night(clock.billing_now()) + timedelta(hours=24, minutes=1))
    run_due_jobs_except_resumes()
    OutgoingMail.objects.all().delete()
    return account


def run_due_jobs_except_resumes() -> None:
    for job, slot in list(job_schedule.due_jobs(clock.billing_now())):
        if job.name != "resumes":
            job_schedule.run_job(job.name, slot, now=clock.billing_now())


def send_again(worker: KillableWorker, task: str, *arguments: str) -> None:
    """Whoever died before holds nothing any more, and beat, or the sweep, sends a message again."""
    expire_leases()
    worker.send_message(task, *arguments)


def run_nightly_resumes(worker: KillableWorker) -> None:
    send_again(worker, "billing.tasks.run_job", "resumes", job_schedule.newest_night(clock.billing_now()).isoformat())


def is_all_done() -> bool:
    """Nothing is open, due or wanted, and every mail has left."""
    return not (
        Command.objects.filter(state__in=Command.OPEN).exists()
        or JobRun.objects.filter(finished_at__isnull=True).exists()
        or WebhookEvent.objects.filter(state=WebhookEvent.State.RECEIVED).exists()
        or OutgoingMail.objects.exclude(state=OutgoingMail.State.SENT).exists()
        or InvoicePdf.objects.filter(state=InvoicePdf.State.WANTED).exists()
        or list(job_schedule.due_jobs(clock.billing_now()))
    )


@pytest.mark.shows("reliability-15")
def test_a_resume_is_made_and_told_once(provider: Provider, alice: Account, worker: KillableWorker) -> None:
    for point in RESUMES:
        worker.wait_for_death(point, lambda: run_nightly_resumes(worker))
    expire_leases()
    wait_until(is_all_done, meanwhile=worker.send_ticks)

    assert provider.subscription(alice).status == "active"
    assert len(provider.events("subscription_resumed")) == 1
    assert [invoice.status for invoice in provider.invoices(alice)] == ["paid", "paid"]
    assert PauseSchedule.objects.get().state == PauseSchedule.State.RESUMED
    assert Command.objects.get(kind="resume").state == Command.State.SUCCEEDED
    assert [mail.context["title"] for mail in OutgoingMail.objects.all()] == ["Faith & Family is active again"]
    assert len(MESSAGE_ID.findall(worker.sent_mail_text())) == 1


@pytest.mark.shows("reliability-15")
def test_a_resume_that_is_declined_is_tried_and_told_once(
    provider: Provider, alice: Account, worker: KillableWorker
) -> None:
    provider.sandbox.order_fault("decline_payment", "/subscriptions/*/resume")

    for point in DECLINED:
        worker.wait_for_death(point, lambda: run_nightly_resumes(worker))
    expire_leases()
    wait_until(is_all_done, meanwhile=worker.send_ticks)

    assert provider.subscription(alice).status == "paused"
    # It would have been paid, had it been asked for under another key: the provider only gave its first answer again.
    assert provider.sandbox.struck()[0]["later"] != []
    schedule = PauseSchedule.objects.get()
    assert (schedule.state, schedule.declines) == (PauseSchedule.State.PAUSED, 1)
    assert Command.objects.get(kind="resume").error_code == "payment_processing_failed"
    assert OutgoingMail.objects.count() == len(MESSAGE_ID.findall(worker.sent_mail_text())) == 1


@pytest.mark.shows("reliability-15")
def test_an_event_a_mail_and_an_invoice_come_to_their_ends(
    provider: Provider, worker: KillableWorker, settings: Settings
) -> None:
    alice = provider.subscriber("alice", FAITH)
    run_due_jobs()
    provider.sdk.Subscription.cancel_for_items(provider.subscription(alice).id, {"end_of_term": True})
    [told] = provider.events("subscription_cancellation_scheduled")
    assert post_webhook(settings, told.raw_data) == 200
    queue_mail(kind="receipt", to="alice@example.com", context={"title": "Hello", "lines": [], "facts": []})
    settings.MEDIA_ROOT = worker.folder / "media"
    browser, path = Browser(alice), f"/api/invoice/pdf/{Invoice.objects.get().provider_id}"
    assert browser.get(path).json()["code"] == "invoice_not_ready"

    for points, task in (
        (EVENTS, "billing.tasks.process_due_webhooks"),
        (MAILS, "accounts.tasks.tick"),
        (INVOICES, "billing.tasks.tick"),
    ):
        for point in points:
            worker.wait_for_death(point, partial(send_again, worker, task))
    expire_leases()
    wait_until(is_all_done, meanwhile=worker.send_ticks)

    assert Subscription.objects.get().status == "non_renewing"
    assert WebhookEvent.objects.get(event_id=told.id).state == WebhookEvent.State.PROCESSED
    # The mail server had taken it when the worker died: it went out twice, and says by its id that it is one.
    went_out = MESSAGE_ID.findall(worker.sent_mail_text())
    assert (len(went_out), len(set(went_out))) == (2, 1)
    drawn = b"".join(browser.get(browser.get(path).json()["downloadUrl"]))
    assert (drawn[:5], drawn.rstrip()[-5:]) == (b"%PDF-", b"%%EOF")
