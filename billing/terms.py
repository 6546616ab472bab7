"""Billing terms: the currency of a price and how often it bills. Amounts of unlike terms are never added."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

DAY, WEEK, MONTH, YEAR = "day", "week", "month", "year"
PERIOD_UNITS = (DAY, WEEK, MONTH, YEAR)
# Plans of the catalog are sold for these, and switch between them.
SOLD_PERIOD_UNITS = (MONTH, YEAR)
DEFAULT_CURRENCY = "USD"
# The `price_type` of invoices and estimates whose prices include tax.
TAX_INCLUSIVE = "tax_inclusive"
_PERIODS_PER_YEAR = {DAY: 365, WEEK: 52, MONTH: 12, YEAR: 1}
_MONTHS_PER_YEAR = 12


@dataclass(frozen=True)
class BillingTerms:
    """What amounts have in common that may be added: the currency, and a period of `period` times `period_unit`."""

    currency: str = DEFAULT_CURRENCY
    period: int = 1
    period_unit: str = MONTH

    @property
    def is_monthly_or_yearly(self) -> bool:
        """Whether it bills every month or every year; plans switch between these two."""
        return self.period == 1 and self.period_unit in SOLD_PERIOD_UNITS

    def monthly_cents(self, amount: int) -> int:
        """Return what `amount` cents per period come to per month, rounded half up to the cent."""
        periods = Fraction(_PERIODS_PER_YEAR.get(self.period_unit, _MONTHS_PER_YEAR), self.period)
        return int(amount * periods / _MONTHS_PER_YEAR + Fraction(1, 2))

    @property
    def other_period(self) -> BillingTerms:
        """The terms that a monthly or yearly price switches to: yearly or monthly, in the same currency."""
        return replace(self, period_unit=YEAR if self.period_unit == MONTH else MONTH)

    @property
    def period_phrase(self) -> str:
        """The period in words: `month`, `3 months`."""
        unit = self.period_unit or "period"
        return unit if self.period == 1 else f"{self.period} {unit}s"
