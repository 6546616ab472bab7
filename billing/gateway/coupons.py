"""Coupons at the provider: finding subscribers' codes, and creating the coupons of bundle rates."""

from dataclasses import dataclass
from decimal import Decimal

from billing.gateway import records
from billing.gateway.errors import GatewayError, Missing, Refused
from billing.gateway.http.client import chargebee_sdk, read_from_provider, read_page, write_to_provider
from billing.gateway.snapshots import CouponSnapshot

NOT_REDEEMED = "not_redeemed"
ACTIVE, FUTURE = "active", "future"
DUPLICATE = "duplicate_entry"
# A limit for sets whose codes begin alike.
MAX_SPELLING_LOOKUPS = 40


@dataclass(frozen=True)
class FoundCode:
    """A code as the provider spells it, its coupon, and whether it is a single-use code that was spent."""

    code: str
    coupon: CouponSnapshot
    is_spent: bool

    @property
    def is_usable(self) -> bool:
        """Whether the provider still accepts it: active, unspent, and below its redemption limit."""
        limit = self.coupon.payload.get("max_redemptions")
        exhausted = limit is not None and self.coupon.redemptions >= int(limit)
        return not self.is_spent and not exhausted and self.coupon.payload.get("status") == ACTIVE

    @property
    def is_early(self) -> bool:
        """Whether the provider accepts it from a later time on."""
        return not self.is_spent and self.coupon.payload.get("status") == FUTURE


def find_code(code: str) -> FoundCode:
    """Return the coupon of a code.

    A coupon with single-use codes is found by those alone: the provider would accept its id from anybody, any number
    of times. Raises Missing for an unknown code, and NotSent.
    """
    try:
        coupon = _find_coupon(code)
    except Missing:
        return _find_single_use_code(code)
    if _has_single_use_codes(coupon.id):
        raise Missing("resource_not_found", param="coupon_id")
    return FoundCode(code=coupon.id, coupon=coupon, is_spent=False)


def _has_single_use_codes(coupon_id: str) -> bool:
    return bool(
        read_from_provider(chargebee_sdk().CouponCode.list, params={"coupon_id": {"is": coupon_id}, "limit": 1}).list
    )


def _find_single_use_code(code: str) -> FoundCode:
    row = read_from_provider(chargebee_sdk().CouponCode.retrieve, code).coupon_code.raw_data
    spent = str(row["status"]) != NOT_REDEEMED
    return FoundCode(code=str(row["code"]), coupon=_find_coupon(str(row["coupon_id"])), is_spent=spent)


def find_code_spelling(code: str) -> str | None:
    """Return the spelling of a single-use code that differs in case only; None if no such code is found.

    The provider lists codes by how they begin, in exact case: each spelling of a beginning is tried, and lengthened
    while more codes begin with it than a page holds. Raises NotSent and Refused.
    """
    beginnings = [""]
    for _ in range(MAX_SPELLING_LOOKUPS):
        if not beginnings:
            break
        beginning = beginnings.pop()
        rows, next_offset = _codes_that_begin(beginning) if beginning else ([], "further")
        found = next((row for row in rows if row.casefold() == code.casefold()), None)
        if found is not None:
            return found
        if next_offset and len(beginning) < len(code):
            letter = code[len(beginning)]
            beginnings += [beginning + case for case in sorted({letter.lower(), letter.upper()})]
    return None


def _codes_that_begin(beginning: str) -> tuple[list[str], str]:
    entries, next_offset = read_page(chargebee_sdk().CouponCode.list, {"code": {"starts_with": beginning}})
    return [str(entry.coupon_code.raw_data["code"]) for entry in entries], next_offset


def _find_coupon(coupon_id: str) -> CouponSnapshot:
    coupon = records.find_record("coupon", coupon_id)
    assert isinstance(coupon, CouponSnapshot)  # noqa: S101  (the kind determines the class)
    return coupon


class CouponConflict(GatewayError):
    """The provider already has a coupon of this id that grants something else."""


def ensure_bundle_coupon(coupon_id: str, *, percentage: Decimal) -> CouponSnapshot:
    """Return the item-level coupon that takes a percentage off every plan forever; create it when it does not exist.

    Raises CouponConflict, NotSent, Unconfirmed and Refused.
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
        write_to_provider(chargebee_sdk().Coupon.create_for_items, key=f"bundle-coupon:{coupon_id}", params=params)
    except Refused as error:
        if error.code != DUPLICATE:
            raise
    coupon = _find_coupon(coupon_id)
    granted = Decimal(str(coupon.payload.get("discount_percentage") or 0))
    if granted != percentage or coupon.payload.get("apply_on") != "each_specified_item":
        raise CouponConflict(coupon_id)
    return coupon
