"""A night with 20,000 notices and hundreds of receipts to send, a limited provider and a slow mail server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from celery import Celery

from accounts.models import Account, OutgoingMail
from billing.models import RequestPace
from conftest import run_sandbox_process
from faults.support.running_portal import RunningPortal

NOTICES, RECEIPTS = 20_000, 600
SECONDS_PER_MAIL = 0.2
# The provider's limit, and what jobs may use of it.
PROVIDER_REQUESTS, JOB_REQUESTS = 150, 100
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
