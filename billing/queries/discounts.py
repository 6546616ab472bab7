"""Discounts: what the coupons on a subscription take off its next bill.

Bundle coupons are item-level, all others invoice-level. The provider applies item-level coupons first, then fixed
amounts, then percentages, each to the remainder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from billing.models import BundleRate, Coupon, ItemPrice, Subscription
from billing.money import percentage_of

FREE_MONTH_COUPON = "FREE-MONTH"
ITEM_LEVEL = "each_specified_item"


@dataclass(frozen=True)
class Discount:
    """One coupon on one subscription, worth `cents` or `percentage` percent.

    `kind` is `bundle`, `free_month` or `code`. `until` is the end of a coupon with a limited period (exclusive, UTC).
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
        ids = {str(row["coupon_id"]) for subscription in subscriptions for row in subscription.coupons}
        if not ids:
            return cls(coupons={}, rates={})
        coupons = Coupon.objects.filter(provider_id__in=ids)
        return cls(
            coupons={coupon.provider_id: coupon for coupon in coupons},
            rates={rate.coupon_id: rate for rate in BundleRate.objects.all()},
        )

    def discounts_of(self, subscription: Subscription) -> tuple[Discount, ...]:
        """Return the discounts on a subscription that apply to its current price, in the order they were added."""
        return self.discounts_in(subscription.coupons, subscription.item_price_id)

    def discounts_in(self, rows: Iterable[Mapping[str, Any]], item_price_id: str) -> tuple[Discount, ...]:
        """Return the discounts in coupon rows that apply to a price."""
        return tuple(
            self._discount_from_row(row)
            for row in rows
            if _is_applicable(self.coupons.get(str(row["coupon_id"])), item_price_id)
        )

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


def discounts_for_coupons(coupon_ids: Iterable[str], item_price_id: str) -> tuple[Discount, ...]:
    """Return the discounts of these coupons that apply to a price. Two queries."""
    rows = [{"coupon_id": coupon_id} for coupon_id in coupon_ids]
    coupons = Coupon.objects.filter(provider_id__in=[row["coupon_id"] for row in rows])
    book = CouponBook(
        coupons={coupon.provider_id: coupon for coupon in coupons},
        rates={rate.coupon_id: rate for rate in BundleRate.objects.all()},
    )
    return book.discounts_in(rows, item_price_id)


def _is_applicable(coupon: Coupon | None, item_price_id: str) -> bool:
    """Return whether a coupon applies to a price. A coupon without constraints applies to every price."""
    constraints = coupon.payload.get("item_constraints") if coupon else None
    return not constraints or any(
        constraint.get("item_type") == "plan"
        and constraint.get("constraint") != "none"
        and (constraint.get("constraint") != "specific" or item_price_id in constraint.get("item_price_ids", ()))
        for constraint in constraints
    )


def _epoch_to_datetime(seconds: int | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(int(seconds), tz=UTC)


def next_bill_amount(subscription: Subscription) -> int:
    """Return the price of its next period in cents, before tax, with the coupons in force at that time.

    A change scheduled for the end of the term counts as made. Four queries at most.
    """
    scheduled = _scheduled_price(subscription)
    price_id = scheduled.provider_id if scheduled else subscription.item_price_id
    amount = scheduled.cents("price") if scheduled else subscription.amount
    bill = subscription.next_billing_at or subscription.current_term_end
    discounts = CouponBook.for_subscriptions([subscription]).discounts_in(subscription.coupons, price_id)
    return discounted_price(amount, (discount for discount in discounts if discount.is_in_force_at(bill))).total


def _scheduled_price(subscription: Subscription) -> ItemPrice | None:
    if not subscription.has_scheduled_changes:
        return None
    price_id = subscription.text("scheduled_item_price_id")
    return ItemPrice.objects.filter(provider_id=price_id).first()
