"""The sweep: what no message reached is found by its row and done (libraries.md, rule of the embedded broker)."""

import logging
from datetime import datetime

from billing import clock
from billing.gateway.errors import GatewayError
from billing.services import commands, invoices, jobs, provider_clock, webhooks
from billing.services.hints import hint

logger = logging.getLogger(__name__)


def tick() -> None:
    """Follow the provider's clock, then sweep by it; a provider that is away leaves the clock as it was."""
    try:
        provider_clock.refresh()
    except GatewayError as error:
        logger.warning("The provider's clock could not be read: %s", error)
    run(now=clock.now())


def run(*, now: datetime) -> None:
    """Settle open commands, and announce everything else that waits: jobs, events, PDFs."""
    jobs.announce_due(now=now)
    for event_pk in webhooks.due():
        hint("process_webhook", event_pk)
    for pdf_pk in invoices.due():
        hint("make_invoice_pdf", pdf_pk)
    commands.settle_due(now=now)
