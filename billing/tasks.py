"""Celery tasks: each makes one call, and is safe to run twice, late, or concurrently."""

from datetime import datetime

from celery import shared_task

from billing import clock
from billing.changes.discounts import bundle_coupons
from billing.invoices import pdf_files
from billing.jobs import paced_mails, recovery, schedule
from billing.mirror import account_import, next_bills
from billing.mirror.events import webhook_processing


@shared_task
def tick() -> None:
    """Refresh the clock's offset and sweep due work; the only task that beat enqueues."""
    recovery.run_tick()


@shared_task
def run_job(name: str, slot: str | None, helping: bool = False) -> None:
    """Run a slice of a job for a slot (ISO 8601, UTC) or of its requested run, or help with it."""
    instant = datetime.fromisoformat(slot) if slot else None
    schedule.run_job(name, instant, now=clock.billing_now(), helping=helping)


@shared_task
def send_paced_mails() -> None:
    """Send due mails that ask the provider for one slice; the sweep enqueues another while some are left."""
    paced_mails.send_paced_mails()


@shared_task
def process_webhook(event_pk: int) -> None:
    """Process a stored webhook event."""
    webhook_processing.process_event(event_pk)


@shared_task
def process_due_webhooks() -> None:
    """Process due webhook events for one slice; the sweep enqueues another while some are left."""
    webhook_processing.process_due_slice()


# Rendering takes a fraction of a second. The limits end a hanging worker before the PDF's lease of two minutes expires.
@shared_task(soft_time_limit=30, time_limit=45)
def make_invoice_pdf(pdf_pk: int) -> None:
    """Render an invoice PDF."""
    pdf_files.make_pdf(pdf_pk)


@shared_task
def align_bundle(account_pk: int) -> None:
    """Align an account's bundle coupons; the nightly reconcile retries a failure."""
    bundle_coupons.align_hinted_account(account_pk, now=clock.billing_now())


@shared_task
def resync_account(account_pk: int) -> None:
    """Resync an account after a sign-in."""
    account_import.resync_account_if_reachable(account_pk)


@shared_task
def estimate_next_bills(account_pk: int) -> None:
    """Request the wanted estimates of an account's next bills."""
    next_bills.estimate_wanted_bills(account_pk, now=clock.billing_now())
