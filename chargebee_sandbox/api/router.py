"""The route table, filled by decorators on the operations themselves."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from chargebee_sandbox.api.errors import ApiError
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body

Handler = Callable[..., Body]


@dataclass(frozen=True)
class Operation:
    """An API operation: its address, handler, and parameters (None for a list, which checks its own)."""

    name: str
    method: str
    path: str
    pattern: re.Pattern[str]
    handler: Handler
    takes: tuple[str, ...] | None
    estimate: bool

    @property
    def is_write(self) -> bool:
        """Whether the operation changes anything; only writes take an idempotency key."""
        return self.method == "POST" and not self.estimate

    def run_operation(self, arguments: dict[str, str], params: Params) -> Body:
        """Check the names of the parameters, then call the handler."""
        if self.takes is not None:
            params.allow_only(self.takes)
        return self.handler(params, **arguments)


registered_operations: list[Operation] = []


def get(name: str, path: str, takes: str | None = "", *, estimate: bool = False) -> Callable[[Handler], Handler]:
    """Register a GET operation; ``takes=None`` leaves the check of parameter names to the handler (lists)."""
    return _register_operation(name, "GET", path, takes, estimate=estimate)


def post(name: str, path: str, takes: str = "", *, estimate: bool = False) -> Callable[[Handler], Handler]:
    """Register a POST operation; an estimate takes no idempotency key and changes nothing."""
    return _register_operation(name, "POST", path, takes, estimate=estimate)


def find_operation(method: str, path: str) -> tuple[Operation, dict[str, str]]:
    """Return the operation at an address and the arguments its path holds.

    Raises: ApiError 404 for an unknown path, 405 for a path that has only other methods.
    """
    matches = [
        (operation, match) for operation in registered_operations if (match := operation.pattern.fullmatch(path))
    ]
    for operation, match in matches:
        if operation.method == method:
            return operation, match.groupdict()
    if matches:
        raise ApiError(405, "http_method_not_supported", f"{method} is not supported for {path}")
    raise ApiError(404, "resource_not_found", f"There is no {path} in this API")


def _register_operation(
    name: str, method: str, path: str, takes: str | None, *, estimate: bool
) -> Callable[[Handler], Handler]:
    pattern = re.compile(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", path))
    names = None if takes is None else tuple(takes.split())

    def register_handler(handler: Handler) -> Handler:
        operation = Operation(name, method, path, pattern, handler, names, estimate)
        # Paths without a variable part match first: in /coupons/create_for_items the last part is no coupon's id.
        registered_operations.append(operation)
        registered_operations.sort(key=lambda registered: "{" in registered.path)
        return handler

    return register_handler
