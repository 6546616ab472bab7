"""Reads of the provider's records: one resource, a customer's, all of a kind, and its current time."""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from billing.gateway.errors import NotSent, Unreadable
from billing.gateway.http.client import (
    UNREADABLE_ERRORS,
    chargebee_sdk,
    read_all_pages,
    read_from_provider,
    read_page,
)
from billing.gateway.scheduled import read_subscription_snapshot
from billing.gateway.snapshots import (
    CouponSnapshot,
    CreditNoteSnapshot,
    CustomerSnapshot,
    InvoiceSnapshot,
    ItemPriceSnapshot,
    ItemSnapshot,
    PaymentSourceSnapshot,
    PromotionalCreditSnapshot,
    Snapshot,
    TransactionSnapshot,
    parse_instant,
)

logger = logging.getLogger(__name__)

T = TypeVar("T")

# kind -> (SDK resource, snapshot factory). Customers come before the kinds that refer to them.
KINDS: dict[str, tuple[str, Callable[[Any], Snapshot]]] = {
    "item": ("Item", ItemSnapshot.from_raw),
    "item_price": ("ItemPrice", ItemPriceSnapshot.from_raw),
    "coupon": ("Coupon", CouponSnapshot.from_raw),
    "customer": ("Customer", CustomerSnapshot.from_raw),
    "payment_source": ("PaymentSource", PaymentSourceSnapshot.from_raw),
    "subscription": ("Subscription", read_subscription_snapshot),
    "transaction": ("Transaction", TransactionSnapshot.from_raw),
    "invoice": ("Invoice", InvoiceSnapshot.from_raw),
    "credit_note": ("CreditNote", CreditNoteSnapshot.from_raw),
    "promotional_credit": ("PromotionalCredit", PromotionalCreditSnapshot.from_raw),
}
CUSTOMER_KINDS = ("payment_source", "subscription", "transaction", "invoice", "credit_note", "promotional_credit")
CATALOG_KINDS = ("item", "item_price", "coupon")
# Kinds whose lists can include deleted resources.
KINDS_WITH_DELETED = ("customer", "subscription", "transaction", "invoice", "credit_note")
# Kinds whose lists cannot be sorted by the last update. What is updated while they are read is listed twice at most.
KINDS_SORTED_BY_CREATION = ("credit_note",)
# Kinds without versions, whose lists begin with the newest. What is added while they are read is missed by none.
KINDS_NEVER_UPDATED = ("promotional_credit",)
# The sort field of each paged list: immutable, so that new records come last and pages do not shift.
SORT_FIELDS = {
    "item": "id",
    "item_price": "id",
    "coupon": "created_at",
    "customer": "created_at",
    "payment_source": "created_at",
    "subscription": "created_at",
    "transaction": "date",
    "invoice": "date",
    "credit_note": "date",
    "promotional_credit": "created_at",
}


@dataclass(frozen=True)
class UnreadableRecord:
    """A record that cannot be parsed, and the id of its customer, empty when unknown."""

    id: str
    customer_id: str


@dataclass(frozen=True)
class RecordsPage:
    """A page of all resources of a kind; `next_offset` is empty after the last page."""

    snapshots: list[Snapshot]
    unreadable: list[UnreadableRecord]
    next_offset: str


def find_record(kind: str, resource_id: str) -> Snapshot:
    """Return one resource.

    Raises Missing when the provider does not know it, NotSent when it could not be reached, and Unreadable (a NotSent)
    when the answer cannot be parsed.
    """
    resource, snapshot = KINDS[kind]
    answer = read_from_provider(getattr(chargebee_sdk(), resource).retrieve, resource_id)
    try:
        return snapshot(getattr(answer, kind).raw_data)
    except UNREADABLE_ERRORS as error:
        raise Unreadable(f"a {kind} that cannot be read") from error


def find_records(kind: str, **filters: Any) -> list[Snapshot]:
    """Return all resources of a kind that match the filters, deleted ones included where the list can show them.

    A record that cannot be parsed is logged and skipped.
    """
    resource, snapshot = KINDS[kind]
    entries = read_all_pages(getattr(chargebee_sdk(), resource).list, {**filters, **_include_deleted_params(kind)})
    return list(_parse_readable(kind, snapshot, (getattr(entry, kind).raw_data for entry in entries)))


