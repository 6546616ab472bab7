"""Subscribing again after canceling everything, over HTTP (docs/rules.md, rule 5)."""

from __future__ import annotations

import pytest

from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import FAITH, GOSPEL, KIDS, LEGACY
from billing.tests.api.synced_provider import DECLINING_CARD, SyncedProvider

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("bundles")]

CANCEL = "/api/account/cancel"
SERVICES = "/api/account/add-remove-service"
ESTIMATE = f"{SERVICES}/estimate"
MANAGE = "/api/account/manage-plans"


def make_former_subscriber(shop: SyncedProvider, name: str, *plans: str, unit: str = "Monthly") -> Browser:
    """Return the browser of a subscriber whose subscriptions have all ended."""
    browser = Browser(shop.customer(name))
    ids = [shop.subscribe(name, plan, unit=unit) for plan in plans]
    browser.post(CANCEL)
    shop.pass_term_end(name, ids[0])
    assert {plan["status"] for plan in browser.get("/api/account").json()["plans"]} == {"CANCELLED"}
    return browser


@pytest.mark.parametrize(("unit", "period", "cents"), [("Monthly", "month", 699), ("Yearly", "year", 6999)])
def test_a_former_plan_is_offered_at_its_period_and_restarts(
    shop: SyncedProvider, unit: str, period: str, cents: int
) -> None:
    hugo = make_former_subscriber(shop, "hugo", FAITH, unit=unit)
    offer = hugo.get(MANAGE).json()
    assert (offer["existingPlans"], offer["total"], offer["periodUnit"]) == ([], 0, period)
    assert [plan["id"] for plan in offer["plans"]] == [FAITH, GOSPEL, KIDS]
    assert (offer["plans"][0]["amount"], offer["plans"][0]["periodUnit"]) == (cents, period)
    estimate = hugo.post(ESTIMATE, {"planIds": [FAITH]}).json()
    assert (estimate["dueNow"], estimate["total"], estimate["periodUnit"]) == (cents, cents, period)
    result = hugo.post(SERVICES, {"planIds": [FAITH], "quote": estimate["quote"]})
    assert result.status_code == 200
    [plan] = hugo.get("/api/account").json()["plans"]
    assert (plan["status"], plan["periodUnit"], plan["amount"]) == ("ACTIVE", period, cents)
    assert [invoice["total"] for invoice in shop.invoices("hugo")] == [cents, cents]


@pytest.mark.shows("rule-5", "api-10", "api-11")
@pytest.mark.parametrize(("unit", "period", "due"), [("Monthly", "year", 6299 + 7199), ("Yearly", "month", 629 + 719)])
def test_an_account_without_a_plan_starts_at_the_period_it_chooses(
    shop: SyncedProvider, unit: str, period: str, due: int
) -> None:
    hugo = make_former_subscriber(shop, "hugo", FAITH, unit=unit)
    wanted = {"planIds": [FAITH, GOSPEL], "periodUnit": period}
    estimate = hugo.post(ESTIMATE, wanted).json()
    assert (estimate["dueNow"], estimate["total"], estimate["periodUnit"]) == (due, due, period)
    assert sum(row["amount"] for row in estimate["nextBills"]) == due
    assert {row["periodUnit"] for row in estimate["nextBills"]} == {period}
    assert {row["periodUnit"] for row in estimate["plans"]} == {period}

    result = hugo.post(SERVICES, {**wanted, "quote": estimate["quote"]})
    assert (result.status_code, result.json()["dueNow"]) == (200, due)
    live = hugo.get(MANAGE).json()["existingPlans"]
    assert {(plan["status"], plan["periodUnit"]) for plan in live} == {("ACTIVE", period)}
    assert sum(invoice["total"] for invoice in shop.invoices("hugo")[:2]) == due
    assert {shop.subscription(plan["subId"])["billing_period_unit"] for plan in live} == {period}


def test_the_quote_of_a_month_does_not_confirm_a_year(shop: SyncedProvider) -> None:
    hugo = make_former_subscriber(shop, "hugo", FAITH)
    quote = hugo.post(ESTIMATE, {"planIds": [FAITH]}).json()["quote"]
    refusal = hugo.post(SERVICES, {"planIds": [FAITH], "periodUnit": "year", "quote": quote})
    assert (refusal.status_code, refusal.json()["code"]) == (409, "quote_changed")
    assert (refusal.json()["dueNow"], refusal.json()["periodUnit"]) == (6999, "year")
    assert len(shop.invoices("hugo")) == 1


@pytest.mark.parametrize("period", ["year", "week", ""])
def test_a_live_plan_sets_the_period_of_additions(shop: SyncedProvider, period: str) -> None:
    ava = Browser(shop.customer("ava"))
    shop.subscribe("ava", FAITH)
    for path in (ESTIMATE, SERVICES):
        refusal = ava.post(path, {"planIds": [FAITH, GOSPEL], "periodUnit": period})
        assert (refusal.status_code, refusal.json()["code"]) == (400, "validation_error")
        assert list(refusal.json()["fields"]) == ["periodUnit"]
    assert len(shop.invoices("ava")) == 1
    estimate = ava.post(ESTIMATE, {"planIds": [FAITH, GOSPEL], "periodUnit": "month"})
    assert estimate.json()["periodUnit"] == "month"


def test_a_bundle_restarts_at_its_rate(shop: SyncedProvider) -> None:
    hugo = make_former_subscriber(shop, "hugo", FAITH, GOSPEL)
    estimate = hugo.post(ESTIMATE, {"planIds": [FAITH, GOSPEL]}).json()
    assert (estimate["bundleSavings"], estimate["dueNow"]) == (70 + 80, 629 + 719)
    hugo.post(SERVICES, {"planIds": [FAITH, GOSPEL], "quote": estimate["quote"]})
    assert hugo.get(MANAGE).json()["total"] == 629 + 719


def test_a_retired_plan_is_replaced_by_the_plan_on_sale(shop: SyncedProvider) -> None:
    shop.provider.sell_legacy()
    gia = make_former_subscriber(shop, "gia", LEGACY)
    shop.provider.archive_legacy()
    assert [plan["id"] for plan in gia.get(MANAGE).json()["plans"]] == [FAITH, GOSPEL, KIDS]
    refusal = gia.post(ESTIMATE, {"planIds": [LEGACY]})
    assert (refusal.status_code, refusal.json()["code"]) == (400, "validation_error")
    estimate = gia.post(ESTIMATE, {"planIds": [KIDS]}).json()
    assert estimate["dueNow"] == 899
    gia.post(SERVICES, {"planIds": [KIDS], "quote": estimate["quote"]})
    [plan] = gia.get("/api/account").json()["plans"]
    assert (plan["id"], plan["status"]) == (KIDS, "ACTIVE")


def test_a_declined_card_starts_nothing(shop: SyncedProvider) -> None:
    hugo = make_former_subscriber(shop, "hugo", FAITH)
    shop.provider.add_card("hugo", DECLINING_CARD)
    shop.import_customer("hugo")
    response = hugo.post(SERVICES, {"planIds": [FAITH]})
    assert (response.status_code, response.json()["code"]) == (402, "payment_processing_failed")
    assert len(shop.invoices("hugo")) == 1
