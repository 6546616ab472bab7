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

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalogue", "no_provider")]


@pytest.fixture
def alice(settings: Settings, tmp_path: Path) -> Browser:
    """Alice, signed in, with an invoice; files go to a folder of the test's."""
    settings.MEDIA_ROOT = tmp_path
    return Browser(open_account("alice", make_drawable_invoice()))


def make_drawable_invoice(**fields: Any) -> dict[str, Any]:
    """An invoice with a line, as the provider sends it."""
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
    """What the worker does with the PDFs that are wanted."""
    for pdf in InvoicePdf.objects.filter(state="wanted"):
        pdf_files.make_pdf(pdf.pk)


def pdf_link(alice: Browser) -> str:
    """The link to a PDF that is there."""
    alice.get("/api/invoice/pdf/17")
    make_pdfs()
    link: str = alice.get("/api/invoice/pdf/17").json()["downloadUrl"]
    return link


@pytest.mark.shows("error-34", "rule-12")
def test_it_asks_to_wait_while_the_pdf_is_made(alice: Browser) -> None:
    answer = alice.get("/api/invoice/pdf/17")
    assert (answer.status_code, answer.json()["code"]) == (503, "invoice_not_ready")
    assert int(answer.headers["Retry-After"]) > 0


@pytest.fixture
def lines() -> Iterator[list[str]]:
    """The lines that PDFs are put into, in order."""
    taken: list[str] = []

    def see(sender: str, routing_key: str, **message: Any) -> None:
        if sender == "billing.tasks.make_invoice_pdf":
            taken.append(routing_key)

    before_task_publish.connect(see)
    yield taken
    before_task_publish.disconnect(see)


def test_the_nights_pdfs_wait_with_the_jobs_and_one_that_somebody_waits_for_does_not(
    alice: Browser, lines: list[str], django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        assert pdf_files.request_missing_pdfs() == 1
        recovery.sweep_due_work(now=timezone.now())
    assert lines == ["jobs", "jobs"]
    with django_capture_on_commit_callbacks(execute=True):
        assert alice.get("/api/invoice/pdf/17").status_code == 503
    assert lines == ["jobs", "jobs", "celery"]


@pytest.mark.shows("history-4", "api-39", "security-38")
def test_a_link_needs_no_token_and_gives_a_file(alice: Browser) -> None:
    answer: Any = APIClient().get(pdf_link(alice))
    assert answer.status_code == 200
    assert b"".join(answer.streaming_content).startswith(b"%PDF-")
    assert answer.headers["Content-Type"] == "application/pdf"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="invoice.pdf"'
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("billed", "lines"),
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
def test_a_file_says_where_its_reader_lives_as_a_letter_would(
    alice: Browser, billed: dict[str, str], lines: str
) -> None:
    apply_resources(make_drawable_invoice(billing_address={"first_name": "Alice", **billed}))
    answer: Any = alice.get(pdf_link(alice))
    [page] = page_texts(PdfReader(BytesIO(b"".join(answer.streaming_content))))
    assert f"Alice {lines} alice@example.com" in page


def test_a_browser_may_ask_for_a_file_with_any_accept(alice: Browser) -> None:
    answer: Any = APIClient().get(pdf_link(alice), headers={"Accept": "application/pdf"})
    assert answer.status_code == 200
    answer.close()


def test_a_link_is_of_our_own_origin(alice: Browser) -> None:
    assert pdf_link(alice).startswith("/api/invoice/download/")


@pytest.mark.shows("reliability-23")
def test_one_whose_every_try_died_is_given_up(alice: Browser) -> None:
    alice.get("/api/invoice/pdf/17")
    InvoicePdf.objects.update(attempts=pdf_files.MAX_ATTEMPTS)
    make_pdfs()
    document = InvoicePdf.objects.get()
    assert (document.state, document.file.name) == ("failed", "")
    assert document.error.startswith("PdfProcessDied")


@pytest.mark.shows("rule-12", "security-37", "reliability-25")
def test_a_link_lapses(alice: Browser) -> None:
    link = pdf_link(alice)
    with time_machine.travel(timezone.now() + timedelta(minutes=6), tick=False):
        assert APIClient().get(link).status_code == 404


@pytest.mark.shows("security-37")
@pytest.mark.parametrize("place", [0, 10, -1])
def test_an_altered_link_is_not_found(alice: Browser, place: int) -> None:
    token = list(pdf_link(alice).removeprefix("/api/invoice/download/"))
    token[place] = chr(ord(token[place]) ^ 1)
    assert APIClient().get(f"/api/invoice/download/{''.join(token)}").status_code == 404


@pytest.mark.shows("security-37")
def test_another_accounts_link_is_not_found(alice: Browser) -> None:
    bob = Browser(open_account("bob"))
    assert bob.get(pdf_link(alice)).status_code == 404


def test_a_link_to_an_invoice_that_became_another_accounts_is_not_found(alice: Browser) -> None:
    link = pdf_link(alice)
    Invoice.objects.update(customer=Customer.objects.get(account=open_account("bob")))
    assert APIClient().get(link).status_code == 404


@pytest.mark.parametrize("token", ["ssp_" + "a" * 64, "junk"])
def test_a_token_that_is_no_good_does_not_hinder_a_link(alice: Browser, token: str) -> None:
    answer: Any = APIClient().get(pdf_link(alice), headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 200
    answer.close()


def test_a_link_signed_for_something_else_is_not_found(alice: Browser) -> None:
    pdf_link(alice)
    pdf = InvoicePdf.objects.get()
    forged = signing.dumps([pdf.invoice.customer.account_id, pdf.pk, pdf.version], salt="another purpose")
    assert APIClient().get(f"/api/invoice/download/{forged}").status_code == 404


@pytest.mark.shows("rule-12", "security-37")
def test_a_link_to_a_file_that_was_replaced_is_not_found(alice: Browser) -> None:
    link = pdf_link(alice)
    apply_resources(make_drawable_invoice())
    assert APIClient().get(link).status_code == 404
    assert alice.get("/api/invoice/pdf/17").status_code == 503


def test_an_invoice_without_a_payment_keeps_its_own_date(alice: Browser) -> None:
    assert Invoice.objects.get().issued_at is not None
    assert alice.get("/api/invoice/list").json()[0]["transactionDate"] == iso_time_at()
