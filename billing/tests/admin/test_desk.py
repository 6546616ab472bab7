"""The desk: one search for people and records, and panels whose figures lead to their lists."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from html import unescape

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Account
from billing.models import ChurnEvent, Customer, WebhookEvent
from billing.tests.admin.account_desk import account_url, operator_client
from billing.tests.api.mirror_factory import (
    NOW,
    Raw,
    apply_catalog,
    apply_resources,
    make_invoice,
    make_resource,
    make_subscription,
    open_account,
    timestamp_at,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def clock() -> Iterator[None]:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def support() -> Client:
    return operator_client("support")


@pytest.fixture
def alice() -> Account:
    """Return Alice Liddell with a subscription, a card, an invoice and its payment."""
    apply_catalog()
    account = open_account(
        "alice",
        make_resource(
            "payment_source", "pm_1", customer_id="alice", type="card", status="valid", card={"last4": "4242"}
        ),
        make_subscription("sub_1"),
        make_invoice("INV-17"),
        make_resource("transaction", "txn_1", customer_id="alice", type="payment", status="success", amount=699),
    )
    Account.objects.filter(pk=account.pk).update(first_name="Alice", last_name="Liddell")
    account.refresh_from_db()
    return account


def find(browser: Client, query: str) -> str:
    """Return the page that a search leads to: its address after a redirect, else its text."""
    answer = browser.get("/admin/", {"q": query})
    return answer.get("Location") or unescape(answer.content.decode())


def record_churn(kind: str, *, days: float, count: int) -> None:
    for number in range(count):
        ChurnEvent.objects.create(kind=kind, at=NOW - timedelta(days=days), subscription_id=f"{kind}-{days}-{number}")


@pytest.mark.parametrize(
    "query",
    [
        "ALICE@",
        " alice ",
        "liddell",
        "Alice  Liddell",
        "inv-17",
        "INV-17",
        "sub_1",
        "pm_1",
        "4242",
        "txn_1",
        "ali\x00ce@",
    ],
)
def test_it_opens_the_only_page_that_matches(support: Client, alice: Account, query: str) -> None:
    open_account("bob")

    assert find(support, query) == account_url(alice)


@pytest.mark.parametrize("last_name", ["Smith", "de la Cruz"])
def test_it_finds_names_of_several_words(support: Client, alice: Account, last_name: str) -> None:
    Account.objects.filter(pk=alice.pk).update(first_name="Mary Ann", last_name=last_name)

    assert find(support, f"mary ann {last_name}") == account_url(alice)
    assert (
        f"{alice.pk}/change/"
        in support.get("/admin/accounts/account/", {"q": f"Mary Ann {last_name}"}).content.decode()
    )


def test_it_lists_everybody_who_matches_with_what_matched(support: Client, alice: Account) -> None:
    alicia = open_account("alicia")
    page = find(support, "ali")

    assert "2 found" in page
    for account in (alice, alicia):
        assert account_url(account) in page


def test_it_finds_a_customer_who_has_never_signed_in(support: Client) -> None:
    apply_resources(make_resource("customer", "carl", email="carl@example.com"))
    customer = Customer.objects.get()

    assert find(support, "carl@") == find(support, "carl") == f"/admin/billing/customer/{customer.pk}/change/"


def test_many_matches_are_cut_off_and_said_so(support: Client) -> None:
    for number in range(21):
        open_account(f"alice{number:02}")
    page = find(support, "alice")

    assert "20 found" in page
    assert "There may be more." in page


def test_it_says_that_nobody_matches(support: Client, alice: Account) -> None:
    assert "Nobody matches “<b>%_”" in find(support, "<b>%_")
    assert "<b>%_" not in support.get("/admin/", {"q": "<b>%_"}).content.decode()


def test_content_finds_nobody(alice: Account) -> None:
    page = find(operator_client("content"), "alice")

    assert "Find a subscriber" not in page
    assert account_url(alice) not in page


def test_finance_sees_no_system_health(alice: Account) -> None:
    page = find(operator_client("finance"), "")

    assert "Needs attention" not in page
    assert "Subscriptions in the last 7 days" in page


def test_a_search_takes_as_many_queries_for_many_matches(support: Client, alice: Account) -> None:
    open_account("alicia")
    find(support, "ali")  # the first request fills caches
    with CaptureQueriesContext(connection) as for_two:
        find(support, "ali")
    for number in range(30):
        open_account(f"alice{number}")
    with CaptureQueriesContext(connection) as for_many:
        find(support, "ali")

    assert len(for_many) == len(for_two)


def test_figures_count_seven_days_and_lead_to_their_lists(support: Client) -> None:
    record_churn("paused", days=1, count=3)
    record_churn("paused", days=8, count=2)
    record_churn("paused", days=15, count=1)
    support.get("/admin/")  # the first request fills caches
    with CaptureQueriesContext(connection) as queries:
        answer = support.get("/admin/")
    (panel,) = [panel for panel in answer.context["panels"] if panel.title == "Subscriptions in the last 7 days"]
    rows = {row.label: row for row in panel.rows}

    assert (rows["Paused"].value, rows["Paused"].note) == ("3", "2 the week before")
    assert (rows["Resumed"].value, rows["Resumed"].note) == ("0", "0 the week before")
    assert support.get(rows["Paused"].address).context["cl"].result_count == 3

    record_churn("resumed", days=2, count=20)
    with CaptureQueriesContext(connection) as queries_for_more:
        support.get("/admin/")
    assert len(queries_for_more) == len(queries)


def make_payment(handle: str, *, days: float, status: str = "success", kind: str = "payment", amount: int = 699) -> Raw:
    fields = {"type": kind, "status": status, "amount": amount, "date": timestamp_at(days), "currency_code": "USD"}
    return make_resource("transaction", handle, customer_id="alice", **fields)


def test_the_money_of_today_leads_to_its_transactions(support: Client, alice: Account) -> None:
    apply_resources(
        # The day begins at midnight in New York, which is four o'clock in UTC.
        make_payment("before_midnight", days=-8.5 / 24, amount=500),
        make_payment("after_midnight", days=-7.5 / 24),
        make_payment("noon", days=-0.01),
        make_payment("declined", days=-0.02, status="failure"),
        make_payment("returned", days=-0.03, kind="refund", amount=100),
        make_payment("euros", days=-0.04, amount=200) | {"currency_code": "EUR"},
    )
    answer = support.get("/admin/")
    (panel,) = [panel for panel in answer.context["panels"] if panel.title == "Money today"]

    assert [(row.label, row.value, row.note) for row in panel.rows] == [
        ("Collected", "2.00 EUR + $13.98", "3 transactions, $5.00 yesterday"),
        ("Failed", "$6.99", "1 transaction, $0.00 yesterday"),
        ("Refunded", "$1.00", "1 transaction, $0.00 yesterday"),
    ]
    lists = [support.get(row.address).context["cl"].result_list for row in panel.rows]
    assert [[row.provider_id for row in rows] for rows in lists] == [
        ["noon", "euros", "after_midnight"],
        ["declined"],
        ["returned"],
    ]


def test_it_says_what_needs_attention_and_what_to_do(support: Client) -> None:
    WebhookEvent.objects.create(
        event_id="ev_1", event_type="x", occurred_at=NOW, source="webhook", payload={}, state="parked"
    )
    page = find(support, "")

    assert "Webhook events that failed" in page
    assert "Read the error, fix the cause, and replay them." in page
    assert "/admin/billing/webhookevent/?state__exact=parked" in page
