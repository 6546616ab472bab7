"""The functions of `OPERATIONS` for payment sources and invoices.

Their arguments contain no card data: a payment intent can be used once. `before` are the ids of the sources or payments
that existed when the step was planned.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from billing.gateway import payment_methods as gateway
from billing.gateway.snapshots import (
    InvoiceSnapshot,
    PaymentSourceSnapshot,
    Snapshot,
    SubscriptionSnapshot,
    TransactionSnapshot,
)
from billing.models import Command, Customer, Invoice, PaymentSource, Subscription
from billing.queries.payments.past_due import DUE_STATUSES
from billing.queries.payments.payment_commands import collected_cents, invoice_ids_to_collect, kept_source_id
from billing.queries.payments.payment_methods import SOURCE_KINDS, is_likely_same_source

PRIMARY, BACKUP = "primary", "backup"


def add_source(*, key: str, method: str, before: Sequence[str], **arguments: Any) -> list[Snapshot]:
    """Add a card or a PayPal account by its payment intent."""
    return gateway.add_source(key=key, **arguments)


def send_nothing(**_: Any) -> list[Snapshot]:
    """Send nothing: which source is kept follows from the mirror."""
    return []


def choose_kept_source(_: Sequence[Snapshot], *, source: str, earlier: Sequence[str]) -> str:
    """Return the id of the first `earlier` source that a new source duplicates, else the new source's."""
    return next((earlier_id for earlier_id in earlier if _is_duplicate(source, earlier_id)), source)


def _is_duplicate(source: str, other: str) -> bool:
    rows = {row.provider_id: row for row in PaymentSource.objects.filter(provider_id__in=(source, other))}
    return len(rows) == 2 and is_likely_same_source(rows[source], rows[other])


def remove_source(*, key: str, customer: str, source: str, kept: str = "") -> list[Snapshot]:
    """Remove a source; subscriptions tied to it are charged to the primary one."""
    tied = tied_subscription_ids(customer, source)
    return gateway.remove_source(key=key, customer=customer, source=source, tied=tied)


def tied_subscription_ids(customer: str, source: str) -> list[str]:
    """Return the provider's ids of the subscriptions of a customer that are tied to a source."""
    # Without the customer it would read the subscriptions of all.
    owned = Subscription.objects.filter(customer__provider_id=customer, deleted=False)
    return sorted(owned.filter(payload__payment_source_id=source).values_list("provider_id", flat=True))


def is_duplicate_of_kept(_: Command, *, source: str, kept: str, **__: Any) -> bool:
    """Whether a source duplicates the kept one."""
    return _is_duplicate(source, kept)


def collect_invoice(*, key: str, invoice: str, source: str, before: Sequence[str] = ()) -> list[Snapshot]:
    """Collect the amount due of an invoice with a source."""
    return gateway.collect_payment(key=key, invoice=invoice, source=source)


def collect_authorized(*, key: str, source: str, before: Sequence[str], **arguments: Any) -> list[Snapshot]:
    """Collect the amount due of invoices with an intent that was authorized with a source."""
    return gateway.collect_authorized(key=key, **arguments)


def make_primary(*, key: str, customer: str, source: str, paid: Sequence[str] = ()) -> list[Snapshot]:
    """Make a source the customer's primary one."""
    return gateway.assign_role(key=key, customer=customer, source=source, role=PRIMARY)


def _new_source_id(snapshots: Sequence[Snapshot], *, method: str, before: Sequence[str], **_: Any) -> str | None:
    """Return the id of the newest source of a method that is not among `before`; None if there is none."""
    new = [
        snapshot
        for snapshot in snapshots
        if isinstance(snapshot, PaymentSourceSnapshot)
        and not snapshot.deleted
        and snapshot.id not in before
        and SOURCE_KINDS.get(snapshot.payload.get("type", "")) == method
    ]
    newest = max(new, key=lambda snapshot: int(snapshot.payload.get("created_at") or 0), default=None)
    return newest.id if newest else None


def is_added(snapshots: Sequence[Snapshot], **arguments: Any) -> bool:
    """Whether the customer has a source that is not among `before`."""
    return _new_source_id(snapshots, **arguments) is not None


def added_or_known_source_id(snapshots: Sequence[Snapshot], **arguments: Any) -> str:
    """Return the id of the added source.

    If the same method is added again, the provider may answer with the source that it has already.
    """
    known_ids = (snapshot.id for snapshot in snapshots if isinstance(snapshot, PaymentSourceSnapshot))
    return _new_source_id(snapshots, **arguments) or next(known_ids)


def _find_source(snapshots: Sequence[Snapshot], source: str) -> PaymentSourceSnapshot | None:
    matching = (
        snapshot for snapshot in snapshots if isinstance(snapshot, PaymentSourceSnapshot) and snapshot.id == source
    )
    return next(matching, None)