def read_records_page(kind: str, *, offset: str = "", updated_after: int = 0, created_from: int = 0) -> RecordsPage:
    """Return a page of all resources of a kind, oldest first, deleted ones included where the list can show them.

    `updated_after` and `created_from` (seconds) limit it to resources of customers that were updated after a time, the
    last updated last if the list can be sorted so, or created at a time or later. Raises NotSent, and Refused for an
    expired offset.
    """
    resource, snapshot = KINDS[kind]
    params = {**_period_params(kind, updated_after, created_from), **_include_deleted_params(kind)}
    entries, next_offset = read_page(getattr(chargebee_sdk(), resource).list, params, offset=offset)
    snapshots: list[Snapshot] = []
    unreadable: list[UnreadableRecord] = []
    for raw in (getattr(entry, kind).raw_data for entry in entries):
        try:
            snapshots.append(snapshot(raw))
        except (*UNREADABLE_ERRORS, Unreadable):
            logger.exception("The provider's %s %s cannot be read", kind, raw.get("id"))
            unreadable.append(_unreadable_record(kind, raw))
    return RecordsPage(snapshots=snapshots, unreadable=unreadable, next_offset=next_offset)


def find_customer_records(customer_id: str) -> list[Snapshot]:
    """Return a customer and all its records. Raises Missing for an unknown customer."""
    snapshots = [find_record("customer", customer_id)]
    for kind in CUSTOMER_KINDS:
        snapshots.extend(find_records(kind, customer_id={"is": customer_id}))
    return snapshots


def find_customers_by_email(email: str) -> list[CustomerSnapshot]:
    """Return the customers with this address, newest first."""
    customers = [
        snapshot
        for snapshot in find_records("customer", email={"is": email})
        if isinstance(snapshot, CustomerSnapshot) and not snapshot.deleted
    ]
    return sorted(customers, key=lambda customer: int(customer.payload.get("created_at") or 0), reverse=True)


def find_catalog_records() -> list[Snapshot]:
    """Return all items, prices and coupons, archived ones included."""
    return [snapshot for kind in CATALOG_KINDS for snapshot in find_records(kind)]


def read_provider_time(price_id: str) -> datetime:
    """Return the provider's current time, taken from an estimate for a price: no resource states it."""
    params = {"subscription_items": [{"item_price_id": price_id, "quantity": 1}]}
    answer = read_from_provider(chargebee_sdk().Estimate.create_sub_item_estimate, params=params)
    try:
        return parse_instant(answer.estimate.raw_data["created_at"])
    except UNREADABLE_ERRORS as error:
        raise NotSent("an estimate without its time") from error


def created_seconds(kind: str, snapshot: Snapshot) -> int:
    """Return the time (seconds) by which a snapshot's list is sorted, oldest first; 0 if it is not sorted so."""
    is_sorted = kind not in (*CATALOG_KINDS, *KINDS_NEVER_UPDATED)
    return int(snapshot.payload.get(SORT_FIELDS[kind]) or 0) if is_sorted else 0


def _period_params(kind: str, updated_after: int, created_from: int) -> dict[str, Any]:
    field = SORT_FIELDS[kind]
    if kind in CATALOG_KINDS:
        return {"sort_by": {"asc": field}}  # so short that it is always listed as a whole
    if kind in KINDS_NEVER_UPDATED:
        return {field: {"after": updated_after}} if updated_after else {}
    if updated_after:
        sort = field if kind in KINDS_SORTED_BY_CREATION else "updated_at"
        return {"sort_by": {"asc": sort}, "updated_at": {"after": updated_after}}
    return {"sort_by": {"asc": field}, **({field: {"after": created_from - 1}} if created_from else {})}


def _unreadable_record(kind: str, raw: Any) -> UnreadableRecord:
    owner = raw.get("id") if kind == "customer" else raw.get("customer_id")
    return UnreadableRecord(id=str(raw.get("id")), customer_id=str(owner or ""))


def _include_deleted_params(kind: str) -> dict[str, Any]:
    return {"include_deleted": True} if kind in KINDS_WITH_DELETED else {}


def _parse_readable(kind: str, snapshot: Callable[[Any], T], raws: Iterable[Any]) -> Iterator[T]:
    for raw in raws:
        try:
            yield snapshot(raw)
        except UNREADABLE_ERRORS:
            logger.exception("The provider's %s %s cannot be read", kind, raw.get("id"))
