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
    """Somebody whose subscriptions have all ended."""
    browser = Browser(shop.customer(name))
    held = [shop.subscribe(name, plan, unit=unit) for plan in plans]
    browser.post(CANCEL)
    shop.pass_term_end(name, held[0])
    assert {plan["status"] for plan in browser.get("/api/account").json()["plans"]} == {"CANCELLED"}
    return browser


@pytest.mark.parametrize(("unit", "period", "cents"), [("Monthly", "month", 699), ("Yearly", "year", 6999)])
def test_the_old_plan_is_offered_at_its_period_and_started_again(
    shop: SyncedProvider, unit: str, period: str, cents: int
) -> None:
    hugo = make_former_subscriber(shop, "hugo", FAITH, unit=unit)
    offered = hugo.get(MANAGE).json()
    assert (offered["existingPlans"], offered["total"], offered["periodUnit"]) == ([], 0, period)
    assert [plan["id"] for plan in offered["plans"]] == [FAITH, GOSPEL, KIDS]
    assert (offered["plans"][0]["amount"], offered["plans"][0]["periodUnit"]) == (cents, period)
    shown = hugo.post(ESTIMATE, {"planIds": [FAITH]}).json()
    assert (shown["dueNow"], shown["total"], shown["periodUnit"]) == (cents, cents, period)
    started = hugo.post(SERVICES, {"planIds": [FAITH], "quote": shown["quote"]})
    assert started.status_code == 200
    [plan] = hugo.get("/api/account").json()["plans"]
    assert (plan["status"], plan["periodUnit"], plan["amount"]) == ("ACTIVE", period, cents)
    assert [invoice["total"] for invoice in shop.invoices("hugo")] == [cents, cents]


def test_a_bundle_starts_again_at_its_rate(shop: SyncedProvider) -> None:
    hugo = make_former_subscriber(shop, "hugo", FAITH, GOSPEL)
    shown = hugo.post(ESTIMATE, {"planIds": [FAITH, GOSPEL]}).json()
    assert (shown["bundleSavings"], shown["dueNow"]) == (70 + 80, 629 + 719)
    hugo.post(SERVICES, {"planIds": [FAITH, GOSPEL], "quote": shown["quote"]})
    assert hugo.get(MANAGE).json()["total"] == 629 + 719


def test_a_plan_that_is_not_sold_any_more_is_followed_by_the_one_that_is(shop: SyncedProvider) -> None:
    shop.provider.sell_legacy()
    gia = make_former_subscriber(shop, "gia", LEGACY)
    shop.provider.archive_legacy()
    assert [plan["id"] for plan in gia.get(MANAGE).json()["plans"]] == [FAITH, GOSPEL, KIDS]
    refused = gia.post(ESTIMATE, {"planIds": [LEGACY]})
    assert (refused.status_code, refused.json()["code"]) == (400, "validation_error")
    shown = gia.post(ESTIMATE, {"planIds": [KIDS]}).json()
    assert shown["dueNow"] == 899
    gia.post(SERVICES, {"planIds": [KIDS], "quote": shown["quote"]})
    [plan] = gia.get("/api/account").json()["plans"]
    assert (plan["id"], plan["status"]) == (KIDS, "ACTIVE")


def test_a_declined_card_starts_nothing(shop: SyncedProvider) -> None:
    hugo = make_former_subscriber(shop, "hugo", FAITH)
    shop.provider.add_card("hugo", DECLINING_CARD)
    shop.import_customer("hugo")
    answer = hugo.post(SERVICES, {"planIds": [FAITH]})
    assert (answer.status_code, answer.json()["code"]) == (402, "payment_processing_failed")
    assert len(shop.invoices("hugo")) == 1
