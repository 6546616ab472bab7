"""Plans as responses show them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from billing.catalog import PLANS, Plan, build_item_price_id
from billing.models import ItemPrice
from billing.queries.holdings import CANCELLED, PAUSED, Holding


@dataclass(frozen=True)
class ScheduledPlan:
    """What a plan changes to at the end of its term: its period (`month` or `year`) and price in cents."""

    period_unit: str
    amount: int
    at: datetime | None


@dataclass(frozen=True)
class PlanRow:
    """A plan, its price in cents, and what happens to it next; without a subscription, it has no id and no dates."""

    plan: Plan
    amount: int
    period_unit: str
    status: str | None = None
    sub_id: str | None = None
    cancel_at: datetime | None = None
    next_billing_at: datetime | None = None
    pause_date: datetime | None = None
    resume_date: datetime | None = None
    has_upcoming_coupon: bool = False
    has_scheduled_pause: bool = False
    has_scheduled_change: bool = False
    scheduled_plan: ScheduledPlan | None = None
    has_free_month: bool = False
    has_other_period: bool = False

    @property
    def billing_period(self) -> str:
        """Its period in upper case."""
        return self.period_unit.upper()

    @property
    def is_paused(self) -> bool:
        """Whether its pause is in effect."""
        return self.status == PAUSED

    @property
    def is_cancelled(self) -> bool:
        """Whether it has ended."""
        return self.status == CANCELLED


def price_on_sale(price_id: str) -> ItemPrice | None:
    """Return a price that is on sale, or None."""
    row = ItemPrice.objects.filter(provider_id=price_id).first()
    return row if row is not None and row.is_on_sale else None


def held_plan(holding: Holding) -> PlanRow:
    """Return the plan of a subscription."""
    return PlanRow(
        plan=holding.plan,
        amount=holding.subscription.amount,
        period_unit=holding.subscription.period_unit,
        status=holding.status,
        sub_id=holding.subscription.provider_id,
        cancel_at=holding.cancel_at,
        next_billing_at=holding.next_billing_at,
        pause_date=holding.pause_date,
        resume_date=holding.resume_date,
        has_upcoming_coupon=holding.has_waiting_discount("code"),
        has_scheduled_pause=holding.has_scheduled_pause,
        has_scheduled_change=holding.subscription.has_scheduled_changes,
        scheduled_plan=_scheduled_plan(holding),
        has_free_month=holding.has_waiting_discount("free_month"),
        has_other_period=holding.other_period_price is not None,
    )


def _scheduled_plan(holding: Holding) -> ScheduledPlan | None:
    """Return what a plan changes to at the end of its term; None without a scheduled change."""
    price = holding.changing_to
    if price is None or holding.is_cancelled:
        return None
    return ScheduledPlan(
        period_unit=price.text("period_unit"),
        amount=price.cents("price"),
        at=holding.subscription.current_term_end or holding.subscription.trial_end,
    )


def plans_to_add(held_services: Collection[str], *, period_unit: str) -> list[PlanRow]:
    """Return the plans on sale of other services than the held ones, priced for a period. One query."""
    offered = [plan for plan in PLANS if plan.on_sale and plan.service not in held_services]
    prices = _prices_on_sale(build_item_price_id(plan.id, period_unit) for plan in offered)
    return [
        PlanRow(plan=plan, amount=prices[price_id], period_unit=period_unit)
        for plan in offered
        if (price_id := build_item_price_id(plan.id, period_unit)) in prices
    ]


def _prices_on_sale(ids: Iterable[str]) -> dict[str, int]:
    rows = ItemPrice.objects.filter(provider_id__in=list(ids))
    return {row.provider_id: row.cents("price") for row in rows if row.is_on_sale}
