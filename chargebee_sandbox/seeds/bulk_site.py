"""Builds a site of many customers for measurements: a few are made by the API's operations, and copied in bulk.

A copy has its own ids and email address, and times that are some days earlier: renewals are spread over a month.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from django.db import transaction

from chargebee_sandbox.engine import time_machine
from chargebee_sandbox.models import Customer, Invoice, PaymentSource, Resource, Subscription, Transaction
from chargebee_sandbox.seeds import catalog
from chargebee_sandbox.seeds.demo_customers import VISA, DemoCustomer
from chargebee_sandbox.seeds.replay import replay_actions, sync_with_real_time, travel_to
from chargebee_sandbox.seeds.row_copies import Row, RowCopier, insert_rows
from chargebee_sandbox.seeds.term_dates import DAY, HOUR, find_term_anchor

PATTERN = DemoCustomer("bulk", "Bulk", "Pattern", "1 Main St", "Austin", "TX", "Texas", "73301")
PRICE = "faith-family-plan-USD-Monthly"
KINDS: tuple[type[Resource], ...] = (Customer, PaymentSource, Subscription, Transaction, Invoice)
ROWS_PER_PORTION = 2_000


def seed_bulk_site(count: int, *, months: int) -> int:
    """Erase the site and build `count` customers who subscribed `months` ago; return the number of copied rows."""
    now = int(time.time())
    with transaction.atomic():
        _seed_pattern(now, months)
        spread = max(1, (Subscription.objects.get()["next_billing_at"] - now) // DAY)
        sync_with_real_time()
        return sum(insert_rows(rows) for rows in _portions_of_copies(count, spread))


def _seed_pattern(now: int, months: int) -> None:
    began = find_term_anchor(now - HOUR, months=months)
    steps = sorted(
        [
            *catalog.catalog_actions(now),
            PATTERN.signs_up(began - HOUR),
            PATTERN.adds_card(began - HOUR, VISA, primary=True),
            PATTERN.subscribes_to(began, PRICE),
        ]
    )
    time_machine.start_afresh(steps[0].at - DAY)
    replay_actions(steps)
    travel_to(now)


def _portions_of_copies(count: int, spread: int) -> Iterator[list[Row]]:
    """Yield the rows of all copies, with times that are up to `spread` days earlier."""
    rows: list[Row] = [row for model in KINDS for row in model._default_manager.all()]
    names = [row.handle for row in rows]
    copier = RowCopier(rows, [*names, PATTERN.email])
    portion: list[Row] = []
    for number in range(1, count):
        words = {name: f"{name}-{number}" for name in names}
        words[PATTERN.email] = f"{PATTERN.id}-{number}@example.com"
        portion += copier.copy_rows(words, seconds=-(number % spread) * DAY)
        if len(portion) >= ROWS_PER_PORTION:
            yield portion
            portion = []
    yield portion
