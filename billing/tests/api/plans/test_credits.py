"""What a customer has pays only the first of several charges, as far as it lasts: estimated as the provider charges."""

from __future__ import annotations

from typing import Any

import pytest

from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import FAITH, GOSPEL, KIDS
from billing.tests.api.synced_provider import DECLINING_CARD, SyncedProvider
from billing.tests.support.live_provider import VISA_CARD

pytestmark = pytest.mark.django_db

SERVICES = "/api/account/add-remove-service"
UPGRADE = "/api/account/upgrade"
RESUME = "/api/account/resume"


def give_credits(shop: SyncedProvider, cents: int) -> None:
    """Give Ava promotional credits."""
    shop.client.PromotionalCredit.add({"customer_id": "ava", "amount": cents, "description": "Sorry"})
    shop.import_customer("ava")


def new_charges(shop: SyncedProvider, before: list[dict[str, Any]]) -> list[int]:
    """Return what each invoice since then has collected, oldest first."""
    known = {invoice["id"] for invoice in before}
    return [invoice["amount_paid"] for invoice in reversed(shop.invoices("ava")) if invoice["id"] not in known]


@pytest.mark.shows("rule-2")
@pytest.mark.parametrize("cents", [1, 1000])
def test_two_resumes_use_the_credits_once(shop: SyncedProvider, bundles: None, cents: int) -> None:
    browser = Browser(shop.customer("ava"))
    faith = shop.subscribe("ava", FAITH)
    shop.subscribe("ava", GOSPEL)
    browser.post("/api/account/pause?days=30")
    shop.pass_term_end("ava", faith)
    give_credits(shop, cents)
    estimate, before = browser.get(f"{RESUME}/estimate").json(), shop.invoices("ava")
    later = browser.get(f"{RESUME}/estimate?days=30").json()

    assert browser.post(RESUME, {"quote": estimate["quote"]}).status_code == 200

    charged = new_charges(shop, before)
    assert estimate["amountDue"] == later["amountDue"] == sum(charged) == 699 + 799 - cents
    # An invoice that credits pay in full charges nothing.
    assert estimate["charges"] == [cents for cents in charged if cents]


@pytest.mark.shows("rule-2")
def test_two_new_services_use_the_credits_once(shop: SyncedProvider, bundles: None) -> None:
    browser = Browser(shop.customer("ava"))
    shop.subscribe("ava", FAITH)
    give_credits(shop, 500)
    body = {"planIds": [FAITH, GOSPEL, KIDS]}
    estimate, before = browser.post(f"{SERVICES}/estimate", body).json(), shop.invoices("ava")

    assert browser.post(SERVICES, {**body, "quote": estimate["quote"]}).status_code == 200

    charged = new_charges(shop, before)
    assert estimate["dueNow"] == sum(charged)
    assert estimate["charges"] == charged


@pytest.mark.shows("rule-2")
@pytest.mark.parametrize("cents", [1200, 4000])
def test_a_first_purchase_uses_the_credits_once(shop: SyncedProvider, bundles: None, cents: int) -> None:
    browser = Browser(shop.customer("ava"))
    give_credits(shop, cents)
    body = {"planIds": [FAITH, GOSPEL, KIDS]}
    estimate, before = browser.post(f"{SERVICES}/estimate", body).json(), shop.invoices("ava")
    assert {bill["paymentSource"]["last4"] for bill in estimate["nextBills"]} == {"1111"}

    assert browser.post(SERVICES, {**body, "quote": estimate["quote"]}).status_code == 200

    charged = new_charges(shop, before)
    assert estimate["dueNow"] == sum(charged) == max(0, 594 + 679 + 764 - cents)
    assert estimate["charges"] == [cents for cents in charged if cents]


@pytest.mark.shows("rule-2")
def test_two_upgrades_use_the_credits_once(shop: SyncedProvider, bundles: None) -> None:
    browser = Browser(shop.customer("ava"))
    shop.subscribe("ava", FAITH)
    shop.subscribe("ava", GOSPEL)
    shop.provider.travel(days=10)
    give_credits(shop, 900)
    estimate, before = browser.get(f"{UPGRADE}/estimate").json(), shop.invoices("ava")

    assert browser.post(UPGRADE, {"quote": estimate["quote"]}).status_code == 200

    charged = new_charges(shop, before)
    assert estimate["dueNow"] == sum(charged)
    assert estimate["charges"] == charged


@pytest.mark.shows("rule-2")
@pytest.mark.parametrize("cents", [900, 1100])
def test_credits_that_pay_the_first_charge_leave_the_tax_of_the_second(shop: SyncedProvider, cents: int) -> None:
    shop.provider.sandbox.configure_site(tax_percent=8)
    browser = Browser(shop.customer("ava"))
    give_credits(shop, cents)
    body = {"planIds": [FAITH, GOSPEL]}
    estimate, before = browser.post(f"{SERVICES}/estimate", body).json(), shop.invoices("ava")

    assert browser.post(SERVICES, {**body, "quote": estimate["quote"]}).status_code == 200

    left = 699 + 799 - cents
    charged = new_charges(shop, before)
    assert estimate["dueNow"] == sum(charged) == left + round(left * 0.08)


@pytest.mark.shows("rule-2")
def test_an_upgrade_of_an_overdue_plan_takes_its_credit_off_the_overdue_bill(
    shop: SyncedProvider, bundles: None
) -> None:
    browser = Browser(shop.customer("ava"))
    faith = shop.subscribe("ava", FAITH)
    shop.provider.add_card("ava", DECLINING_CARD)
    shop.pass_term_end("ava", faith)
    shop.provider.add_card("ava", VISA_CARD)
    shop.import_customer("ava")
    [overdue] = [invoice for invoice in shop.invoices("ava") if invoice["amount_due"]]
    estimate = browser.get(f"{UPGRADE}/estimate").json()

    assert browser.post(UPGRADE, {"quote": estimate["quote"]}).status_code == 200

    invoices = {invoice["id"]: invoice for invoice in shop.invoices("ava")}
    assert estimate["credits"] == 0
    assert estimate["dueNow"] == 6999
    assert 0 < estimate["adjustments"] == overdue["amount_due"] - invoices[overdue["id"]]["amount_due"]
