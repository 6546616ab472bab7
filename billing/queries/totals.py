"""What the next period will cost (contract, section 1, `total`): arithmetic only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from billing.queries.discounts import Price

MONTH, YEAR = "month", "year"


@dataclass(frozen=True)
class Totals:
    """The sums over the plans of one period that will bill, in cents, before tax."""

    period_unit: str
    total: int
    bundle_savings: int
    coupon_discount: int


def totals(bills: Sequence[tuple[str, Price]], *, otherwise: str) -> tuple[Totals, Totals | None]:
    """Return the sums for the account's period, and those for the other period where something bills at it.

    Takes: the period unit and price of each plan that will bill, in catalogue order; `otherwise`, the period
    when there is none. The account's period is that of the first billing plan.
    """
    first = bills[0][0] if bills else otherwise
    other = YEAR if first == MONTH else MONTH
    rest = [price for unit, price in bills if unit == other]
    return (
        _sum(first, [price for unit, price in bills if unit == first]),
        _sum(other, rest) if rest else None,
    )


def _sum(period_unit: str, prices: Sequence[Price]) -> Totals:
    return Totals(
        period_unit=period_unit,
        total=sum(price.total for price in prices),
        bundle_savings=sum(price.bundle_savings for price in prices),
        coupon_discount=sum(price.coupon_discount for price in prices),
    )
