"""What only a trial on a test site asks of the provider: its own customers, cards by number, and their deletion."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from billing.gateway.http.client import chargebee_sdk, read_all_pages, read_from_provider, write_to_provider
from billing.gateway.snapshots import Raw
from billing.gateway.time_machine import MACHINE_NAME

# Numbers of Chargebee's test gateway, as its documentation lists them.
GOOD_CARD = "4111111111111111"
# It can be added, and every charge of it is declined.
DECLINING_CARD = "4005519200000004"


def create_customer(customer_id: str, *, key: str) -> None:
    """Create a customer that is nobody. Raises NotSent, Unconfirmed and Refused, like all functions here."""
    params = {"id": customer_id, "email": f"{customer_id}@example.com", "first_name": "Check", "last_name": "Site"}
    write_to_provider(chargebee_sdk().Customer.create, key=key, params=params)


def add_card(customer_id: str, number: str, *, key: str) -> None:
    """Add a card of the test gateway as the customer's primary payment source."""
    card = {"number": number, "expiry_month": 12, "expiry_year": 2039, "cvv": "100"}
    params = {"customer_id": customer_id, "card": card, "replace_primary_payment_source": True}
    write_to_provider(chargebee_sdk().PaymentSource.create_card, key=key, params=params)


def start_with_trial(subscription_id: str, *, customer_id: str, price: str, until: datetime, key: str) -> None:
    """Start a subscription with a trial until a time (UTC)."""
    params = {
        "id": subscription_id,
        "subscription_items": [{"item_price_id": price, "quantity": 1}],
        "trial_end": int(until.timestamp()),
    }
    write_to_provider(chargebee_sdk().Subscription.create_with_items, customer_id, key=key, params=params)


def pause_now(subscription_id: str, *, key: str) -> None:
    """Pause a subscription now, within its paid term, as customer service can."""
    write_to_provider(
        chargebee_sdk().Subscription.pause, subscription_id, key=key, params={"pause_option": "immediately"}
    )


def travel_forward(destination: datetime, *, key: str) -> None:
    """Send the time machine to a time (UTC), without waiting for it."""
    params = {"destination_time": int(destination.timestamp())}
    write_to_provider(chargebee_sdk().TimeMachine.travel_forward, MACHINE_NAME, key=key, params=params)


def delete_customer(customer_id: str, *, key: str) -> None:
    """Delete a customer with everything that belongs to it; the provider does it within minutes."""
    write_to_provider(chargebee_sdk().Customer.delete, customer_id, key=key, params={"delete_payment_method": True})


def read_subscription(subscription_id: str) -> Raw:
    """Return a subscription as the provider has it."""
    raw: Raw = read_from_provider(chargebee_sdk().Subscription.retrieve, subscription_id).subscription.raw_data
    return raw


def find_invoices(subscription_id: str) -> list[Raw]:
    """Return a subscription's invoices, oldest first."""
    params = {"subscription_id": {"is": subscription_id}, "sort_by": {"asc": "date"}}
    return [entry.invoice.raw_data for entry in read_all_pages(chargebee_sdk().Invoice.list, params)]


def estimate_change_lines(subscription_id: str, *, price: str) -> Raw:
    """Return the invoice estimate of changing the price now, prorated."""
    params = {
        "subscription": {"id": subscription_id},
        "subscription_items": [{"item_price_id": price, "quantity": 1}],
        "replace_items_list": True,
        "prorate": True,
        "invoice_immediately": True,
    }
    answer: Any = read_from_provider(chargebee_sdk().Estimate.update_subscription_for_items, params=params)
    raw: Mapping[str, Any] = answer.estimate.raw_data
    lines = [
        line
        for document in (raw.get("invoice_estimate") or {}, *(raw.get("credit_note_estimates") or ()))
        for line in document.get("line_items") or ()
    ]
    return {"line_items": lines}


def find_events(customer_id: str, *, since: datetime) -> Iterator[Raw]:
    """Yield a customer's events from a time (UTC) on, oldest first."""
    # The filter excludes the time itself.
    params = {"occurred_at": {"after": int(since.timestamp()) - 1}, "sort_by": {"asc": "occurred_at"}}
    for entry in read_all_pages(chargebee_sdk().Event.list, params):
        if customer_id in _customer_ids(entry.event.raw_data):
            yield entry.event.raw_data


def _customer_ids(event: Raw) -> set[str]:
    resources = [part for part in event.get("content", {}).values() if isinstance(part, Mapping)]
    owner = event.get("content", {}).get("customer", {}).get("id")
    return {str(owner), *(str(part.get("customer_id")) for part in resources)}
