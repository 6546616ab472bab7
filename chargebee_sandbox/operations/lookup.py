"""Lookups that operations share."""

from __future__ import annotations

from typing import TypeVar

from chargebee_sandbox import event_log, identifiers
from chargebee_sandbox.api.errors import duplicate_entry, not_found
from chargebee_sandbox.body import Body
from chargebee_sandbox.models import Customer, Resource
from chargebee_sandbox.row_lookup import find_row

R = TypeVar("R", bound=Resource)


def find_resource(model: type[R], handle: str, param: str | None = None) -> R:
    """Return the row with this id. Raises: ApiError 404 if it does not exist or is deleted."""
    row = find_row(model, "handle", handle)
    if row is None or row.deleted:
        raise not_found(model.kind, handle, param)
    return row


def free_id(model: type[Resource], requested: str | None) -> str:
    """Return the requested id, or else a new opaque one. Raises: ApiError 400 if it exists already."""
    if requested is None:
        return identifiers.new_id()
    if model._default_manager.filter(handle=requested).exists():
        raise duplicate_entry("id", requested)
    return requested


def with_customer_and_card(answer: Body, customer: Customer) -> Body:
    """Return an answer with the customer, and the customer's card if there is one."""
    card = event_log.primary_card(customer)
    return {**answer, "customer": customer.render_resource(), **({"card": card} if card else {})}
