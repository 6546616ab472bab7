"""A night's notices and thousands of receipts wait: sign-in codes and changes do not wait behind them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from celery import Celery

from accounts.models import Account, OutgoingMail
from billing.mirror import account_import
from billing.models import RequestPace
from billing.tests.support.live_provider import FAITH
from conftest import run_sandbox_process
from faults.support.running_portal import RunningPortal, wait_until
from faults.test_mail_server import ask_for_code

NOTICES, RECEIPTS = 20_000, 600
# More receipts than the workers send at once: those that remain show that a code did not wait for its turn.
SENT_AT_ONCE = 20
SECONDS_PER_MAIL = 0.2
# The provider's limit, and what jobs may use of it.
PROVIDER_REQUESTS, JOB_REQUESTS = 150, 100
CODES = 5
RECEIPT: dict[str, object] = {"title": "Kept", "lines": ["It was kept."], "facts": []}
State, Queue = OutgoingMail.State, OutgoingMail.Queue


def queue_notices(account: Account) -> None:
    """Store notices of the account's renewal, all of them due."""
    subscription = account.customer.subscriptions.get()
    at = subscription.next_billing_at
    assert at is not None
    about = {"what": "renewal", "subscription": subscription.pk, "at": int(at.timestamp())}
    mail = {"kind": "notice", "to": account.email, "account": account, "context": {"about": about}}
    OutgoingMail.objects.bulk_create(
        [OutgoingMail(**mail, queue=Queue.JOBS, expires_at=at) for _ in range(NOTICES)], batch_size=2_000
    )


def queue_receipts(portal: RunningPortal) -> None:
    """Store receipts and enqueue their tasks."""
    mails = OutgoingMail.objects.bulk_create(
        OutgoingMail(kind="receipt", to=f"many{number}@example.com", context=RECEIPT) for number in range(RECEIPTS)
    )
    with Celery(broker=portal.redis.url_at_port(portal.redis.port), set_as_current=False) as app:
        for mail in mails:
            app.send_task("accounts.tasks.send_mail", args=(mail.pk,), queue="mail")


@contextmanager
def busy_night(portal: RunningPortal) -> Iterator[None]:
    """Limit the provider's requests, make the mail server slow, and drop the waiting mails in the end."""
    unlimited = portal.provider_proxy.target
    with run_sandbox_process(portal.folder, SANDBOX_REQUESTS_PER_MINUTE=str(PROVIDER_REQUESTS)) as limited:
        portal.provider_proxy.target = limited.port
        portal.mail_server.seconds_per_mail = SECONDS_PER_MAIL
        portal.processes["jobs"].terminate_process()
        portal.run_process("jobs", CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE=str(JOB_REQUESTS))
        try:
            yield
        finally:
            portal.processes["jobs"].kill_process()
            portal.redis.open_client().delete("mail", "jobs")
            OutgoingMail.objects.filter(state=State.PENDING).delete()
            RequestPace.objects.all().delete()
            portal.provider_proxy.target = unlimited
            portal.run_process("jobs")


@pytest.mark.shows("reliability-40")
def test_codes_and_changes_do_not_wait_behind_notices(portal: RunningPortal) -> None:
    account, browser = portal.create_subscriber("wren")
    portal.provider.subscribe("wren", FAITH, unit="Yearly")
    account_import.resync_account(account)
    for number in range(CODES):
        portal.create_subscriber(f"xena{number}")
    notices = OutgoingMail.objects.filter(account=account, kind="notice")
    receipts = OutgoingMail.objects.filter(to__startswith="many", state=State.PENDING)
    queue_notices(account)
    with busy_night(portal):
        queue_receipts(portal)
        began = time.monotonic()
        portal.send_ticks()
        wait_until(notices.filter(state=State.SENT).exists, what="the first notice")
        for number in range(CODES):
            ask_for_code(portal, f"xena{number}@example.com")
            portal.mail_server.wait_for_mails(f"xena{number}@example.com")
            assert receipts.count() > SENT_AT_ONCE
            changed = {"firstName": "Wren", "lastName": f"Number {number}", "bmonth": 0, "bday": 0}
            key = {"Idempotency-Key": f"wren-{number}"}
            assert browser.post("/api/account/profile/update", json=changed, headers=key).status_code == 200
        assert notices.filter(state=State.PENDING).count() > NOTICES - 100
        # Two requests each, at the pace of jobs after a burst of a tenth of a minute.
        minutes = (time.monotonic() - began) / 60
        assert notices.filter(state=State.SENT).count() <= (JOB_REQUESTS / 10 + JOB_REQUESTS * minutes) / 2 + 1
