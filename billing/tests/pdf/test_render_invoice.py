"""The content of a rendered invoice, read back from the PDF."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from billing.pdf.invoice_data import BrandMark, InvoiceLine, PayingSource, TaxLine
from billing.pdf.render import render_invoice
from billing.tests.pdf.sample_invoices import (
    AVA_INVOICE,
    FINN_INVOICE,
    drawn_text,
    invoice_for,
    invoice_with_lines,
    open_pdf,
    page_texts,
)


@pytest.mark.parametrize(
    "expected",
    [
        "INV-1042",
        "Nov 20, 2026",
        "Paid",
        "Streaming Family, Inc.",
        "Tax ID 12-3456789",
        "Ava Martin",
        "ava@example.com",
        "Portland, OR 97205",
        "Faith & Family, monthly",
        "Gospel TV, monthly",
        "Nov 20 \N{EN DASH} Dec 20, 2026",
        "$6.99",
        "$7.99",
        "Subtotal $14.98",
        "Bundle of two, 10% off -$1.50",
        "Tennessee sales tax, 7% $0.94",
        "Total $14.42",
        "Amount paid -$14.42",
        "Amount due $0.00",
        "$14.42 was paid on Nov 20, 2026. Thank you.",
        "Paid with Visa ending in 4242",
        "Page 1 of 1",
    ],
)
def test_a_paid_invoice_shows(expected: str) -> None:
    assert expected in drawn_text(AVA_INVOICE)


def test_a_due_invoice_shows_the_amount_and_the_due_date() -> None:
    text = drawn_text(FINN_INVOICE)

    assert "Payment due" in text
    assert "$14.42 is due by Nov 27, 2026." in text
    assert "Amount due $14.42" in text
    assert "Thank you" not in text


def test_a_voided_invoice_says_that_nothing_is_due() -> None:
    assert "This invoice was voided. Nothing is due." in drawn_text(replace(FINN_INVOICE, status="voided"))


def test_credits_are_shown_between_the_total_and_the_payment() -> None:
    text = drawn_text(replace(AVA_INVOICE, credits_applied=500, amount_paid=942))

    assert "Total $14.42 Credits applied -$5.00 Amount paid -$9.42 Amount due $0.00" in text


def test_an_invoice_covered_by_credits_does_not_claim_a_payment() -> None:
    text = drawn_text(replace(AVA_INVOICE, credits_applied=1442, amount_paid=0))

    assert "Nothing was charged." in text
    assert "Paid with" not in text


def test_a_paypal_payment_names_the_account() -> None:
    document = replace(AVA_INVOICE, paid_with=PayingSource(paypal_email="gia@example.com"))

    assert "Paid with PayPal (gia@example.com)" in drawn_text(document)


def test_the_tax_line_is_shown_when_no_tax_was_charged() -> None:
    assert "Tax $0.00" in drawn_text(replace(AVA_INVOICE, taxes=()))


def test_every_tax_has_its_own_line() -> None:
    text = drawn_text(replace(AVA_INVOICE, taxes=(TaxLine("State tax, 4%", 54), TaxLine("City tax, 2%", 27))))

    assert "State tax, 4% $0.54 City tax, 2% $0.27" in text


def test_a_credit_line_and_a_line_without_a_period_are_printed() -> None:
    line = InvoiceLine("Prorated credits", -871, -871)

    assert "Prorated credits \N{EN DASH} 1 -$8.71 -$8.71" in drawn_text(replace(AVA_INVOICE, lines=(line,)))


def test_notes_are_printed() -> None:
    assert "Notes We will try the card again." in drawn_text(
        replace(AVA_INVOICE, notes=("We will try the card again.",))
    )


def test_the_logo_replaces_the_name() -> None:
    drawn = replace(AVA_INVOICE, lines=())
    typed = replace(drawn, brand=BrandMark(name="Faith & Family"))

    assert "Faith & Family" not in drawn_text(drawn)
    assert "Faith & Family" in drawn_text(typed)


def test_another_currency_is_shown_with_every_amount() -> None:
    text = drawn_text(replace(AVA_INVOICE, currency="EUR"))

    assert "Total 14.42 EUR" in text
    assert "$" not in text


def test_a_long_invoice_has_numbered_pages_with_repeated_headers() -> None:
    pages = page_texts(open_pdf(invoice_with_lines(60)))
    whole = " ".join(pages)

    assert len(pages) > 2
    assert [f"Page {i} of {len(pages)}" in page for i, page in enumerate(pages, 1)] == [True] * len(pages)
    assert ["Description Period Qty" in page for page in pages] == [True] * len(pages)
    assert ["Invoice INV-1042" in page for page in pages] == [True] * len(pages)
    assert [f"Service number {i} " in whole for i in range(1, 61)] == [True] * 60


@pytest.mark.parametrize("count", range(8, 18))
def test_the_totals_are_never_alone_on_a_page(count: int) -> None:
    last = page_texts(open_pdf(invoice_with_lines(count)))[-1]

    assert f"Service number {count} " in last
    assert "Amount due" in last


@pytest.mark.parametrize(
    "name",
    ["Łukasz Żółć", "Nguyễn Thị Hạnh", "Ελένη Παπαδοπούλου", "Анна Ковальчук", "Zoë O'Brien-Núñez"],
)
def test_names_in_many_alphabets_can_be_extracted(name: str) -> None:
    assert name in drawn_text(invoice_for(name))


@pytest.mark.parametrize(
    "name",
    [
        "مريم العربي",
        "יעל כהן",
        "山田 太郎",
        "김민준",
        "👩‍👩‍👧 Family",
        "A" * 201,
        "a\x00b\x07c\ud83d",
        "\u202egnp.exe",
        "",
    ],
)
def test_no_name_breaks_the_page(name: str) -> None:
    reader = open_pdf(invoice_for(name, name))

    assert len(reader.pages) == 1
    assert "Total $14.42" in page_texts(reader)[0]


def test_an_overlong_word_wraps_within_the_page() -> None:
    endless = replace(AVA_INVOICE, lines=(InvoiceLine("x" * 400, 699, 699),))

    assert drawn_text(endless).replace(" ", "").count("x") >= 400


@pytest.mark.shows("rule-12")
def test_the_same_data_gives_the_same_bytes() -> None:
    assert render_invoice(AVA_INVOICE) == render_invoice(replace(AVA_INVOICE))


def test_different_data_gives_different_bytes() -> None:
    assert render_invoice(AVA_INVOICE) != render_invoice(replace(AVA_INVOICE, issued_on=date(2026, 11, 21)))


def test_the_pdf_has_metadata() -> None:
    reader = open_pdf(AVA_INVOICE)

    assert reader.metadata is not None
    assert reader.metadata.title == "Invoice INV-1042 · Faith & Family"
    assert reader.metadata.author == "Streaming Family, Inc."
    assert "INV-1042" in [str(value) for key, value in reader.metadata.items() if "number" in key]
    assert str(reader.metadata["/CreationDate"]).startswith("D:20261120")


def test_the_pdf_is_tagged_for_screen_readers() -> None:
    reader = open_pdf(AVA_INVOICE)
    catalog: dict[str, Any] = dict(reader.root_object)

    assert catalog["/MarkInfo"]["/Marked"]
    assert catalog["/Lang"] == "en-US"
    assert catalog["/ViewerPreferences"]["/DisplayDocTitle"]
    assert "/StructTreeRoot" in catalog
    assert "pdfuaid" in catalog["/Metadata"].get_object().get_data().decode()
