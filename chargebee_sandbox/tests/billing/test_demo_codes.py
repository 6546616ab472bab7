"""Coupon codes and plan changes on the seeded demo site."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from chargebee_sandbox.tests.support.site_driver import expect_refusal

ROOT = Path(__file__).resolve().parents[3]
FAITH, FAITH_YEARLY = "faith-family-plan-USD-Monthly", "faith-family-plan-USD-Yearly"


@pytest.fixture(scope="module")
def demo(
    run_sandbox: Callable[..., AbstractContextManager[Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    """A sandbox with the demo site, shared by this file's tests, which use different customers."""
    folder = tmp_path_factory.mktemp("demo")
    environment = {**os.environ, "SANDBOX_DATABASE": str(folder / "sandbox.sqlite3")}
    subprocess.run(
        [sys.executable, "-m", "chargebee_sandbox.seeds"],
        cwd=ROOT,
        env=environment,
        check=True,
        capture_output=True,
    )
    with run_sandbox(folder) as sandbox:
        yield sandbox


def find_subscription(demo: Any, customer: str, price: str) -> Any:
    entries = demo.client().Subscription.list({"customer_id": {"is": customer}, "limit": 100}).list
    return next(
        entry.subscription for entry in entries if entry.subscription.subscription_items[0].item_price_id == price
    )


def renewal_total(demo: Any, subscription: Any, *codes: str) -> int:
    """Return the total of the next invoice with these codes, in cents."""
    params = {"subscription": {"id": subscription.id}, "coupon_ids": list(codes)}
    estimate = demo.client().Estimate.update_subscription_for_items(params).estimate
    return int(estimate.next_invoice_estimate.total)


@pytest.mark.parametrize(
    ("code", "total"),
    # 699 less the bundle's 10 % is 629.
    [("SAVE20", 503), ("WELCOME5", 129), ("FREE-MONTH", 0), ("ONCE-K7QM", 329)],
)
def test_a_code_reduces_avas_next_invoice(demo: Any, code: str, total: int):
    assert renewal_total(demo, find_subscription(demo, "ava", FAITH), code) == total


@pytest.mark.parametrize(
    ("customer", "price", "code", "status", "error"),
    [
        ("ava", FAITH, "EXPIRED10", 400, "resource_limit_exhausted"),
        ("ava", FAITH, "ANNUALONLY", 400, "param_wrong_value"),
        ("ava", FAITH, "BUNDLE-2", 400, "duplicate_entry"),
        ("ava", FAITH, "NONSENSE", 404, "resource_not_found"),
        ("ben", FAITH_YEARLY, "FREE-MONTH", 400, "param_wrong_value"),
    ],
)
def test_a_code_that_does_not_apply_is_refused_with_the_reason(
    demo: Any, customer: str, price: str, code: str, status: int, error: str
):
    with expect_refusal(status, error) as caught:
        renewal_total(demo, find_subscription(demo, customer, price), code)
    assert caught.value.param == "coupon_ids"


def test_the_yearly_code_applies_to_yearly_plans(demo: Any):
    assert renewal_total(demo, find_subscription(demo, "ben", FAITH_YEARLY), "ANNUALONLY") == 5949
    params = {
        "subscription": {"id": find_subscription(demo, "ava", FAITH).id},
        "subscription_items": [{"item_price_id": FAITH_YEARLY}],
        "coupon_ids": ["ANNUALONLY"],
    }
    invoice = demo.client().Estimate.update_subscription_for_items(params).estimate.invoice_estimate
    # 6999 less 10 % is 6299, less 15 % of that is 5354.
    assert invoice.total == 5354


def test_finns_upgrade_is_declined_and_changes_nothing(demo: Any):
    before = find_subscription(demo, "finn", FAITH).raw_data
    with expect_refusal(400, "payment_processing_failed"):
        demo.client().Subscription.update_for_items(
            before["id"], {"subscription_items": [{"item_price_id": FAITH_YEARLY}]}
        )
    assert find_subscription(demo, "finn", FAITH).raw_data == before


def test_ben_can_switch_to_monthly_billing_at_the_end_of_his_term(demo: Any):
    client, ben = demo.client(), find_subscription(demo, "ben", FAITH_YEARLY)
    monthly = [{"item_price_id": FAITH}]
    client.Subscription.update_for_items(ben.id, {"subscription_items": monthly, "change_option": "end_of_term"})
    demo.travel_to(datetime.fromtimestamp(ben.current_term_end + 70 * 86_400, UTC))
    params = {"subscription_id": {"is": ben.id}, "sort_by": {"asc": "date"}}
    invoices = [entry.invoice for entry in client.Invoice.list(params).list]
    assert [invoice.total for invoice in invoices] == [6999, 699, 699, 699]
    assert {str(invoice.status) for invoice in invoices} == {"paid"}
    assert client.Subscription.retrieve(ben.id).subscription.billing_period_unit == "month"
