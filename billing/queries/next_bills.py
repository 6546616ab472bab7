"""The next bills in figures: what is billed when, and what follows where it differs (docs/rules.md, rule 21).

The price of a next bill is the provider's estimate. What follows it is that estimate less the coupons that are left
then, and the customer's balances pay the bills in the order of their dates; of bills at one instant, that of the
subscription that was created first. No value depends on the current time.
"""

from __future__ import annotations

import calendar
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from billing.clock import add_months, format_iso_utc
from billing.models import ContentVersion, Customer, NextBillEstimate, PaymentSource, Plan
from billing.queries.bundles import BundleMember, RateTable, bundle_members, next_bill_at
from billing.queries.discounts import CouponBook, Discount, discounted_price
from billing.queries.payments.payment_methods import brand_of, source_account, type_name
from billing.queries.subscriptions.holdings import Holding
from billing.terms import DAY, WEEK, YEAR, BillingTerms

# How many bills of a plan are looked at for one that differs.
HORIZON = 36
# Times that differ less differ by the clock change, or by the seconds between an estimate and its use.
SAME_TIME = timedelta(hours=12)
INCLUDED, BEFORE = "included", "before"
NOT_CREATED = (datetime.max.replace(tzinfo=UTC), 0)


@dataclass(frozen=True)
class EstimatedBill:
    """A bill before balances, in cents: the full price, the price less coupons, and the tax, None if not estimated.

    `coupon_ids` are the coupons that it uses. It bills the time from `begins_at` to `ends_at` (UTC), None if not known.
    """

    full_price: int
    price: int
    tax: int | None
    coupon_ids: tuple[str, ...] = ()
    begins_at: datetime | None = None
    ends_at: datetime | None = None


@dataclass(frozen=True)
class Balances:
    """What pays a customer's next bills, in cents: promotional credits, which come off before tax, and others.

    They pay bills in their `currency` alone, if it is known.
    """

    promotional: int = 0
    refundable: int = 0
    currency: str = ""

    @classmethod
    def of_customer(cls, customer: Customer) -> Balances:
        """Return what a customer has."""
        return cls(
            promotional=customer.cents("promotional_credits"),
            refundable=customer.cents("refundable_credits") + customer.cents("excess_payments"),
            currency=customer.text("preferred_currency_code"),
        )

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left."""
        return not (self.promotional or self.refundable)

    @property
    def total(self) -> int:
        """What is left, in cents."""
        return self.promotional + self.refundable

    def can_pay(self, currency: str) -> bool:
        """Return whether they can pay bills in a currency (docs/rules.md, money-3)."""
        return self.currency in ("", currency)

    def pay(self, bill: EstimatedBill) -> tuple[int, Balances]:
        """Return what is due of a bill in their currency, and the balances that are left."""
        tax = bill.tax or 0
        promotional = min(bill.price, self.promotional)
        left = bill.price - promotional
        due = left + ((2 * tax * left + bill.price) // (2 * bill.price) if bill.price else tax)
        refundable = min(due, self.refundable)
        return due - refundable, Balances(self.promotional - promotional, self.refundable - refundable, self.currency)


@dataclass(frozen=True)
class BilledPlan:
    """A plan that will bill: when (UTC), at which terms and price, with which coupon rows, and its estimated next bill.

    `bill` is None while it is not known. From `ends_at` on it bills nothing, nor after `bills_left` bills; both are
    None without such an end. `subscription_id` is empty for a plan that has not started. `anchor_day` is the day of the
    month on which it bills where a month has that day. `full_price` is what a whole period costs before discounts
    (cents), which the next bill need not be; None if that is not known. `is_collected` says whether its bills are
    charged automatically, None if the customer says it. `creation` orders subscriptions by their creation: the time
    (UTC), and the row's key for those of one time.
    """

    plan: Plan
    subscription_id: str
    at: datetime
    terms: BillingTerms
    price_id: str
    bill: EstimatedBill | None
    coupon_rows: Sequence[Mapping[str, Any]] = ()
    source_id: str = ""
    is_collected: bool | None = None
    anchor_day: int = 0
    member: BundleMember | None = None
    ends_at: datetime | None = None
    bills_left: int | None = None
    full_price: int | None = None
    creation: tuple[datetime, int] = NOT_CREATED


@dataclass(frozen=True)
class NextBill:
    """A bill to come: its date (UTC) and amount in cents, None while it is not known.

    `follows` says that it is not the plan's next bill, but what the plan bills from that date on. `tax` says whether
    the amount includes tax.
    """

    date: datetime
    amount: int | None
    terms: BillingTerms
    plan: Plan
    subscription_id: str
    payment_source: PaymentSource | None
    tax: str = INCLUDED
    follows: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return it as responses show it, in values of JSON."""
        return {
            "date": format_iso_utc(self.date),
            "amount": self.amount,
            "currency_code": self.terms.currency,
            "period_unit": self.terms.period_unit,
            "period": self.terms.period,
            "plans": [self.subscription_id] if self.subscription_id else [],
            "plan_ids": [self.plan.id],
            "plan_names": [self.plan.name],
            "payment_source": _source_json(self.payment_source),
            "tax": self.tax,
            "follows": self.follows,
        }


