"""Finding what a request names."""

from __future__ import annotations

from typing import TypeVar

from billing.sandbox import events, identifiers
from billing.sandbox.body import Body
from billing.sandbox.models import Customer, Resource
from billing.sandbox.wire.errors import duplicate, not_found

R = TypeVar("R", bound=Resource)


def found(model: type[R], handle: str, param: str | None = None) -> R:
    """The row with this id. Raises: ApiError 404, also for what is deleted."""
    row = model._default_manager.filter(handle=handle, deleted=False).first()
    if row is None:
        raise not_found(model.kind, handle, param)
    return row


def free_id(model: type[Resource], wished: str | None) -> str:
    """The id a client wishes for, or an opaque one. Raises: ApiError 400 where it is taken."""
    if wished is None:
        return identifiers.new()
    if model._default_manager.filter(handle=wished).exists():
        raise duplicate("id", wished)
    return wished


def with_card(answer: Body, customer: Customer) -> Body:
    """The customer, and the customer's card where there is one, added to an answer."""
    card = events.card_of(customer)
    return {**answer, "customer": customer.render(), **({"card": card} if card else {})}
