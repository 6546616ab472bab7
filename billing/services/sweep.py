"""The sweep: what no message reached is found by its row and done (decision 6)."""

import logging
from collections.abc import Callable
from datetime import datetime

from billing import clock
from billing.gateway.errors import GatewayError
from billing.models import Heartbeat
from billing.services import alignment, invoices, jobs, leases, provider_clock, settling, webhooks

logger = logging.getLogger(__name__)


def tick() -> None:
    """Note that a worker lives, follow the provider's clock, then sweep by it; one that is away leaves it as it was."""
    Heartbeat.objects.update_or_create(pk=1, defaults={"at": leases.now()})
    try:
        provider_clock.refresh()
    except GatewayError as error:
        logger.warning("The provider's clock could not be read: %s", error)
    run(now=clock.now())


def run(*, now: datetime) -> None:
    """Announce what waits (jobs, bundles, events, PDFs), settle open commands; one that fails keeps no other away."""
    parts: tuple[Callable[[], object], ...] = (
        lambda: jobs.announce_due(now=now),
        alignment.announce,
        webhooks.announce_due,
        lambda: invoices.announce(invoices.due()),
        lambda: settling.settle_due(now=now),
    )
    for part in parts:
        try:
            part()
        except Exception:
            logger.exception("A part of the sweep failed; the next minute takes it up again")
