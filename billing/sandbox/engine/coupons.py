"""Coupons on subscriptions: which apply, being used up, running out."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from billing.sandbox import events
from billing.sandbox.body import Body
from billing.sandbox.engine import calendar
from billing.sandbox.engine.pricing import Deduction
from billing.sandbox.models import Coupon, CouponCode, CouponSet, ItemPrice, Subscription


class CouponUnusable(Exception):
    """A coupon that is expired, archived or redeemed as often as it may be, or a code that is spent."""


class CouponInapplicable(Exception):
    """A coupon that applies to none of a subscription's items."""


class CouponHeld(Exception):
    """A coupon the subscription has already."""


def redeem(
    coupon: Coupon, code: CouponCode | None, prices: Sequence[ItemPrice], held: Sequence[Body]
) -> Body:
    """Take a coupon for a subscription to ``prices`` which has the coupons ``held``: as it stands on a subscription.

    The redemption is counted (which moves no version, as documented) and the code, if it came by one, is spent.
    Raises: CouponHeld, CouponUnusable, CouponInapplicable.
    """
    if any(one["coupon_id"] == coupon.handle for one in held):
        raise CouponHeld(coupon.handle)
    redemptions = coupon.get("redemptions", 0)
    if coupon["status"] != "active" or redemptions >= coupon.get("max_redemptions", redemptions + 1):
        raise CouponUnusable(coupon.handle)
    if not any(applies(coupon, price) for price in prices):
        raise CouponInapplicable(coupon.handle)
    if code is not None:
        _spend(code)
    _count(coupon, 1)
    taken: Body = {"coupon_id": coupon.handle, "applied_count": 0, "object": "coupon"}
    return taken if code is None else {**taken, "coupon_code": code["code"]}


def release(held: Sequence[Body]) -> None:
    """Give back coupons that were taken for a change which will not happen."""
    for one in held:
        _count(Coupon.objects.get(handle=one["coupon_id"]), -1)
        if "coupon_code" in one:
            code = CouponCode.objects.get(handle=one["coupon_code"])
            _set_status(code, "not_redeemed", -1)


def resolve(handle: str) -> tuple[Coupon, CouponCode | None] | None:
    """The coupon that an id or a code names, with the code; None where it is neither."""
    coupon = Coupon.objects.filter(handle=handle, deleted=False).first()
    if coupon is not None:
        return coupon, None
    code = CouponCode.objects.filter(handle=handle).first()
    return None if code is None else (Coupon.objects.get(handle=code["coupon_id"]), code)


def applies(coupon: Coupon, price: ItemPrice) -> bool:
    """Whether the coupon's constraints let it take something off this price."""
    if coupon.get("currency_code", price["currency_code"]) != price["currency_code"]:
        return False
    for constraint in coupon.get("item_constraints", []):
        if constraint["item_type"] == price["item_type"]:
            return _meets(constraint, price, coupon.get("item_constraint_criteria", []))
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


def _count(coupon: Coupon, redemptions: int) -> None:
    coupon.body["redemptions"] = coupon.get("redemptions", 0) + redemptions
    coupon.save()


def _spend(code: CouponCode) -> None:
    if code["status"] != "not_redeemed":
        raise CouponUnusable(code.handle)
    _set_status(code, "redeemed", 1)


def _set_status(code: CouponCode, status: str, redeemed: int) -> None:
    code.change(status=status)
    code.save()
    coupon_set = CouponSet.objects.get(handle=code["coupon_set_id"])
    coupon_set.change(redeemed_count=coupon_set["redeemed_count"] + redeemed)
    coupon_set.save()


def _meets(constraint: Body, price: ItemPrice, criteria: list[Body]) -> bool:
    match constraint["constraint"]:
        case "all":
            return True
        case "specific":
            return price.handle in constraint.get("item_price_ids", [])
        case "criteria":
            return any(
                _matches(one, price) for one in criteria if one["item_type"] == constraint["item_type"]
            )
    return False


def _matches(criterion: Body, price: ItemPrice) -> bool:
    """Whether a price is in every list that a criterion gives; one that is not given leaves all in."""
    wanted = {
        "currencies": price["currency_code"],
        "item_family_ids": price["item_family_id"],
        "item_price_periods": price.get("period_unit"),
    }
    return all(value in criterion[name] for name, value in wanted.items() if criterion.get(name))


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
