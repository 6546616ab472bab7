"""Merging a customer into another one, as customer service does in the provider's console."""

from __future__ import annotations

from chargebee_sandbox import event_log
from chargebee_sandbox.api import router
from chargebee_sandbox.api.errors import ApiError
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.models import Customer
from chargebee_sandbox.operations.customers import find_belongings
from chargebee_sandbox.operations.lookup import find_resource


@router.post("customer.merge", "/customers/merge", "from_customer_id to_customer_id")
def merge_customers(params: Params) -> Body:
    """Move all that a customer has to another one, and delete it.

    The provider answers at once and merges later; this site merges at once.
    """
    origin = find_resource(Customer, params.required_text("from_customer_id"), "from_customer_id")
    target = find_resource(Customer, params.required_text("to_customer_id"), "to_customer_id")
    if origin.handle == target.handle:
        raise ApiError(400, "invalid_request", "A customer cannot be merged into itself", param="to_customer_id")
    for row in find_belongings(origin.handle):
        row.customer_id = target.handle  # type: ignore[attr-defined]  # all of them have the column
        row.set_attributes(customer_id=target.handle)
        row.save()
    _take_primary_source(origin, target)
    target.save()
    event_log.record_event("customer_changed", customer=target)
    origin.deleted = True
    origin.set_attributes(deleted=True, primary_payment_source_id=None, backup_payment_source_id=None)
    origin.save()
    event_log.record_event("customer_deleted", customer=origin)
    return {"customer": target.render_resource()}


def _take_primary_source(origin: Customer, target: Customer) -> None:
    """Keep the target's primary payment source, or take the other customer's if it has none."""
    primary_id = target.get("primary_payment_source_id") or origin.get("primary_payment_source_id")
    target.set_attributes(primary_payment_source_id=primary_id, card_status=origin["card_status"])
