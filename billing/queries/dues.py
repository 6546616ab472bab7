"""What is due and could not be collected (contract, rule 10)."""

from collections.abc import Iterable

from accounts.models import Account
from billing.models import Invoice

DUE = ("payment_due", "not_paid")
_COLLECTION_FAILED = ("in_progress", "exhausted")


def has_payment_failure(account: Account) -> bool:
    """Return whether an invoice of the account is due and its collection has failed. One query."""
    due = Invoice.objects.filter(customer__account=account, deleted=False, status__in=DUE)
    return payment_failed_among(due)


def payment_failed_among(invoices: Iterable[Invoice]) -> bool:
    """Return whether one of these invoices is due and its collection has failed."""
    return any(one.status in DUE and collection_failed(one) for one in invoices)


def collection_failed(invoice: Invoice) -> bool:
    """Return whether a due invoice was tried and not paid: in dunning, given up, or with a failed payment."""
    attempts = [
        *(invoice.payload.get("linked_payments") or ()),
        *(invoice.payload.get("dunning_attempts") or ()),
    ]
    return invoice.text("dunning_status") in _COLLECTION_FAILED or any(
        attempt.get("txn_status") == "failure" for attempt in attempts
    )
