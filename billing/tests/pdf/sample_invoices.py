"""Sample invoices, and readers of the rendered PDF."""

import io
from dataclasses import replace
from datetime import date
from functools import cache

from pypdf import PdfReader

from billing.pdf.invoice_data import (
    BrandMark,
    DiscountLine,
    InvoiceData,
    InvoiceLine,
    Party,
    PayingSource,
    TaxLine,
)
from billing.pdf.render import render_invoice

AVA_INVOICE = InvoiceData(
    number="INV-1042",
    status="paid",
    issued_on=date(2026, 11, 20),
    brand=BrandMark(name="Faith & Family", logo="portal/art/brands/faith-family.svg", colour="#1f5f8b"),
    seller=Party(
        name="Streaming Family, Inc.",
        email="billing@example.com",
        address=("100 Example Avenue", "Nashville, TN 37203"),
        tax_id="12-3456789",
    ),
    subscriber=Party(name="Ava Martin", email="ava@example.com", address=("12 Orchard Lane", "Portland, OR 97205")),
    lines=(
        InvoiceLine("Faith & Family, monthly", 699, 699, 1, date(2026, 11, 20), date(2026, 12, 20)),
        InvoiceLine("Gospel TV, monthly", 799, 799, 1, date(2026, 11, 20), date(2026, 12, 20)),
    ),
    discounts=(DiscountLine("Bundle of two, 10% off", 150),),
    taxes=(TaxLine("Tennessee sales tax, 7%", 94),),
    subtotal=1498,
    total=1442,
    amount_paid=1442,
    amount_due=0,
    paid_on=date(2026, 11, 20),
    paid_with=PayingSource(card_brand="visa", last4="4242"),
)

FINN_INVOICE = replace(
    AVA_INVOICE,
    number="INV-1043",
    status="PAYMENT_DUE",
    amount_paid=0,
    amount_due=1442,
    due_on=date(2026, 11, 27),
    paid_on=None,
    paid_with=None,
)


def invoice_for(name: str, *address: str) -> InvoiceData:
    """Return Ava's invoice with another subscriber."""
    return replace(AVA_INVOICE, subscriber=Party(name=name, email="someone@example.com", address=address))


def invoice_with_lines(count: int) -> InvoiceData:
    """Return Ava's invoice with `count` numbered lines."""
    return replace(AVA_INVOICE, lines=tuple(InvoiceLine(f"Service number {i}", 100, 100) for i in range(1, count + 1)))


def open_pdf(document: InvoiceData) -> PdfReader:
    """Return the rendered PDF, opened for reading."""
    return PdfReader(io.BytesIO(render_invoice(document)))


def page_texts(reader: PdfReader) -> list[str]:
    """Return the text of each page with runs of white space as one space.

    pypdf reads a font's codes byte by byte once the font stands in for a glyph the machine lacks, and puts a NUL
    before every letter; pdftotext and PDF viewers read the same file right.
    """
    return [" ".join(page.extract_text().replace("\0", "").split()) for page in reader.pages]


@cache
def drawn_text(document: InvoiceData) -> str:
    """Return all text of the rendered PDF."""
    return " ".join(page_texts(open_pdf(document)))
