"""Coupons of subscriptions: redeeming, applying, using up, and expiring."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from chargebee_sandbox import clock, event_log
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine import billing_dates
from chargebee_sandbox.engine.billing.pricing import Deduction
from chargebee_sandbox.models import Coupon, CouponCode, CouponSet, ItemPrice, Subscription
from chargebee_sandbox.row_lookup import find_row


class CouponUnusable(Exception):
    """A coupon is expired, archived, or has no redemptions left, or a code was redeemed before."""


class CouponInapplicable(Exception):
    """A coupon applies to none of the subscription's items."""


class CouponAlreadyApplied(Exception):
    """The subscription has the coupon already."""


def redeem_coupon(
    coupon: Coupon, code: CouponCode | None, prices: Sequence[ItemPrice], applied: Sequence[Body]
) -> Body:
    """Redeem a coupon for a subscription to ``prices`` with the coupons ``applied``; return its subscription entry.

    Counts the redemption (as documented without a new version of the coupon) and redeems the code, if any.
    Raises: CouponAlreadyApplied, CouponUnusable, CouponInapplicable.
    """
    if any(entry["coupon_id"] == coupon.handle for entry in applied):
        raise CouponAlreadyApplied(coupon.handle)
    redemptions = coupon.get("redemptions", 0)
    if coupon["status"] != "active" or redemptions >= coupon.get("max_redemptions", redemptions + 1):
        raise CouponUnusable(coupon.handle)
    if not any(is_applicable(coupon, price) for price in prices):
        raise CouponInapplicable(coupon.handle)
    if code is not None:
        _redeem_code(code)
    _count_redemptions(coupon, 1)
    entry: Body = {"coupon_id": coupon.handle, "applied_count": 0, "object": "coupon"}
    return entry if code is None else {**entry, "coupon_code": code["code"]}


def release_coupons(entries: Sequence[Body]) -> None:
    """Undo the redemption of coupons for a change that will not happen."""
    for entry in entries:
        _count_redemptions(Coupon.objects.get(handle=entry["coupon_id"]), -1)
        if "coupon_code" in entry:
            code = CouponCode.objects.get(handle=entry["coupon_code"])
            _set_code_status(code, "not_redeemed", -1)


def find_coupon(handle: str) -> tuple[Coupon, CouponCode | None] | None:
    """Return the coupon with this id or code, and the code; None for an unknown one."""
    coupon = find_row(Coupon, "handle", handle)
    if coupon is not None and not coupon.deleted:
        return coupon, None
    code = find_row(CouponCode, "handle", handle)
    return None if code is None else (Coupon.objects.get(handle=code["coupon_id"]), code)


def is_applicable(coupon: Coupon, price: ItemPrice) -> bool:
    """Return whether the coupon's constraints allow a discount on this price."""
    if coupon.get("currency_code", price["currency_code"]) != price["currency_code"]:
        return False
    for constraint in coupon.get("item_constraints", []):
        if constraint["item_type"] == price["item_type"]:
            return _meets_constraint(constraint, price, coupon.get("item_constraint_criteria", []))
    return not coupon.get("item_constraints")


def coupon_deductions(
    subscription: Subscription, prices: list[ItemPrice], instant: int, *, only_recurring: bool = False
) -> list[Deduction]:
    """Return the deductions of the subscription's coupons on an invoice of ``instant``, or only of recurring ones."""
    entries = [entry for entry in subscription.get("coupons", []) if instant < entry.get("apply_till", instant + 1)]
    coupons = _coupons_by_id(entries)
    return [
        _coupon_deduction(coupons[entry["coupon_id"]], entry, prices)
        for entry in entries
        if not (only_recurring and coupons[entry["coupon_id"]]["duration_type"] == "one_time")
    ]


