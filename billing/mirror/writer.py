"""The only writer of the mirror: writes the provider's snapshots, never an older version over a newer one."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import Account
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


class UnknownCustomer(LookupError):
    """A record belongs to a customer that is not mirrored."""


@dataclass
class _WriteContext:
    """The instant of a `write_snapshots` call, and the locked customers that the records belong to.

    `replaced` has the payload that each written row had before, None if the row is new.
    """

    now: datetime
    owners: dict[str, Customer] = field(default_factory=dict)
    replaced: dict[MirroredResource, dict[str, Any] | None] = field(default_factory=dict)

    def get_owner(self, customer_id: str) -> Customer:
        try:
            return self.owners[customer_id]
        except KeyError as error:
            raise UnknownCustomer(customer_id) from error


# No savepoint: a failure here must fail the caller's transaction.
@transaction.atomic(savepoint=False)
def write_snapshots(snapshots: Sequence[Snapshot], *, now: datetime) -> list[MirroredResource]:
    """Write snapshots into the mirror; return their rows in the same order. Raises UnknownCustomer.

    Customers come before the records that belong to them; `now` is in UTC. The caller rebuilds the documents in the
    same transaction.
    """
    context = _WriteContext(now=now, owners=_lock_owners(snapshots))
    rows = [_WRITERS_BY_SNAPSHOT[type(snapshot)](snapshot, context) for snapshot in snapshots]
    if any(isinstance(row, (Item, ItemPrice, Coupon)) for row in rows):
        documents.mark_all_documents_stale()
    account_identity.follow_customers(rows, now=now)
    revenue_ledger.record_movements(context.replaced, now=now)
    _announce_invoices(snapshots, rows, context)
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


def _announce_invoices(snapshots: Sequence[Snapshot], rows: Sequence[MirroredResource], context: _WriteContext) -> None:
    """Send `invoice_written` when all rows are written: receivers look at the subscriptions of an invoice."""
    for snapshot, row in zip(snapshots, rows, strict=True):
        is_own = isinstance(snapshot, InvoiceSnapshot) and not snapshot.is_made_by_change
        if is_own and isinstance(row, Invoice) and row in context.replaced and row.customer.account is not None:
            invoice_written.send(sender=Invoice, invoice=row, before=context.replaced[row], now=context.now)


def _lock_owners(snapshots: Iterable[Snapshot]) -> dict[str, Customer]:
    """Lock the customers, ordered by key: two writers of a customer queue here and cannot deadlock."""
    ids = {
        snapshot.id if isinstance(snapshot, CustomerSnapshot) else getattr(snapshot, "customer_id", "")
        for snapshot in snapshots
    }
    locked = (
        Customer.objects.select_for_update(no_key=True, of=("self",))
        .select_related("account")
        .filter(provider_id__in=ids)
        .order_by("pk")
    )
    return {customer.provider_id: customer for customer in locked}


def _write_row(
    model: type[MirroredResource],
    snapshot: Snapshot,
    context: _WriteContext,
    *,
    locked_row: MirroredResource | None = None,
    **columns: Any,
) -> Any:
    """Write a snapshot unless its row is newer; return the row. `locked_row` is the row if it is locked already."""
    values = {
        "resource_version": snapshot.version,
        "payload": snapshot.payload,
        "deleted": snapshot.deleted,
        "synced_at": context.now,
        **columns,
    }
    row, created = locked_row, False
    if row is None:
        rows = model._default_manager.select_for_update()
        row, created = rows.get_or_create(provider_id=snapshot.id, defaults=values)
    if created:
        context.replaced[row] = None
    if created or row.resource_version > snapshot.version:
        return row
    context.replaced[row] = row.payload
    for name, value in values.items():
        setattr(row, name, value)
    row.save(update_fields=list(values))
    return row


def _write_owned_row(model: type[MirroredResource], snapshot: Any, context: _WriteContext, **columns: Any) -> Any:
    """Write a snapshot of what belongs to a customer. Raises UnknownCustomer."""
    return _write_row(model, snapshot, context, customer=context.get_owner(snapshot.customer_id), **columns)


def _write_customer(snapshot: CustomerSnapshot, context: _WriteContext) -> Customer:
    locked_row = context.owners.get(snapshot.id)
    row: Customer = _write_row(Customer, snapshot, context, locked_row=locked_row, email=usable_address(snapshot.email))
    context.owners[row.provider_id] = row
    return row


def _write_subscription(snapshot: SubscriptionSnapshot, context: _WriteContext) -> Subscription:
    row: Subscription = _write_owned_row(
        Subscription,
        snapshot,
        context,
        item_price_id=snapshot.item_price_id,
        status=snapshot.status,
        created_at=snapshot.created_at,
    )
    return row


def _write_invoice(snapshot: InvoiceSnapshot, context: _WriteContext) -> Invoice:
    row: Invoice = _write_owned_row(
        Invoice,
        snapshot,
        context,
        status=snapshot.status,
        issued_at=snapshot.issued_at,
    )
    return row


def _write_payment_source(snapshot: PaymentSourceSnapshot, context: _WriteContext) -> PaymentSource:
    card = snapshot.payload.get("card") or {}
    row: PaymentSource = _write_owned_row(
        PaymentSource,
        snapshot,
        context,
        last4=str(card.get("last4") or "")[:4],
    )
    return row


def _write_transaction(snapshot: TransactionSnapshot, context: _WriteContext) -> Transaction:
    row: Transaction = _write_owned_row(
        Transaction,
        snapshot,
        context,
        type=snapshot.type,
        status=snapshot.status,
        made_at=snapshot.made_at,
    )
    return row


def _write_credit_note(snapshot: CreditNoteSnapshot, context: _WriteContext) -> CreditNote:
    row: CreditNote = _write_owned_row(
        CreditNote,
        snapshot,
        context,
        invoice_number=snapshot.invoice_number,
        issued_at=snapshot.issued_at,
    )
    return row


def _write_promotional_credit(snapshot: PromotionalCreditSnapshot, context: _WriteContext) -> PromotionalCredit:
    row: PromotionalCredit = _write_owned_row(
        PromotionalCredit,
        snapshot,
        context,
        created_at=snapshot.created_at,
    )
    return row


def _write_item(snapshot: ItemSnapshot, context: _WriteContext) -> Item:
    row: Item = _write_row(Item, snapshot, context)
    return row


def _write_item_price(snapshot: ItemPriceSnapshot, context: _WriteContext) -> ItemPrice:
    row: ItemPrice = _write_row(ItemPrice, snapshot, context, item_id=snapshot.item_id)
    return row


def _write_coupon(snapshot: CouponSnapshot, context: _WriteContext) -> Coupon:
    row: Coupon = _write_row(Coupon, snapshot, context)
    return row


_WRITERS_BY_SNAPSHOT: dict[type[Snapshot], Callable[[Any, _WriteContext], MirroredResource]] = {
    CustomerSnapshot: _write_customer,
    SubscriptionSnapshot: _write_subscription,
    InvoiceSnapshot: _write_invoice,
    PaymentSourceSnapshot: _write_payment_source,
    TransactionSnapshot: _write_transaction,
    CreditNoteSnapshot: _write_credit_note,
    PromotionalCreditSnapshot: _write_promotional_credit,
    ItemSnapshot: _write_item,
    ItemPriceSnapshot: _write_item_price,
    CouponSnapshot: _write_coupon,
}
