"""The totals of the next billing period. Arithmetic only, no queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from billing.queries.discounts import Price
from billing.terms import BillingTerms


@dataclass(frozen=True)
class Totals:
    """The sums over the plans that will bill at the same terms, in cents before tax."""

    currency: str
    period: int
    period_unit: str
    total: int
    bundle_savings: int
    coupon_discount: int

    @property
    def terms(self) -> BillingTerms:
        """The currency and period of the sums."""
        return BillingTerms(self.currency, self.period, self.period_unit)


def totals_by_terms(bills: Sequence[tuple[BillingTerms, Price]], *, otherwise: BillingTerms) -> tuple[Totals, ...]:
    """Return the totals at the account's terms, then those at all other terms that something bills at.

    `bills` holds the terms and price of each plan that will bill, in catalog order. The account's terms are those of
    the first one, or `otherwise` when there is none. The other billing period in the same currency follows next.
    """
    own = bills[0][0] if bills else otherwise
    others = sorted({terms: None for terms, _ in bills if terms != own}, key=lambda terms: terms != own.other_period)
    return tuple(_sum_prices(terms, [price for its, price in bills if its == terms]) for terms in (own, *others))


def _sum_prices(terms: BillingTerms, prices: Sequence[Price]) -> Totals:
    return Totals(
        currency=terms.currency,
        period=terms.period,
        period_unit=terms.period_unit,
        total=sum(price.total for price in prices),
        bundle_savings=sum(price.bundle_savings for price in prices),
        coupon_discount=sum(price.coupon_discount for price in prices),
    )
