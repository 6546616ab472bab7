"""Reading what the provider holds: a customer's records, the whole site's, one resource, the events, its time."""

import logging
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, TypeVar

from billing.gateway.client import UNREADABLE, pages, read, sdk
from billing.gateway.errors import NotSent
from billing.gateway.scheduled import subscription_of
from billing.gateway.snapshots import (
    CouponSnapshot,
    CustomerSnapshot,
    EventSnapshot,
    InvoiceSnapshot,
    ItemPriceSnapshot,
    PaymentSourceSnapshot,
    Snapshot,
    TransactionSnapshot,
    instant,
)

logger = logging.getLogger(__name__)

T = TypeVar("T")

# kind -> (the SDK's resource, its snapshot). Customers come first: the others refer to them.
KINDS: dict[str, tuple[str, Callable[[Any], Snapshot]]] = {
    "item_price": ("ItemPrice", ItemPriceSnapshot.of),
    "coupon": ("Coupon", CouponSnapshot.of),
    "customer": ("Customer", CustomerSnapshot.of),
    "payment_source": ("PaymentSource", PaymentSourceSnapshot.of),
    "subscription": ("Subscription", subscription_of),
    "transaction": ("Transaction", TransactionSnapshot.of),
    "invoice": ("Invoice", InvoiceSnapshot.of),
}
OF_A_CUSTOMER = ("payment_source", "subscription", "transaction", "invoice")
CATALOGUE = ("item_price", "coupon")
# The lists that show deleted resources when asked; the others leave them out.
SHOW_DELETED = ("customer", "subscription", "transaction", "invoice")


def find(kind: str, resource_id: str) -> Snapshot:
    """Return one resource as it is now.

    Raises Missing when the provider does not know it, NotSent when it could not be asked or the answer not be read.
    """
    resource, snapshot = KINDS[kind]
    answer = read(getattr(sdk(), resource).retrieve, resource_id)
    try:
        return snapshot(getattr(answer, kind).raw_data)
    except UNREADABLE as error:
        raise NotSent(f"a {kind} that cannot be read") from error


def everything(kind: str, **filters: Any) -> list[Snapshot]:
    """Return every resource of a kind that the filters let through, deleted ones included where the list can.

    One that cannot be read is left out, and logged: it does not keep the others away.
    """
    resource, snapshot = KINDS[kind]
    params = {**filters, **({"include_deleted": True} if kind in SHOW_DELETED else {})}
    entries = pages(getattr(sdk(), resource).list, params)
    return list(_readable(kind, snapshot, (getattr(entry, kind).raw_data for entry in entries)))


def of_customer(customer_id: str) -> list[Snapshot]:
    """Return a customer and all of its records. Raises Missing when the provider does not know it."""
    found = [find("customer", customer_id)]
    for kind in OF_A_CUSTOMER:
        found.extend(everything(kind, customer_id={"is": customer_id}))
    return found


def customers_with_email(email: str) -> list[CustomerSnapshot]:
    """Return the customers with this address, newest first."""
    found = [
        snapshot
        for snapshot in everything("customer", email={"is": email})
        if isinstance(snapshot, CustomerSnapshot) and not snapshot.deleted
    ]
    return sorted(found, key=lambda customer: int(customer.payload.get("created_at") or 0), reverse=True)


def catalogue() -> list[Snapshot]:
    """Return all prices and coupons, archived ones included."""
    return [snapshot for kind in CATALOGUE for snapshot in everything(kind)]


def events_since(since: datetime) -> list[EventSnapshot]:
    """Return the events that occurred after an instant (UTC), oldest first; one that cannot be read is logged."""
    params = {"occurred_at": {"after": int(since.timestamp())}, "sort_by": {"asc": "occurred_at"}}
    entries = pages(sdk().Event.list, params)
    return list(_readable("event", EventSnapshot.of, (entry.event.raw_data for entry in entries)))


def present_time(price_id: str) -> datetime:
    """Return the provider's present time: the one on an estimate for a price, since no resource states it."""
    params = {"subscription_items": [{"item_price_id": price_id, "quantity": 1}]}
    answer = read(sdk().Estimate.create_sub_item_estimate, params=params)
    try:
        return instant(answer.estimate.raw_data["created_at"])
    except UNREADABLE as error:
        raise NotSent("an estimate without its time") from error


def _readable(kind: str, snapshot: Callable[[Any], T], raws: Iterable[Any]) -> Iterator[T]:
    for raw in raws:
        try:
            yield snapshot(raw)
        except UNREADABLE:
            logger.exception("The provider's %s %s cannot be read", kind, raw.get("id"))
