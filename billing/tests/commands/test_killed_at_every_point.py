"""A worker killed at any of its kill points: its work is finished once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from django.db import transaction
from django.utils import timezone
from pytest_django import Settings

from accounts.mail.queue import queue_mail
from accounts.models import Account, OutgoingMail
from billing import clock
from billing.jobs import schedule as job_schedule
from billing.models import Command, Invoice, InvoicePdf, JobRun, PauseSchedule, Subscription, WebhookEvent
from billing.models.job_runs import ROUND
from billing.tests.api.browser import Browser
from billing.tests.changes.test_pauses import pause_until_promised_day, run_due_jobs
from billing.tests.mirror.test_webhooks import post_webhook
from billing.tests.support.celery_workers import KillableWorker, wait_until, worker_environment
from billing.tests.support.invariants import expire_leases
from billing.tests.support.live_provider import FAITH, GOSPEL, Provider

pytestmark = pytest.mark.django_db(transaction=True)

JOBS, PAGES, EXECUTOR = "billing.jobs.schedule", "billing.commands.pages", "billing.commands.executor"
RESUMES = (
    f"return {JOBS}._claim_or_begin_run",  # the job run is claimed, no work done
    f"return {PAGES}.open_page",  # the command is committed, nothing was sent
    f"return {EXECUTOR}._begin_step",  # the step is committed as sent, and was not sent
    f"return {EXECUTOR}._send_or_read_back",  # the provider has answered, nothing is stored
    f"return {EXECUTOR}._run_step",  # the step is committed, the command not finished
    f"return {JOBS}._run_resumes",  # all work is done, the job run not finished
)
PAGE = (
    f"call {PAGES}._try_to_apply",  # the provider has answered all of them, nothing is stored
    f"return {PAGES}._try_to_apply",  # all is committed, nothing counted
)
DECLINED = (
    f"call {EXECUTOR}._handle_refusal",  # the provider has declined, nothing is stored
    "return billing.jobs.resumes.worker._settle_resume",  # all is committed, nothing announced
)
FEED = (
    "return billing.mirror.events.event_feed._read_page",  # the feed was read, nothing is applied
    "return billing.mirror.events.event_feed._RecordsApplier.apply_records",  # applied, and no event is processed
)
EVENTS = (
    "call billing.mirror.events.webhook_processing._process_events",  # claimed, nothing was read
    "return billing.mirror.events.webhook_processing._process_claimed_event",  # applied, and not marked as processed
)
MAILS = (
    "call accounts.mail.outbox._send_mail",  # claimed, and not sent
    "return accounts.mail.outbox._send_mail",  # accepted by the mail server, not marked as sent
)
INVOICES = (
    "call billing.invoices.pdf_content.invoice_pdf_content",  # claimed, nothing rendered
    "return portal.backends.storage.WholeFileStorage._save",  # the file is stored, its row not updated
)
TOLD = "billing.receipts.payment_mails"
RENEWAL = (
    FEED[0],
    f"return {TOLD}.queue_payment_mail",  # the mail is queued, nothing is committed
    MAILS[0],  # the invoice and its mail are committed, nothing is composed
    f"return {TOLD}._compose_receipt",  # composed, and not recorded
    f"return {TOLD}._record_receipt",  # recorded in the activity, and not sent
)
MESSAGE_ID = re.compile(r"^Message-ID: (\S+)", re.MULTILINE)


@pytest.fixture(params=["embedded", pytest.param("services", marks=pytest.mark.services)])
def worker(provider: Provider, assert_settled_after: None, tmp_path: Path) -> Iterator[KillableWorker]:
    """A real worker; after the test, the mirror must equal the provider."""
    with KillableWorker(worker_environment(tmp_path, provider.sandbox.endpoint), tmp_path).run_process() as running:
        yield running


@pytest.fixture
def alice(provider: Provider) -> Account:
    """Alice, whose resume is due tonight."""
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
    """Expire the leases of killed workers, and send the task again, as beat and the sweep do."""
    expire_leases()
    worker.send_message(task, *arguments)


def run_nightly_resumes(worker: KillableWorker) -> None:
    send_again(worker, "billing.tasks.run_job", "resumes", job_schedule.newest_night(clock.billing_now()).isoformat())


def unfinished_work() -> list[object]:
    """Return what is open or due, and the mails that were not sent; the whole site is compared over weeks."""
    return [
        *Command.objects.filter(state__in=Command.OPEN),
        *JobRun.objects.filter(finished_at__isnull=True).exclude(job=ROUND),
        *WebhookEvent.objects.filter(state=WebhookEvent.State.RECEIVED),
        *OutgoingMail.objects.unfinished(),
        *InvoicePdf.objects.filter(state=InvoicePdf.State.WANTED),
        *job_schedule.due_jobs(clock.billing_now()),
    ]


def finish_all_work(worker: KillableWorker) -> None:
    """Let the killed workers' leases expire, and send ticks, as beat does, until no work is left."""
    expire_leases()
    try:
        wait_until(lambda: not unfinished_work(), meanwhile=worker.send_ticks, every=10)
    except TimeoutError:
        raise TimeoutError(f"not finished: {unfinished_work()}\n{worker.log_tail()}") from None


