"""Refunds and credits in the billing history: rows below their invoice, and a PDF of each credit note."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader
from pytest_django import Settings
from rest_framework.test import APIClient

from accounts.models import Account
from billing.invoices import pdf_files
from billing.mirror.erasure import erase_billing_data
from billing.models import InvoicePdf
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import apply_resources, make_invoice, make_resource, open_account, timestamp_at
from billing.tests.pdf.sample_invoices import page_texts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog", "no_provider")]

PDF = "/api/invoice/credit-note/{}"
LINE = {
    "description": "Faith & Family, monthly",
    "date_from": timestamp_at(),
    "date_to": timestamp_at(30),
    "amount": 185,
    "tax_amount": 15,
    "entity_id": "faith-family-plan-USD-Monthly",
}


def make_note(number: str, *, owner: str = "alice", invoice: str = "17", **fields: Any) -> dict[str, Any]:
    """Return a credit note of $2.00 that pays the next bills."""
    body = {
        "type": "refundable",
        "status": "refund_due",
        "date": timestamp_at(),
        "currency_code": "USD",
        "sub_total": 185,
        "total": 200,
        "amount_available": 200,
        "line_items": [LINE],
        "taxes": [{"name": "Sales tax", "amount": 15}],
        "reference_invoice_id": invoice,
        "customer_id": owner,
    }
    return make_resource("credit_note", number, **{**body, **fields})


def make_refunded_note(number: str) -> dict[str, Any]:
    """Return a credit note of $2.00 that was refunded to Alice's Visa."""
    link = {"txn_id": "txn_back", "applied_amount": 200, "txn_status": "success", "txn_date": timestamp_at()}
    return make_note(number, status="refunded", amount_refunded=200, amount_available=0, linked_refunds=[link])


@pytest.fixture
def alice(settings: Settings, tmp_path: Path) -> Browser:
    """Return Alice's browser; her invoice has a refund, a credit, an adjustment and a voided note."""
    settings.MEDIA_ROOT = tmp_path
    card = {"brand": "visa", "last4": "1111"}
    refund = {"type": "refund", "status": "success", "payment_method": "card", "payment_source_id": "pm_visa"}
    account = open_account(
        "alice",
        make_resource("payment_source", "pm_visa", customer_id="alice", type="card", card=card),
        make_resource("transaction", "txn_back", customer_id="alice", date=timestamp_at(), amount=200, **refund),
        make_invoice("17"),
        make_refunded_note("CN-1"),
        make_note("CN-2"),
        make_note("CN-3", type="adjustment", status="adjusted", amount_allocated=200, amount_available=0),
        make_note("CN-4", status="voided", amount_available=0),
    )
    open_account("bob", make_invoice("18", owner="bob"), make_note("CN-B", owner="bob", invoice="18"))
    return Browser(account)


def read_pdf(browser: Browser, number: str) -> Sequence[str]:
    """Request the PDF of a credit note, render it, and return the texts of its pages."""
    assert browser.get(PDF.format(number)).json()["code"] == "invoice_not_ready"
    for pdf in InvoicePdf.objects.filter(state="wanted"):
        pdf_files.make_pdf(pdf.pk)
    response: Any = APIClient().get(browser.get(PDF.format(number)).json()["downloadUrl"])
    assert response.status_code == 200
    assert 'filename="credit-note.pdf"' in response["Content-Disposition"]
    return page_texts(PdfReader(BytesIO(b"".join(response.streaming_content))))


@pytest.mark.shows("history-10", "api-38")
def test_an_invoice_lists_what_was_refunded_and_credited_of_it(alice: Browser) -> None:
    [row] = alice.get("/api/invoice/list").json()
    assert [(note["number"], note["kind"], note["amount"]) for note in row["creditNotes"]] == [
        ("CN-1", "REFUNDED", 200),
        ("CN-2", "CREDITED", 200),
        ("CN-3", "ADJUSTED", 200),
    ]
    assert [(note["paymentSourceType"], note["cardBrand"], note["last4"]) for note in row["creditNotes"]] == [
        ("CARD", "VISA", "1111"),
        (None, None, None),
        (None, None, None),
    ]


