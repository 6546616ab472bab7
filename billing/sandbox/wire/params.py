"""Reading parameters: each reader gives a typed value or raises the provider's 400."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from billing.sandbox.wire.errors import ApiError, wrong_value

_LARGEST = 2**53
"""The largest whole number that every JSON reader keeps."""

_TIMESTAMP_LIMIT = 10**10
"""Instants are seconds with ten digits; anything longer is milliseconds by mistake."""


class Params:
    """Decoded parameters of one request, or of one object inside it."""

    def __init__(self, values: dict[str, Any], prefix: str = "") -> None:
        self.values = values
        self._prefix = prefix

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def allow_only(self, names: Collection[str]) -> None:
        """Raises: ApiError 400 for a parameter this server would ignore, which would hide a mistake."""
        for name in self.values:
            if name not in names and not name.startswith("cf_"):
                raise wrong_value(self._named(name), "is not a parameter of this operation here")

    def text(self, name: str, default: str | None = None, *, longest: int = 250) -> str | None:
        """A string; empty and absent give ``default``."""
        value = self.values.get(name, "")
        if not isinstance(value, str) or len(value) > longest:
            raise wrong_value(self._named(name), f"should be a string of up to {longest} characters")
        return value or default

    def needed(self, name: str) -> str:
        """A string that must be there."""
        value = self.text(name)
        if value is None:
            raise wrong_value(self._named(name), "cannot be blank")
        return value

    def choice(self, name: str, choices: Collection[str], default: str) -> str:
        """One of the documented words."""
        value = self.text(name, default)
        if value not in choices:
            raise wrong_value(self._named(name), f"should be one of [{', '.join(choices)}]")
        return str(value)

    def integer(self, name: str, *, least: int | None = None, most: int | None = None) -> int | None:
        """A whole number within bounds, or None."""
        value = self.text(name)
        if value is None:
            return None
        number = int(value) if value.removeprefix("-").isdecimal() else None
        low, high = (-_LARGEST if least is None else least), (_LARGEST if most is None else most)
        if number is None or not low <= number <= high:
            raise wrong_value(self._named(name), "should be a whole number within its bounds")
        return number

    def number(self, name: str) -> float | None:
        """A decimal number, or None."""
        value = self.text(name)
        try:
            return None if value is None else float(value)
        except ValueError:
            raise wrong_value(self._named(name), "should be a number") from None

    def instant(self, name: str) -> int | None:
        """An instant in seconds UTC, or None."""
        value = self.integer(name, least=0)
        if value is not None and value >= _TIMESTAMP_LIMIT:
            raise wrong_value(self._named(name), "should be a timestamp in seconds")
        return value

    def boolean(self, name: str, default: bool = False) -> bool:
        """``true`` or ``false``."""
        return self.choice(name, ("true", "false"), str(default).lower()) == "true"

    def object(self, name: str) -> Params:
        """A nested object; an absent one is empty."""
        value = self.values.get(name) or {}
        if not isinstance(value, dict):
            raise wrong_value(self._named(name), "should be an object")
        return Params(value, self._named(name))

    def rows(self, name: str) -> list[Params]:
        """A list of objects that came column by column."""
        value = self.values.get(name) or []
        if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
            raise wrong_value(self._named(name), "should be a list of objects")
        return [Params(row, f"{self._named(name)}[{index}]") for index, row in enumerate(value)]

    def texts(self, name: str) -> list[str]:
        """A list of strings, sent with indices or as one JSON array."""
        value = self.values.get(name) or []
        if isinstance(value, str):
            value = self._json(name, value)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise wrong_value(self._named(name), "should be a list of strings")
        return [item for item in value if item]

    def _json(self, name: str, value: str) -> Any:
        try:
            return json.loads(value)
        except ValueError:
            raise wrong_value(self._named(name), "should be a JSON array") from None

    def _named(self, name: str) -> str:
        return f"{self._prefix}[{name}]" if self._prefix else name


def required(value: Any, param: str) -> Any:
    """``value``, or ApiError 400 where it is None."""
    if value is None:
        raise ApiError(400, "param_wrong_value", f"{param} : cannot be blank", param=param)
    return value
