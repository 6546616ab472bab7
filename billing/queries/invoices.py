"""The billing history (contract, section 3, `GET /api/invoice/list`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from accounts.models import Account
from billing.models import Invoice, PaymentSource, Transaction
from billing.queries.instants import iso

METHODS = ("card", "paypal_express_checkout")


def invoice_rows(account: Account) -> list[dict[str, Any]]:
    """Return the account's invoices as the app shows them, newest first; totals in cents. Three queries."""
    return rows_of(account, invoices_of(account))


def invoices_of(account: Account) -> list[Invoice]:
    """Return the account's invoices, newest first; one query."""
    every = Invoice.objects.filter(customer__account=account, deleted=False)
    return list(every.order_by("-issued_at", "-pk"))


def rows_of(account: Account, invoices: Iterable[Invoice]) -> list[dict[str, Any]]:
    """Return these invoices of an account as the app shows them, in two queries."""
    payments = _Payments.of(account)
    return [_row(invoice, payments) for invoice in invoices]


def _row(invoice: Invoice, payments: _Payments) -> dict[str, Any]:
    link = _last_payment(invoice)
    return {
        "number": invoice.provider_id,
        "status": invoice.status.upper(),
        "transactionDate": iso(_paid_on(link) or invoice.issued_at),
        "total": invoice.cents("total"),
        **payments.paid_with(link),
    }


def _last_payment(invoice: Invoice) -> Mapping[str, Any] | None:
    """Return the newest payment that went through, None when nothing was charged."""
    paid = [row for row in invoice.payload.get("linked_payments") or () if row.get("txn_status") == "success"]
    return max(paid, key=lambda row: int(row.get("txn_date") or row.get("applied_at") or 0), default=None)


def _paid_on(link: Mapping[str, Any] | None) -> datetime | None:
    seconds = link and (link.get("txn_date") or link.get("applied_at"))
    return datetime.fromtimestamp(int(seconds), tz=UTC) if seconds else None


@dataclass(frozen=True)
class _Payments:
    """An account's transactions and sources; a removed source still names what an invoice was paid with."""

    transactions: Mapping[str, Transaction]
    sources: Mapping[str, PaymentSource]

    @classmethod
    def of(cls, account: Account) -> _Payments:
        return cls(
            transactions={
                row.provider_id: row for row in Transaction.objects.filter(customer__account=account)
            },
            sources={row.provider_id: row for row in PaymentSource.objects.filter(customer__account=account)},
        )

    def paid_with(self, link: Mapping[str, Any] | None) -> dict[str, str | None]:
        """Return what a payment was made with; nulls when nothing was charged, or by other means."""
        transaction = self.transactions.get(str(link["txn_id"])) if link else None
        method = transaction.text("payment_method") if transaction else ""
        if transaction is None or method not in METHODS:
            return {"paymentSourceType": None, "cardBrand": None, "last4": None, "paypalEmail": None}
        source = self.sources.get(transaction.text("payment_source_id"))
        card: Mapping[str, Any] = (source.payload.get("card") if source else None) or {}
        paypal: Mapping[str, Any] = (source.payload.get("paypal") if source else None) or {}
        is_card = method == "card"
        return {
            "paymentSourceType": method.upper(),
            "cardBrand": str(card["brand"]).upper() if is_card and card.get("brand") else None,
            "last4": (_last4(transaction) or card.get("last4")) if is_card else None,
            "paypalEmail": None if is_card else paypal.get("email"),
        }


def _last4(transaction: Transaction) -> str | None:
    return transaction.text("last4") or transaction.text("masked_card_number")[-4:] or None
