"""The template context of a credit note: every value is formatted text."""

from billing.money import format_cents
from billing.pdf.credit_note_data import CreditNoteData
from billing.pdf.invoice_context import (
    amount_row,
    brand_context,
    format_day,
    format_period,
    paid_with_words,
    party_context,
    printable_text,
)


def credit_note_context(note: CreditNoteData) -> dict[str, object]:
    """Return the context of `templates/billing/credit_note.html`, every value as formatted text."""
    return {
        "number": printable_text(note.number),
        "invoice_number": printable_text(note.invoice_number),
        "issued_on": format_day(note.issued_on),
        "issued_iso": note.issued_on.isoformat(),
        "brand": brand_context(note.brand),
        "seller": party_context(note.seller),
        "subscriber": party_context(note.subscriber),
        "lines": [
            {
                "description": printable_text(line.description),
                "period": format_period(line.period_from, line.period_to),
                "amount": format_cents(line.amount, note.currency),
            }
            for line in note.lines
        ],
        "sums": _sum_rows(note),
        "total": format_cents(note.total, note.currency),
        "settlement": [amount_row(label, amount, note.currency) for label, amount in _settlement(note) if amount],
        "outcome": _outcome_sentence(note),
        "currency": note.currency,
    }


def _sum_rows(note: CreditNoteData) -> list[dict[str, str]]:
    rows = [("Subtotal", note.subtotal)]
    rows += [(discount.label, -discount.amount) for discount in note.discounts]
    rows += [(tax.label, tax.amount) for tax in note.taxes]
    return [amount_row(label, amount, note.currency) for label, amount in rows]


def _settlement(note: CreditNoteData) -> list[tuple[str, int]]:
    if note.adjusts:
        return [("Taken off the invoice", note.total)]
    return [("Refunded", note.refunded), ("Used to pay bills", note.used), ("Left for the next bills", note.left)]


def _outcome_sentence(note: CreditNoteData) -> str:
    if note.adjusts:
        return f"{format_cents(note.total, note.currency)} was taken off what was due."
    if note.refunded:
        method = paid_with_words(note.refunded_to)
        return f"{format_cents(note.refunded, note.currency)} was refunded{f' to {method}' if method else ''}."
    return "It pays your bills automatically." if note.left else "It has paid other bills."
