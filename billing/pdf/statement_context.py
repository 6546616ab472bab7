"""The template context of a yearly statement: every value is formatted text."""

from datetime import date

from billing.money import format_cents
from billing.pdf.invoice_context import (
    amount_row,
    brand_context,
    format_day,
    format_period,
    paid_with_words,
    party_context,
    printable_text,
    status_words,
)
from billing.pdf.statement_data import (
    StatementData,
    StatementInvoice,
    StatementItem,
    StatementRefund,
    StatementSums,
)


def statement_context(statement: StatementData) -> dict[str, object]:
    """Return the context of `templates/billing/statement.html`, every value as formatted text."""
    first, last = date(statement.year, 1, 1), date(statement.year, 12, 31)
    return {
        "year": str(statement.year),
        "period": format_period(first, last),
        "dated_iso": _newest_day(statement).isoformat(),
        "count": str(len(statement.invoices)),
        "brand": brand_context(statement.brand),
        "seller": party_context(statement.seller),
        "subscriber": party_context(statement.subscriber),
        "invoices": [_invoice_context(invoice) for invoice in statement.invoices],
        "refunds": [_refund_context(refund) for refund in statement.refunds],
        "sums": [_sums_context(sums) for sums in statement.sums],
    }


def _newest_day(statement: StatementData) -> date:
    return max([row.dated for row in statement.invoices] + [row.dated for row in statement.refunds])


def _invoice_context(invoice: StatementInvoice) -> dict[str, object]:
    label, _ = status_words(invoice.status)
    return {
        "dated": format_day(invoice.dated),
        "number": printable_text(invoice.number),
        "items": [_item_context(item) for item in invoice.items],
        "status": label,
        "paid_with": paid_with_words(invoice.paid_with),
        "total": format_cents(invoice.total, invoice.currency),
    }


def _item_context(item: StatementItem) -> dict[str, str]:
    has_period = item.period_from is not None or item.period_to is not None
    period = format_period(item.period_from, item.period_to) if has_period else ""
    return {"name": printable_text(item.name), "period": period}


def _refund_context(refund: StatementRefund) -> dict[str, str]:
    return {
        "dated": format_day(refund.dated),
        "paid_to": paid_with_words(refund.paid_to),
        "amount": format_cents(refund.amount, refund.currency),
    }


def _sums_context(sums: StatementSums) -> dict[str, object]:
    """Return the sums from the invoices' total to what was paid, with the rows that are not zero."""
    deductions = (("Paid from credit", -sums.credits), ("Adjusted", -sums.adjusted), ("Still due", -sums.due))
    return {
        "total": format_cents(sums.total, sums.currency),
        "deductions": [amount_row(label, amount, sums.currency) for label, amount in deductions if amount],
        "paid": format_cents(sums.paid, sums.currency),
        "refunded": format_cents(-sums.refunded, sums.currency) if sums.refunded else "",
        "kept": format_cents(sums.paid - sums.refunded, sums.currency),
    }
