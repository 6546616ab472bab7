"""Invoice PDFs: requested, rendered by a task, and downloaded through a short-lived link."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import time_machine
from celery.signals import before_task_publish
from django.core import signing
from django.utils import timezone
from pypdf import PdfReader
from pytest_django import Settings
from rest_framework.test import APIClient

from billing.invoices import pdf_files
from billing.jobs import recovery
from billing.models import Customer, Invoice, InvoicePdf
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import (
    apply_resources,
    iso_time_at,
    make_invoice,
    open_account,
    timestamp_at,
)
from billing.tests.pdf.sample_invoices import page_texts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog", "no_provider")]


@pytest.fixture
def alice(settings: Settings, tmp_path: Path) -> Browser:
    """Return Alice's browser; she has an invoice, and files are stored in a temporary folder."""
    settings.MEDIA_ROOT = tmp_path
    return Browser(open_account("alice", make_invoice_with_line()))


def make_invoice_with_line(**fields: Any) -> dict[str, Any]:
    """Return an invoice with a line item, as the provider sends it."""
    line = {
        "id": "li_1",
        "description": "Faith & Family, monthly",
        "date_from": timestamp_at(),
        "date_to": timestamp_at(30),
        "quantity": 1,
        "unit_amount": 699,
        "amount": 699,
        "entity_type": "plan_item_price",
        "entity_id": "faith-family-plan-USD-Monthly",
    }
    money: dict[str, Any] = {
        "sub_total": 699,
        "tax": 0,
        "amount_paid": 699,
        "amount_due": 0,
        "credits_applied": 0,
    }
    return make_invoice("17", line_items=[line], **money, **fields)


def make_pdfs() -> None:
    """Render the requested PDFs, as the worker does."""
    for pdf in InvoicePdf.objects.filter(state="wanted"):
        pdf_files.make_pdf(pdf.pk)


def make_pdf_link(alice: Browser) -> str:
    """Request a PDF, render it, and return its link."""
    alice.get("/api/invoice/pdf/17")
    make_pdfs()
    link: str = alice.get("/api/invoice/pdf/17").json()["downloadUrl"]
    return link


@pytest.mark.shows("error-34", "rule-12")
def test_it_asks_to_retry_while_the_pdf_is_rendered(alice: Browser) -> None:
    response = alice.get("/api/invoice/pdf/17")
    assert (response.status_code, response.json()["code"]) == (503, "invoice_not_ready")
    assert int(response.headers["Retry-After"]) > 0


@pytest.fixture
def pdf_queues() -> Iterator[list[str]]:
    """Collect the queues that the tasks of PDFs are sent to, in order."""
    routing_keys: list[str] = []

    def record_queue(sender: str, routing_key: str, **message: Any) -> None:
        if sender == "billing.tasks.make_invoice_pdf":
            routing_keys.append(routing_key)

    before_task_publish.connect(record_queue)
    yield routing_keys
    before_task_publish.disconnect(record_queue)


def test_nightly_pdfs_use_the_jobs_queue_and_requested_ones_do_not(
    alice: Browser, pdf_queues: list[str], django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        assert pdf_files.request_missing_pdfs() == 1
        recovery.sweep_due_work(now=timezone.now())
    assert pdf_queues == ["jobs", "jobs"]
    with django_capture_on_commit_callbacks(execute=True):
        assert alice.get("/api/invoice/pdf/17").status_code == 503
    assert pdf_queues == ["jobs", "jobs", "celery"]


@pytest.mark.shows("history-4", "api-39", "security-38")
def test_a_link_downloads_the_file_without_a_token(alice: Browser) -> None:
    response: Any = APIClient().get(make_pdf_link(alice))
    assert response.status_code == 200
    assert b"".join(response.streaming_content).startswith(b"%PDF-")
    assert response.headers["Content-Type"] == "application/pdf"
    assert response.headers["Content-Disposition"] == 'attachment; filename="invoice.pdf"'
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("address", "printed_address"),
    [
        (
            {
                "line1": "1 Oak Street",
                "city": "Nashville",
                "state_code": "TN",
                "zip": "37203",
                "country": "US",
            },
            "1 Oak Street Nashville, TN 37203 US",
        ),
        ({"city": "Dublin", "country": "IE"}, "Dublin IE"),
        ({"state": "Tennessee", "zip": "37203"}, "Tennessee 37203"),
    ],
)
def test_the_pdf_shows_the_billing_address_in_postal_format(
    alice: Browser, address: dict[str, str], printed_address: str
) -> None:
    apply_resources(make_invoice_with_line(billing_address={"first_name": "Alice", **address}))
    response: Any = alice.get(make_pdf_link(alice))
    [page] = page_texts(PdfReader(BytesIO(b"".join(response.streaming_content))))
    assert f"Alice {printed_address} alice@example.com" in page