@pytest.mark.shows("history-10", "api-38")
def test_an_invoice_lists_what_is_left_of_each_credit(alice: Browser) -> None:
    def left() -> list[int]:
        [row] = alice.get("/api/invoice/list").json()
        return [note["left"] for note in row["creditNotes"]]

    assert left() == [0, 200, 0]
    apply_resources(make_note("CN-2", status="refund_due", amount_allocated=150, amount_available=50))
    assert left() == [0, 50, 0]
    apply_resources(make_note("CN-2", status="refunded", amount_allocated=200, amount_available=0))
    assert left() == [0, 0, 0]


@pytest.mark.shows("history-10", "api-63")
@pytest.mark.parametrize(
    ("number", "words"),
    [
        ("CN-1", "Credited $2.00 Refunded $2.00 What became of it $2.00 was refunded to Visa ending in 1111."),
        ("CN-2", "Credited $2.00 Left for the next bills $2.00 What became of it It pays your bills automatically."),
        ("CN-3", "Credited $2.00 Taken off the invoice $2.00 What became of it $2.00 was taken off what was due."),
    ],
)
def test_a_credit_note_is_a_pdf(alice: Browser, number: str, words: str) -> None:
    [page] = read_pdf(alice, number)
    assert "Credit note" in page
    assert f"Number {number}" in page
    assert "For invoice 17" in page
    assert f"Credit note {number} Page 1 of 1" in page
    assert "Subtotal $1.85 Sales tax $0.15" in page
    assert words in page


def test_a_credit_note_that_was_used_has_another_pdf(alice: Browser) -> None:
    read_pdf(alice, "CN-2")
    apply_resources(make_note("CN-2", status="refunded", amount_allocated=200, amount_available=0))
    [page] = read_pdf(alice, "CN-2")
    assert "Used to pay bills $2.00 What became of it It has paid other bills." in page


def test_a_credit_note_adds_up_with_its_discount(alice: Browser) -> None:
    before_discount = {**LINE, "amount": 205, "discount_amount": 20}
    discount = {"description": "20 % off", "entity_id": "SAVE20", "amount": 20}
    apply_resources(make_note("CN-5", line_items=[before_discount], discounts=[discount]))
    [page] = read_pdf(alice, "CN-5")
    assert "Subtotal $2.05 20 % off -$0.20 Sales tax $0.15 Credited $2.00" in page


@pytest.mark.shows("api-63")
@pytest.mark.parametrize("number", ["CN-B", "CN-4", "17", "nothing"])
def test_a_foreign_a_voided_and_no_credit_note_are_not_found(alice: Browser, number: str) -> None:
    response = alice.get(PDF.format(number))
    assert (response.status_code, response.json()["code"]) == (404, "not_found")
    assert not InvoicePdf.objects.exists()


def test_an_erasure_deletes_the_files(alice: Browser, tmp_path: Path, django_capture_on_commit_callbacks: Any) -> None:
    read_pdf(alice, "CN-1")
    assert list(tmp_path.rglob("*.pdf"))
    with django_capture_on_commit_callbacks(execute=True):
        erase_billing_data(Account.objects.get(customer__provider_id="alice"))
    assert not list(tmp_path.rglob("*.pdf"))


@pytest.mark.shows("rule-21")
def test_the_account_says_what_credits_it_has(alice: Browser) -> None:
    balances = {"promotional_credits": 500, "refundable_credits": 200, "excess_payments": 1}
    apply_resources(make_resource("customer", "alice", email="alice@example.com", **balances))
    body = alice.get("/api/account").json()
    assert (body["creditBalance"], body["creditCurrency"]) == (701, "USD")


@pytest.mark.shows("history-10")
def test_a_note_that_paid_a_bill_before_its_rest_was_refunded_shows_what_was_refunded(alice: Browser) -> None:
    link = {"txn_id": "txn_back", "applied_amount": 50, "txn_status": "success", "txn_date": timestamp_at()}
    amounts: dict[str, Any] = {"amount_allocated": 150, "amount_refunded": 50, "amount_available": 0}
    apply_resources(make_note("CN-2", status="refunded", linked_refunds=[link], **amounts))
    [row] = alice.get("/api/invoice/list").json()
    assert [(note["kind"], note["amount"]) for note in row["creditNotes"] if note["number"] == "CN-2"] == [
        ("REFUNDED", 50)
    ]
