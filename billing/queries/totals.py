"""The totals of the next billing period. Arithmetic only, no queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from billing.queries.discounts import Price

MONTH, YEAR = "month", "year"


@dataclass(frozen=True)
class Totals:
    """The sums over the plans that will bill at one period, in cents before tax."""

    period_unit: str
    total: int
    bundle_savings: int
    coupon_discount: int


def period_totals(bills: Sequence[tuple[str, Price]], *, otherwise: str) -> tuple[Totals, Totals | None]:
    """Return the totals of the account's period, and those of the other period or None when nothing bills at it.

    `bills` holds the period unit and price of each plan that will bill, in catalog order. The account's period is that
    of the first one, or `otherwise` when there is none.
    """
    own_period = bills[0][0] if bills else otherwise
    other_period = YEAR if own_period == MONTH else MONTH
    other_prices = [price for unit, price in bills if unit == other_period]
    return (
        _sum_prices(own_period, [price for unit, price in bills if unit == own_period]),
        _sum_prices(other_period, other_prices) if other_prices else None,
    )


def _sum_prices(period_unit: str, prices: Sequence[Price]) -> Totals:
    return Totals(
        period_unit=period_unit,
        total=sum(price.total for price in prices),
        bundle_savings=sum(price.bundle_savings for price in prices),
        coupon_discount=sum(price.coupon_discount for price in prices),
    )
