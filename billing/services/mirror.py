"""The only writer of the mirror: applies what the provider holds, never an older version over a newer one."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import Account
from billing import catalog
from billing.gateway.snapshots import (
    CouponSnapshot,
    CustomerSnapshot,
    InvoiceSnapshot,
    ItemPriceSnapshot,
    PaymentSourceSnapshot,
    Snapshot,
    SubscriptionSnapshot,
    TransactionSnapshot,
)
from billing.models import (
    Coupon,
    Customer,
    Invoice,
    ItemPrice,
    PaymentSource,
    Subscription,
    Transaction,
)
from billing.models.mirrored import Mirrored
from billing.services import documents

# The mirror's table of each kind that the gateway reads.
MODELS: dict[str, type[Mirrored]] = {
    "customer": Customer,
    "subscription": Subscription,
    "payment_source": PaymentSource,
    "invoice": Invoice,
    "transaction": Transaction,
    "item_price": ItemPrice,
    "coupon": Coupon,
}


class UnknownCustomer(LookupError):
    """A record belongs to a customer that the mirror does not hold."""


@dataclass
class _Writing:
    """One call of `write`: its instant, and the customers the records belong to."""

    now: datetime
    owners: dict[str, Customer] = field(default_factory=dict)

    def owner(self, customer_id: str) -> Customer:
        try:
            return self.owners[customer_id]
        except KeyError as error:
            raise UnknownCustomer(customer_id) from error


# Without a savepoint of its own: what fails here fails the transaction that it is part of.
@transaction.atomic(savepoint=False)
def write(snapshots: Sequence[Snapshot], *, now: datetime) -> list[Mirrored]:
    """Write the snapshots into the mirror; the caller rebuilds the documents in the same transaction.

    Takes: what the gateway read, customers before what belongs to them; `now` in UTC.
    Returns: the rows as they now are, in the same order. Raises UnknownCustomer.
    """
    writing = _Writing(now=now, owners=_locked_owners(snapshots))
    rows = [_WRITERS[type(snapshot)](snapshot, writing) for snapshot in snapshots]
    if any(isinstance(row, (ItemPrice, Coupon)) for row in rows):
        documents.content_changed()
    return rows


def forget_sources(customer: Customer, held: Iterable[Snapshot], *, now: datetime) -> None:
    """Leave tombstones of a customer's payment sources that are not among all it held at an instant (UTC).

    The provider's list leaves deleted ones out; one that was heard of since the instant stays.
    """
    sources_not_among(customer, held).filter(synced_at__lte=now).update(deleted=True)


def sources_not_among(customer: Customer, held: Iterable[Snapshot]) -> QuerySet[PaymentSource]:
    """Return the payment sources that a customer has here and that are not among what it holds there."""
    ids = [one.id for one in held if isinstance(one, PaymentSourceSnapshot)]
    return PaymentSource.objects.filter(customer=customer, deleted=False).exclude(provider_id__in=ids)


def forget_version(kind: str, resource_id: str, *, version: int) -> None:
    """Let an older snapshot of a resource be written over this version of ours, which the provider has no more."""
    held = MODELS[kind]._default_manager.filter(provider_id=resource_id, resource_version=version)
    held.update(resource_version=0)


def accounts_of(rows: Iterable[Mirrored]) -> list[Account]:
    """Return the accounts that mirror rows belong to, each once, in a stable order."""
    customers = [row if isinstance(row, Customer) else getattr(row, "customer", None) for row in rows]
    accounts = {
        customer.account.pk: customer.account for customer in customers if customer and customer.account
    }
    return [accounts[pk] for pk in sorted(accounts)]


def _locked_owners(snapshots: Iterable[Snapshot]) -> dict[str, Customer]:
    """Lock the customers first and in one order, so that two writers of one customer queue and cannot deadlock."""
    ids = {s.id if isinstance(s, CustomerSnapshot) else getattr(s, "customer_id", "") for s in snapshots}
    locked = (
        Customer.objects.select_for_update(no_key=True, of=("self",))
        .select_related("account")
        .filter(provider_id__in=ids)
        .order_by("pk")
    )
    return {customer.provider_id: customer for customer in locked}


def _write(
    model: type[Mirrored],
    snapshot: Snapshot,
    writing: _Writing,
    *,
    held: Mirrored | None = None,
    **columns: Any,
) -> Any:
    """Write a snapshot over its row, `held` if it was read and locked before; return the row as it is then."""
    values = {
        "resource_version": snapshot.version,
        "payload": snapshot.payload,
        "deleted": snapshot.deleted,
        "synced_at": writing.now,
        **columns,
    }
    row, created = held, False
    if row is None:
        locked = model._default_manager.select_for_update()
        row, created = locked.get_or_create(provider_id=snapshot.id, defaults=values)
    if created or row.resource_version > snapshot.version:
        return row
    for name, value in values.items():
        setattr(row, name, value)
    row.save(update_fields=list(values))
    return row


def _customer(snapshot: CustomerSnapshot, writing: _Writing) -> Customer:
    held = writing.owners.get(snapshot.id)
    row: Customer = _write(Customer, snapshot, writing, held=held, email=snapshot.email)
    writing.owners[row.provider_id] = row
    return row


def _subscription(snapshot: SubscriptionSnapshot, writing: _Writing) -> Subscription:
    plan = catalog.find_plan(catalog.plan_id_of(snapshot.item_price_id))
    row: Subscription = _write(
        Subscription,
        snapshot,
        writing,
        customer=writing.owner(snapshot.customer_id),
        service=plan.service if plan else "",
        status=snapshot.status,
        created_at=snapshot.created_at,
    )
    return row


def _invoice(snapshot: InvoiceSnapshot, writing: _Writing) -> Invoice:
    row: Invoice = _write(
        Invoice,
        snapshot,
        writing,
        customer=writing.owner(snapshot.customer_id),
        status=snapshot.status,
        issued_at=snapshot.issued_at,
    )
    return row


def _payment_source(snapshot: PaymentSourceSnapshot, writing: _Writing) -> PaymentSource:
    row: PaymentSource = _write(
        PaymentSource, snapshot, writing, customer=writing.owner(snapshot.customer_id)
    )
    return row


def _transaction(snapshot: TransactionSnapshot, writing: _Writing) -> Transaction:
    row: Transaction = _write(Transaction, snapshot, writing, customer=writing.owner(snapshot.customer_id))
    return row


def _item_price(snapshot: ItemPriceSnapshot, writing: _Writing) -> ItemPrice:
    row: ItemPrice = _write(ItemPrice, snapshot, writing)
    return row


def _coupon(snapshot: CouponSnapshot, writing: _Writing) -> Coupon:
    row: Coupon = _write(Coupon, snapshot, writing)
    return row


_WRITERS: dict[type[Snapshot], Callable[[Any, _Writing], Mirrored]] = {
    CustomerSnapshot: _customer,
    SubscriptionSnapshot: _subscription,
    InvoiceSnapshot: _invoice,
    PaymentSourceSnapshot: _payment_source,
    TransactionSnapshot: _transaction,
    ItemPriceSnapshot: _item_price,
    CouponSnapshot: _coupon,
}
