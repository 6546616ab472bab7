"""What operators have arranged of the provider's catalog, and what they have not."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet

from billing.models import ItemPrice, Plan, Subscription
from billing.models.mirror import LIVE_STATUSES


@dataclass(frozen=True)
class SubscribedPlan:
    """A plan and the number of its live subscriptions."""

    plan: Plan
    subscriptions: int


def arranged_price_ids() -> QuerySet[ItemPrice, Any]:
    """Return the provider's ids of the prices of arranged items, for a filter."""
    return ItemPrice.objects.filter(item_id__in=Plan.objects.values("pk")).values("provider_id")


def subscribed_plans_outside_catalog() -> list[SubscribedPlan]:
    """Return the plans that nobody has arranged although somebody subscribes to them. Four queries at most."""
    live = Subscription.objects.filter(deleted=False, status__in=LIVE_STATUSES)
    outside = live.exclude(item_price_id__in=arranged_price_ids())
    counts = dict(outside.values_list("item_price_id").annotate(count=Count("pk")).order_by("item_price_id"))
    prices = {price.provider_id: price for price in ItemPrice.objects.filter(provider_id__in=counts)}
    plans = Plan.objects.by_price({price_id: prices.get(price_id) for price_id in counts})
    totals: dict[str, SubscribedPlan] = {}
    for price_id, plan in plans.items():
        before = totals[plan.id].subscriptions if plan.id in totals else 0
        totals[plan.id] = SubscribedPlan(plan, before + counts[price_id])
    return sorted(totals.values(), key=lambda subscribed: subscribed.plan.sort_key)
