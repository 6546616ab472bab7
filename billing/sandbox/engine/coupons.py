"""Coupons on subscriptions: which apply, being used up, running out."""

from __future__ import annotations

from decimal import Decimal

from billing.sandbox import events
from billing.sandbox.body import Body
from billing.sandbox.engine import calendar
from billing.sandbox.engine.pricing import Deduction
from billing.sandbox.models import Coupon, ItemPrice, Subscription


class CouponUnusable(Exception):
    """A coupon that is expired, archived or redeemed as often as it may be."""


class CouponInapplicable(Exception):
    """A coupon that applies to none of a subscription's items."""


def attach(subscription: Subscription, coupon: Coupon, prices: list[ItemPrice]) -> None:
    """Put a coupon on a subscription and count the redemption (which moves no version, as documented).

    Raises: CouponUnusable, CouponInapplicable.
    """
    redemptions = coupon.get("redemptions", 0)
    if coupon["status"] != "active" or redemptions >= coupon.get("max_redemptions", redemptions + 1):
        raise CouponUnusable(coupon.handle)
    if not any(applies(coupon, price) for price in prices):
        raise CouponInapplicable(coupon.handle)
    held: Body = {"coupon_id": coupon.handle, "applied_count": 0, "object": "coupon"}
    subscription.change(coupons=[*subscription.get("coupons", []), held])
    coupon.body["redemptions"] = redemptions + 1
    coupon.save()


def applies(coupon: Coupon, price: ItemPrice) -> bool:
    """Whether the coupon's constraints let it take something off this price."""
    if coupon.get("currency_code", price["currency_code"]) != price["currency_code"]:
        return False
    for constraint in coupon.get("item_constraints", []):
        if constraint["item_type"] == price["item_type"]:
            return _meets(constraint, price)
    return not coupon.get("item_constraints")


def deductions(subscription: Subscription, prices: list[ItemPrice], instant: int) -> list[Deduction]:
    """The subscription's coupons as they apply to an invoice of ``instant``."""
    held = [one for one in subscription.get("coupons", []) if instant < one.get("apply_till", instant + 1)]
    known = Coupon.objects.in_bulk([one["coupon_id"] for one in held], field_name="handle")
    return [_deduction(known[one["coupon_id"]], one, prices) for one in held]


def use(subscription: Subscription, used: set[str], instant: int) -> None:
    """Count one use; a one-time coupon is gone after it, a limited one runs from its first use."""
    if not subscription.get("coupons"):
        return
    known = Coupon.objects.in_bulk([one["coupon_id"] for one in subscription["coupons"]], field_name="handle")
    kept = [
        _used(one, known[one["coupon_id"]], one["coupon_id"] in used, instant)
        for one in subscription["coupons"]
    ]
    left = [one for one in kept if one is not None]
    if left != subscription["coupons"]:
        subscription.change(coupons=left or None)


def expire(coupon: Coupon) -> None:
    """The last day a coupon could be redeemed is over; where it is held already it goes on."""
    coupon.due_at = None
    coupon.change(status="expired")
    coupon.save()
    events.record("coupon_updated", coupon=coupon)


def _meets(constraint: Body, price: ItemPrice) -> bool:
    named: list[str] = constraint.get("item_price_ids", [])
    return constraint["constraint"] == "all" or price.handle in named


def _deduction(coupon: Coupon, held: Body, prices: list[ItemPrice]) -> Deduction:
    percentage = coupon.get("discount_percentage")
    return Deduction(
        coupon_id=coupon.handle,
        description=coupon.get("invoice_name") or coupon["name"],
        item_level=coupon["apply_on"] == "each_specified_item",
        percentage=None if percentage is None else Decimal(str(percentage)),
        amount=coupon.get("discount_amount", 0),
        entities=frozenset(price.handle for price in prices if applies(coupon, price)),
        code=held.get("coupon_code"),
    )


def _used(held: Body, coupon: Coupon, is_used: bool, instant: int) -> Body | None:
    if held.get("apply_till", instant + 1) <= instant:
        return None
    if not is_used:
        return held
    if coupon["duration_type"] == "one_time":
        return None
    counted = {**held, "applied_count": held["applied_count"] + 1}
    if coupon["duration_type"] == "limited_period":
        till = calendar.add(instant, coupon["period"], coupon["period_unit"])
        counted["apply_till"] = held.get("apply_till", till)
        return None if counted["apply_till"] <= instant else counted
    return counted
