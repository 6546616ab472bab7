"""Converts between camelCase in JSON and snake_case in Python.

Requests may use either case. A key must not have an underscore before a digit (`line_1`), because the conversion would
not be reversible. Data must not be used as keys, because it would be converted too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import IO, Any

from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer
from rest_framework.utils.json import strict_constant

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
    """Parses JSON in UTF-8 with keys in either case, each given once."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the body with snake_case keys.

        Raises `ParseError` if it is not valid JSON, and `UnsupportedMediaType` if it is compressed or its type is a
        pattern.
        """
        named = media_type or ""
        if "*" in named:
            # REST framework compares a request's type as it does what a client accepts.
            raise UnsupportedMediaType(named)
        encoding = (parser_context or {})["request"].headers.get("Content-Encoding", "identity")
        if encoding.lower() != "identity":
            raise UnsupportedMediaType(f"{named} ({encoding})")
        try:
            body = json.loads(
                stream.read().decode(), parse_constant=strict_constant, object_pairs_hook=_object_with_unique_keys
            )
            return snakify_keys(body)
        except ValueError as error:
            raise ParseError("The request is not valid JSON.") from error
        except RecursionError as error:
            raise ParseError("The request's JSON is nested too deeply.") from error


def _object_with_unique_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object. Raises `ParseError` if it has a key twice, which readers take differently."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ParseError("A value was given twice under one name.")
    return found
