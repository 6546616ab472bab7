"""The `Plan` objects of responses, with camelCase keys."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from billing.catalog import PLANS, Plan, build_item_price_id
from billing.models import ItemPrice
from billing.queries.holdings import Holding
from billing.queries.time_format import format_iso_utc


def price_on_sale(price_id: str) -> ItemPrice | None:
    """Return a price that is on sale, or None."""
    row = ItemPrice.objects.filter(provider_id=price_id).first()
    return row if row is not None and row.is_on_sale else None


def held_plan(holding: Holding) -> dict[str, Any]:
    """Return the `Plan` of a subscription; amounts in cents, times in ISO 8601 UTC."""
    return {
        **_plan_fields(
            holding.plan, amount=holding.subscription.amount, period_unit=holding.subscription.period_unit
        ),
        "status": holding.status,
        "subId": holding.subscription.provider_id,
        "cancelAt": format_iso_utc(holding.cancel_at),
        "nextBillingAt": format_iso_utc(holding.next_billing_at),
        "pauseDate": format_iso_utc(holding.pause_date),
        "resumeDate": format_iso_utc(holding.resume_date),
        "hasUpcomingCoupon": holding.has_waiting_discount("code"),
        "hasPauseSub": holding.is_paused,
        "hasScheduledPause": holding.has_scheduled_pause,
        "hasScheduledChange": holding.subscription.has_scheduled_changes,
        "scheduledPlan": _scheduled_plan(holding),
        "hasFreeMonth": holding.has_waiting_discount("free_month"),
        "hasOtherPeriod": holding.other_period_price is not None,
    }


def _scheduled_plan(holding: Holding) -> dict[str, Any] | None:
    """Return the period and price the plan changes to at the end of its term; None without a scheduled change."""
    price = holding.changing_to
    if price is None or holding.is_cancelled:
        return None
    return {
        "periodUnit": price.text("period_unit"),
        "amount": price.cents("price"),
        "at": format_iso_utc(holding.subscription.current_term_end or holding.subscription.trial_end),
    }


def plan_after_change(plan: Mapping[str, Any], *, period_unit: str) -> dict[str, Any]:
    """Return a `Plan` as it will be after its scheduled change to a period (`month` or `year`).

    A plan without such a change is returned unchanged.
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
    """Return the `Plan` of a plan about to start: active, without a subscription id."""
    return {**_plan_fields(plan, amount=amount, period_unit=period_unit), "status": "ACTIVE"}


def plans_to_add(held_services: Collection[str], *, period_unit: str) -> list[dict[str, Any]]:
    """Return the plans on sale of other services than the held ones, priced for a period (`month` or `year`).

    They are `Plan` objects with null where only a subscription has a value. One query.
    """
    offered = [plan for plan in PLANS if plan.on_sale and plan.service not in held_services]
    prices = _prices_on_sale(build_item_price_id(plan.id, period_unit) for plan in offered)
    return [
        _plan_fields(plan, amount=prices[build_item_price_id(plan.id, period_unit)], period_unit=period_unit)
        for plan in offered
        if build_item_price_id(plan.id, period_unit) in prices
    ]


def _prices_on_sale(ids: Iterable[str]) -> dict[str, int]:
    rows = ItemPrice.objects.filter(provider_id__in=list(ids))
    return {row.provider_id: row.cents("price") for row in rows if row.is_on_sale}


def _plan_fields(plan: Plan, *, amount: int, period_unit: str) -> dict[str, Any]:
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
