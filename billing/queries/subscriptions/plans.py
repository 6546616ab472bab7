"""Plans as responses show them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from accounts.models import Account
from billing.models import Customer, ItemPrice, Plan
from billing.queries.subscriptions.holdings import CANCELLED, PAUSED, Holding, find_price
from billing.terms import DEFAULT_CURRENCY, BillingTerms


@dataclass(frozen=True)
class ScheduledPlan:
    """What a plan changes to at the end of its term: its terms and price in cents."""

    terms: BillingTerms
    amount: int
    at: datetime | None


@dataclass(frozen=True)
class PlanRow:
    """A plan, its price in cents, and what happens to it next; without a subscription, it has no id and no dates."""

    plan: Plan
    amount: int
    terms: BillingTerms
    status: str | None = None
    sub_id: str | None = None
    starts_at: datetime | None = None
    cancel_at: datetime | None = None
    next_billing_at: datetime | None = None
    contract_ends_at: datetime | None = None
    pause_date: datetime | None = None
    resume_date: datetime | None = None
    has_upcoming_coupon: bool = False
    has_scheduled_pause: bool = False
    has_scheduled_change: bool = False
    scheduled_plan: ScheduledPlan | None = None
    has_free_month: bool = False
    has_other_period: bool = False
    is_changeable: bool = True
    amount_today: int | None = None
    other_period_amount: int | None = None

    @property
    def billing_period(self) -> str:
        """The unit of its period in upper case."""
        return self.terms.period_unit.upper()

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
        terms=holding.terms,
        status=holding.status,
        sub_id=holding.subscription.provider_id,
        starts_at=holding.starts_at,
        cancel_at=holding.cancel_at,
        next_billing_at=holding.next_billing_at,
        contract_ends_at=holding.subscription.contract_end,
        pause_date=holding.pause_date,
        resume_date=holding.resume_date,
        has_upcoming_coupon=holding.has_waiting_discount("code"),
        has_scheduled_pause=holding.has_scheduled_pause,
        has_scheduled_change=holding.has_scheduled_change,
        scheduled_plan=_scheduled_plan(holding),
        has_free_month=holding.has_waiting_discount("free_month"),
        has_other_period=holding.other_period_price is not None,
        is_changeable=holding.is_changeable,
        amount_today=holding.price_today.cents("price") if holding.price_today else None,
    )


def _scheduled_plan(holding: Holding) -> ScheduledPlan | None:
    """Return what a plan changes to at the end of its term; None without a scheduled change."""
    price = holding.changing_to
    if price is None or holding.is_cancelled:
        return None
    return ScheduledPlan(
        terms=price.terms,
        amount=holding.next_amount,
        at=holding.subscription.period_end,
    )


def plans_to_add(held_services: Collection[str], *, terms: BillingTerms) -> list[PlanRow]:
    """Return the plans on sale of other services than the held ones, priced at these terms. Two queries."""
    offered = [plan for plan in Plan.objects.filter(on_sale=True) if plan.service not in held_services]
    prices = _item_prices(plan.id for plan in offered)
    return [
        _offered_plan(plan, price, find_price(prices, plan.id, terms.other_period))
        for plan in offered
        if (price := find_price(prices, plan.id, terms)) is not None
    ]


def _offered_plan(plan: Plan, price: ItemPrice, other_period_price: ItemPrice | None) -> PlanRow:
    amount = price.cents("price")
    return PlanRow(
        plan=plan,
        amount=amount,
        terms=price.terms,
        amount_today=amount,
        other_period_amount=other_period_price.cents("price") if other_period_price else None,
    )


def first_purchase_terms(account: Account) -> BillingTerms:
    """Return the terms of an account that never held a plan: monthly, in the currency that its customer prefers.

    If no plan is sold in it: in the default currency, else in the first that plans are sold in. Two queries.
    """
    customer = Customer.objects.filter(account=account).first()
    wanted = (customer.text("preferred_currency_code") if customer else "", DEFAULT_CURRENCY)
    on_sale = Plan.objects.filter(on_sale=True).values("pk")
    prices = ItemPrice.objects.filter(item_id__in=on_sale, deleted=False)
    sold = sorted({price.terms.currency for price in prices if price.is_on_sale})
    return BillingTerms(
        currency=next((currency for currency in (*wanted, *sold) if currency in sold), DEFAULT_CURRENCY)
    )


def prices_at_terms(item_ids: Iterable[str], terms: BillingTerms) -> dict[str, ItemPrice]:
    """Return the prices of these items at these terms by item, without items that are not sold so. One query."""
    wanted = list(item_ids)
    prices = _item_prices(wanted)
    found = {item_id: find_price(prices, item_id, terms) for item_id in wanted}
    return {item_id: price for item_id, price in found.items() if price is not None}


def _item_prices(item_ids: Iterable[str]) -> list[ItemPrice]:
    return list(ItemPrice.objects.filter(item_id__in=list(item_ids)).order_by("pk"))
