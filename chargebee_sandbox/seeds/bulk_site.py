"""Builds a site of many customers for measurements: a few are made by the API's operations, and copied in bulk.

A copy has its own ids and email address, and times that are some days earlier: renewals are spread over a month.
"""

from __future__ import annotations

import json
import time
from itertools import islice
from typing import Any

from django.db import transaction

from chargebee_sandbox.engine import time_machine
from chargebee_sandbox.models import Customer, Invoice, PaymentSource, Resource, Subscription, Transaction
from chargebee_sandbox.seeds import catalog
from chargebee_sandbox.seeds.demo_customers import VISA, DemoCustomer
from chargebee_sandbox.seeds.demo_site import replay_actions, sync_with_real_time, travel_to
from chargebee_sandbox.seeds.term_dates import DAY, HOUR, find_term_anchor

PATTERN = DemoCustomer("bulk", "Bulk", "Pattern", "1 Main St", "Austin", "TX", "Texas", "73301")
PRICE = "faith-family-plan-USD-Monthly"
KINDS: tuple[type[Resource], ...] = (Customer, PaymentSource, Subscription, Transaction, Invoice)
ROWS_PER_INSERT = 2_000
# A whole number of this size in a body is a time in seconds.
EARLIEST_TIME, LATEST_TIME = 1_000_000_000, 4_000_000_000


def seed_bulk_site(count: int, *, months: int) -> int:
    """Erase the site and build `count` customers who subscribed `months` ago; return the number of copied rows."""
    now = int(time.time())
    with transaction.atomic():
        _seed_pattern(now, months)
        spread = max(1, (Subscription.objects.get()["next_billing_at"] - now) // DAY)
        sync_with_real_time()
        names = [handle for model in KINDS for handle in model._default_manager.values_list("handle", flat=True)]
        return sum(_copy_rows(model, count, spread, names) for model in KINDS)


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


def _copy_rows(model: type[Resource], count: int, spread: int, names: list[str]) -> int:
    """Insert the copies of a kind's rows; return how many."""
    copies = (
        _copy_row(row, number, spread, names)
        for row in list(model._default_manager.all())
        for number in range(1, count)
    )
    inserted = 0
    while batch := list(islice(copies, ROWS_PER_INSERT)):
        inserted += len(model._default_manager.bulk_create(batch))
    return inserted


def _copy_row(row: Resource, number: int, spread: int, names: list[str]) -> Resource:
    """Return an unsaved copy of a row with other ids, and times that are up to `spread` days earlier."""
    columns = {
        field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields if not field.primary_key
    }
    text = json.dumps(columns)
    for name in names:
        text = text.replace(json.dumps(name), json.dumps(f"{name}-{number}"))
    text = text.replace(PATTERN.email, f"{PATTERN.id}-{number}@example.com")
    return type(row)(**_shift_times(json.loads(text), -(number % spread) * DAY))


def _shift_times(value: Any, seconds: int) -> Any:
    if isinstance(value, dict):
        return {name: _shift_times(part, seconds) for name, part in value.items()}
    if isinstance(value, list):
        return [_shift_times(part, seconds) for part in value]
    is_time = type(value) is int and EARLIEST_TIME < value < LATEST_TIME
    return value + seconds if is_time else value
