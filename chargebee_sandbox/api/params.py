"""Typed reading of request parameters; an invalid value raises the provider's 400."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from chargebee_sandbox.api.errors import ApiError, wrong_value

_MAX_INTEGER = 2**53
"""The largest integer that every JSON parser keeps exact."""

_TIMESTAMP_LIMIT = 10**10
"""Instants are seconds with ten digits; anything longer is probably milliseconds."""


class Params:
    """Decoded parameters of a request, or of an object inside it."""

    def __init__(self, values: dict[str, Any], prefix: str = "") -> None:
        self.values = values
        self._prefix = prefix

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def allow_only(self, names: Collection[str]) -> None:
        """Check that no other parameter was sent: ignoring one would hide a mistake.

        Raises: ApiError 400 for an unknown name.
        """
        for name in self.values:
            if name not in names and not name.startswith("cf_"):
                raise wrong_value(self._full_name(name), "is not a parameter of this operation here")

    def text(self, name: str, default: str | None = None, *, longest: int = 250) -> str | None:
        """Return a string, or ``default`` if it is empty or absent."""
        value = self.values.get(name, "")
        if not isinstance(value, str) or len(value) > longest:
            raise wrong_value(self._full_name(name), f"should be a string of up to {longest} characters")
        return value or default

    def required_text(self, name: str) -> str:
        """Return a string that must not be empty."""
        value = self.text(name)
        if value is None:
            raise wrong_value(self._full_name(name), "cannot be blank")
        return value

    def choice(self, name: str, choices: Collection[str], default: str) -> str:
        """Return one of the documented values."""
        value = self.text(name, default)
        if value not in choices:
            raise wrong_value(self._full_name(name), f"should be one of [{', '.join(choices)}]")
        return str(value)

    def integer(self, name: str, *, least: int | None = None, most: int | None = None) -> int | None:
        """Return an integer within bounds, or None."""
        value = self.text(name)
        if value is None:
            return None
        number = int(value) if value.removeprefix("-").isdecimal() else None
        low, high = (-_MAX_INTEGER if least is None else least), (_MAX_INTEGER if most is None else most)
        if number is None or not low <= number <= high:
            raise wrong_value(self._full_name(name), "should be a whole number within its bounds")
        return number

    def number(self, name: str) -> float | None:
        """Return a decimal number, or None."""
        value = self.text(name)
        try:
            return None if value is None else float(value)
        except ValueError:
            raise wrong_value(self._full_name(name), "should be a number") from None

    def instant(self, name: str) -> int | None:
        """Return an instant in seconds UTC, or None."""
        value = self.integer(name, least=0)
        if value is not None and value >= _TIMESTAMP_LIMIT:
            raise wrong_value(self._full_name(name), "should be a timestamp in seconds")
        return value

    def boolean(self, name: str, default: bool = False) -> bool:
        """Return whether the parameter is ``true``."""
        return self.choice(name, ("true", "false"), str(default).lower()) == "true"

    def object(self, name: str) -> Params:
        """Return a nested object, empty if absent."""
        value = self.values.get(name) or {}
        if not isinstance(value, dict):
            raise wrong_value(self._full_name(name), "should be an object")
        return Params(value, self._full_name(name))

    def rows(self, name: str) -> list[Params]:
        """Return a list of objects, which clients send column by column."""
        value = self.values.get(name) or []
        if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
            raise wrong_value(self._full_name(name), "should be a list of objects")
        return [Params(row, f"{self._full_name(name)}[{index}]") for index, row in enumerate(value)]

    def texts(self, name: str) -> list[str]:
        """Return a list of strings, sent with indices or as one JSON array."""
        value = self.values.get(name) or []
        if isinstance(value, str):
            value = self._parse_json(name, value)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise wrong_value(self._full_name(name), "should be a list of strings")
        return [item for item in value if item]

    def _parse_json(self, name: str, value: str) -> Any:
        try:
            return json.loads(value)
        except ValueError:
            raise wrong_value(self._full_name(name), "should be a JSON array") from None

    def _full_name(self, name: str) -> str:
        return f"{self._prefix}[{name}]" if self._prefix else name


def require_value(value: Any, param: str) -> Any:
    """Return ``value``. Raises: ApiError 400 if it is None."""
    if value is None:
        raise ApiError(400, "param_wrong_value", f"{param} : cannot be blank", param=param)
    return value
