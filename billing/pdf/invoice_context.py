"""The template context of an invoice: every value is formatted text."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from billing.money import format_cents
from billing.pdf.assets import logo_address
from billing.pdf.invoice_data import BrandMark, InvoiceData, InvoiceLine, Party, PayingSource

NEUTRAL_INK = "#2c3440"
DASH = "\N{EN DASH}"

# `strftime("%b")` depends on the process's locale, and would make the same invoice differ between machines.
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

# Label and tone by provider status. The tone selects shape and color; the label alone is sufficient.
STATUSES = {
    "paid": ("Paid", "settled"),
    "posted": ("Posted", "open"),
    "payment_due": ("Payment due", "owing"),
    "not_paid": ("Not paid", "owing"),
    "pending": ("Pending", "open"),
    "voided": ("Voided", "void"),
}

CARD_BRANDS = {
    "visa": "Visa",
    "mastercard": "Mastercard",
    "american_express": "American Express",
    "amex": "American Express",
    "discover": "Discover",
    "jcb": "JCB",
    "diners_club": "Diners Club",
}

_HEX_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
# Bidi overrides and embeddings can reverse a name or the text after it. Joiners stay: emoji need them.
_BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def invoice_context(invoice: InvoiceData) -> dict[str, object]:
    """Return the context of `templates/billing/invoice.html`, every value as formatted text."""
    label, tone = status_words(invoice.status)
    return {
        "number": printable_text(invoice.number),
        "status": label,
        "tone": tone,
        "issued_on": format_day(invoice.issued_on),
        "issued_iso": invoice.issued_on.isoformat(),
        "due_on": format_day(invoice.due_on) if invoice.due_on and invoice.amount_due > 0 else "",
        "brand": brand_context(invoice.brand),
        "seller": party_context(invoice.seller),
        "subscriber": party_context(invoice.subscriber),
        "lines": [_line_context(line, invoice.currency) for line in invoice.lines],
        "sums": _sum_rows(invoice),
        "total": format_cents(invoice.total, invoice.currency),
        "settlement": _settlement_rows(invoice),
        "amount_due": format_cents(invoice.amount_due, invoice.currency),
        "is_owing": invoice.amount_due > 0,
        "outcome": outcome_sentence(invoice),
        "paid_with": paid_with_words(invoice.paid_with) if invoice.amount_paid > 0 else "",
        "currency": invoice.currency,
        "notes": [printable_text(note) for note in invoice.notes],
    }


def printable_text(text: str) -> str:
    """Return `text` without control characters, lone surrogates and bidi overrides."""
    printable = (char for char in text if char not in _BIDI_CONTROLS)
    return "".join(" " if unicodedata.category(char) in {"Cc", "Cs"} else char for char in printable).strip()


def format_day(value: date) -> str:
    """Return a date as `Nov 20, 2026`."""
    return f"{MONTHS[value.month - 1]} {value.day}, {value.year}"


def format_period(start: date | None, end: date | None) -> str:
    """Return a period as first day, dash, last day (`Dec 20, 2026`), with both years only where they differ."""
    if start is None or end is None or start == end:
        single = start or end
        return format_day(single) if single else DASH
    first = format_day(start) if start.year != end.year else f"{MONTHS[start.month - 1]} {start.day}"
    return f"{first} {DASH} {format_day(end)}"


def status_words(status: str) -> tuple[str, str]:
    """Return the label and tone of a provider status; an unknown one is its own label."""
    known = STATUSES.get(status.lower())
    return known or (printable_text(status).replace("_", " ").capitalize() or "Open", "open")


def paid_with_words(source: PayingSource | None) -> str:
    """Return `Visa ending in 4242`, `PayPal (ann@example.com)`, `Apple Pay (Visa ending in 4242)`, and so on.

    The text is empty for an unknown source.
    """
    if source is None or source == PayingSource():
        return ""
    if source.paypal_email:
        return f"PayPal ({printable_text(source.paypal_email)})"
    if source.wallet and not source.card_brand:
        return printable_text(source.wallet)
    if source.wallet:
        return f"{printable_text(source.wallet)} ({paid_with_words(replace(source, wallet=''))})"
    brand = CARD_BRANDS.get(source.card_brand.lower(), "Card")
    return f"{brand} ending in {printable_text(source.last4)}" if source.last4 else brand


def outcome_sentence(invoice: InvoiceData) -> str:
    """Return the summary sentence: what was paid and when, or what is due."""
    if invoice.status.lower() == "voided":
        return "This invoice was voided. Nothing is due."
    if invoice.amount_due > 0:
        due = format_cents(invoice.amount_due, invoice.currency)
        return f"{due} is due by {format_day(invoice.due_on)}." if invoice.due_on else f"{due} is due."
    if invoice.amount_paid <= 0:
        return "Nothing was charged."
    paid = format_cents(invoice.amount_paid, invoice.currency)
    when = f" on {format_day(invoice.paid_on)}" if invoice.paid_on else ""
    return f"{paid} was paid{when}. Thank you."


def brand_context(brand: BrandMark) -> dict[str, str]:
    """Return a brand's name, the address of its logo, empty if it is not bundled, and its color."""
    colour = brand.colour if _HEX_COLOR.fullmatch(brand.colour) else NEUTRAL_INK
    return {"name": printable_text(brand.name), "logo": logo_address(brand.logo) or "", "colour": colour}


def party_context(party: Party) -> dict[str, str]:
    """Return a party's name, and the lines below it as one text."""
    tax_id = printable_text(party.tax_id)
    below = (*party.address, party.email, f"Tax ID {tax_id}" if tax_id else "")
    return {"name": printable_text(party.name), "address": "\n".join(_printable_lines(below))}


def _printable_lines(lines: Iterable[str]) -> list[str]:
    """Return the printable lines without empty ones."""
    return [text for text in map(printable_text, lines) if text]


def _line_context(line: InvoiceLine, currency: str) -> dict[str, str]:
    return {
        "description": printable_text(line.description),
        "period": format_period(line.period_from, line.period_to),
        "quantity": str(line.quantity),
        "unit_amount": format_cents(line.unit_amount, currency),
        "amount": format_cents(line.amount, currency),
    }


def _sum_rows(invoice: InvoiceData) -> list[dict[str, str]]:
    """Return the rows from subtotal to total. The tax row is printed even when no tax was charged."""
    rows = [("Subtotal", invoice.subtotal)]
    rows += [(discount.label, -discount.amount) for discount in invoice.discounts]
    rows += [(tax.label, tax.amount) for tax in invoice.taxes] or [("Tax", 0)]
    return [amount_row(label, amount, invoice.currency) for label, amount in rows]


def _settlement_rows(invoice: InvoiceData) -> list[dict[str, str]]:
    """Return the rows from total to amount due."""
    rows = [("Credits applied", -invoice.credits_applied)] if invoice.credits_applied else []
    rows += [("Amount paid", -invoice.amount_paid)] if invoice.amount_paid else []
    rows += [("Adjusted", -invoice.adjusted)] if invoice.adjusted else []
    return [amount_row(label, amount, invoice.currency) for label, amount in rows]


def amount_row(label: str, amount: int, currency: str) -> dict[str, str]:
    """Return a labeled amount, in cents, as a row of sums."""
    return {"label": printable_text(label), "amount": format_cents(amount, currency)}
