"""The billing history, and payment failures (docs/rules.md, rule 10)."""

from __future__ import annotations

from typing import Any

import pytest

from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import (
    iso_time_at,
    make_invoice,
    make_resource,
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
    """A payment that was made, or tried."""
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


def linked_payment(transaction: str, status: str = "success") -> list[dict[str, Any]]:
    """What an invoice says of its payments."""
    return [
        {
            "txn_id": transaction,
            "txn_status": status,
            "txn_date": timestamp_at(1),
            "applied_at": timestamp_at(1),
        }
    ]


def history_rows(*raws: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows that the billing history answers."""
    answer: list[dict[str, Any]] = Browser(open_account("alice", *raws)).get("/api/invoice/list").json()
    return answer


@pytest.mark.shows("data-9", "api-38")
def test_it_shows_what_a_card_paid() -> None:
    card = make_transaction("txn", "card", "pm_visa", masked_card_number="************1111")
    assert history_rows(VISA, card, make_invoice("17", linked_payments=linked_payment("txn"))) == [
        {
            "number": "17",
            "status": "PAID",
            "transactionDate": iso_time_at(1),
            "total": 699,
            "paymentSourceType": "CARD",
            "cardBrand": "VISA",
            "last4": "1111",
            "paypalEmail": None,
        }
    ]


def test_it_shows_what_paypal_paid() -> None:
    paypal = make_transaction("txn", "paypal_express_checkout", "pm_paypal")
    [row] = history_rows(PAYPAL, paypal, make_invoice("17", linked_payments=linked_payment("txn")))
    assert row["paymentSourceType"] == "PAYPAL_EXPRESS_CHECKOUT"
    assert row["paypalEmail"] == "alice@paypal.example"
    assert (row["cardBrand"], row["last4"]) == (None, None)


def test_it_names_a_card_that_was_removed_since() -> None:
    card = make_transaction("txn", "card", "pm_visa", masked_card_number="************1111")
    [row] = history_rows({**VISA, "deleted": True}, card, make_invoice("17", linked_payments=linked_payment("txn")))
    assert (row["cardBrand"], row["last4"]) == ("VISA", "1111")


def test_a_payment_that_failed_is_not_what_it_was_paid_with() -> None:
    card = make_transaction("txn", "card", "pm_visa")
    [row] = history_rows(
        VISA, card, make_invoice("17", status="payment_due", linked_payments=linked_payment("txn", "failure"))
    )
    assert row["status"] == "PAYMENT_DUE"
    assert row["paymentSourceType"] is None
    assert row["transactionDate"] == iso_time_at(0)


def test_an_invoice_of_nothing_was_paid_with_nothing() -> None:
    [row] = history_rows(make_invoice("17", total=0))
    assert (row["total"], row["paymentSourceType"], row["transactionDate"]) == (0, None, iso_time_at(0))


def test_other_means_of_payment_have_no_type() -> None:
    [row] = history_rows(
        make_transaction("txn", "check", "pm_none"), make_invoice("17", linked_payments=linked_payment("txn"))
    )
    assert (row["paymentSourceType"], row["transactionDate"]) == (None, iso_time_at(1))


def test_the_newest_invoice_comes_first_and_deleted_ones_not_at_all() -> None:
    held = history_rows(
        make_invoice("1", days=-60),
        make_invoice("3", days=-1),
        make_invoice("2", days=-30),
        make_invoice("4", deleted=True),
    )
    assert [row["number"] for row in held] == ["3", "2", "1"]


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
def test_it_gives_a_slice_when_asked(query: str, numbers: list[str]) -> None:
    held = [make_invoice(str(number), days=number - 9) for number in range(1, 6)]
    answer = Browser(open_account("alice", *held)).get(f"/api/invoice/list{query}").json()
    assert [row["number"] for row in answer] == numbers


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=-1", "limit=101", "limit=x", "limit=", "limit=2.0", "offset=-1", "offset=1e3"]
)
def test_it_refuses_a_slice_that_is_none(query: str) -> None:
    answer = Browser(open_account("alice")).get(f"/api/invoice/list?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_error")
    assert list(answer.json()["fields"]) == [query.split("=", maxsplit=1)[0]]


FAILURES = {
    "in dunning": ({"status": "payment_due", "dunning_status": "in_progress"}, True),
    "given up": ({"status": "not_paid", "dunning_status": "exhausted"}, True),
    "with a failed payment": (
        {"status": "payment_due", "linked_payments": linked_payment("txn", "failure")},
        True,
    ),
    "with a failed attempt": (
        {"status": "payment_due", "dunning_attempts": [{"txn_status": "failure"}]},
        True,
    ),
    "due and not tried yet": ({"status": "payment_due"}, False),
    "paid in the end": ({"status": "paid", "linked_payments": linked_payment("txn", "failure")}, False),
    "voided": ({"status": "voided", "dunning_status": "stopped"}, False),
    "posted": ({"status": "posted"}, False),
}


@pytest.mark.shows("rule-10", "api-8")
@pytest.mark.parametrize(("fields", "failed"), FAILURES.values(), ids=FAILURES.keys())
def test_it_tells_a_payment_failure(fields: dict[str, Any], failed: bool) -> None:
    browser = Browser(open_account("alice", make_invoice("17", **fields)))
    assert browser.get("/api/account/check-payment-failure").json() == {"hasPaymentFailure": failed}
    assert browser.get("/api/account").json()["hasPaymentFailure"] is failed


def test_a_strangers_failure_is_not_mine() -> None:
    open_account("bob", make_invoice("17", owner="bob", status="payment_due", dunning_status="in_progress"))
    answer = Browser(open_account("alice")).get("/api/account/check-payment-failure")
    assert answer.json() == {"hasPaymentFailure": False}
