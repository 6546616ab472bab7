"""A form field for an amount of money, which is typed with two decimals and is cents in Python."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms

from billing.money import CENTS_PER_DOLLAR


class CentsField(forms.DecimalField):
    """An amount such as `6.99`; its value is 699. `least` and `most` are in cents."""

    def __init__(self, *, least: int = 1, most: int = 10_000_000, **options: Any) -> None:
        widget = forms.TextInput(attrs={"size": 10, "inputmode": "decimal", "autocomplete": "off"})
        super().__init__(
            min_value=Decimal(least) / CENTS_PER_DOLLAR,
            max_value=Decimal(most) / CENTS_PER_DOLLAR,
            decimal_places=2,
            **{"widget": widget, **options},
        )

    def to_python(self, value: Any) -> Any:
        """Return the typed amount, with or without a dollar sign in front."""
        return super().to_python(value.strip().removeprefix("$") if isinstance(value, str) else value)

    def clean(self, value: Any) -> Any:
        """Return the amount in cents."""
        amount = super().clean(value)
        return None if amount is None else int(amount * CENTS_PER_DOLLAR)

    def prepare_value(self, value: Any) -> Any:
        """Return cents as they are typed; what was typed stays as it is."""
        return f"{Decimal(value) / CENTS_PER_DOLLAR:.2f}" if isinstance(value, int) else value
