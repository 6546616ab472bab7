"""The route table, filled by decorators on the operations themselves."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from billing.sandbox.body import Body
from billing.sandbox.wire.errors import ApiError
from billing.sandbox.wire.params import Params

Handler = Callable[..., Body]


@dataclass(frozen=True)
class Operation:
    """One API operation: its address, its function and the parameters it takes (lists check their own)."""

    name: str
    method: str
    path: str
    pattern: re.Pattern[str]
    handler: Handler
    takes: tuple[str, ...] | None
    estimate: bool

    def run(self, arguments: dict[str, str], params: Params) -> Body:
        """Check the parameters' names and act."""
        if self.takes is not None:
            params.allow_only(self.takes)
        return self.handler(params, **arguments)


operations: list[Operation] = []


def get(
    name: str, path: str, takes: str | None = "", *, estimate: bool = False
) -> Callable[[Handler], Handler]:
    """Register a read, or an estimate; ``takes=None`` leaves the parameters' names to the handler (lists)."""
    return _register(name, "GET", path, takes, estimate=estimate)


def post(name: str, path: str, takes: str = "", *, estimate: bool = False) -> Callable[[Handler], Handler]:
    """Register a write, or an estimate, which takes no idempotency key and changes nothing."""
    return _register(name, "POST", path, takes, estimate=estimate)


def find(method: str, path: str) -> tuple[Operation, dict[str, str]]:
    """The operation at an address, and what its address names.

    Raises: ApiError 404 for an unknown address, 405 for a known one with another method.
    """
    matches = [(operation, match) for operation in operations if (match := operation.pattern.fullmatch(path))]
    for operation, match in matches:
        if operation.method == method:
            return operation, match.groupdict()
    if matches:
        raise ApiError(405, "http_method_not_supported", f"{method} is not supported for {path}")
    raise ApiError(404, "resource_not_found", f"There is no {path} in this API")


def _register(
    name: str, method: str, path: str, takes: str | None, *, estimate: bool
) -> Callable[[Handler], Handler]:
    pattern = re.compile(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", path))
    names = None if takes is None else tuple(takes.split())

    def keep(handler: Handler) -> Handler:
        operation = Operation(name, method, path, pattern, handler, names, estimate)
        # An address without a variable part is looked at first: /coupons/create_for_items is no coupon's id.
        operations.append(operation)
        operations.sort(key=lambda known: "{" in known.path)
        return handler

    return keep
