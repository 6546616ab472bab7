"""The only writer of the mirror: writes the provider's snapshots, never an older version over a newer one."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import Account
from billing.gateway.snapshots import (
    EPOCH,
    CouponSnapshot,
    CreditNoteSnapshot,
    CustomerSnapshot,
    InvoiceSnapshot,
    ItemPriceSnapshot,
    ItemSnapshot,
    PaymentSourceSnapshot,
    PromotionalCreditSnapshot,
    Snapshot,
    SubscriptionSnapshot,
    TransactionSnapshot,
)
from billing.mirror import account_identity, documents, revenue_ledger
from billing.mirror.signals import invoice_written
from billing.models import (
    Coupon,
    CreditNote,
    Customer,
    Invoice,
    Item,
    ItemPrice,
    PaymentSource,
    PromotionalCredit,
    Subscription,
    Transaction,
)
from billing.models.mirror_row import MirroredResource
from core.email_addresses import usable_address

# The model of each kind of record that the gateway reads.
MODELS_BY_KIND: dict[str, type[MirroredResource]] = {
    "customer": Customer,
    "subscription": Subscription,
    "payment_source": PaymentSource,
    "invoice": Invoice,
    "transaction": Transaction,
    "credit_note": CreditNote,
    "promotional_credit": PromotionalCredit,
    "item": Item,
    "item_price": ItemPrice,
    "coupon": Coupon,
}
_MODELS_BY_SNAPSHOT: dict[type[Snapshot], type[MirroredResource]] = {
    CustomerSnapshot: Customer,
    SubscriptionSnapshot: Subscription,
    PaymentSourceSnapshot: PaymentSource,
    InvoiceSnapshot: Invoice,
    TransactionSnapshot: Transaction,
    CreditNoteSnapshot: CreditNote,
    PromotionalCreditSnapshot: PromotionalCredit,
    ItemSnapshot: Item,
    ItemPriceSnapshot: ItemPrice,
    CouponSnapshot: Coupon,
}
_CATALOG_MODELS = (Item, ItemPrice, Coupon)
# What a row has in columns of its own, under the snapshot's names.
_COLUMNS_BY_SNAPSHOT: dict[type[Snapshot], tuple[str, ...]] = {
    CustomerSnapshot: (),
    SubscriptionSnapshot: ("item_price_id", "status", "created_at"),
    PaymentSourceSnapshot: ("last4",),
    InvoiceSnapshot: ("status", "issued_at"),
    TransactionSnapshot: ("type", "status", "made_at"),
    CreditNoteSnapshot: ("invoice_number", "issued_at"),
    PromotionalCreditSnapshot: ("created_at",),
    ItemSnapshot: (),
    ItemPriceSnapshot: ("item_id",),
    CouponSnapshot: (),
}


class UnknownCustomer(LookupError):
    """A record belongs to a customer that is not mirrored."""


# The payloads that written rows had before, None of a new row.
_Replaced = dict[MirroredResource, dict[str, Any] | None]


# No savepoint: a failure here must fail the caller's transaction.
@transaction.atomic(savepoint=False)
def write_snapshots(snapshots: Sequence[Snapshot], *, now: datetime) -> list[MirroredResource]:
    """Write snapshots into the mirror; return their rows in the same order. Raises UnknownCustomer.

    `now` is in UTC. The caller rebuilds the documents, or marks them as stale, in the same transaction. A few queries
    for each kind of record, however many there are.
    """
    of_kinds: dict[type[Snapshot], list[Snapshot]] = {}
    for snapshot in snapshots:
        of_kinds.setdefault(type(snapshot), []).append(snapshot)
    owners = _lock_owners(snapshots)
    customers = of_kinds.pop(CustomerSnapshot, [])
    replaced = _write_rows(Customer, customers, owners, owners, now)
    written: dict[type[Snapshot], dict[str, Any]] = {CustomerSnapshot: owners}
    for kind, of_kind in of_kinds.items():
        model = _MODELS_BY_SNAPSHOT[kind]
        written[kind] = _lock_rows(model, of_kind)
        replaced |= _write_rows(model, of_kind, written[kind], owners, now)
    rows = [written[type(snapshot)][snapshot.id] for snapshot in snapshots]
    if any(isinstance(row, _CATALOG_MODELS) for row in rows):
        documents.mark_all_documents_stale()
    account_identity.follow_customers(rows, now=now)
    revenue_ledger.record_movements(replaced, now=now)
    _announce_invoices(snapshots, rows, replaced, now)
    return rows


def mark_missing_sources_deleted(customer: Customer, snapshots: Iterable[Snapshot], *, now: datetime) -> None:
    """Mark as deleted the customer's payment sources that are missing in a complete reading at `now` (UTC).

    The provider's list omits deleted sources. A source that was written after `now` stays.
    """
    missing_sources(customer, snapshots).filter(synced_at__lte=now).update(deleted=True)


def missing_sources(customer: Customer, snapshots: Iterable[Snapshot]) -> QuerySet[PaymentSource]:
    """Return the customer's mirrored payment sources that are not among the snapshots."""
    ids = [snapshot.id for snapshot in snapshots if isinstance(snapshot, PaymentSourceSnapshot)]
    return PaymentSource.objects.filter(customer=customer, deleted=False).exclude(provider_id__in=ids)


