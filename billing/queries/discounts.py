"""What the coupons on a subscription take off its next bill (contract, section 1).

Bundle coupons are item-level, all others invoice-level. The provider applies the item-level ones first, then
the fixed amounts of the invoice, then its percentages, each to what the ones before it left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from billing.models import BundleRate, Coupon, Subscription
from billing.money import percentage_of

FREE_MONTH_COUPON = "FREE-MONTH"
ITEM_LEVEL = "each_specified_item"


@dataclass(frozen=True)
class Discount:
    """One coupon on one subscription: `cents` off, or `percentage` per cent off.

    `kind` is `bundle`, `free_month` or `code`; `until` ends a coupon of limited period (exclusive, UTC).
    """

    coupon_id: str
    kind: str
    item_level: bool
    cents: int = 0
    percentage: Decimal = Decimal(0)
    until: datetime | None = None

    def covers(self, bill: datetime | None) -> bool:
        """Whether it is still in force at the instant of a bill."""
        return self.until is None or bill is None or bill < self.until

    def taken_off(self, cents: int) -> int:
        """Return what it takes off `cents`, rounded half up to the cent, never more than there is."""
        return min(cents, self.cents + percentage_of(cents, self.percentage))


@dataclass(frozen=True)
class Price:
    """One subscription's next bill before tax: its full amount and what comes off, in cents."""

    amount: int
    bundle_savings: int = 0
    coupon_discount: int = 0

    @property
    def total(self) -> int:
        """What is left to pay; never below 0."""
        return self.amount - self.bundle_savings - self.coupon_discount


def price(amount: int, discounts: Iterable[Discount]) -> Price:
    """Return what one period of `amount` cents costs with these discounts on it."""
    left, bundle_savings, coupon_discount = amount, 0, 0
    for discount in sorted(discounts, key=_turn):
        off = discount.taken_off(left)
        left -= off
        if discount.kind == "bundle":
            bundle_savings += off
        else:
            coupon_discount += off
    return Price(amount=amount, bundle_savings=bundle_savings, coupon_discount=coupon_discount)


def _turn(discount: Discount) -> tuple[bool, bool]:
    return (not discount.item_level, discount.percentage > 0)


@dataclass(frozen=True)
class CouponBook:
    """The coupons and bundle rates that a set of subscriptions needs, read at once."""

    coupons: Mapping[str, Coupon]
    rates: Mapping[str, BundleRate]

    @classmethod
    def of(cls, subscriptions: Iterable[Subscription]) -> CouponBook:
        """Return the book for these subscriptions, in two queries; in none where no coupon is on any."""
        ids = {str(row["coupon_id"]) for subscription in subscriptions for row in subscription.coupons}
        if not ids:
            return cls(coupons={}, rates={})
        coupons = Coupon.objects.filter(provider_id__in=ids)
        return cls(
            coupons={coupon.provider_id: coupon for coupon in coupons},
            rates={rate.coupon_id: rate for rate in BundleRate.objects.all()},
        )

    def discounts_of(self, subscription: Subscription) -> tuple[Discount, ...]:
        """Return the coupons on a subscription that apply to its present price, in the order they were put on."""
        return self.discounts_in(subscription.coupons, subscription.item_price_id)

    def discounts_in(self, rows: Iterable[Mapping[str, Any]], item_price_id: str) -> tuple[Discount, ...]:
        """Return those of the coupons in these rows that apply to a price."""
        return tuple(
            self._discount(row)
            for row in rows
            if _applies(self.coupons.get(str(row["coupon_id"])), item_price_id)
        )

    def _discount(self, row: Mapping[str, Any]) -> Discount:
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
            until=_instant(row.get("apply_till")),
        )


def discounts_named(coupon_ids: Iterable[str], item_price_id: str) -> tuple[Discount, ...]:
    """Return what these coupons take off a price, in two queries; those that do not apply to it are left out."""
    rows = [{"coupon_id": coupon_id} for coupon_id in coupon_ids]
    coupons = Coupon.objects.filter(provider_id__in=[row["coupon_id"] for row in rows])
    book = CouponBook(
        coupons={coupon.provider_id: coupon for coupon in coupons},
        rates={rate.coupon_id: rate for rate in BundleRate.objects.all()},
    )
    return book.discounts_in(rows, item_price_id)


def _applies(coupon: Coupon | None, item_price_id: str) -> bool:
    """Whether a coupon takes something off a price; one that names no prices takes it off every one."""
    constraints = coupon.payload.get("item_constraints") if coupon else None
    return not constraints or any(
        one.get("item_type") == "plan"
        and one.get("constraint") != "none"
        and (one.get("constraint") != "specific" or item_price_id in one.get("item_price_ids", ()))
        for one in constraints
    )


def _instant(seconds: int | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(int(seconds), tz=UTC)
