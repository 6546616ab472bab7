"""Coupons at the provider: looking a subscriber's code up, and making the coupons that grant bundle rates."""

from dataclasses import dataclass
from decimal import Decimal

from billing.gateway import records
from billing.gateway.client import read, sdk, write
from billing.gateway.errors import GatewayError, Missing, Refused
from billing.gateway.snapshots import CouponSnapshot

NOT_REDEEMED = "not_redeemed"
ACTIVE = "active"
DUPLICATE = "duplicate_entry"


@dataclass(frozen=True)
class FoundCode:
    """A code, the coupon it stands for, and whether it is a single-use code that was spent."""

    code: str
    coupon: CouponSnapshot
    spent: bool

    @property
    def usable(self) -> bool:
        """Whether the provider still takes it: in force, and not redeemed as often as it may be."""
        limit = self.coupon.payload.get("max_redemptions")
        exhausted = limit is not None and self.coupon.redemptions >= int(limit)
        return not self.spent and not exhausted and self.coupon.payload.get("status") == ACTIVE


def find(code: str) -> FoundCode:
    """Return what a code stands for.

    A coupon that is given out by single-use codes is found by those alone: the provider would take its own id from
    anybody, any number of times. Raises Missing when the provider knows no such code, NotSent.
    """
    try:
        coupon = _coupon(code)
    except Missing:
        return _single_use(code)
    if _has_codes(coupon.id):
        raise Missing("resource_not_found", param="coupon_id")
    return FoundCode(code=code, coupon=coupon, spent=False)


def _has_codes(coupon_id: str) -> bool:
    return bool(read(sdk().CouponCode.list, params={"coupon_id": {"is": coupon_id}, "limit": 1}).list)


def _single_use(code: str) -> FoundCode:
    row = read(sdk().CouponCode.retrieve, code).coupon_code.raw_data
    spent = str(row["status"]) != NOT_REDEEMED
    return FoundCode(code=code, coupon=_coupon(str(row["coupon_id"])), spent=spent)


def _coupon(coupon_id: str) -> CouponSnapshot:
    found = records.find("coupon", coupon_id)
    assert isinstance(found, CouponSnapshot)  # noqa: S101  (the kind decides the class)
    return found


class OtherCoupon(GatewayError):
    """The provider has a coupon of this id already, and it grants something else."""


def ensure_bundle_coupon(coupon_id: str, *, percentage: Decimal) -> CouponSnapshot:
    """Return the item-level coupon that takes a percentage off every plan for ever, made now if there is none.

    Raises OtherCoupon, NotSent, Unconfirmed and Refused.
    """
    params = {
        "id": coupon_id,
        "name": coupon_id,
        "discount_type": "percentage",
        "discount_percentage": float(percentage),
        "duration_type": "forever",
        "apply_on": "each_specified_item",
        "item_constraints": [{"item_type": "plan", "constraint": "all"}],
    }
    try:
        write(sdk().Coupon.create_for_items, key=f"bundle-coupon:{coupon_id}", params=params)
    except Refused as error:
        if error.code != DUPLICATE:
            raise
    made = _coupon(coupon_id)
    grants = Decimal(str(made.payload.get("discount_percentage") or 0))
    if grants != percentage or made.payload.get("apply_on") != "each_specified_item":
        raise OtherCoupon(coupon_id)
    return made
