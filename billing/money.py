"""Amounts of money are integer cents, and are formatted only for display."""

from decimal import ROUND_HALF_UP, Decimal

CENTS_PER_DOLLAR = 100


def format_cents(cents: int, currency: str = "USD") -> str:
    """Return an amount for display: `$6.99` for US dollars, `6.99 EUR` otherwise; negative as `-$6.99`."""
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), CENTS_PER_DOLLAR)
    amount = f"{whole:,}.{rest:02d}"
    return f"{sign}${amount}" if currency == "USD" else f"{sign}{amount} {currency}"


def percentage_of(cents: int, percentage: Decimal) -> int:
    """Return `percentage` per cent of `cents`, rounded half up to the cent (docs/rules.md, money-1)."""
    exact = Decimal(cents) * percentage / Decimal(100)
    return int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP))