@dataclass(frozen=True)
class Payer:
    """What an account's customer pays bills with."""

    balances: Balances = Balances()
    primary_id: str = ""
    is_collected: bool = True
    sources: Mapping[str, PaymentSource] = field(default_factory=dict)
    version: int = 0

    @classmethod
    def of_holdings(cls, holdings: Iterable[Holding]) -> Payer:
        """Return the payer of an account's holdings. Two queries; none without holdings."""
        pk = next((holding.subscription.customer_id for holding in holdings), None)
        return cls() if pk is None else cls.of_customer(Customer.objects.get(pk=pk))

    @classmethod
    def of_customer(cls, customer: Customer) -> Payer:
        """Return the payer that a customer is, also without a subscription. One query."""
        sources = PaymentSource.objects.filter(customer=customer, deleted=False)
        return cls(
            balances=Balances.of_customer(customer),
            primary_id=customer.text("primary_payment_source_id"),
            is_collected=customer.text("auto_collection") != "off",
            sources={source.provider_id: source for source in sources},
            version=customer.resource_version,
        )

    def source_for(self, plan: BilledPlan) -> PaymentSource | None:
        """Return the payment method that pays a plan's bills: its own, else the primary one; None if none does."""
        if not (self.is_collected if plan.is_collected is None else plan.is_collected):
            return None
        return self.sources.get(plan.source_id) or self.sources.get(self.primary_id)


def next_bills_of(holdings: Sequence[Holding]) -> list[NextBill]:
    """Return the next bills of an account's holdings, as far as their estimates are known. Nine queries at most."""
    payer = Payer.of_holdings(holdings)
    known = known_bills(holdings, payer)
    members = bundle_members(holding for holding in holdings if not holding.is_cancelled)
    plans = [
        plan
        for holding in holdings
        if (plan := billed_plan(holding, known.get(holding.subscription.pk), members)) is not None
    ]
    return project_bills(plans, members, payer, payer.balances)


def known_bills(holdings: Iterable[Holding], payer: Payer) -> dict[int, EstimatedBill]:
    """Return the estimates that are up to date, by the key of their subscription. Two queries."""
    versions = {holding.subscription.pk: holding.subscription.resource_version for holding in holdings}
    if not versions:
        return {}
    rows = NextBillEstimate.objects.filter(
        subscription__in=versions, customer_version=payer.version, content_version=content_version()
    )
    return {
        row.subscription_id: EstimatedBill(
            **{**row.bill, "coupon_ids": tuple(row.bill["coupon_ids"])},
            begins_at=row.bill_begins_at,
            ends_at=row.bill_ends_at,
        )
        for row in rows
        if row.bill is not None and row.subscription_version == versions[row.subscription_id]
    }


def content_version() -> int:
    """Return the version of prices, coupons and bundle rates. One query."""
    return ContentVersion.objects.values_list("version", flat=True).first() or 1


