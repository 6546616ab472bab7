"""Looking a subscriber's code up at the provider: a coupon's own id, or a single-use code of a coupon."""

from dataclasses import dataclass

from billing.gateway import records
from billing.gateway.client import read, sdk
from billing.gateway.errors import Missing
from billing.gateway.snapshots import CouponSnapshot

NOT_REDEEMED = "not_redeemed"
ACTIVE = "active"


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
    """Return what a code stands for. Raises Missing when the provider does not know it, NotSent."""
    try:
        return FoundCode(code=code, coupon=_coupon(code), spent=False)
    except Missing:
        row = read(sdk().CouponCode.retrieve, code).coupon_code.raw_data
    spent = str(row["status"]) != NOT_REDEEMED
    return FoundCode(code=code, coupon=_coupon(str(row["coupon_id"])), spent=spent)


def _coupon(coupon_id: str) -> CouponSnapshot:
    found = records.find("coupon", coupon_id)
    assert isinstance(found, CouponSnapshot)  # noqa: S101  (the kind decides the class)
    return found
