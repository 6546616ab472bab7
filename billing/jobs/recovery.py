"""The sweep: find due work by its rows, whether or not a message announced it (decision 3)."""

import logging
from collections.abc import Callable
from datetime import datetime

from billing import clock
from billing.changes import cancellation_survey
from billing.commands import lifecycle
from billing.gateway.errors import GatewayError
from billing.invoices import pdf_files
from billing.jobs import paced_mails, schedule
from billing.jobs.command_kinds import COMMAND_KINDS
from billing.mirror import next_bills, provider_clock
from billing.mirror.events import webhook_processing
from billing.models import Heartbeat
from core.clock import database_now

logger = logging.getLogger(__name__)


def run_tick() -> None:
    """Record a heartbeat, refresh the clock's offset, and sweep. If the provider is away, keep the old offset."""
    Heartbeat.objects.update_or_create(pk=1, defaults={"at": database_now()})
    try:
        provider_clock.refresh_offset()
    except GatewayError as error:
        logger.warning("The provider's clock could not be read: %s", error)
    sweep_due_work(now=clock.billing_now())


def sweep_due_work(*, now: datetime) -> None:
    """Announce due jobs, events, mails, PDFs and estimates; settle open commands. If one fails, the others run."""
    sweeps: tuple[Callable[[], object], ...] = (
        lambda: schedule.announce_due_jobs(now=now),
        webhook_processing.announce_due_events,
        paced_mails.announce_paced_mails,
        lambda: pdf_files.announce_pdfs(pdf_files.due_pdf_ids()),
        next_bills.announce_due_estimates,
        lambda: settle_open_commands(now=now),
    )
    for sweep in sweeps:
        try:
            sweep()
        except Exception:
            logger.exception("A part of the sweep failed; the next tick retries it")


def settle_open_commands(*, now: datetime) -> dict[str, int]:
    """Settle the open commands whose lease has expired, and the surveys that came with them; return how many."""
    counts = lifecycle.settle_due_commands(COMMAND_KINDS, now=now)
    cancellation_survey.resolve_outcomes(now=now)
    return counts
