"""Yearly statements: the invoices and refunds of a year as one PDF."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader
from pytest_django import Settings
from rest_framework.test import APIClient

from accounts.models import SiteSettings
from billing.invoices import pdf_files
from billing.mirror.erasure import erase_billing_data
from billing.models import InvoicePdf
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import apply_resources, make_invoice, make_resource, open_account
from billing.tests.pdf.sample_invoices import page_texts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog", "no_provider")]

STATEMENT_2025 = "/api/invoice/statement/2025"
VISA = make_resource(
    "payment_source", "pm_visa", customer_id="alice", type="card", card={"brand": "visa", "last4": "1111"}
)


def seconds_at(year: int, month: int, day: int, hour: int) -> int:
    """Return a time in UTC in epoch seconds."""
    return int(datetime(year, month, day, hour, tzinfo=UTC).timestamp())


def make_transaction(handle: str, *moment: int, **fields: Any) -> dict[str, Any]:
    """Return a successful transaction of Alice's Visa."""
    paid = {"type": "payment", "status": "success", "payment_method": "card", "payment_source_id": "pm_visa"}
    when = seconds_at(*moment)
    return make_resource(
        "transaction", handle, **{**paid, "customer_id": "alice", "date": when, "amount": 699, **fields}
    )


def make_paid_invoice(number: str, *moment: int, **fields: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return an invoice that was paid with Alice's Visa when it was issued, and the payment."""
    payment = make_transaction(f"txn-{number}", *moment)
    link = {"txn_id": payment["id"], "txn_status": "success", "txn_date": payment["date"]}
    money = {"amount_paid": 699, "amount_due": 0, **fields}
    return make_invoice(number, linked_payments=[link], **{"date": payment["date"], **money}), payment


@pytest.fixture
def alice(settings: Settings, tmp_path: Path) -> Browser:
    """Return Alice's browser; three of her five invoices are of 2025 in the site's zone, one of them due."""
    settings.MEDIA_ROOT = tmp_path
    SiteSettings.objects.update_or_create(pk=1, defaults={"time_zone": "America/New_York"})
    line = {
        "description": "Faith & Family, monthly",
        "date_from": seconds_at(2025, 2, 3, 12),
        "date_to": seconds_at(2025, 3, 3, 12),
        "entity_id": "faith-family-plan-USD-Monthly",
    }
    return Browser(
        open_account(
            "alice",
            VISA,
            *make_paid_invoice("INV-2024", 2025, 1, 1, 4),
            *make_paid_invoice("INV-1", 2025, 2, 3, 12, line_items=[line], total=1199, credits_applied=500),
            make_invoice(
                "INV-2", date=seconds_at(2025, 6, 1, 12), status="payment_due", total=899, amount_paid=0, amount_due=899
            ),
            make_invoice("INV-3", date=seconds_at(2025, 7, 1, 12), status="voided", total=5555),
            *make_paid_invoice("INV-2026", 2026, 1, 1, 5),
        )
    )


def make_pdfs() -> None:
    """Render the requested PDFs, as the worker does."""
    for pdf in InvoicePdf.objects.filter(state="wanted"):
        pdf_files.make_pdf(pdf.pk)


def make_link(browser: Browser, path: str = STATEMENT_2025) -> str:
    """Request a statement, render it, and return its link."""
    assert browser.get(path).json()["code"] == "invoice_not_ready"
    make_pdfs()
    link: str = browser.get(path).json()["downloadUrl"]
    return link


def read_pdf(link: str) -> Sequence[str]:
    """Return the texts of the pages of a downloaded PDF."""
    response: Any = APIClient().get(link)
    assert response.status_code == 200
    return page_texts(PdfReader(BytesIO(b"".join(response.streaming_content))))


@pytest.mark.shows("history-8", "api-65")
def test_it_asks_to_retry_while_the_statement_is_rendered(alice: Browser) -> None:
    response = alice.get(STATEMENT_2025)
    assert (response.status_code, response.json()["code"]) == (503, "invoice_not_ready")
    assert response.json()["message"] == "Your statement is being prepared. Please try again in a moment."
    assert int(response.headers["Retry-After"]) > 0


@pytest.mark.shows("history-8")
def test_it_lists_the_invoices_of_the_year_in_the_sites_zone_and_sums_them_up(alice: Browser) -> None:
    [page] = read_pdf(make_link(alice))
    assert "Statement 2025" in page
    assert (
        "Feb 3, 2025 INV-1 Faith & Family, Feb 3 \N{EN DASH} Mar 3, 2025 Visa ending in 1111 Paid $11.99 "
        "Jun 1, 2025 INV-2 Payment due $8.99 Jul 1, 2025 INV-3 Voided $55.55"
    ) in page
    assert "Invoices $20.98 Paid from credit -$5.00 Still due -$8.99 Paid in 2025 $6.99" in page
    assert "INV-2024" not in page
    assert "INV-2026" not in page


@pytest.mark.shows("history-8")
def test_it_lists_refunds_and_what_stays_paid(alice: Browser) -> None:
    refunds = [
        make_transaction("back", 2025, 8, 1, 12, type="refund", amount=300),
        make_transaction("disputed", 2025, 9, 1, 12, type="payment_reversal", amount=99),
        make_transaction("failed", 2025, 8, 2, 12, type="refund", amount=111, status="failure"),
        make_transaction("next-year", 2026, 2, 1, 12, type="refund", amount=222),
    ]
    apply_resources(*refunds)
    [page] = read_pdf(make_link(alice))
    assert "Aug 1, 2025 Returned to Visa ending in 1111 $3.00 Sep 1, 2025 Returned to Visa ending in 1111 $0.99" in page
    assert "Paid in 2025 $6.99 Refunded -$3.99 Paid after refunds $3.00" in page


@pytest.mark.shows("history-8")
def test_a_year_with_a_refund_alone_has_a_statement(alice: Browser) -> None:
    back = make_transaction("back", 2027, 1, 5, 12, type="refund", amount=699)
    link = {"txn_id": "back", "txn_status": "success", "txn_date": back["date"], "applied_amount": 699}
    refunded = {"type": "refundable", "status": "refunded", "amount_refunded": 699, "total": 699}
    note = {"customer_id": "alice", "reference_invoice_id": "INV-2026", "linked_refunds": [link], **refunded}
    apply_resources(back, make_resource("credit_note", "CN-1", date=back["date"], **note))
    [page] = read_pdf(make_link(alice, "/api/invoice/statement/2027"))
    assert "Jan 5, 2027 Returned to Visa ending in 1111 $6.99" in page
    assert "Paid in 2027 $0.00 Refunded -$6.99" in page
    [row] = [row for row in alice.get("/api/invoice/list").json() if row["creditNotes"]]
    assert [note["refundedAt"] for note in row["creditNotes"]] == ["2027-01-05T12:00:00Z"]


def test_it_sums_up_each_currency_by_itself(alice: Browser) -> None:
    apply_resources(*make_paid_invoice("INV-9", 2025, 11, 1, 12, total=699, currency_code="EUR"))
    [page] = read_pdf(make_link(alice))
    assert "Paid in 2025 $6.99 Invoices 6.99 EUR Paid in 2025 6.99 EUR" in page


def test_it_is_saved_under_its_year(alice: Browser) -> None:
    response: Any = APIClient().get(make_link(alice))
    assert response.headers["Content-Disposition"] == 'attachment; filename="statement-2025.pdf"'
    assert response.headers["Content-Type"] == "application/pdf"
    response.close()


@pytest.mark.parametrize("year", ["2023", "2027", "0", "99999999999999999999"])
def test_a_year_without_an_invoice_is_not_found(alice: Browser, year: str) -> None:
    response = alice.get(f"/api/invoice/statement/{year}")
    assert (response.status_code, response.json()["code"]) == (404, "not_found")
    assert not InvoicePdf.objects.exists()


@pytest.mark.parametrize(
    "make_change",
    [
        lambda: make_paid_invoice("INV-4", 2025, 12, 1, 12),
        lambda: make_paid_invoice("INV-2", 2025, 6, 1, 12),
        lambda: [make_transaction("back", 2025, 8, 1, 12, type="refund", amount=300)],
    ],
    ids=["a new invoice", "a late payment", "a refund"],
)
def test_a_change_makes_another_statement_and_ends_the_link(
    alice: Browser, make_change: Callable[[], Sequence[dict[str, Any]]]
) -> None:
    link = make_link(alice)
    before = read_pdf(link)
    apply_resources(*make_change())
    assert APIClient().get(link).status_code == 404
    assert read_pdf(make_link(alice)) != before


def test_a_change_of_another_year_keeps_the_statement(alice: Browser) -> None:
    link = make_link(alice)
    apply_resources(*make_paid_invoice("INV-2027", 2026, 2, 1, 12))
    assert alice.get(STATEMENT_2025).status_code == 200
    assert read_pdf(link)
    assert InvoicePdf.objects.count() == 1


def test_a_version_that_is_outdated_before_it_is_rendered_is_dropped(alice: Browser) -> None:
    alice.get(STATEMENT_2025)
    apply_resources(*make_paid_invoice("INV-4", 2025, 12, 1, 12))
    make_pdfs()
    assert not InvoicePdf.objects.exists()


@pytest.mark.shows("security-37")
def test_a_statement_of_another_account_is_not_readable(alice: Browser) -> None:
    link = make_link(alice)
    bob = Browser(open_account("bob", make_invoice("INV-BOB", owner="bob", date=seconds_at(2025, 3, 1, 12))))
    assert bob.get(link).status_code == 404
    [page] = read_pdf(make_link(bob))
    assert "INV-BOB" in page
    assert "INV-1" not in page


def test_erasing_the_account_deletes_its_statements(
    alice: Browser, tmp_path: Path, django_capture_on_commit_callbacks: Any
) -> None:
    make_link(alice)
    [pdf] = InvoicePdf.objects.all()
    assert (tmp_path / str(pdf.file.name)).exists()
    assert pdf.account is not None
    with django_capture_on_commit_callbacks(execute=True):
        erase_billing_data(pdf.account)
    assert not InvoicePdf.objects.exists()
    assert not (tmp_path / str(pdf.file.name)).exists()
