"""Acting once per `Idempotency-Key` (contract, section 2), for applications that do not keep the keys.

Billing keeps them, with the answers they got, and hands its decorator in here; the others import this one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.response import Response

HEADER = "Idempotency-Key"
KEY_HEADER = OpenApiParameter(
    HEADER,
    {"type": "string", "minLength": 1, "maxLength": 100, "pattern": "^[\\x21-\\x7e][\\x20-\\x7e]*$"},
    OpenApiParameter.HEADER,
    description="One per intent, at most 100 printable characters. The same request with the same key acts once.",
)

Method = Callable[..., Response]
Keeper = Callable[[Method], Method]

_keepers: list[Keeper] = []


def keep_with(keeper: Keeper) -> None:
    """Have this decorator keep the keys, in place of any before it."""
    _keepers[:] = [keeper]


def acts_once(method: Method) -> Method:
    """Let a view's method, which takes `key`, act once per key and account; raises what the keeper raises."""

    @functools.wraps(method)
    def answer(*args: Any, **kwargs: Any) -> Response:
        (keeper,) = _keepers
        return keeper(method)(*args, **kwargs)

    return answer