@pytest.mark.shows("api-66")
def test_a_download_works_with_any_accept_header(alice: Browser) -> None:
    response: Any = APIClient().get(make_pdf_link(alice), headers={"Accept": "application/pdf"})
    assert response.status_code == 200
    response.close()


def test_a_link_is_on_our_own_origin(alice: Browser) -> None:
    assert make_pdf_link(alice).startswith("/api/invoice/download/")


@pytest.mark.shows("reliability-23")
def test_a_pdf_is_marked_failed_when_its_attempts_are_used_up(alice: Browser) -> None:
    alice.get("/api/invoice/pdf/17")
    InvoicePdf.objects.update(attempts=pdf_files.MAX_ATTEMPTS)
    make_pdfs()
    pdf = InvoicePdf.objects.get()
    assert (pdf.state, pdf.file.name) == ("failed", "")
    assert pdf.error.startswith("PdfProcessDied")


@pytest.mark.shows("rule-12", "security-37", "reliability-25")
def test_a_link_expires(alice: Browser) -> None:
    link = make_pdf_link(alice)
    with time_machine.travel(timezone.now() + timedelta(minutes=6), tick=False):
        assert APIClient().get(link).status_code == 404


@pytest.mark.shows("security-37")
@pytest.mark.parametrize("position", [0, 10, -1])
def test_an_altered_link_is_not_found(alice: Browser, position: int) -> None:
    token = list(make_pdf_link(alice).removeprefix("/api/invoice/download/"))
    token[position] = chr(ord(token[position]) ^ 1)
    assert APIClient().get(f"/api/invoice/download/{''.join(token)}").status_code == 404


@pytest.mark.shows("security-37")
def test_another_accounts_link_is_not_found(alice: Browser) -> None:
    bob = Browser(open_account("bob"))
    assert bob.get(make_pdf_link(alice)).status_code == 404


def test_a_link_to_a_reassigned_invoice_is_not_found(alice: Browser) -> None:
    link = make_pdf_link(alice)
    Invoice.objects.update(customer=Customer.objects.get(account=open_account("bob")))
    assert APIClient().get(link).status_code == 404


@pytest.mark.parametrize("token", ["ssp_" + "a" * 64, "junk"])
def test_an_invalid_token_does_not_block_a_link(alice: Browser, token: str) -> None:
    response: Any = APIClient().get(make_pdf_link(alice), headers={"Authorization": f"Bearer {token}"})
    assert response.status_code == 200
    response.close()


def test_a_link_signed_for_another_purpose_is_not_found(alice: Browser) -> None:
    make_pdf_link(alice)
    pdf = InvoicePdf.objects.get()
    assert pdf.owner is not None
    forged = signing.dumps([pdf.owner.pk, pdf.pk, pdf.version], salt="another purpose")
    assert APIClient().get(f"/api/invoice/download/{forged}").status_code == 404


@pytest.mark.shows("rule-12", "security-37")
def test_a_link_to_a_replaced_file_is_not_found(alice: Browser) -> None:
    link = make_pdf_link(alice)
    apply_resources(make_invoice_with_line())
    assert APIClient().get(link).status_code == 404
    assert alice.get("/api/invoice/pdf/17").status_code == 503


def test_an_invoice_without_a_payment_keeps_its_own_date(alice: Browser) -> None:
    assert Invoice.objects.get().issued_at is not None
    assert alice.get("/api/invoice/list").json()[0]["transactionDate"] == iso_time_at()


@pytest.mark.shows("rule-12")
@pytest.mark.parametrize(
    ("taken_off", "paid"), [({"amount_adjusted": 200}, 499), ({"write_off_amount": 699}, 0)], ids=["adjusted", "lost"]
)
def test_the_rows_of_a_pdf_lead_from_the_total_to_what_is_due(
    settings: Settings, tmp_path: Path, taken_off: dict[str, int], paid: int
) -> None:
    settings.MEDIA_ROOT = tmp_path
    alice = Browser(open_account("alice", {**make_invoice_with_line(**taken_off), "amount_paid": paid}))
    response: Any = APIClient().get(make_pdf_link(alice))
    [text] = page_texts(PdfReader(BytesIO(b"".join(response.streaming_content))))
    [adjusted] = taken_off.values()
    paid_row = f"Amount paid -${paid / 100:.2f} " if paid else ""
    assert f"Total $6.99 {paid_row}Adjusted -${adjusted / 100:.2f} Amount due $0.00" in text


@pytest.mark.shows("rule-12")
def test_a_pdf_says_that_tax_is_in_the_prices_if_it_is(settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    tax = {"price_type": "tax_inclusive", "taxes": [{"name": "VAT", "amount": 112}]}
    alice = Browser(open_account("alice", make_invoice_with_line(**tax)))
    response: Any = APIClient().get(make_pdf_link(alice))
    [text] = page_texts(PdfReader(BytesIO(b"".join(response.streaming_content))))
    assert "Subtotal $6.99 VAT (included) $1.12 Total $6.99" in text
