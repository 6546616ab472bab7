"""Celery tasks: each loads by id, makes one service call, and is safe to run twice, late or at the same time."""

import logging
from datetime import datetime

from celery import shared_task

from accounts.models import Account
from billing import clock
from billing.gateway.errors import GatewayError
from billing.services import invoices, jobs, provider_clock, sweep, sync, webhooks

logger = logging.getLogger(__name__)


@shared_task
def tick() -> None:
    """Beat's only entry: follow the provider's clock, then start and finish whatever is due."""
    try:
        provider_clock.refresh()
    except GatewayError as error:
        logger.warning("The provider's clock could not be read: %s", error)
    sweep.run(now=clock.now())


@shared_task
def run_job(name: str, slot: str) -> None:
    """Run a scheduled job for a slot (ISO 8601, UTC)."""
    jobs.run(name, datetime.fromisoformat(slot), now=clock.now())


@shared_task
def process_webhook(event_pk: int) -> None:
    """Process a stored event of the provider."""
    webhooks.process(event_pk)


@shared_task
def make_invoice_pdf(pdf_pk: int) -> None:
    """Render a wanted invoice PDF."""
    invoices.make(pdf_pk)


@shared_task
def resync_account(account_pk: int) -> None:
    """Read what the provider holds on an account, after its sign-in; the reconciler does it too if this fails."""
    try:
        sync.resync_account(Account.objects.get(pk=account_pk))
    except GatewayError as error:
        logger.warning("Account %s could not be read again: %s", account_pk, error)
