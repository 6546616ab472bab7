"""Turns an invoice's data into the words and figures on the page: every value handed to the template is text."""

import re
import unicodedata
from collections.abc import Iterable
from datetime import date

from billing.money import format_cents
from billing.pdf.assets import logo_address
from billing.pdf.document import BrandMark, InvoiceDocument, InvoiceLine, PaidWith, Party

NEUTRAL_INK = "#2c3440"
DASH = "\N{EN DASH}"

# Written out: `strftime("%b")` would follow the process's locale and make the same invoice differ between machines.
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

# The provider's status words; the tone picks a shape and a colour, the word alone already says it.
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

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
# Overrides and embeddings could make a name read backwards or swallow the text after it; joiners stay, for emoji.
_BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def invoice_context(document: InvoiceDocument) -> dict[str, object]:
    """Return what `templates/billing/invoice.html` needs, each value as finished text."""
    label, tone = status_words(document.status)
    return {
        "number": plain(document.number),
        "status": label,
        "tone": tone,
        "issued_on": day(document.issued_on),
        "issued_iso": document.issued_on.isoformat(),
        "due_on": day(document.due_on) if document.due_on and document.amount_due > 0 else "",
        "brand": _brand(document.brand),
        "seller": _party(document.seller),
        "subscriber": _party(document.subscriber),
        "lines": [_line(line, document.currency) for line in document.lines],
        "sums": _sums(document),
        "total": format_cents(document.total, document.currency),
        "settlement": _settlement(document),
        "amount_due": format_cents(document.amount_due, document.currency),
        "is_owing": document.amount_due > 0,
        "outcome": outcome(document),
        "paid_with": paid_with_words(document.paid_with) if document.amount_paid > 0 else "",
        "currency": document.currency,
        "notes": [plain(note) for note in document.notes],
    }


def plain(text: str) -> str:
    """Return `text` without control characters, lone surrogates and bidi overrides, which no page can print."""
    kept = (char for char in text if char not in _BIDI_CONTROLS)
    return "".join(" " if unicodedata.category(char) in {"Cc", "Cs"} else char for char in kept).strip()


def day(value: date) -> str:
    """Return a date as `Nov 20, 2026`."""
    return f"{MONTHS[value.month - 1]} {value.day}, {value.year}"


def period(start: date | None, end: date | None) -> str:
    """Return a period as first day, dash, last day (`Dec 20, 2026`), with the year twice only where it changes."""
    if start is None or end is None or start == end:
        single = start or end
        return day(single) if single else DASH
    first = day(start) if start.year != end.year else f"{MONTHS[start.month - 1]} {start.day}"
    return f"{first} {DASH} {day(end)}"


def status_words(status: str) -> tuple[str, str]:
    """Return the label and tone of a provider status; an unknown one is shown in its own words."""
    known = STATUSES.get(status.lower())
    return known or (plain(status).replace("_", " ").capitalize() or "Open", "open")


def paid_with_words(source: PaidWith | None) -> str:
    """Return `Visa ending in 4242`, `PayPal (ann@example.com)`, or nothing when no source is known."""
    if source is None or source == PaidWith():
        return ""
    if source.paypal_email:
        return f"PayPal ({plain(source.paypal_email)})"
    brand = CARD_BRANDS.get(source.card_brand.lower(), "Card")
    return f"{brand} ending in {plain(source.last4)}" if source.last4 else brand


def outcome(document: InvoiceDocument) -> str:
    """Return the one sentence a reader looks for: what was paid and when, or what is still due."""
    if document.status.lower() == "voided":
        return "This invoice was voided. Nothing is due."
    if document.amount_due > 0:
        due = format_cents(document.amount_due, document.currency)
        return f"{due} is due by {day(document.due_on)}." if document.due_on else f"{due} is due."
    if document.amount_paid <= 0:
        return "Nothing was charged."
    paid = format_cents(document.amount_paid, document.currency)
    when = f" on {day(document.paid_on)}" if document.paid_on else ""
    return f"{paid} was paid{when}. Thank you."


def _brand(brand: BrandMark) -> dict[str, str]:
    colour = brand.colour if _COLOUR.fullmatch(brand.colour) else NEUTRAL_INK
    return {"name": plain(brand.name), "logo": logo_address(brand.logo) or "", "colour": colour}


def _party(party: Party) -> dict[str, str]:
    tax_id = plain(party.tax_id)
    below = (*party.address, party.email, f"Tax ID {tax_id}" if tax_id else "")
    return {"name": plain(party.name), "address": "\n".join(_printed(below))}


def _printed(lines: Iterable[str]) -> list[str]:
    """Return the lines that have something to print."""
    return [text for text in map(plain, lines) if text]


def _line(line: InvoiceLine, currency: str) -> dict[str, str]:
    return {
        "description": plain(line.description),
        "period": period(line.period_from, line.period_to),
        "quantity": str(line.quantity),
        "unit_amount": format_cents(line.unit_amount, currency),
        "amount": format_cents(line.amount, currency),
    }


def _sums(document: InvoiceDocument) -> list[dict[str, str]]:
    """Return the rows from the subtotal to the total; the tax row is printed even when no tax was charged."""
    rows = [("Subtotal", document.subtotal)]
    rows += [(discount.label, -discount.amount) for discount in document.discounts]
    rows += [(tax.label, tax.amount) for tax in document.taxes] or [("Tax", 0)]
    return [_sum(label, amount, document.currency) for label, amount in rows]


def _settlement(document: InvoiceDocument) -> list[dict[str, str]]:
    """Return the rows from the total to what is due."""
    rows = [("Credits applied", -document.credits_applied)] if document.credits_applied else []
    rows += [("Amount paid", -document.amount_paid)] if document.amount_paid else []
    return [_sum(label, amount, document.currency) for label, amount in rows]


def _sum(label: str, amount: int, currency: str) -> dict[str, str]:
    return {"label": plain(label), "amount": format_cents(amount, currency)}
