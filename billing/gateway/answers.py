"""What the answer to a change holds that the mirror keeps."""

from collections.abc import Iterable
from typing import Any

from billing.gateway import records
from billing.gateway.client import UNREADABLE
from billing.gateway.errors import NotSent, Refused, Unconfirmed
from billing.gateway.scheduled import subscription_of
from billing.gateway.snapshots import CustomerSnapshot, InvoiceSnapshot, Snapshot


def changed(answer: Any) -> list[Snapshot]:
    """Return the customer, subscription, invoices and payments that an answer to a change names.

    Raises Unconfirmed when the change was made and what it led to could not be read, and for an answer that does not
    hold what it should: the change may have been made all the same.
    """
    found: list[Snapshot] = []
    try:
        if getattr(answer, "customer", None) is not None:
            found.append(CustomerSnapshot.of(answer.customer.raw_data))
        found.append(subscription_of(answer.subscription.raw_data))
        if getattr(answer, "invoice", None) is not None:
            invoice = InvoiceSnapshot.of(answer.invoice.raw_data)
            found.extend([*_payments_of(invoice), invoice])
        credited = {str(note.reference_invoice_id) for note in getattr(answer, "credit_notes", None) or ()}
        found.extend(read_besides("invoice", sorted(credited)))
    except NotSent as error:
        raise Unconfirmed("the scheduled change could not be read") from error
    except UNREADABLE as error:
        raise Unconfirmed("an answer without what was asked for") from error
    return found


def _payments_of(invoice: InvoiceSnapshot) -> list[Snapshot]:
    return read_besides("transaction", [str(link["txn_id"]) for link in invoice.payload["linked_payments"]])


def read_besides(kind: str, ids: Iterable[str]) -> list[Snapshot]:
    """Return what a change touched besides, so that it shows at once; where that fails webhooks bring it."""
    try:
        return [records.find(kind, one) for one in ids]
    except (NotSent, Refused):
        return []
