"""What a request says, taken at its word: a text is a string, a number is whole, and what is empty is not left out."""

from __future__ import annotations

import re
import uuid
from typing import Any

from django.http import QueryDict
from rest_framework import serializers


class TextField(serializers.CharField):
    """A string, and no number that could be spelt as one."""

    def to_internal_value(self, data: Any) -> str:
        """Give the text. Raises `serializers.ValidationError`."""
        if not isinstance(data, str):
            self.fail("invalid")
        return str(super().to_internal_value(data))


class IdField(serializers.UUIDField):
    """A UUID as a string; `false` is a number to Python, and would be the UUID of nought."""

    def to_internal_value(self, data: Any) -> uuid.UUID:
        """Give the UUID. Raises `serializers.ValidationError`."""
        if not isinstance(data, str):
            self.fail("invalid", value=data)
        return uuid.UUID(str(super().to_internal_value(data)))


class NumberField(serializers.IntegerField):
    """A whole number: a number of JSON, the digits of one in a query; no `"3"` and no `3.0`."""

    def to_internal_value(self, data: Any) -> int:
        """Give the number. Raises `serializers.ValidationError`."""
        digits = isinstance(data, str) and isinstance(self.parent, Query) and re.fullmatch("-?[0-9]+", data)
        if not (digits or type(data) is int):
            self.fail("invalid")
        return int(super().to_internal_value(data))


class Query(serializers.Serializer[Any]):
    """The part of an address after its question mark, where `days=` is a value: forms leave out what is empty."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Give the values by name. Raises `serializers.ValidationError`."""
        sent = self._as_sent(data) if isinstance(data, QueryDict) else data
        values: dict[str, Any] = super().to_internal_value(sent)
        return values

    def _as_sent(self, query: QueryDict) -> dict[str, Any]:
        lists = {name for name, field in self.fields.items() if isinstance(field, serializers.ListField)}
        return {name: query.getlist(name) if name in lists else query[name] for name in query}
