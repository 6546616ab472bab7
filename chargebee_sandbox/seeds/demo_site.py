"""Builds the demo site: replays the actions of the catalog and the customers, then moves the clock to the present."""

from __future__ import annotations

import time

from django.db import transaction

from chargebee_sandbox.engine import time_machine
from chargebee_sandbox.models import Customer
from chargebee_sandbox.seeds import catalog, demo_customers
from chargebee_sandbox.seeds.operation_caller import OperationCaller, SeedAction
from chargebee_sandbox.seeds.term_dates import DAY
from chargebee_sandbox.site import Site


class JourneyFailed(RuntimeError):
    """The time machine did not reach its destination."""


def is_seeded() -> bool:
    """Return whether the site has customers already."""
    return Customer.objects.exists()


def seed_site(present: int | None = None) -> int:
    """Erase the site and build the demo, whose history ends at `present` (seconds UTC, by default the real time).

    Runs in one transaction. Without `present` the site's clock is the real time afterwards; with it, the clock
    continues from that instant. Return the number of actions.
    """
    now = int(time.time()) if present is None else present
    steps = sorted([*catalog.catalog_actions(now), *demo_customers.customer_actions(now)])
    with transaction.atomic():
        time_machine.start_afresh(steps[0].at - DAY)
        replay_actions(steps)
        travel_to(now)
        if present is None:
            sync_with_real_time()
    return len(steps)


def replay_actions(steps: list[SeedAction]) -> None:
    """Perform actions in their order, each at its instant. Raises JourneyFailed."""
    provider = OperationCaller()
    for step in steps:
        travel_to(step.at)
        step.perform(provider)


def travel_to(instant: int) -> None:
    """Move the site's clock to an instant (seconds UTC), with everything that falls due. Raises JourneyFailed."""
    time_machine.start_journey(instant)
    time_machine.run_journey()
    site = Site.load()
    if site.time_travel_status != "succeeded":
        raise JourneyFailed(site.failure_reason)


def sync_with_real_time() -> None:
    """Run what fell due while the site was seeded, then set the site's clock to the real time."""
    travel_to(int(time.time()))
    Site.objects.update(offset_ms=0)