def reset_resource_version(kind: str, resource_id: str, *, version: int) -> None:
    """Let the next snapshot overwrite this version of a resource, which the provider does not have any more."""
    rows = MODELS_BY_KIND[kind]._default_manager.filter(provider_id=resource_id, resource_version=version)
    rows.update(resource_version=0)


def affected_accounts(rows: Iterable[MirroredResource]) -> list[Account]:
    """Return the accounts that mirror rows belong to, each once, ordered by key."""
    customers = [row if isinstance(row, Customer) else getattr(row, "customer", None) for row in rows]
    accounts = {customer.account.pk: customer.account for customer in customers if customer and customer.account}
    return [accounts[pk] for pk in sorted(accounts)]


def _announce_invoices(
    snapshots: Sequence[Snapshot], rows: Sequence[MirroredResource], replaced: _Replaced, now: datetime
) -> None:
    """Send `invoice_written` when all rows are written: receivers look at the subscriptions of an invoice."""
    for snapshot, row in zip(snapshots, rows, strict=True):
        is_own = isinstance(snapshot, InvoiceSnapshot) and not snapshot.is_made_by_change
        if is_own and isinstance(row, Invoice) and row in replaced and row.customer.account is not None:
            invoice_written.send(sender=Invoice, invoice=row, before=replaced[row], now=now)


def _lock_owners(snapshots: Iterable[Snapshot]) -> dict[str, Customer]:
    """Lock the customers of snapshots, ordered by key; return them by the provider's id.

    Two writers of a customer queue here and cannot deadlock.
    """
    own_ids = {snapshot.id for snapshot in snapshots if isinstance(snapshot, CustomerSnapshot)}
    ids = own_ids | {getattr(snapshot, "customer_id", "") for snapshot in snapshots}
    customers = Customer.objects.select_for_update(no_key=True, of=("self",)).select_related("account")
    return _lock_or_insert(customers.filter(provider_id__in=ids), own_ids)


def _lock_rows(model: type[MirroredResource], snapshots: Sequence[Snapshot]) -> dict[str, Any]:
    """Lock the rows of snapshots, ordered by key; return them by the provider's id.

    What belongs to a customer is guarded by the customer's lock, so that its new rows need none.
    """
    ids = {snapshot.id for snapshot in snapshots}
    rows = model._default_manager.select_for_update().filter(provider_id__in=ids)
    return _lock_or_insert(rows, ids if model in _CATALOG_MODELS else set())


def _lock_or_insert(rows: QuerySet[Any], ids: AbstractSet[str]) -> dict[str, Any]:
    """Return rows by the provider's id, locked; those of `ids` that are missing are inserted empty before."""
    found = {row.provider_id: row for row in rows.order_by("pk")}
    if missing := sorted(ids - found.keys()):
        empty = [rows.model(provider_id=provider_id, synced_at=EPOCH) for provider_id in missing]
        # Another writer may insert it at the same time: then this waits for it, and finds its row.
        rows.model._default_manager.bulk_create(empty, ignore_conflicts=True)
        found = {row.provider_id: row for row in rows.order_by("pk")}
    return found


def _write_rows(
    model: type[MirroredResource],
    snapshots: Iterable[Snapshot],
    rows: dict[str, Any],
    owners: Mapping[str, Customer],
    now: datetime,
) -> _Replaced:
    """Write snapshots of one kind into `rows` (locked, by id) except where a row is newer, and add the missing rows.

    Return what was replaced.
    """
    before: dict[str, dict[str, Any] | None] = {}
    names: set[str] = set()
    for snapshot in snapshots:
        row = rows.setdefault(snapshot.id, model(provider_id=snapshot.id))
        if row.resource_version > snapshot.version:
            continue
        before.setdefault(snapshot.id, row.payload or None)
        values = _row_values(snapshot, owners, now)
        names.update(values)
        for name, value in values.items():
            setattr(row, name, value)
    changed = [rows[provider_id] for provider_id in before]
    save = model._default_manager.bulk_create
    if new := [row for row in changed if row.pk is None]:
        save(new)
    if known := [row for row in changed if row.pk is not None]:
        save(known, update_conflicts=True, unique_fields=["provider_id"], update_fields=sorted(names))
    return {rows[provider_id]: payload for provider_id, payload in before.items()}


def _row_values(snapshot: Any, owners: Mapping[str, Customer], now: datetime) -> dict[str, Any]:
    """Return the columns of a snapshot's row. Raises UnknownCustomer."""
    values: dict[str, Any] = {
        "resource_version": snapshot.version,
        "payload": snapshot.payload,
        "deleted": snapshot.deleted,
        "synced_at": now,
    }
    values |= {name: getattr(snapshot, name) for name in _COLUMNS_BY_SNAPSHOT[type(snapshot)]}
    if isinstance(snapshot, CustomerSnapshot):
        values["email"] = usable_address(snapshot.email)
    elif _MODELS_BY_SNAPSHOT[type(snapshot)] not in _CATALOG_MODELS:
        values["customer"] = _get_owner(owners, snapshot.customer_id)
    return values


def _get_owner(owners: Mapping[str, Customer], customer_id: str) -> Customer:
    try:
        return owners[customer_id]
    except KeyError as error:
        raise UnknownCustomer(customer_id) from error
