"""The sandbox's own operations, called in the process that seeds it, at instants of the past."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from billing.sandbox import (
    clock,
    events,
    operations,  # noqa: F401  (fills the route table)
)
from billing.sandbox.body import Body
from billing.sandbox.engine.lock import writing
from billing.sandbox.models import Customer, PaymentSource, Subscription
from billing.sandbox.wire import auth, router
from billing.sandbox.wire.params import Params


class Provider:
    """Calls operations as the wire does: authenticated, alone, at one instant."""

    def post(self, path: str, parameters: Body | None = None) -> Body:
        """One POST operation; raises the ApiError it would have answered."""
        operation, arguments = router.find("POST", path)
        params = Params(_as_sent(parameters or {}))
        with events.acting("api", auth.FULL_ACCESS_USER), writing():
            return operation.run(arguments, params)

    def subscription_to(self, customer: str, price: str) -> str:
        """The id of the customer's subscription to an item price."""
        held = Subscription.objects.filter(customer_id=customer)
        return next(row.handle for row in held if row["subscription_items"][0]["item_price_id"] == price)

    def spare_sources(self, customer: str) -> list[str]:
        """The ids of the customer's payment sources that are not the primary one."""
        primary = Customer.objects.get(handle=customer).get("primary_payment_source_id")
        held = PaymentSource.objects.filter(customer_id=customer, deleted=False).exclude(handle=primary)
        return [source.handle for source in held]


@dataclass(frozen=True, order=True, slots=True)
class Step:
    """Something that was done to the site at an instant."""

    at: int
    act: Callable[[Provider], object] = field(compare=False)

    def take(self, provider: Provider) -> None:
        """Do it, with the site's clock held at its instant."""
        with clock.at(self.at):
            self.act(provider)


def _as_sent(value: Any) -> Any:
    """Parameters as the wire decodes them from a form: every leaf a string."""
    if isinstance(value, dict):
        return {name: _as_sent(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_as_sent(part) for part in value]
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
