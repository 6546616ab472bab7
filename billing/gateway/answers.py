"""Snapshots from the provider's answers to changes."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from billing.gateway import records
from billing.gateway.errors import NotSent, Refused, Unconfirmed
from billing.gateway.http.client import UNREADABLE_ERRORS
from billing.gateway.scheduled import read_subscription_snapshot
from billing.gateway.snapshots import CreditNoteSnapshot, CustomerSnapshot, InvoiceSnapshot, Snapshot


def changed_records(answer: Any) -> list[Snapshot]:
    """Return the customer, subscription, invoices, payments and credit notes in the answer to a change.

    Raises Unconfirmed when the change was made but its result cannot be read, or the answer is not of the expected
    shape: the change may have been made all the same.
    """
    snapshots: list[Snapshot] = []
    try:
        if getattr(answer, "customer", None) is not None:
            snapshots.append(CustomerSnapshot.from_raw(answer.customer.raw_data))
        snapshots.append(read_subscription_snapshot(answer.subscription.raw_data))
        if getattr(answer, "invoice", None) is not None:
            invoice = replace(InvoiceSnapshot.from_raw(answer.invoice.raw_data), is_made_by_change=True)
            snapshots.extend([*_invoice_payments(invoice), invoice])
        notes = [CreditNoteSnapshot.from_raw(note.raw_data) for note in getattr(answer, "credit_notes", None) or ()]
        snapshots.extend(find_related_records("invoice", sorted({note.invoice_number for note in notes})))
        snapshots.extend(notes)
    except NotSent as error:
        raise Unconfirmed("the scheduled change could not be read") from error
    except UNREADABLE_ERRORS as error:
        raise Unconfirmed("an answer without what was asked for") from error
    return snapshots


def _invoice_payments(invoice: InvoiceSnapshot) -> list[Snapshot]:
    return find_related_records("transaction", [str(link["txn_id"]) for link in invoice.payload["linked_payments"]])


def find_related_records(kind: str, ids: Iterable[str]) -> list[Snapshot]:
    """Return other records that a change affected. Best effort: on failure, webhooks bring them later."""
    try:
        return [records.find_record(kind, resource_id) for resource_id in ids]
    except (NotSent, Refused):
        return []