@pytest.mark.shows("reliability-15")
def test_a_resume_happens_once_with_one_mail(provider: Provider, alice: Account, worker: KillableWorker) -> None:
    for point in RESUMES:
        worker.wait_for_death(point, lambda: run_nightly_resumes(worker))
    finish_all_work(worker)

    assert provider.subscription(alice).status == "active"
    assert len(provider.events("subscription_resumed")) == 1
    assert [invoice.status for invoice in provider.invoices(alice)] == ["paid", "paid"]
    assert PauseSchedule.objects.get().state == PauseSchedule.State.RESUMED
    assert Command.objects.get(kind="resume").state == Command.State.SUCCEEDED
    assert [mail.context["title"] for mail in OutgoingMail.objects.all()] == ["Faith & Family is active again"]
    assert len(MESSAGE_ID.findall(worker.sent_mail_text())) == 1


@pytest.mark.shows("reliability-15", "rule-16")
def test_two_resumes_of_a_night_are_each_told_once(provider: Provider, worker: KillableWorker) -> None:
    bob = provider.subscriber("bob", FAITH, GOSPEL)
    pause_until_promised_day(provider, bob)
    provider.travel_to(job_schedule.newest_night(clock.billing_now()) + timedelta(hours=24, minutes=1))
    run_due_jobs_except_resumes()
    OutgoingMail.objects.all().delete()

    for point in RESUMES:
        worker.wait_for_death(point, lambda: run_nightly_resumes(worker))
    finish_all_work(worker)

    assert [provider.subscription(bob, plan).status for plan in (FAITH, GOSPEL)] == ["active", "active"]
    sent = OutgoingMail.objects.filter(state=OutgoingMail.State.SENT)
    titles = " ".join(mail.context["title"] for mail in sent)
    assert [titles.count(name) for name in ("Faith & Family", "Gospel TV")] == [1, 1]
    assert len(MESSAGE_ID.findall(worker.sent_mail_text())) == len(sent)


@pytest.mark.shows("reliability-15")
@pytest.mark.parametrize("point", PAGE)
def test_each_resume_of_a_page_happens_once_with_one_mail(
    provider: Provider, worker: KillableWorker, point: str
) -> None:
    accounts = [provider.subscriber(name, FAITH) for name in ("bob", "carol", "dave")]
    pause_until_promised_day(provider, *accounts)
    provider.travel_to(job_schedule.newest_night(clock.billing_now()) + timedelta(hours=24, minutes=1))
    run_due_jobs_except_resumes()
    OutgoingMail.objects.all().delete()

    worker.wait_for_death(point, lambda: run_nightly_resumes(worker))
    finish_all_work(worker)

    assert {provider.subscription(account).status for account in accounts} == {"active"}
    assert len(provider.events("subscription_resumed")) == len(accounts)
    assert set(PauseSchedule.objects.values_list("state", flat=True)) == {PauseSchedule.State.RESUMED}
    assert set(Command.objects.filter(kind="resume").values_list("state", flat=True)) == {Command.State.SUCCEEDED}
    assert len(MESSAGE_ID.findall(worker.sent_mail_text())) == OutgoingMail.objects.count() == len(accounts)


