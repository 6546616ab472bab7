"""Invoices for the document tests, and what a reader gets out of the drawn file."""

import io
from dataclasses import replace
from datetime import date
from functools import cache

from pypdf import PdfReader

from billing.pdf.document import BrandMark, Discount, InvoiceDocument, InvoiceLine, PaidWith, Party, Tax
from billing.pdf.render import render_invoice

AVAS = InvoiceDocument(
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
    subscriber=Party(
        name="Ava Martin", email="ava@example.com", address=("12 Orchard Lane", "Portland, OR 97205")
    ),
    lines=(
        InvoiceLine("Faith & Family, monthly", 699, 699, 1, date(2026, 11, 20), date(2026, 12, 20)),
        InvoiceLine("Gospel TV, monthly", 799, 799, 1, date(2026, 11, 20), date(2026, 12, 20)),
    ),
    discounts=(Discount("Bundle of two, 10% off", 150),),
    taxes=(Tax("Tennessee sales tax, 7%", 94),),
    subtotal=1498,
    total=1442,
    amount_paid=1442,
    amount_due=0,
    paid_on=date(2026, 11, 20),
    paid_with=PaidWith(card_brand="visa", last4="4242"),
)

FINNS = replace(
    AVAS,
    number="INV-1043",
    status="PAYMENT_DUE",
    amount_paid=0,
    amount_due=1442,
    due_on=date(2026, 11, 27),
    paid_on=None,
    paid_with=None,
)


def with_subscriber(name: str, *address: str) -> InvoiceDocument:
    """Return Ava's invoice made out to somebody else."""
    return replace(AVAS, subscriber=Party(name=name, email="someone@example.com", address=address))


def with_lines(count: int) -> InvoiceDocument:
    """Return Ava's invoice with so many lines, numbered in their descriptions."""
    return replace(
        AVAS, lines=tuple(InvoiceLine(f"Service number {i}", 100, 100) for i in range(1, count + 1))
    )


def opened(document: InvoiceDocument) -> PdfReader:
    """Return the drawn document, opened for reading."""
    return PdfReader(io.BytesIO(render_invoice(document)))


def page_texts(reader: PdfReader) -> list[str]:
    """Return the text of each page with runs of white space as one space.

    pypdf reads a font's codes byte by byte once the font stands in for a glyph the machine lacks, and puts a NUL
    before every letter; pdftotext and PDF viewers read the same file right.
    """
    return [" ".join(page.extract_text().replace("\0", "").split()) for page in reader.pages]


@cache
def text_of(document: InvoiceDocument) -> str:
    """Return all text of the drawn document."""
    return " ".join(page_texts(opened(document)))
