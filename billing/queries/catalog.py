"""What operators have arranged of the provider's catalog, and what they have not."""

from dataclasses import dataclass

from django.db import connection

from billing.models import ItemPrice, Plan, Subscription
from billing.models.mirror import LIVE_STATUSES


@dataclass(frozen=True)
class SubscribedPlan:
    """A plan and the number of its live subscriptions, of which those of a price are counted up to a limit."""

    plan: Plan
    subscriptions: int


# From each price to the next one in the index, since nearly all rows have one of a few prices.
_PRICES_SQL = """
    WITH RECURSIVE prices(id) AS (
        SELECT min(item_price_id) FROM {rows}
        UNION ALL
        SELECT (SELECT min(item_price_id) FROM {rows} AND item_price_id > prices.id)
        FROM prices WHERE prices.id IS NOT NULL
    )
    SELECT id, (SELECT count(*) FROM (SELECT 1 FROM {rows} AND item_price_id = prices.id LIMIT %s) AS counted)
    FROM prices WHERE id IS NOT NULL
"""
_ALL_ROWS = f"{Subscription._meta.db_table} WHERE true"
# The condition of an index.
_LIVE_ROWS = f"{Subscription._meta.db_table} WHERE NOT deleted AND status IN {LIVE_STATUSES}"


def unarranged_price_ids() -> set[str]:
    """Return the provider's ids of the subscribed prices whose item nobody has arranged. Two queries."""
    return set(_count_unarranged(_ALL_ROWS, limit=0))


def subscribed_plans_outside_catalog(*, limit: int) -> list[SubscribedPlan]:
    """Return the plans that nobody has arranged although somebody subscribes to them. Six queries at most.

    The subscriptions of a price are counted up to a limit.
    """
    counts = _count_unarranged(_LIVE_ROWS, limit=limit)
    prices = {price.provider_id: price for price in ItemPrice.objects.filter(provider_id__in=counts)}
    plans = Plan.objects.by_price({price_id: prices.get(price_id) for price_id in counts})
    totals: dict[str, SubscribedPlan] = {}
    for price_id, plan in plans.items():
        before = totals[plan.id].subscriptions if plan.id in totals else 0
        totals[plan.id] = SubscribedPlan(plan, before + counts[price_id])
    return sorted(totals.values(), key=lambda subscribed: subscribed.plan.sort_key)


def _count_unarranged(rows: str, *, limit: int) -> dict[str, int]:
    """Return how many of some rows have each price whose item nobody has arranged, up to a limit."""
    with connection.cursor() as cursor:
        cursor.execute(_PRICES_SQL.format(rows=rows), [limit])
        counts = dict(cursor.fetchall())
    arranged = ItemPrice.objects.filter(item_id__in=Plan.objects.values("pk"), provider_id__in=counts)
    arranged_ids = set(arranged.values_list("provider_id", flat=True))
    return {price_id: count for price_id, count in sorted(counts.items()) if price_id not in arranged_ids}
