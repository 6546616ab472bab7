"""Changing what the provider holds of a customer themselves."""

from billing.gateway.client import UNREADABLE, sdk, write
from billing.gateway.errors import Unconfirmed
from billing.gateway.snapshots import CustomerSnapshot


def rename(customer_id: str, *, key: str, first_name: str, last_name: str) -> CustomerSnapshot:
    """Give a customer these names. Setting them again with the same key changes nothing.

    Raises NotSent, Refused and Missing (nothing changed), Unconfirmed (may have changed).
    """
    params = {"first_name": first_name, "last_name": last_name}
    answer = write(sdk().Customer.update, customer_id, key=key, params=params)
    try:
        return CustomerSnapshot.of(answer.customer.raw_data)
    except UNREADABLE as error:
        raise Unconfirmed("an answer without its customer") from error
