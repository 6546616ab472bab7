"""The billing history, and payment failures (docs/rules.md, rule 10)."""

from __future__ import annotations

from typing import Any

import pytest

from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import (
    FAITH,
    GOSPEL,
    KIDS,
    catalog_resources,
    iso_time_at,
    make_invoice,
    make_resource,
    make_subscription,
    open_account,
    timestamp_at,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_provider")]

VISA = make_resource(
    "payment_source", "pm_visa", customer_id="alice", type="card", card={"brand": "visa", "last4": "1111"}
)
PAYPAL = make_resource(
    "payment_source",
    "pm_paypal",
    customer_id="alice",
    type="paypal_express_checkout",
    paypal={"email": "alice@paypal.example"},
)


def make_transaction(handle: str, method: str, source: str, **fields: Any) -> dict[str, Any]:
    """Return a payment transaction, successful or not."""
    return make_resource(
        "transaction",
        handle,
        customer_id="alice",
        payment_method=method,
        payment_source_id=source,
        amount=699,
        date=timestamp_at(1),
        **fields,
    )


def make_linked_payments(transaction: str, status: str = "success") -> list[dict[str, Any]]:
    """Return the `linked_payments` of an invoice."""
    return [
        {
            "txn_id": transaction,
            "txn_status": status,
            "txn_date": timestamp_at(1),
            "applied_at": timestamp_at(1),
        }
    ]


def read_history(*raws: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of the billing history of an account with these resources."""
    rows: list[dict[str, Any]] = Browser(open_account("alice", *raws)).get("/api/invoice/list").json()
    return rows


@pytest.mark.shows("data-9", "api-38")
def test_it_shows_a_card_payment() -> None:
    card = make_transaction("txn", "card", "pm_visa", masked_card_number="************1111")
    assert read_history(VISA, card, make_invoice("17", linked_payments=make_linked_payments("txn"))) == [
        {
            "number": "17",
            "status": "PAID",
            "transactionDate": iso_time_at(1),
            "items": [],
            "total": 699,
            "credits": 0,
            "charged": 0,
            "currencyCode": "USD",
            "paymentSourceType": "CARD",
            "paymentSourceName": "Card",
            "cardBrand": "VISA",
            "last4": "1111",
            "paypalEmail": None,
            "paidTogether": [],
            "paymentTotal": None,
            "creditNotes": [],
        }
    ]


def make_line(name: str, start: int, end: int, **fields: Any) -> dict[str, Any]:
    """Return a line of an invoice for the days from `start` to `end` after NOW."""
    return {"description": name, "date_from": timestamp_at(start), "date_to": timestamp_at(end), **fields}


@pytest.mark.shows("data-9")
def test_it_says_what_is_billed_for_which_time_and_what_credit_paid_of_it() -> None:
    lines = [
        make_line("Charge for the rest", 0, 365, entity_id="Minno-Plan-USD-Yearly"),
        make_line("Another charge for the rest", 0, 365, entity_id="Minno-Plan-USD-Yearly"),
        make_line("Setup", 0, 365, entity_id="setup-fee"),
        {"description": "Gift wrap"},
    ]
    invoice = make_invoice("17", line_items=lines, total=8999, credits_applied=612, amount_paid=8387)

    [row] = read_history(*catalog_resources(), invoice)

    year = {"startsAt": iso_time_at(0), "endsAt": iso_time_at(365)}
    assert row["items"] == [
        {"name": "Kids", **year},
        {"name": "Setup", **year},
        {"name": "Gift wrap", "startsAt": None, "endsAt": None},
    ]
    assert (row["total"], row["credits"], row["charged"]) == (8999, 612, 8387)


def test_it_shows_a_paypal_payment() -> None:
    paypal = make_transaction("txn", "paypal_express_checkout", "pm_paypal")
    [row] = read_history(PAYPAL, paypal, make_invoice("17", linked_payments=make_linked_payments("txn")))
    assert row["paymentSourceType"] == "PAYPAL_EXPRESS_CHECKOUT"
    assert row["paypalEmail"] == "alice@paypal.example"
    assert (row["cardBrand"], row["last4"]) == (None, None)


@pytest.mark.shows("history-9")
def test_it_says_which_invoices_one_payment_paid() -> None:
    def links(transaction: str, total: int) -> list[dict[str, Any]]:
        [link] = make_linked_payments(transaction)
        return [{**link, "applied_amount": 699, "txn_amount": total}]

    rows = read_history(
        VISA,
        make_transaction("txn", "card", "pm_visa"),
        make_invoice("3", days=-1, linked_payments=links("alone", 699)),
        make_invoice("2", days=-2, linked_payments=links("txn", 1398)),
        make_invoice("1", days=-40, linked_payments=links("txn", 1398)),
    )
    assert [(row["number"], row["paidTogether"], row["paymentTotal"]) for row in rows] == [
        ("3", [], None),
        ("2", ["1"], 1398),
        ("1", ["2"], 1398),
    ]


def test_it_shows_a_card_that_was_removed_later() -> None:
    card = make_transaction("txn", "card", "pm_visa", masked_card_number="************1111")
    [row] = read_history(
        {**VISA, "deleted": True}, card, make_invoice("17", linked_payments=make_linked_payments("txn"))
    )
    assert (row["cardBrand"], row["last4"]) == ("VISA", "1111")


def test_a_failed_payment_is_not_shown_as_the_payment_method() -> None:
    card = make_transaction("txn", "card", "pm_visa")
    [row] = read_history(
        VISA, card, make_invoice("17", status="payment_due", linked_payments=make_linked_payments("txn", "failure"))
    )
    assert row["status"] == "PAYMENT_DUE"
    assert row["paymentSourceType"] is None
    assert row["transactionDate"] == iso_time_at(0)


def test_an_invoice_of_zero_has_no_payment_method() -> None:
    [row] = read_history(make_invoice("17", total=0))
    assert (row["total"], row["paymentSourceType"], row["transactionDate"]) == (0, None, iso_time_at(0))


@pytest.mark.shows("rule-19")
def test_any_other_payment_method_is_named() -> None:
    [row] = read_history(
        make_transaction("txn", "check", "pm_none"), make_invoice("17", linked_payments=make_linked_payments("txn"))
    )
    paid_with = (row["paymentSourceType"], row["paymentSourceName"], row["transactionDate"])
    assert paid_with == ("CHECK", "Check", iso_time_at(1))


def test_the_newest_invoice_comes_first_and_deleted_ones_are_omitted() -> None:
    rows = read_history(
        make_invoice("1", days=-60),
        make_invoice("3", days=-1),
        make_invoice("2", days=-30),
        make_invoice("4", deleted=True),
    )
    assert [row["number"] for row in rows] == ["3", "2", "1"]


@pytest.mark.shows("request-11")
@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("", ["5", "4", "3", "2", "1"]),
        ("?limit=2", ["5", "4"]),
        ("?limit=2&offset=2", ["3", "2"]),
        ("?offset=4", ["1"]),
        ("?offset=9", []),
    ],
)
def test_limit_and_offset_select_a_page(query: str, numbers: list[str]) -> None:
    invoices = [make_invoice(str(number), days=number - 9) for number in range(1, 6)]
    rows = Browser(open_account("alice", *invoices)).get(f"/api/invoice/list{query}").json()
    assert [row["number"] for row in rows] == numbers


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=-1", "limit=101", "limit=x", "limit=", "limit=2.0", "offset=-1", "offset=1e3"]
)
def test_it_refuses_an_invalid_limit_or_offset(query: str) -> None:
    response = Browser(open_account("alice")).get(f"/api/invoice/list?{query}")
    assert (response.status_code, response.json()["code"]) == (400, "validation_error")
    assert list(response.json()["fields"]) == [query.split("=", maxsplit=1)[0]]


FAILURES = {
    "in dunning": ({"status": "payment_due", "dunning_status": "in_progress"}, True),
    "given up": ({"status": "not_paid", "dunning_status": "exhausted"}, True),
    "with a failed payment": (
        {"status": "payment_due", "linked_payments": make_linked_payments("txn", "failure")},
        True,
    ),
    "with a failed attempt": (
        {"status": "payment_due", "dunning_attempts": [{"txn_status": "failure"}]},
        True,
    ),
    "due and not tried yet": ({"status": "payment_due"}, False),
    "paid in the end": ({"status": "paid", "linked_payments": make_linked_payments("txn", "failure")}, False),
    "voided": ({"status": "voided", "dunning_status": "stopped"}, False),
    "posted": ({"status": "posted"}, False),
}


@pytest.mark.shows("rule-10", "api-8")
@pytest.mark.parametrize(("fields", "has_failure"), FAILURES.values(), ids=FAILURES.keys())
def test_it_reports_a_payment_failure(fields: dict[str, Any], has_failure: bool) -> None:
    browser = Browser(open_account("alice", make_invoice("17", **fields)))
    assert browser.get("/api/account/check-payment-failure").json()["hasPaymentFailure"] is has_failure
    assert browser.get("/api/account").json()["hasPaymentFailure"] is has_failure


@pytest.mark.shows("rule-10", "api-8")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Insufficient funds", "insufficient_funds"),
        ("Your card has expired.", "expired_card"),
        ("Authentication required", "confirmation_needed"),
        ("Do not honor", "declined"),
        (None, "declined"),
    ],
)
def test_it_tells_what_failed_why_and_when_it_is_tried_again(text: str | None, reason: str) -> None:
    invoice = make_invoice(
        "17",
        status="payment_due",
        amount_due=699,
        next_retry_at=timestamp_at(2),
        linked_payments=make_linked_payments("txn", "failure"),
    )
    attempt = make_transaction("txn", "card", "pm_gone", status="failure", last4="0004", error_text=text)
    body = Browser(open_account("alice", invoice, attempt)).get("/api/account/check-payment-failure").json()
    [failed] = body["failedPayments"]
    assert (failed["number"], failed["amountDue"], failed["currencyCode"]) == ("17", 699, "USD")
    assert (failed["paymentSourceType"], failed["last4"], failed["reason"]) == ("CARD", "0004", reason)
    assert failed["nextRetryAt"] == iso_time_at(2)


@pytest.mark.shows("rule-10", "api-8")
def test_a_failed_invoice_of_several_subscriptions_names_each_of_their_plans() -> None:
    plans = {"a": FAITH, "b": GOSPEL, "c": KIDS}
    subscriptions = [make_subscription(name, plan) for name, plan in plans.items()]
    # A consolidated invoice names its subscriptions in its lines only.
    lines = [{"subscription_id": name, "amount": 699} for name in ("b", "a", "b")]
    invoice = make_invoice("17", status="not_paid", amount_due=2097, dunning_status="exhausted", line_items=lines)
    browser = Browser(open_account("alice", *catalog_resources(), *subscriptions, invoice))
    [failed] = browser.get("/api/account/check-payment-failure").json()["failedPayments"]
    assert sorted(failed["plans"]) == ["Faith & Family", "Gospel TV"]


def test_a_strangers_payment_failure_is_not_reported() -> None:
    open_account("bob", make_invoice("17", owner="bob", status="payment_due", dunning_status="in_progress"))
    response = Browser(open_account("alice")).get("/api/account/check-payment-failure")
    assert response.json() == {"hasPaymentFailure": False, "canceledPlans": [], "pausedPlans": [], "failedPayments": []}
