"""Builds the demo site: replays the actions of the catalog and the customers, then moves the clock to the present."""

from __future__ import annotations

import time

from django.db import transaction

from chargebee_sandbox.engine import time_machine
from chargebee_sandbox.models import Customer
from chargebee_sandbox.seeds import catalog, demo_customers, past_site
from chargebee_sandbox.seeds.replay import replay_actions, sync_with_real_time, travel_to
from chargebee_sandbox.seeds.term_dates import DAY


def is_seeded() -> bool:
    """Return whether the site has customers already."""
    return Customer.objects.exists()


def seed_site(present: int | None = None, *, past_copies: int = 0) -> int:
    """Erase the site and build the demo, whose history ends at `present` (seconds UTC, by default the real time).

    With `past_copies` it has a year of many subscribers beside the named ones: of those who lived alike, so many at
    most. Runs in one transaction. Without `present` the site's clock is the real time afterwards; with it, the clock
    continues from that instant. Return the number of customers.
    """
    now = int(time.time()) if present is None else present
    steps = sorted([*catalog.catalog_actions(now), *demo_customers.customer_actions(now)])
    with transaction.atomic():
        patterns = past_site.live_past(now) if past_copies else []
        time_machine.start_afresh(steps[0].at - DAY)
        past_site.insert_past(patterns, most=past_copies)
        replay_actions(steps)
        past_site.count_redemptions()
        travel_to(now)
        if present is None:
            sync_with_real_time()
    return Customer.objects.count()
