"""A form field for an amount of money, which is typed with its currency's decimals and is cents in Python."""

from __future__ import annotations

from typing import Any

from django import forms

from billing.money import decimals_of, to_decimal
from billing.terms import DEFAULT_CURRENCY


class CentsField(forms.DecimalField):
    """An amount such as `6.99`; its value is 699. `least` and `most` are in cents."""

    def __init__(
        self, *, currency: str = DEFAULT_CURRENCY, least: int = 1, most: int = 10_000_000, **options: Any
    ) -> None:
        self.currency = currency
        widget = forms.TextInput(attrs={"size": 10, "inputmode": "decimal", "autocomplete": "off"})
        super().__init__(
            min_value=to_decimal(least, currency),
            max_value=to_decimal(most, currency),
            decimal_places=decimals_of(currency),
            **{"widget": widget, **options},
        )

    def to_python(self, value: Any) -> Any:
        """Return the typed amount, with or without a dollar sign in front."""
        return super().to_python(value.strip().removeprefix("$") if isinstance(value, str) else value)

    def clean(self, value: Any) -> Any:
        """Return the amount in cents."""
        amount = super().clean(value)
        return None if amount is None else int(amount.scaleb(decimals_of(self.currency)))

    def prepare_value(self, value: Any) -> Any:
        """Return cents as they are typed; what was typed stays as it is."""
        return str(to_decimal(value, self.currency)) if isinstance(value, int) else value
