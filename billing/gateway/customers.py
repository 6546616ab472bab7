"""Changes of customers."""

from billing.gateway.errors import Unconfirmed
from billing.gateway.http.client import UNREADABLE_ERRORS, chargebee_sdk, write_to_provider
from billing.gateway.snapshots import CustomerSnapshot


def rename_customer(customer_id: str, *, key: str, first_name: str, last_name: str) -> CustomerSnapshot:
    """Set a customer's names. Setting them again changes nothing.

    Raises NotSent, Refused and Missing (nothing changed), or Unconfirmed (the change may have been made).
    """
    params = {"first_name": first_name, "last_name": last_name}
    answer = write_to_provider(chargebee_sdk().Customer.update, customer_id, key=key, params=params)
    try:
        return CustomerSnapshot.from_raw(answer.customer.raw_data)
    except UNREADABLE_ERRORS as error:
        raise Unconfirmed("an answer without its customer") from error
