"""Hidden fields of confirmation forms: the idempotency key, and the quote of the amounts that were shown."""

from __future__ import annotations

import re
import uuid

from django.http import HttpRequest

_KEY_PATTERN = re.compile(r"operator-[0-9a-f]{32}")
_QUOTE_PATTERN = re.compile(r"[\w-]{1,100}")


def new_action_key() -> str:
    """Return an idempotency key for a confirmation form."""
    return f"operator-{uuid.uuid4().hex}"


def submitted_key(request: HttpRequest, name: str = "key") -> str:
    """Return the idempotency key of a submitted form, or a new one if it has none."""
    return _submitted_value(request, name, _KEY_PATTERN) or new_action_key()


def submitted_quote(request: HttpRequest, name: str = "quote") -> str:
    """Return the quote of a submitted form, empty if it has none."""
    return _submitted_value(request, name, _QUOTE_PATTERN)


def _submitted_value(request: HttpRequest, name: str, pattern: re.Pattern[str]) -> str:
    value = request.POST.get(name, "")
    return value if pattern.fullmatch(value) else ""
