"""The sweep: what no message reached is found by its row and done (libraries.md, rule of the embedded broker)."""

from datetime import datetime

from billing.services import commands, invoices, jobs, webhooks
from billing.services.hints import hint


def run(*, now: datetime) -> None:
    """Settle open commands, and announce everything else that waits: jobs, events, PDFs."""
    jobs.announce_due(now=now)
    for event_pk in webhooks.due():
        hint("process_webhook", event_pk)
    for pdf_pk in invoices.due():
        hint("make_invoice_pdf", pdf_pk)
    commands.settle_due(now=now)
