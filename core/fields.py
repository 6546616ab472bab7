"""Strict serializer fields, which convert no JSON type into another and accept empty values as sent."""

from __future__ import annotations

import re
import uuid
from typing import Any

from django.http import QueryDict
from rest_framework import serializers


class StrictCharField(serializers.CharField):
    """A string; a number is refused."""

    def to_internal_value(self, data: Any) -> str:
        """Give the text. Raises `serializers.ValidationError`."""
        if not isinstance(data, str):
            self.fail("invalid")
        return str(super().to_internal_value(data))


class StrictUuidField(serializers.UUIDField):
    """A UUID as a string. REST framework would accept numbers, and `false` as the number 0."""

    def to_internal_value(self, data: Any) -> uuid.UUID:
        """Give the UUID. Raises `serializers.ValidationError`."""
        if not isinstance(data, str):
            self.fail("invalid", value=data)
        return uuid.UUID(str(super().to_internal_value(data)))


class StrictIntegerField(serializers.IntegerField):
    """An integer: a JSON number, or digits in a query string; `"3"` and `3.0` are refused."""

    def to_internal_value(self, data: Any) -> int:
        """Give the number. Raises `serializers.ValidationError`."""
        digits = isinstance(data, str) and isinstance(self.parent, QuerySerializer) and re.fullmatch("-?[0-9]+", data)
        if not (digits or type(data) is int):
            self.fail("invalid")
        return int(super().to_internal_value(data))


class QuerySerializer(serializers.Serializer[Any]):
    """A query string. An empty value such as `days=` is validated; REST framework would treat it as missing."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Give the values by name. Raises `serializers.ValidationError`."""
        sent = self._query_values(data) if isinstance(data, QueryDict) else data
        values: dict[str, Any] = super().to_internal_value(sent)
        return values

    def _query_values(self, query: QueryDict) -> dict[str, Any]:
        lists = {name for name, field in self.fields.items() if isinstance(field, serializers.ListField)}
        return {name: query.getlist(name) if name in lists else query[name] for name in query}
