"""The billing history: the rows of GET /api/invoice/list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from accounts.models import Account
from billing.models import Invoice, PaymentSource, Transaction

PAYMENT_METHOD_TYPES = ("card", "paypal_express_checkout")


@dataclass(frozen=True)
class InvoiceRow:
    """An invoice in the billing history: its total in cents, and how it was paid, if anything was charged."""

    number: str
    status: str
    transaction_date: datetime
    total: int
    payment_source_type: str | None = None
    card_brand: str | None = None
    last4: str | None = None
    paypal_email: str | None = None


def invoice_rows(account: Account) -> list[InvoiceRow]:
    """Return the rows of the account's invoices, newest first. Three queries."""
    return rows_for_invoices(account, invoices_of(account))


def invoices_of(account: Account) -> list[Invoice]:
    """Return the account's invoices, newest first. One query."""
    invoices = Invoice.objects.filter(customer__account=account, deleted=False)
    return list(invoices.order_by("-issued_at", "-pk"))


def rows_for_invoices(account: Account, invoices: Iterable[Invoice]) -> list[InvoiceRow]:
    """Return the rows of these invoices of an account. Two queries."""
    payments = _PaymentLookup.for_account(account)
    return [_invoice_row(invoice, payments) for invoice in invoices]


def _invoice_row(invoice: Invoice, payments: _PaymentLookup) -> InvoiceRow:
    payment = _last_payment(invoice)
    return InvoiceRow(
        number=invoice.provider_id,
        status=invoice.status.upper(),
        transaction_date=_payment_date(payment) or invoice.issued_at,
        total=invoice.cents("total"),
        **payments.payment_method(payment),
    )


def _last_payment(invoice: Invoice) -> Mapping[str, Any] | None:
    """Return the newest successful payment, None when nothing was charged."""
    successful = [row for row in invoice.payload.get("linked_payments") or () if row.get("txn_status") == "success"]
    return max(successful, key=lambda row: int(row.get("txn_date") or row.get("applied_at") or 0), default=None)


def _payment_date(payment: Mapping[str, Any] | None) -> datetime | None:
    seconds = payment and (payment.get("txn_date") or payment.get("applied_at"))
    return datetime.fromtimestamp(int(seconds), tz=UTC) if seconds else None


@dataclass(frozen=True)
class _PaymentLookup:
    """An account's transactions and payment sources. Removed sources are included: invoices still name them."""

    transactions: Mapping[str, Transaction]
    sources: Mapping[str, PaymentSource]

    @classmethod
    def for_account(cls, account: Account) -> _PaymentLookup:
        return cls(
            transactions={row.provider_id: row for row in Transaction.objects.filter(customer__account=account)},
            sources={row.provider_id: row for row in PaymentSource.objects.filter(customer__account=account)},
        )

    def payment_method(self, payment: Mapping[str, Any] | None) -> dict[str, str | None]:
        """Return the fields of a row that describe how it was paid; none without a card or PayPal payment."""
        transaction = self.transactions.get(str(payment["txn_id"])) if payment else None
        method = transaction.text("payment_method") if transaction else ""
        if transaction is None or method not in PAYMENT_METHOD_TYPES:
            return {}
        source = self.sources.get(transaction.text("payment_source_id"))
        card: Mapping[str, Any] = (source.payload.get("card") if source else None) or {}
        paypal: Mapping[str, Any] = (source.payload.get("paypal") if source else None) or {}
        is_card = method == "card"
        return {
            "payment_source_type": method.upper(),
            "card_brand": str(card["brand"]).upper() if is_card and card.get("brand") else None,
            "last4": (_card_last4(transaction) or card.get("last4")) if is_card else None,
            "paypal_email": None if is_card else paypal.get("email"),
        }


def _card_last4(transaction: Transaction) -> str | None:
    return transaction.text("last4") or transaction.text("masked_card_number")[-4:] or None
