"""Lists exported as CSV: filtered as on the screen, without formulas, every export logged."""

from __future__ import annotations

import csv
from copy import copy
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.admin.lists.csv_format import csv_cell
from accounts.admin.lists.large_tables import FOUND_LIMIT
from accounts.models import Account, User
from billing.models import Invoice
from billing.tests.api.mirror_factory import apply_catalog, make_invoice, make_resource, open_account

pytestmark = pytest.mark.django_db

INVOICES = "admin:billing_invoice_changelist"


@pytest.fixture
def finance(client: Client) -> Client:
    user = User.objects.create_user("fiona", password="correct horse battery staple", is_staff=True)
    user.groups.add(Group.objects.get(name="finance"))
    client.force_login(user)
    return client


@pytest.fixture
def alice() -> Account:
    apply_catalog()
    payment = make_resource("transaction", "txn_1", customer_id="alice", amount=-699, type="refund", status="success")
    return open_account("alice", make_invoice("17"), make_invoice("18", status="payment_due", amount_due=699), payment)


def download_rows(finance: Client, model: str, **filters: str) -> list[dict[str, str]]:
    """Export a list; return its rows by column."""
    response = finance.get(reverse(f"admin:{model}_export"), filters)
    assert response.streaming
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert response.headers["Content-Disposition"].startswith("attachment; filename=")
    return list(csv.DictReader(b"".join(response).decode("utf-8").splitlines()))


def test_an_export_of_invoices_respects_the_filter(finance: Client, alice: Account) -> None:
    assert [row["number"] for row in download_rows(finance, "billing_invoice")] == ["18", "17"]
    (due,) = download_rows(finance, "billing_invoice", status__exact="payment_due")
    assert due == {
        "number": "18",
        "customer": "alice",
        "email": "alice@example.com",
        "issued_at": "2026-03-10T12:00:00Z",
        "status": "payment_due",
        "currency": "USD",
        "total_cents": "699",
        "due_cents": "699",
        "dunning": "",
    }


def test_an_export_of_transactions_keeps_amounts_as_numbers(finance: Client, alice: Account) -> None:
    (row,) = download_rows(finance, "billing_transaction")
    assert (row["id"], row["amount_cents"]) == ("txn_1", "-699")


def test_a_search_that_finds_too_much_says_so_and_is_not_exported(finance: Client, alice: Account) -> None:
    invoice = Invoice.objects.get(provider_id="17")
    copies = []
    for number in range(FOUND_LIMIT - 2):
        copies.append(copy(invoice))
        copies[-1].pk, copies[-1].provider_id = None, f"C-{number}"
    Invoice.objects.bulk_create(copies)
    searched = {"q": "alice@example.com"}
    assert len(download_rows(finance, "billing_invoice", **searched)) == FOUND_LIMIT
    assert "finds more than 1,000" not in finance.get(reverse(INVOICES), searched).content.decode()
    invoice.pk, invoice.provider_id = None, "one-more"
    invoice.save()
    export = finance.get(reverse("admin:billing_invoice_export"), searched)
    assert (export.status_code, export["Location"]) == (302, f"{reverse(INVOICES)}?q=alice%40example.com")
    page = finance.get(export["Location"]).content.decode()
    assert page.count("finds more than 1,000") == 1


@pytest.mark.shows("security-40")
def test_an_export_of_accounts_escapes_formulas(finance: Client, alice: Account) -> None:
    Account.objects.filter(pk=alice.pk).update(first_name='=HYPERLINK("http://x","y")', last_name="Zoë @home")
    (row,) = download_rows(finance, "accounts_account", q="alice")
    assert row["first_name"] == '\'=HYPERLINK("http://x","y")'
    assert row["last_name"] == "Zoë @home"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "  ="])
def test_a_cell_that_starts_like_a_formula_is_escaped(start: str) -> None:
    assert csv_cell(f"{start}1+1") == f"'{start}1+1"


@pytest.mark.shows("security-40")
@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("a;=1+1", "a;'=1+1"),
        ('a; "=1+1', "a; \"'=1+1"),
        ("a\t@SUM(1)", "a\t'@SUM(1)"),
        ("a\r\n+1", "a\r\n'+1"),
        ("a;b;-1", "a;b;'-1"),
    ],
)
def test_a_formula_after_another_separator_is_escaped(text: str, cell: str) -> None:
    assert csv_cell(text) == cell


@pytest.mark.parametrize("value", [-699, 1.5, "1-2", "a=b", "a; b", ""])
def test_numbers_and_ordinary_text_are_unchanged(value: object) -> None:
    assert csv_cell(value) == value


@pytest.mark.shows("security-40")
def test_every_export_is_logged_without_the_search_text(finance: Client, alice: Account) -> None:
    download_rows(finance, "billing_invoice", q="alice@example.com", status__exact="paid")
    entry = LogEntry.objects.get()
    assert (entry.user.get_username(), entry.object_repr) == ("fiona", "invoices")
    assert entry.change_message == "Exported as CSV, searched, filtered by status__exact=paid."


def test_a_filtered_list_links_to_its_export(finance: Client, alice: Account) -> None:
    listing = finance.get(reverse("admin:billing_invoice_changelist"), {"status__exact": "paid"}).content.decode()
    assert f"{reverse('admin:billing_invoice_export')}?status__exact=paid" in listing


def test_an_invalid_filter_exports_nothing(finance: Client, alice: Account) -> None:
    response = finance.get(reverse("admin:billing_invoice_export"), {"customer__id__exact": "x"})
    assert response.status_code == 302
    assert not LogEntry.objects.exists()


def test_the_number_of_queries_does_not_grow_with_rows(
    finance: Client, alice: Account, django_assert_max_num_queries: Any
) -> None:
    with CaptureQueriesContext(connection) as captured:
        download_rows(finance, "billing_invoice")
    open_account("bob", *(make_invoice(f"b{number}", owner="bob") for number in range(40)))
    with django_assert_max_num_queries(len(captured)):
        assert len(download_rows(finance, "billing_invoice")) == 42
