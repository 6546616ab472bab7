"""Changes of customers."""

from typing import Any

from billing.gateway.errors import Unconfirmed
from billing.gateway.http.client import UNREADABLE_ERRORS, chargebee_sdk, write_to_provider
from billing.gateway.snapshots import CustomerSnapshot, Snapshot


def rename_customer(customer_id: str, *, key: str, first_name: str, last_name: str) -> CustomerSnapshot:
    """Set a customer's names. Setting them again changes nothing.

    Raises NotSent, Refused and Missing (nothing changed), or Unconfirmed (the change may have been made).
    """
    params = {"first_name": first_name, "last_name": last_name}
    return _update_customer(customer_id, key, params)


def change_address(*, key: str, customer: str, email: str) -> list[Snapshot]:
    """Set a customer's email address. Setting it again changes nothing. Raises as `rename_customer`."""
    return [_update_customer(customer, key, {"email": email})]


def _update_customer(customer_id: str, key: str, params: dict[str, Any]) -> CustomerSnapshot:
    answer = write_to_provider(chargebee_sdk().Customer.update, customer_id, key=key, params=params)
    try:
        return CustomerSnapshot.from_raw(answer.customer.raw_data)
    except UNREADABLE_ERRORS as error:
        raise Unconfirmed("an answer without its customer") from error