@pytest.mark.shows("reliability-15")
def test_a_declined_resume_is_tried_once_with_one_mail(
    provider: Provider, alice: Account, worker: KillableWorker
) -> None:
    provider.sandbox.order_fault("decline_payment", "/subscriptions/*/resume")

    for point in DECLINED:
        worker.wait_for_death(point, lambda: run_nightly_resumes(worker))
    finish_all_work(worker)

    assert provider.subscription(alice).status == "paused"
    # The retries reused the key, so the provider replayed its decline; a new key would have charged.
    assert provider.sandbox.struck()[0]["later"] != []
    schedule = PauseSchedule.objects.get()
    assert (schedule.state, schedule.declines) == (PauseSchedule.State.PAUSED, 1)
    assert Command.objects.get(kind="resume").error_code == "payment_processing_failed"
    assert OutgoingMail.objects.count() == len(MESSAGE_ID.findall(worker.sent_mail_text())) == 1


@pytest.mark.shows("reliability-15")
def test_an_event_a_mail_and_an_invoice_are_finished(
    provider: Provider, worker: KillableWorker, settings: Settings
) -> None:
    alice = provider.subscriber("alice", FAITH)
    run_due_jobs()
    provider.sdk.Subscription.cancel_for_items(provider.subscription(alice).id, {"end_of_term": True})
    [event] = provider.events("subscription_cancellation_scheduled")
    assert post_webhook(settings, event.raw_data) == 200
    queue_mail(kind="receipt", to="alice@example.com", context={"title": "Hello", "lines": [], "facts": []})
    settings.MEDIA_ROOT = worker.folder / "media"
    browser, path = Browser(alice), f"/api/invoice/pdf/{Invoice.objects.get().provider_id}"
    assert browser.get(path).json()["code"] == "invoice_not_ready"

    for point in FEED:
        worker.wait_for_death(point, partial(send_again, worker, "billing.tasks.process_due_webhooks"))
    # The feed lacks this one. It is not due until a worker can be killed.
    with transaction.atomic():
        assert post_webhook(settings, {**event.raw_data, "id": "ev_lost"}) == 200
        now = timezone.now()
        WebhookEvent.objects.filter(event_id="ev_lost").update(sought_at=now, next_attempt_at=now + timedelta(hours=1))
    for points, task in (
        (EVENTS, "billing.tasks.process_due_webhooks"),
        (MAILS, "accounts.tasks.tick"),
        (INVOICES, "billing.tasks.tick"),
    ):
        for point in points:
            worker.wait_for_death(point, partial(send_again, worker, task))
    finish_all_work(worker)

    assert Subscription.objects.get().status == "non_renewing"
    assert set(WebhookEvent.objects.values_list("event_id", "state")) >= {
        (event.id, WebhookEvent.State.PROCESSED),  # by the feed
        ("ev_lost", WebhookEvent.State.PROCESSED),  # by the resources that it names
    }
    # The worker died after the mail server accepted the mail: it was sent twice, with one Message-ID.
    message_ids = MESSAGE_ID.findall(worker.sent_mail_text())
    assert (len(message_ids), len(set(message_ids))) == (2, 1)
    pdf_bytes = b"".join(browser.get(browser.get(path).json()["downloadUrl"]))
    assert (pdf_bytes[:5], pdf_bytes.rstrip()[-5:]) == (b"%PDF-", b"%%EOF")


@pytest.mark.shows("reliability-15", "rule-22")
def test_a_renewal_is_told_once(provider: Provider, worker: KillableWorker, settings: Settings) -> None:
    bob = provider.subscriber("bob", FAITH)
    run_due_jobs()
    provider.travel_to(clock.billing_now() + timedelta(days=31, hours=1))
    [renewal] = provider.events("subscription_renewed")
    assert post_webhook(settings, renewal.raw_data) == 200

    for point in RENEWAL:
        task = "accounts.tasks.tick" if point.startswith(f"return {TOLD}._") else "billing.tasks.process_due_webhooks"
        worker.wait_for_death(point, partial(send_again, worker, task))
    finish_all_work(worker)

    (told,) = OutgoingMail.objects.all()
    assert (told.kind, told.context["title"]) == ("payment", "Receipt for Faith & Family: $6.99")
    assert [event.text for event in bob.events.filter(kind="bill_paid")] == [told.context["title"]]
    assert len(MESSAGE_ID.findall(worker.sent_mail_text())) == 1
