"""Plans as the subscriber's app sees them (contract, section 3, `Plan`)."""

from collections.abc import Iterable, Mapping
from typing import Any

from billing.catalog import PLANS, Plan, item_price_id
from billing.models import ItemPrice
from billing.queries.holdings import Holding
from billing.queries.instants import iso


def price_on_sale(price_id: str) -> ItemPrice | None:
    """Return a price that the provider still sells, None for any other."""
    row = ItemPrice.objects.filter(provider_id=price_id).first()
    return row if row is not None and row.is_on_sale else None


def held_plan(holding: Holding) -> dict[str, Any]:
    """Return the `Plan` of a subscription; amounts in cents, instants ISO 8601 in UTC."""
    return {
        **_offer(
            holding.plan, amount=holding.subscription.amount, period_unit=holding.subscription.period_unit
        ),
        "status": holding.status,
        "subId": holding.subscription.provider_id,
        "cancelAt": iso(holding.cancel_at),
        "nextBillingAt": iso(holding.next_billing_at),
        "pauseDate": iso(holding.pause_date),
        "resumeDate": iso(holding.resume_date),
        "hasUpcomingCoupon": holding.has_waiting("code"),
        "hasPauseSub": holding.is_paused,
        "hasScheduledPause": holding.has_scheduled_pause,
        "hasScheduledChange": holding.subscription.has_scheduled_changes,
        "scheduledPlan": _scheduled_plan(holding),
        "hasFreeMonth": holding.has_waiting("free_month"),
        "hasOtherPeriod": holding.other_period is not None,
    }


def _scheduled_plan(holding: Holding) -> dict[str, Any] | None:
    """Return what a plan changes to when its term ends, and when that is; None when no change waits."""
    price = holding.changing_to
    if price is None or holding.is_cancelled:
        return None
    return {
        "periodUnit": price.text("period_unit"),
        "amount": price.cents("price"),
        "at": iso(holding.subscription.current_term_end or holding.subscription.trial_end),
    }


def plan_after_change(plan: Mapping[str, Any], *, period_unit: str) -> dict[str, Any]:
    """Return a held `Plan` as it will be once its scheduled change to a period (`month` or `year`) has come.

    One that does not change to that period is returned as it is.
    """
    scheduled = plan["scheduledPlan"]
    if scheduled is None or scheduled["periodUnit"] != period_unit:
        return dict(plan)
    return {
        **plan,
        "amount": scheduled["amount"],
        "periodUnit": period_unit,
        "billingPeriod": period_unit.upper(),
    }


def added_plan(plan: Plan, *, amount: int, period_unit: str) -> dict[str, Any]:
    """Return the `Plan` of one that is about to start: active, without a subscription yet."""
    return {**_offer(plan, amount=amount, period_unit=period_unit), "status": "ACTIVE"}


def plans_to_add(holdings: Iterable[Holding], *, period_unit: str) -> list[dict[str, Any]]:
    """Return the plans on sale of services that the account has not, priced for a period (`month` or `year`).

    They have the shape of `Plan`, with null for what only a subscription has. One query.
    """
    held = {holding.plan.service for holding in holdings if not holding.is_cancelled}
    offered = [plan for plan in PLANS if plan.on_sale and plan.service not in held]
    prices = _prices(item_price_id(plan.id, period_unit) for plan in offered)
    return [
        _offer(plan, amount=prices[item_price_id(plan.id, period_unit)], period_unit=period_unit)
        for plan in offered
        if item_price_id(plan.id, period_unit) in prices
    ]


def _prices(ids: Iterable[str]) -> dict[str, int]:
    rows = ItemPrice.objects.filter(provider_id__in=list(ids))
    return {row.provider_id: row.cents("price") for row in rows if row.is_on_sale}


def _offer(plan: Plan, *, amount: int, period_unit: str) -> dict[str, Any]:
    return {
        "id": plan.id,
        "name": plan.name,
        "service": plan.service,
        "amount": amount,
        "status": None,
        "subId": None,
        "periodUnit": period_unit,
        "billingPeriod": period_unit.upper(),
        "cancelAt": None,
        "nextBillingAt": None,
        "pauseDate": None,
        "resumeDate": None,
        "hasUpcomingCoupon": False,
        "hasPauseSub": False,
        "hasScheduledPause": False,
        "hasScheduledChange": False,
        "scheduledPlan": None,
        "hasFreeMonth": False,
        "hasOtherPeriod": False,
    }
