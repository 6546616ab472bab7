"""Discounts: what the coupons on a subscription, and discounts by hand, take off its next bill.

Bundle coupons are item-level, all others invoice-level. Discounts by hand, which customer service gives without a
coupon, are of both kinds. The provider applies item-level ones first, then fixed amounts, then percentages, each to the
remainder.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from billing.clock import add_months
from billing.models import BundleRate, Coupon, ItemPrice, Subscription
from billing.money import percentage_of

FREE_MONTH_COUPON = "FREE-MONTH"
ITEM_LEVEL = "each_specified_item"
BY_HAND, OF_ITEM = "by_hand", "specific_item_price"
ONE_TIME, LIMITED = "one_time", "limited_period"


@dataclass(frozen=True)
class Discount:
    """One coupon on one subscription, or a discount by hand, worth `cents` or `percentage` percent.

    `kind` is `bundle`, `free_month`, `code` or `by_hand`. `until` is the end of one with a limited period (exclusive,
    UTC).
    """

    coupon_id: str
    kind: str
    item_level: bool
    cents: int = 0
    percentage: Decimal = Decimal(0)
    until: datetime | None = None

    def is_in_force_at(self, bill: datetime | None) -> bool:
        """Return whether it still applies to a bill at this time."""
        return self.until is None or bill is None or bill < self.until

    def amount_off(self, cents: int) -> int:
        """Return the discount on `cents`, rounded half up to the cent and never more than `cents`."""
        return min(cents, self.cents + percentage_of(cents, self.percentage))


@dataclass(frozen=True)
class Price:
    """One subscription's next bill before tax, in cents: the full amount and the discounts."""

    amount: int
    bundle_savings: int = 0
    coupon_discount: int = 0

    @property
    def total(self) -> int:
        """The amount after discounts; never below 0."""
        return self.amount - self.bundle_savings - self.coupon_discount


def discounted_price(amount: int, discounts: Iterable[Discount]) -> Price:
    """Return the price of one period of `amount` cents with these discounts."""
    remainder, bundle_savings, coupon_discount = amount, 0, 0
    for discount in sorted(discounts, key=_discount_order):
        off = discount.amount_off(remainder)
        remainder -= off
        if discount.kind == "bundle":
            bundle_savings += off
        else:
            coupon_discount += off
    return Price(amount=amount, bundle_savings=bundle_savings, coupon_discount=coupon_discount)


def _discount_order(discount: Discount) -> tuple[bool, bool]:
    return (not discount.item_level, discount.percentage > 0)


@dataclass(frozen=True)
class CouponBook:
    """The coupons and bundle rates of a set of subscriptions, loaded together."""

    coupons: Mapping[str, Coupon]
    rates: Mapping[str, BundleRate]

    @classmethod
    def for_subscriptions(cls, subscriptions: Iterable[Subscription]) -> CouponBook:
        """Return the book of these subscriptions. Two queries; none when they carry no coupon."""
        return cls.for_rows(row for subscription in subscriptions for row in subscription.coupons)

    @classmethod
    def for_rows(cls, rows: Iterable[Mapping[str, Any]]) -> CouponBook:
        """Return the book of these coupon rows. Two queries; none without rows."""
        ids = {str(row["coupon_id"]) for row in rows}
        if not ids:
            return cls(coupons={}, rates={})
        coupons = Coupon.objects.filter(provider_id__in=ids)
        return cls(
            coupons={coupon.provider_id: coupon for coupon in coupons},
            rates={rate.coupon_id: rate for rate in BundleRate.objects.all()},
        )

    def discounts_of(self, subscription: Subscription, *, price_id: str = "") -> tuple[Discount, ...]:
        """Return the discounts on a subscription that apply to a price, by default to its current one.

        Those of coupons come first, in the order they were added.
        """
        price_id = price_id or subscription.item_price_id
        by_hand = discounts_by_hand(subscription.discounts_by_hand, price_id)
        return (*self.discounts_in(subscription.coupons, price_id), *by_hand)

    def discounts_in(self, rows: Iterable[Mapping[str, Any]], item_price_id: str) -> tuple[Discount, ...]:
        """Return the discounts in coupon rows that apply to a price."""
        return tuple(
            self._discount_from_row(row)
            for row in rows
            if _is_applicable(self.coupons.get(str(row["coupon_id"])), item_price_id)
        )

    def row_after_use(self, row: Mapping[str, Any], used_at: datetime) -> Mapping[str, Any] | None:
        """Return a coupon row after an invoice has used it, None if it is used up."""
        coupon = self.coupons.get(str(row["coupon_id"]))
        payload = coupon.payload if coupon else {}
        if payload.get("duration_type") == ONE_TIME:
            return None
        if payload.get("duration_type") == LIMITED and not row.get("apply_till"):
            return {**row, "apply_till": int(_end_of_period(payload, used_at).timestamp())}
        return row

    def _discount_from_row(self, row: Mapping[str, Any]) -> Discount:
        coupon_id = str(row["coupon_id"])
        coupon, rate = self.coupons.get(coupon_id), self.rates.get(coupon_id)
        payload = coupon.payload if coupon else {}
        bundle = rate is not None or payload.get("apply_on") == ITEM_LEVEL
        percentage = payload.get("discount_percentage", rate.percentage if rate else 0)
        return Discount(
            coupon_id=coupon_id,
            kind="bundle" if bundle else "free_month" if coupon_id == FREE_MONTH_COUPON else "code",
            item_level=bundle,
            cents=int(payload.get("discount_amount") or 0),
            percentage=Decimal(str(percentage or 0)),
            until=_epoch_to_datetime(row.get("apply_till")),
        )