def use_coupons(subscription: Subscription, used: set[str], instant: int) -> None:
    """Count a use: it removes a one-time coupon, and the first one starts the period of a limited coupon."""
    if not subscription.get("coupons"):
        return
    coupons = _coupons_by_id(subscription["coupons"])
    updated = [
        _coupon_after_use(entry, coupons[entry["coupon_id"]], entry["coupon_id"] in used, instant)
        for entry in subscription["coupons"]
    ]
    remaining = [entry for entry in updated if entry is not None]
    if remaining != subscription["coupons"]:
        subscription.set_attributes(coupons=remaining or None)


def update_validity(coupon: Coupon) -> None:
    """Derive the status from the time, and when it changes next, by ``valid_from`` and ``valid_till``."""
    now = clock.now_seconds()
    valid_from, valid_till = coupon.get("valid_from"), coupon.get("valid_till")
    if valid_till is not None and valid_till <= now:
        coupon.due_at, status = None, "expired"
    elif valid_from is not None and valid_from > now:
        coupon.due_at, status = valid_from, "future"
    else:
        coupon.due_at, status = valid_till, "active"
    coupon.set_attributes(status=status)


def run_due_coupon(coupon: Coupon) -> None:
    """Let a coupon begin that could not be redeemed yet, or expire; subscriptions that have it keep it."""
    update_validity(coupon)
    coupon.save()
    event_log.record_event("coupon_updated", coupon=coupon)


def _coupons_by_id(entries: Sequence[Body]) -> dict[str, Coupon]:
    return Coupon.objects.in_bulk([entry["coupon_id"] for entry in entries], field_name="handle")


def _count_redemptions(coupon: Coupon, redemptions: int) -> None:
    coupon.body["redemptions"] = coupon.get("redemptions", 0) + redemptions
    coupon.save()


def _redeem_code(code: CouponCode) -> None:
    if code["status"] != "not_redeemed":
        raise CouponUnusable(code.handle)
    _set_code_status(code, "redeemed", 1)


def _set_code_status(code: CouponCode, status: str, redeemed: int) -> None:
    code.set_attributes(status=status)
    code.save()
    coupon_set = CouponSet.objects.get(handle=code["coupon_set_id"])
    coupon_set.set_attributes(redeemed_count=coupon_set["redeemed_count"] + redeemed)
    coupon_set.save()


def _meets_constraint(constraint: Body, price: ItemPrice, criteria: list[Body]) -> bool:
    match constraint["constraint"]:
        case "all":
            return True
        case "specific":
            return price.handle in constraint.get("item_price_ids", [])
        case "criteria":
            return any(
                _matches_criterion(criterion, price)
                for criterion in criteria
                if criterion["item_type"] == constraint["item_type"]
            )
    return False


def _matches_criterion(criterion: Body, price: ItemPrice) -> bool:
    """Return whether a price is in every list of a criterion; an absent list matches all."""
    values = {
        "currencies": price["currency_code"],
        "item_family_ids": price["item_family_id"],
        "item_price_periods": price.get("period_unit"),
    }
    return all(value in criterion[name] for name, value in values.items() if criterion.get(name))


def _coupon_deduction(coupon: Coupon, entry: Body, prices: list[ItemPrice]) -> Deduction:
    percentage = coupon.get("discount_percentage")
    return Deduction(
        coupon_id=coupon.handle,
        description=coupon.get("invoice_name") or coupon["name"],
        item_level=coupon["apply_on"] == "each_specified_item",
        percentage=None if percentage is None else Decimal(str(percentage)),
        amount=coupon.get("discount_amount", 0),
        entities=frozenset(price.handle for price in prices if is_applicable(coupon, price)),
        code=entry.get("coupon_code"),
    )


def _coupon_after_use(entry: Body, coupon: Coupon, is_used: bool, instant: int) -> Body | None:
    if entry.get("apply_till", instant + 1) <= instant:
        return None
    if not is_used:
        return entry
    if coupon["duration_type"] == "one_time":
        return None
    counted = {**entry, "applied_count": entry["applied_count"] + 1}
    if coupon["duration_type"] == "limited_period":
        till = billing_dates.add_periods(instant, coupon["period"], coupon["period_unit"])
        counted["apply_till"] = entry.get("apply_till", till)
        return None if counted["apply_till"] <= instant else counted
    return counted
