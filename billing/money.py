"""Amounts of money are integer cents, and are formatted only for display.

"Cents" are a currency's smallest unit, as the provider counts it: of some currencies the whole unit, or a thousandth.
"""

from decimal import ROUND_HALF_UP, Decimal

# The currencies that are not divided into hundredths (ISO 4217), and their decimals.
_WITHOUT_CENTS = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"
_IN_THOUSANDTHS = "BHD IQD JOD KWD LYD OMR TND"
_DECIMALS = dict.fromkeys(_WITHOUT_CENTS.split(), 0) | dict.fromkeys(_IN_THOUSANDTHS.split(), 3)


def decimals_of(currency: str) -> int:
    """Return how many decimals an amount of a currency has."""
    return _DECIMALS.get(currency, 2)


def to_decimal(cents: int, currency: str = "USD") -> Decimal:
    """Return an amount in the currency's whole unit, with its decimals: 699 is 6.99 US dollars and 699 Japanese yen."""
    return Decimal(cents).scaleb(-decimals_of(currency))


def format_cents(cents: int, currency: str = "USD") -> str:
    """Return an amount for display: `$6.99` for US dollars, `6.99 EUR` or `699 JPY` otherwise; negative as `-$6.99`."""
    sign = "-" if cents < 0 else ""
    amount = f"{abs(to_decimal(cents, currency)):,}"
    return f"{sign}${amount}" if currency == "USD" else f"{sign}{amount} {currency}"


def percentage_of(cents: int, percentage: Decimal) -> int:
    """Return `percentage` per cent of `cents`, rounded half up to the cent (docs/rules.md, money-1)."""
    exact = Decimal(cents) * percentage / Decimal(100)
    return int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP))