def discounts_by_hand(rows: Iterable[Mapping[str, Any]], item_price_id: str) -> Iterable[Discount]:
    """Return those of a subscription's discounts by hand, as the provider's rows, that apply to a price."""
    for row in rows:
        is_of_item = row.get("apply_on") == OF_ITEM
        if not is_of_item or row.get("item_price_id") == item_price_id:
            yield Discount(
                coupon_id=str(row["id"]),
                kind=BY_HAND,
                item_level=is_of_item,
                cents=int(row.get("amount") or 0),
                percentage=Decimal(str(row.get("percentage") or 0)),
                until=_epoch_to_datetime(row.get("apply_till")),
            )


def discounts_for_coupons(coupon_ids: Iterable[str], item_price_id: str) -> tuple[Discount, ...]:
    """Return the discounts of these coupons that apply to a price. Two queries."""
    rows = [{"coupon_id": coupon_id} for coupon_id in coupon_ids]
    return CouponBook.for_rows(rows).discounts_in(rows, item_price_id)


def discounts_after_invoice(
    rows: Iterable[Mapping[str, Any]],
    item_price_id: str,
    *,
    by_hand: Iterable[Mapping[str, Any]] = (),
    used: Collection[str],
    invoiced_at: datetime,
) -> tuple[Discount, ...]:
    """Return the discounts that are left after an invoice that uses some of these coupon rows. Two queries.

    As documented, a one-time coupon is gone once it is used, and the period of a limited one begins with its first use.
    Discounts by hand, as the provider's rows, are used by each invoice.
    """
    rows = list(rows)
    book = CouponBook.for_rows(rows)
    left = [book.row_after_use(row, invoiced_at) if row["coupon_id"] in used else row for row in rows]
    lasting = [row for row in by_hand if row.get("duration_type") != ONE_TIME]
    of_coupons = book.discounts_in([row for row in left if row is not None], item_price_id)
    return (*of_coupons, *discounts_by_hand(lasting, item_price_id))


def _is_applicable(coupon: Coupon | None, item_price_id: str) -> bool:
    """Return whether a coupon applies to a price. A coupon without constraints applies to every price."""
    constraints = coupon.payload.get("item_constraints") if coupon else None
    return not constraints or any(
        constraint.get("item_type") == "plan"
        and constraint.get("constraint") != "none"
        and (constraint.get("constraint") != "specific" or item_price_id in constraint.get("item_price_ids", ()))
        for constraint in constraints
    )


def _end_of_period(coupon: Mapping[str, Any], start: datetime) -> datetime:
    """Return when the period of a limited coupon ends that begins now."""
    count, unit = int(coupon.get("period") or 1), coupon.get("period_unit")
    if unit in ("day", "week"):
        return start + timedelta(**{f"{unit}s": count})
    return add_months(start, count * 12 if unit == "year" else count)


def _epoch_to_datetime(seconds: int | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(int(seconds), tz=UTC)


def next_bill_amount(subscription: Subscription) -> int:
    """Return the price of its next period in cents, before tax, with the discounts in force at that time.

    A change scheduled for the end of the term counts as made. Four queries at most.
    """
    scheduled = _scheduled_price(subscription)
    price_id = scheduled.provider_id if scheduled else subscription.item_price_id
    amount = subscription.amount_changed_to(scheduled) if scheduled else subscription.amount
    bill = subscription.next_billing_at or subscription.period_end
    discounts = CouponBook.for_subscriptions([subscription]).discounts_of(subscription, price_id=price_id)
    return discounted_price(amount, (discount for discount in discounts if discount.is_in_force_at(bill))).total


def _scheduled_price(subscription: Subscription) -> ItemPrice | None:
    if not subscription.has_scheduled_changes:
        return None
    price_id = subscription.text("scheduled_item_price_id")
    return ItemPrice.objects.filter(provider_id=price_id).first()