def billed_plan(holding: Holding, bill: EstimatedBill | None, members: Iterable[BundleMember]) -> BilledPlan | None:
    """Return how a subscription bills next with its scheduled change; None if nothing is scheduled to bill.

    Of a member of the bundle, `members` say when it bills and ends.
    """
    subscription = holding.subscription
    member = next((row for row in members if row.subscription_id == subscription.provider_id), None)
    at = member.bills_at if member else next_bill_at(holding)
    if at is None or holding.is_cancelled:
        return None
    if holding.is_paused:
        # Within a paid term a resume charges nothing.
        at = max(at, subscription.current_term_end or at)
    ends_at = member.ends_at if member else holding.cancel_at
    if ends_at is not None and at >= ends_at:
        return None
    price = holding.changing_to
    started = subscription.instant("current_term_start")
    return BilledPlan(
        plan=holding.plan,
        subscription_id=subscription.provider_id,
        at=at,
        terms=price.terms if price else holding.terms,
        price_id=price.provider_id if price else subscription.item_price_id,
        bill=bill,
        coupon_rows=subscription.coupons,
        source_id=subscription.text("payment_source_id"),
        is_collected={"on": True, "off": False}.get(subscription.text("auto_collection")),
        anchor_day=started.day if started and not holding.is_paused and not holding.has_scheduled_pause else at.day,
        member=member,
        ends_at=ends_at,
        bills_left=subscription.bills_left,
        full_price=holding.next_amount,
        creation=(subscription.created_at, subscription.pk),
    )


def project_bills(
    plans: Sequence[BilledPlan], members: Sequence[BundleMember], payer: Payer, balances: Balances
) -> list[NextBill]:
    """Return the next bill of each plan and, where it differs, what follows, by date.

    `members` are those of the bundle, `balances` what the customer has for these bills. While one bill is not known, a
    balance leaves all of them unknown: it cannot be told which it pays. Four queries at most.
    """
    if any(plan.bill is None for plan in plans) and not balances.is_empty:
        plans = [replace(plan, bill=None) for plan in plans]
    plans = sorted(plans, key=lambda plan: plan.creation)
    rates = RateTable.load_current() if any(plan.bill and plan.member for plan in plans) else None
    rows = [row for plan in plans for row in plan.coupon_rows]
    book = CouponBook.for_rows([*rows, *({"coupon_id": coupon} for coupon in (rates.ids if rates else ()))])
    bills = [
        (at, order, bill)
        for order, plan in enumerate(plans)
        for at, bill in _bills_in_sequence(plan, members, rates, book)
    ]
    found: list[NextBill] = []
    shown: dict[int, tuple[int | None, str]] = {}
    for at, order, bill in sorted(bills, key=lambda row: row[:2]):
        amount, tax = None, INCLUDED
        if bill is not None:
            if balances.can_pay(plans[order].terms.currency):
                amount, balances = balances.pay(bill)
            else:
                amount, _ = Balances().pay(bill)
            tax = BEFORE if bill.tax is None and bill.price else INCLUDED
        if shown.get(order) != (amount, tax):
            found.append(_next_bill(plans[order], payer, at, amount, tax, follows=order in shown))
        shown[order] = amount, tax
    return found


def _next_bill(
    plan: BilledPlan, payer: Payer, at: datetime, amount: int | None, tax: str, *, follows: bool
) -> NextBill:
    return NextBill(
        date=at,
        amount=amount,
        terms=plan.terms,
        plan=plan.plan,
        subscription_id=plan.subscription_id,
        payment_source=payer.source_for(plan),
        tax=tax,
        follows=follows,
    )


def _bills_in_sequence(
    plan: BilledPlan, members: Sequence[BundleMember], rates: RateTable | None, book: CouponBook
) -> Iterable[tuple[datetime, EstimatedBill | None]]:
    """Yield the time and the bill of each of a plan's next periods; only the first if what follows is not known."""
    yield plan.at, plan.bill
    # A discount that customer service has given without a coupon is in the estimate alone.
    if plan.bill is None or not {row["coupon_id"] for row in plan.coupon_rows}.issuperset(plan.bill.coupon_ids):
        return
    rows = rows_after_bill(plan.coupon_rows, plan.bill.coupon_ids, plan.at, book)
    full_price = plan.bill.full_price if plan.full_price is None else plan.full_price
    for count in range(1, min(HORIZON, plan.bills_left or HORIZON)):
        at = date_after_bill(plan, count)
        if plan.ends_at is not None and at >= plan.ends_at:
            return
        due_rows = _rows_at(rows, plan.member, at, members, rates)
        discounts = [discount for discount in book.discounts_in(due_rows, plan.price_id) if discount.is_in_force_at(at)]
        bill = _discounted_bill(plan.bill, full_price, discounts)
        rows = rows_after_bill(rows, bill.coupon_ids, at, book)
        yield at, bill


