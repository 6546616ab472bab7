"""Converts between camelCase in JSON and snake_case in Python.

Requests may use either case. A key must not have an underscore before a digit (`line_1`), because the conversion would
not be reversible. Data must not be used as keys, because it would be converted too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer

_WORD_START = re.compile(r"(?<=[a-zA-Z0-9])_([a-z])")
_CAPITAL_LETTER = re.compile(r"(?<=[a-z0-9])([A-Z])")


def to_camel(key: str) -> str:
    """Convert `next_billing_at` to `nextBillingAt`; a key in camelCase stays unchanged."""
    return _WORD_START.sub(lambda match: match.group(1).upper(), key)


def to_snake(key: str) -> str:
    """Convert `nextBillingAt` to `next_billing_at`; a key in snake_case stays unchanged."""
    return _CAPITAL_LETTER.sub(lambda match: f"_{match.group(1).lower()}", key)


def camelize_keys(data: Any) -> Any:
    """Return the data with every key in camelCase."""
    if isinstance(data, Mapping):
        return {to_camel(key) if isinstance(key, str) else key: camelize_keys(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [camelize_keys(item) for item in data]
    return data


def snakify_keys(data: Any) -> Any:
    """Return the data with every key in snake_case. Raises `ParseError` if an object has a key in both cases."""
    if isinstance(data, dict):
        result = {to_snake(key): snakify_keys(value) for key, value in data.items()}
        if len(result) != len(data):
            raise ParseError("A value was given twice under two spellings of its name.")
        return result
    if isinstance(data, list):
        return [snakify_keys(item) for item in data]
    return data


class CamelCaseJSONRenderer(JSONRenderer):
    """Renders JSON with camelCase keys, except for a response with the attribute `verbatim`."""

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """Return the body as bytes."""
        is_verbatim = getattr((renderer_context or {}).get("response"), "verbatim", False)
        body = data if is_verbatim else camelize_keys(data)
        return super().render(body, accepted_media_type, renderer_context)


class CamelCaseJSONParser(JSONParser):
    """Parses JSON with keys in either case."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the body with snake_case keys. Raises `ParseError` if it is not valid JSON."""
        try:
            return snakify_keys(super().parse(stream, media_type, parser_context))
        except RecursionError as error:
            raise ParseError("The request's JSON is nested too deeply.") from error
