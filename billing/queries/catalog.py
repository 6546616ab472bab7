"""What operators have arranged of the provider's catalog, and what they have not."""

from dataclasses import dataclass

from django.db import connection
from django.db.models import Count

from billing.models import ItemPrice, Plan, Subscription
from billing.models.mirror import LIVE_STATUSES


@dataclass(frozen=True)
class SubscribedPlan:
    """A plan and the number of its live subscriptions."""

    plan: Plan
    subscriptions: int


# From each price to the next one in the index, since nearly all rows have one of a few prices.
_SUBSCRIBED_PRICES_SQL = f"""
    WITH RECURSIVE prices(id) AS (
        SELECT min(item_price_id) FROM {Subscription._meta.db_table}
        UNION ALL
        SELECT (SELECT min(item_price_id) FROM {Subscription._meta.db_table} WHERE item_price_id > prices.id)
        FROM prices WHERE prices.id IS NOT NULL
    )
    SELECT id FROM prices WHERE id IS NOT NULL
"""  # noqa: S608  (our own table's name)


def unarranged_price_ids() -> set[str]:
    """Return the provider's ids of the subscribed prices whose item nobody has arranged. Two queries."""
    with connection.cursor() as cursor:
        cursor.execute(_SUBSCRIBED_PRICES_SQL)
        subscribed = {price_id for (price_id,) in cursor.fetchall()}
    arranged = ItemPrice.objects.filter(item_id__in=Plan.objects.values("pk"), provider_id__in=subscribed)
    return subscribed - set(arranged.values_list("provider_id", flat=True))


def subscribed_plans_outside_catalog() -> list[SubscribedPlan]:
    """Return the plans that nobody has arranged although somebody subscribes to them. Six queries at most."""
    live = Subscription.objects.filter(deleted=False, status__in=LIVE_STATUSES)
    outside = live.filter(item_price_id__in=unarranged_price_ids())
    counts = dict(outside.values_list("item_price_id").annotate(count=Count("pk")).order_by("item_price_id"))
    prices = {price.provider_id: price for price in ItemPrice.objects.filter(provider_id__in=counts)}
    plans = Plan.objects.by_price({price_id: prices.get(price_id) for price_id in counts})
    totals: dict[str, SubscribedPlan] = {}
    for price_id, plan in plans.items():
        before = totals[plan.id].subscriptions if plan.id in totals else 0
        totals[plan.id] = SubscribedPlan(plan, before + counts[price_id])
    return sorted(totals.values(), key=lambda subscribed: subscribed.plan.sort_key)