def date_after_bill(plan: BilledPlan, count: int = 1) -> datetime:
    """Return when a plan bills `count` periods after its next bill (UTC).

    On a site with a fixed billing day, the next bill may be for part of a period, after which the periods are whole.
    """
    cut_end = _cut_period_end(plan)
    if cut_end is None:
        return bill_date(plan.at, plan.terms, count, anchor_day=plan.anchor_day)
    return bill_date(cut_end, plan.terms, count - 1, anchor_day=cut_end.day)


def _cut_period_end(plan: BilledPlan) -> datetime | None:
    """Return when the period of a plan's next bill ends (UTC) if that is not a whole one; None if it is.

    An estimate for another time, as that of a plan that pauses before, does not tell it.
    """
    begins_at, ends_at = (plan.bill.begins_at, plan.bill.ends_at) if plan.bill else (None, None)
    if begins_at is None or ends_at is None or abs(begins_at - plan.at) > SAME_TIME:
        return None
    whole_end = bill_date(plan.at, plan.terms, 1, anchor_day=plan.anchor_day)
    return None if abs(ends_at - whole_end) < SAME_TIME else ends_at


def _discounted_bill(first: EstimatedBill, full_price: int, discounts: Sequence[Discount]) -> EstimatedBill:
    """Return a later bill of a full price with these discounts; the first one if it has the same.

    Otherwise its tax is unknown, unless the first one has none.
    """
    coupon_ids = tuple(discount.coupon_id for discount in discounts)
    if set(coupon_ids) == set(first.coupon_ids) and full_price == first.full_price:
        return first
    price = discounted_price(full_price, discounts).total
    return EstimatedBill(full_price, price, 0 if first.tax == 0 else None, coupon_ids)


def rows_after_bill(
    rows: Iterable[Mapping[str, Any]], used: Collection[str], at: datetime, book: CouponBook
) -> list[Mapping[str, Any]]:
    """Return the coupon rows that a bill leaves that uses some of them."""
    left = [book.row_after_use(row, at) if row["coupon_id"] in used else row for row in rows]
    return [row for row in left if row is not None]


def _rows_at(
    rows: Sequence[Mapping[str, Any]],
    member: BundleMember | None,
    at: datetime,
    members: Sequence[BundleMember],
    rates: RateTable | None,
) -> Sequence[Mapping[str, Any]]:
    """Return the coupon rows with the bundle's coupon of a bill at a time."""
    if member is None or rates is None:
        return rows
    held = {str(row["coupon_id"]) for row in rows}
    coupons = rates.coupon_for(sum(other.is_live_after(at) for other in members), held=held)
    own = [row for row in rows if row["coupon_id"] not in rates.ids]
    return [*own, *({"coupon_id": coupon} for coupon in coupons)]


def bill_date(first: datetime, terms: BillingTerms, count: int, *, anchor_day: int) -> datetime:
    """Return when a plan bills `count` periods after its next bill (UTC)."""
    periods = terms.period * count
    if terms.period_unit in (DAY, WEEK):
        return first + timedelta(**{f"{terms.period_unit}s": periods})
    at = add_months(first, periods * 12 if terms.period_unit == YEAR else periods)
    is_month_end = first.day == calendar.monthrange(first.year, first.month)[1]
    if not is_month_end or anchor_day <= at.day:
        return at
    return at.replace(day=min(anchor_day, calendar.monthrange(at.year, at.month)[1]))


def _source_json(source: PaymentSource | None) -> dict[str, Any] | None:
    if source is None:
        return None
    return {
        "payment_source_id": source.provider_id,
        "type": source.text("type").upper(),
        "type_name": type_name(source.text("type")),
        "brand": brand_of(source),
        "last4": (source.payload.get("card") or {}).get("last4"),
        "account": source_account(source) or None,
    }
