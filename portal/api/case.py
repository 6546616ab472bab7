"""camelCase on the wire, snake_case inside.

Keys are taken in either case. A key must not hold an underscore before a digit (`line_1`), which would not survive
the way out and back; and a map whose keys are data must not be sent at all, since data has no case to change.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer

_WORD_START = re.compile(r"(?<=[a-zA-Z0-9])_([a-z])")
_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")


def to_camel(key: str) -> str:
    """`next_billing_at` → `nextBillingAt`; `last4` and anything already in camelCase stay as they are."""
    return _WORD_START.sub(lambda match: match.group(1).upper(), key)


def to_snake(key: str) -> str:
    """`nextBillingAt` → `next_billing_at`; a key in snake_case stays as it is."""
    return _CAPITAL.sub(lambda match: f"_{match.group(1).lower()}", key)


def camelised(data: Any) -> Any:
    """The same data with every key in camelCase."""
    if isinstance(data, Mapping):
        return {
            to_camel(key) if isinstance(key, str) else key: camelised(value) for key, value in data.items()
        }
    if isinstance(data, (list, tuple)):
        return [camelised(item) for item in data]
    return data


def snaked(data: Any) -> Any:
    """The same data with every key in snake_case.

    Raises `ParseError` when one object holds a key in both cases, since either could be the one that was meant.
    """
    if isinstance(data, dict):
        result = {to_snake(key): snaked(value) for key, value in data.items()}
        if len(result) != len(data):
            raise ParseError("A value was given twice under two spellings of its name.")
        return result
    if isinstance(data, list):
        return [snaked(item) for item in data]
    return data


class CamelCaseJSONRenderer(JSONRenderer):
    """JSON with camelCase keys; a response that says it is `verbatim` goes out as it is."""

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """Return the body's bytes."""
        verbatim = getattr((renderer_context or {}).get("response"), "verbatim", False)
        sent = data if verbatim else camelised(data)
        return super().render(sent, accepted_media_type, renderer_context)


class CamelCaseJSONParser(JSONParser):
    """JSON with keys in either case."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the body with snake_case keys. Raises `ParseError` for anything that is not sound JSON."""
        try:
            return snaked(super().parse(stream, media_type, parser_context))
        except RecursionError as error:
            raise ParseError("The request's JSON is nested too deeply.") from error
