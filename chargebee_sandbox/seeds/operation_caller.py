"""Calls the sandbox's own operations inside the seeding process, at instants of the past."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from chargebee_sandbox import (
    clock,
    event_log,
    operations,  # noqa: F401  (registers them)
)
from chargebee_sandbox.api import auth, router
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.write_lock import hold_write_lock
from chargebee_sandbox.models import Customer, PaymentSource, Subscription


class OperationCaller:
    """Calls operations as the API's view does, under the write lock."""

    def post(self, path: str, parameters: Body | None = None) -> Body:
        """Call a POST operation. Raises: ApiError as the operation."""
        operation, arguments = router.find_operation("POST", path)
        params = Params(_as_form_values(parameters or {}))
        with event_log.act_as("api", auth.FULL_ACCESS_USER), hold_write_lock():
            return operation.run_operation(arguments, params)

    def subscription_to(self, customer: str, price: str) -> str:
        """Return the id of the customer's subscription to an item price."""
        rows = Subscription.objects.filter(customer_id=customer)
        return next(row.handle for row in rows if row["subscription_items"][0]["item_price_id"] == price)

    def spare_sources(self, customer: str) -> list[str]:
        """Return the ids of the customer's payment sources that are not the primary one."""
        primary = Customer.objects.get(handle=customer).get("primary_payment_source_id")
        spare = PaymentSource.objects.filter(customer_id=customer, deleted=False).exclude(handle=primary)
        return [source.handle for source in spare]


@dataclass(frozen=True, order=True, slots=True)
class SeedAction:
    """An action on the site at an instant (seconds UTC)."""

    at: int
    action: Callable[[OperationCaller], object] = field(compare=False)

    def perform(self, provider: OperationCaller) -> None:
        """Perform the action with the site's clock held at its instant."""
        with clock.hold_time(self.at):
            self.action(provider)


def _as_form_values(value: Any) -> Any:
    """Return parameters as decoded from a form: every leaf a string."""
    if isinstance(value, dict):
        return {name: _as_form_values(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_as_form_values(part) for part in value]
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
