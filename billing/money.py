"""Money is integer cents (the provider's minor units); it becomes text only at the edge."""

from decimal import ROUND_HALF_UP, Decimal

CENTS_PER_DOLLAR = 100


def format_cents(cents: int, currency: str = "USD") -> str:
    """Return `cents` as text for a person: `$6.99` for US dollars, `6.99 EUR` otherwise; negatives as `-$6.99`."""
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), CENTS_PER_DOLLAR)
    amount = f"{whole:,}.{rest:02d}"
    return f"{sign}${amount}" if currency == "USD" else f"{sign}{amount} {currency}"


def percentage_of(cents: int, percentage: Decimal) -> int:
    """Return `percentage` per cent of `cents`, rounded half up to the cent (contract, section 1)."""
    exact = Decimal(cents) * percentage / Decimal(100)
    return int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP))
