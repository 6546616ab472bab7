"""Reading what the provider holds: a customer's records, the whole site's, one resource, the events, its time."""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from billing.gateway.client import UNREADABLE, page, pages, read, sdk
from billing.gateway.errors import NotSent, Unreadable
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
# What each list is sorted by when it is read in portions: set once, so that what is new comes last and nothing moves.
SORTED_BY = {
    "item_price": "id",
    "coupon": "created_at",
    "customer": "created_at",
    "payment_source": "created_at",
    "subscription": "created_at",
    "transaction": "date",
    "invoice": "date",
}


@dataclass(frozen=True)
class Broken:
    """A record of a list that cannot be read, and the customer that it says it belongs to, empty when it does not."""

    id: str
    customer_id: str


@dataclass(frozen=True)
class Page:
    """A portion of all resources of a kind; `next_offset` is empty after the last one."""

    snapshots: list[Snapshot]
    broken: list[Broken]
    next_offset: str


@dataclass(frozen=True)
class EventsPage:
    """A portion of the events; `next_offset` is empty after the last one."""

    events: list[EventSnapshot]
    next_offset: str


def find(kind: str, resource_id: str) -> Snapshot:
    """Return one resource as it is now.

    Raises Missing when the provider does not know it, NotSent when it could not be asked, and Unreadable, which is one
    of those, when the answer could not be read.
    """
    resource, snapshot = KINDS[kind]
    answer = read(getattr(sdk(), resource).retrieve, resource_id)
    try:
        return snapshot(getattr(answer, kind).raw_data)
    except UNREADABLE as error:
        raise Unreadable(f"a {kind} that cannot be read") from error


def everything(kind: str, **filters: Any) -> list[Snapshot]:
    """Return every resource of a kind that the filters let through, deleted ones included where the list can.

    One that cannot be read is left out, and logged: it does not keep the others away.
    """
    resource, snapshot = KINDS[kind]
    entries = pages(getattr(sdk(), resource).list, {**filters, **_deleted_too(kind)})
    return list(_readable(kind, snapshot, (getattr(entry, kind).raw_data for entry in entries)))


def portion(kind: str, *, offset: str = "") -> Page:
    """Return a page of every resource of a kind, oldest first, deleted ones included where the list can.

    Raises NotSent, and Refused for an offset that the list does not know any more.
    """
    resource, snapshot = KINDS[kind]
    params = {"sort_by": {"asc": SORTED_BY[kind]}, **_deleted_too(kind)}
    entries, next_offset = page(getattr(sdk(), resource).list, params, offset=offset)
    snapshots: list[Snapshot] = []
    broken: list[Broken] = []
    for raw in (getattr(entry, kind).raw_data for entry in entries):
        try:
            snapshots.append(snapshot(raw))
        except (*UNREADABLE, Unreadable):
            logger.exception("The provider's %s %s cannot be read", kind, raw.get("id"))
            broken.append(_broken(kind, raw))
    return Page(snapshots=snapshots, broken=broken, next_offset=next_offset)


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


def events(*, since: datetime, offset: str = "") -> EventsPage:
    """Return a page of the events that occurred after an instant (UTC), oldest first.

    One that cannot be read is left out, and logged. Raises NotSent, and Refused for an offset that the list does not
    know any more.
    """
    params = {"occurred_at": {"after": int(since.timestamp())}, "sort_by": {"asc": "occurred_at"}}
    entries, next_offset = page(sdk().Event.list, params, offset=offset)
    found = list(_readable("event", EventSnapshot.of, (entry.event.raw_data for entry in entries)))
    return EventsPage(events=found, next_offset=next_offset)


def present_time(price_id: str) -> datetime:
    """Return the provider's present time: the one on an estimate for a price, since no resource states it."""
    params = {"subscription_items": [{"item_price_id": price_id, "quantity": 1}]}
    answer = read(sdk().Estimate.create_sub_item_estimate, params=params)
    try:
        return instant(answer.estimate.raw_data["created_at"])
    except UNREADABLE as error:
        raise NotSent("an estimate without its time") from error


def _broken(kind: str, raw: Any) -> Broken:
    owner = raw.get("id") if kind == "customer" else raw.get("customer_id")
    return Broken(id=str(raw.get("id")), customer_id=str(owner or ""))


def _deleted_too(kind: str) -> dict[str, Any]:
    return {"include_deleted": True} if kind in SHOW_DELETED else {}


def _readable(kind: str, snapshot: Callable[[Any], T], raws: Iterable[Any]) -> Iterator[T]:
    for raw in raws:
        try:
            yield snapshot(raw)
        except UNREADABLE:
            logger.exception("The provider's %s %s cannot be read", kind, raw.get("id"))
