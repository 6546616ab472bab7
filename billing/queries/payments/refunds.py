"""What can still be refunded or credited of invoices, and what was, from the mirror."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from accounts.models import Account
from billing.models import CreditNote, Invoice, Transaction
from billing.queries.payments.invoices import credit_notes_by_invoice
from billing.queries.payments.past_due import DUE_STATUSES
from billing.queries.payments.payment_methods import invoice_currency

REFUND, CREDIT, ADJUST = "refund", "credit", "adjust"
"""The ways to give back: to the payment method, as credit for later bills, and off what is due."""
# What is paid by other means than a payment gateway cannot be returned by one.
OFFLINE_METHODS = ("cash", "check", "bank_transfer", "chargeback", "other", "custom")
_VOIDED = "voided"


@dataclass(frozen=True)
class Refundable:
    """What can still be given back of an invoice, in cents, by way. `given` was refunded, credited or taken off before.

    `payments` are the ids of the transactions that the most can be refunded to.
    """

    invoice: Invoice
    most: Mapping[str, int]
    given: int
    payments: tuple[str, ...] = ()

    @property
    def currency(self) -> str:
        """The currency of the invoice."""
        return invoice_currency(self.invoice)

    @property
    def ways(self) -> list[str]:
        """The ways in which something can be given back."""
        return [way for way, cents in self.most.items() if cents > 0]


def find_refundable(account: Account, number: str) -> Refundable | None:
    """Return what can be given back of an invoice; None if the account has no such invoice. Three queries."""
    invoice = Invoice.objects.filter(customer__account=account, provider_id=number, deleted=False).first()
    return None if invoice is None else refundables_of(account, [invoice])[0]


def refundables_of(account: Account, invoices: Sequence[Invoice]) -> list[Refundable]:
    """Return what can be given back of each of the account's invoices, in their order. Two queries."""
    notes = credit_notes_by_invoice(account)
    transactions = {row.provider_id: row for row in Transaction.objects.filter(customer__account=account)}
    return [_build_refundable(invoice, notes.get(invoice.provider_id, ()), transactions) for invoice in invoices]


def _build_refundable(
    invoice: Invoice, notes: Iterable[CreditNote], transactions: Mapping[str, Transaction]
) -> Refundable:
    given = sum(note.cents("total") for note in notes)
    credited = sum(note.cents("total") for note in notes if not note.is_adjustment)
    paid = invoice.cents("amount_paid") + invoice.cents("credits_applied") - credited
    lefts = _refundable_payments(invoice, notes, transactions)
    most_of_one = min(max(lefts.values(), default=0), paid)
    is_valid = invoice.status != _VOIDED
    is_due = invoice.status in DUE_STATUSES
    return Refundable(
        invoice=invoice,
        most={
            REFUND: max(most_of_one, 0) if is_valid else 0,
            CREDIT: max(paid, 0) if is_valid else 0,
            ADJUST: invoice.cents("amount_due") if is_due else 0,
        },
        given=given,
        payments=tuple(payment for payment, left in lefts.items() if left > 0),
    )


def _refundable_payments(
    invoice: Invoice, notes: Iterable[CreditNote], transactions: Mapping[str, Transaction]
) -> dict[str, int]:
    """Return what each payment of an invoice that a gateway has made can still return of it, in cents."""
    lefts: dict[str, int] = {}
    for link in invoice.payload.get("linked_payments") or ():
        payment = transactions.get(str(link["txn_id"]))
        is_online = payment is not None and payment.text("payment_method") not in OFFLINE_METHODS
        if is_online and link.get("txn_status") == "success":
            lefts[str(link["txn_id"])] = lefts.get(str(link["txn_id"]), 0) + int(link.get("applied_amount") or 0)
    for refund in (link for note in notes for link in note.payload.get("linked_refunds") or ()):
        row = transactions.get(str(refund["txn_id"]))
        payment_id = row.text("refunded_txn_id") if row else ""
        if payment_id in lefts and refund.get("txn_status") not in ("failure", "voided"):
            lefts[payment_id] -= int(refund.get("applied_amount") or 0)
    return lefts