def has_card_details(snapshots: Sequence[Snapshot], *, source: str, **owner: str) -> bool:
    """Whether a card has its owner's name and address."""
    card_source = _find_source(snapshots, source)
    return card_source is not None and _has_owner_details(card_source.payload, owner)


def _has_owner_details(payload: Mapping[str, Any], owner: Mapping[str, str]) -> bool:
    card = payload.get("card") or {}
    return all((card.get(name) or "") == value for name, value in owner.items())


def needs_card_details(_: Command, *, source: str, **owner: str) -> bool:
    """Whether the provider did not store the owner's name and address with the card."""
    row = PaymentSource.objects.filter(provider_id=source).first()
    return row is not None and not _has_owner_details(row.payload, owner)


def has_role(snapshots: Sequence[Snapshot], *, source: str, role: str, **_: Any) -> bool:
    """Whether a source has a role."""
    return any(snapshot.payload.get(f"{role}_payment_source_id") == source for snapshot in snapshots)


def is_primary(snapshots: Sequence[Snapshot], *, source: str, **_: Any) -> bool:
    """Whether a source is the primary one."""
    return has_role(snapshots, source=source, role=PRIMARY)


def is_reassigned(snapshots: Sequence[Snapshot], *, subscription: str, tied_to: str, **_: Any) -> bool:
    """Whether a subscription is no longer tied to the source `tied_to`."""
    subscriptions = (
        snapshot for snapshot in snapshots if isinstance(snapshot, SubscriptionSnapshot) and snapshot.id == subscription
    )
    return any(snapshot.payload.get("payment_source_id") != tied_to for snapshot in subscriptions)


def is_removed(snapshots: Sequence[Snapshot], *, source: str, **_: Any) -> bool:
    """Whether a source was removed."""
    removed = _find_source(snapshots, source)
    return removed is None or removed.deleted


def is_paid(snapshots: Sequence[Snapshot], *, invoice: str, **_: Any) -> bool:
    """Whether an invoice is paid."""
    return any(
        snapshot.status == "paid"
        for snapshot in snapshots
        if isinstance(snapshot, InvoiceSnapshot) and snapshot.id == invoice
    )


def paid_cents(snapshots: Sequence[Snapshot], *, invoice: str, source: str, before: Sequence[str] = ()) -> int:
    """Return what a source has paid of an invoice in this step, in cents; 0 after a decline."""
    payment_ids = {
        snapshot.id
        for snapshot in snapshots
        if isinstance(snapshot, TransactionSnapshot)
        and snapshot.payload.get("payment_source_id") == source
        and snapshot.payload.get("status") == "success"
        and snapshot.id not in before
    }
    invoices = (snapshot for snapshot in snapshots if isinstance(snapshot, InvoiceSnapshot))
    links = (snapshot.payload["linked_payments"] for snapshot in invoices if snapshot.id == invoice)
    return sum(int(link.get("applied_amount") or 0) for rows in links for link in rows if link["txn_id"] in payment_ids)


def are_paid(snapshots: Sequence[Snapshot], *, due: Mapping[str, int], **_: Any) -> bool:
    """Whether all of the due invoices are paid."""
    return all(is_paid(snapshots, invoice=invoice) for invoice in due)


def authorized_cents(
    snapshots: Sequence[Snapshot], *, due: Mapping[str, int], source: str, before: Sequence[str], **_: Any
) -> int:
    """Return what a source has paid of the due invoices in this step, in cents."""
    return sum(paid_cents(snapshots, invoice=invoice, source=source, before=before) for invoice in due)


def has_no_decline(command: Command, *, invoice: str, **_: Any) -> bool:
    """Whether no earlier invoice of the command was declined: each decline counts against the subscriber's card.

    An earlier invoice that is no longer due was not declined.
    """
    tried = [number for number in invoice_ids_to_collect(command, done=True) if number != invoice]
    return not Invoice.objects.filter(provider_id__in=tried, status__in=DUE_STATUSES).exists()


def is_removal_needed(command: Command, *, source: str, **_: Any) -> bool:
    """Whether a source is not the one that the command ended with: the provider may answer with the replaced one."""
    return kept_source_id(command) != source


def has_paid(command: Command, *, customer: str, source: str, paid: Sequence[str] = ()) -> bool:
    """Whether a source has paid anything and is not the primary one yet."""
    row = Customer.objects.get(provider_id=customer)
    is_payer = collected_cents(command) > 0 or source in paid
    return is_payer and row.text("primary_payment_source_id") != source


def is_always_done(*_: object, **__: object) -> bool:
    """Whether a step that sends nothing is done."""
    return True
