"""Refunds and credits at the provider.

Each is found again by its reference, which is stored with it: in a credit note's notes to the customer, or in an entry
of the promotional credits. It is looked for before each request, so that none is made twice, however late it is sent.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from billing.gateway import records
from billing.gateway.answers import find_related_records
from billing.gateway.errors import Unconfirmed
from billing.gateway.http.client import UNREADABLE_ERRORS, chargebee_sdk, write_to_provider
from billing.gateway.snapshots import (
    CreditNoteSnapshot,
    CustomerSnapshot,
    InvoiceSnapshot,
    PromotionalCreditSnapshot,
    Snapshot,
    TransactionSnapshot,
)

T = TypeVar("T")


def read_invoice_records(number: str) -> list[Snapshot]:
    """Return an invoice, its credit notes, and the payments and refunds of both. Raises NotSent, Missing."""
    invoice, notes = records.find_record("invoice", number), _find_notes(number)
    links = [*invoice.payload["linked_payments"], *(link for note in notes for link in note.payload["linked_refunds"])]
    ids = dict.fromkeys(str(link["txn_id"]) for link in links)
    return [*(records.find_record("transaction", transaction_id) for transaction_id in ids), invoice, *notes]


def refund_invoice(*, key: str, invoice: str, amount: int, reason: str, reference: str) -> list[Snapshot]:
    """Refund an amount (cents) of an invoice to the payment method that paid it.

    Return the refund, the invoice, the credit note and the customer. Raises PaymentRefused if the gateway declines it.
    """
    if find_note(_find_notes(invoice), reference):
        return _with_customer(read_invoice_records(invoice))
    note = {"reason_code": reason}
    params = {"refund_amount": amount, "credit_note": note, "customer_notes": reference}
    answer = write_to_provider(chargebee_sdk().Invoice.refund, invoice, key=key, params=params)
    return _with_customer(
        _parse_answer(
            lambda: [
                TransactionSnapshot.from_raw(answer.transaction.raw_data),
                InvoiceSnapshot.from_raw(answer.invoice.raw_data),
                CreditNoteSnapshot.from_raw(answer.credit_note.raw_data),
            ]
        )
    )


def credit_invoice(*, key: str, invoice: str, amount: int, kind: str, reason: str, reference: str) -> list[Snapshot]:
    """Credit an amount (cents) of an invoice: `refundable`, of what was paid, or `adjustment`, of what is due.

    Return the invoice and the credit note, with the customer and the subscriptions whose balance and dues it changes.
    """
    if find_note(_find_notes(invoice), reference):
        return _with_subscriptions(read_invoice_records(invoice))
    params = {
        "reference_invoice_id": invoice,
        "total": amount,
        "type": kind,
        "reason_code": reason,
        "customer_notes": reference,
    }
    answer = write_to_provider(chargebee_sdk().CreditNote.create, key=key, params=params)
    note = _parse_answer(lambda: CreditNoteSnapshot.from_raw(answer.credit_note.raw_data))
    return _with_subscriptions([*find_related_records("invoice", [invoice]), note])


def add_promotional_credit(
    *, key: str, customer: str, amount: int, currency: str, description: str, reference: str
) -> list[Snapshot]:
    """Add an amount (cents) to a customer's promotional credits; return the customer and the entry."""
    added = find_promotional_credit(records.find_records("promotional_credit", customer_id={"is": customer}), reference)
    if added is not None:
        return [records.find_record("customer", customer), added]
    params = {
        "customer_id": customer,
        "amount": amount,
        "currency_code": currency,
        "description": description,
        "reference": reference,
    }
    answer = write_to_provider(chargebee_sdk().PromotionalCredit.add, key=key, params=params)
    return _parse_answer(
        lambda: [
            CustomerSnapshot.from_raw(answer.customer.raw_data),
            PromotionalCreditSnapshot.from_raw(answer.promotional_credit.raw_data),
        ]
    )


def find_note(snapshots: Sequence[Snapshot], reference: str) -> CreditNoteSnapshot | None:
    """Return the credit note with a reference; None if there is none."""
    notes = (snapshot for snapshot in snapshots if isinstance(snapshot, CreditNoteSnapshot))
    return next((note for note in notes if note.payload.get("customer_notes") == reference), None)


def find_promotional_credit(snapshots: Sequence[Snapshot], reference: str) -> PromotionalCreditSnapshot | None:
    """Return the entry of the promotional credits with a reference; None if there is none."""
    entries = (snapshot for snapshot in snapshots if isinstance(snapshot, PromotionalCreditSnapshot))
    return next((entry for entry in entries if entry.payload.get("reference") == reference), None)


def _find_notes(number: str) -> list[Snapshot]:
    return records.find_records("credit_note", reference_invoice_id={"is": number})


def _with_customer(snapshots: Sequence[Snapshot]) -> list[Snapshot]:
    """Return snapshots of a customer with the customer before them, whose balance they change."""
    customers = dict.fromkeys(str(getattr(snapshot, "customer_id", "")) for snapshot in snapshots)
    return [*find_related_records("customer", customers), *snapshots]


def _with_subscriptions(snapshots: Sequence[Snapshot]) -> list[Snapshot]:
    """Return snapshots with the customer and the subscriptions of their invoices, whose dues they change."""
    lines: list[Any] = [
        line for row in snapshots if isinstance(row, InvoiceSnapshot) for line in row.payload["line_items"]
    ]
    subscriptions = dict.fromkeys(str(line["subscription_id"]) for line in lines if line.get("subscription_id"))
    return [*_with_customer(snapshots), *find_related_records("subscription", subscriptions)]


def _parse_answer(parse: Callable[[], T]) -> T:
    try:
        return parse()
    except UNREADABLE_ERRORS as error:
        raise Unconfirmed("an answer without what was given back") from error
