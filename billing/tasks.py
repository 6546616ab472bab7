"""Celery tasks: each loads by id, makes one service call, and is safe to run twice, late or at the same time."""

from datetime import datetime

from celery import shared_task

from billing import clock
from billing.services import alignment, invoices, jobs, sweep, sync, webhooks


@shared_task
def tick() -> None:
    """Beat's only entry: follow the provider's clock, then start and finish whatever is due."""
    sweep.tick()


@shared_task
def run_job(name: str, slot: str, helping: bool = False) -> None:
    """Run a scheduled job for a slot (ISO 8601, UTC), or help with it."""
    jobs.run(name, datetime.fromisoformat(slot), now=clock.now(), helping=helping)


@shared_task
def process_webhook(event_pk: int) -> None:
    """Process a stored event of the provider."""
    webhooks.process(event_pk)


@shared_task
def process_due_webhooks() -> None:
    """Process stored events that are due, for a while; the sweep sends another message while some are left."""
    webhooks.process_in_turn()


# A page takes a fraction of a second. Whoever hangs is ended well before the next try begins, two minutes later.
@shared_task(soft_time_limit=30, time_limit=45)
def make_invoice_pdf(pdf_pk: int) -> None:
    """Render a wanted invoice PDF."""
    invoices.make(pdf_pk)


@shared_task
def align_bundle(account_pk: int) -> None:
    """Put an account's bundle coupons right; the night does it too if this cannot."""
    alignment.align_as_told(account_pk, now=clock.now())


@shared_task
def align_all_bundles() -> None:
    """Put bundles' coupons right for a while, after an operator changed a rate; a message goes on with the rest."""
    alignment.go_on_if_waiting(now=clock.now())


@shared_task
def resync_account(account_pk: int) -> None:
    """Read what the provider holds on an account, after its sign-in."""
    sync.resync_if_reachable(account_pk)
