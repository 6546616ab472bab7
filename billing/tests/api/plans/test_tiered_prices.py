"""Prices in tiers, which the provider tells with the subscription and not with the price (docs/rules.md, rule 19)."""

from __future__ import annotations

from typing import Any

import pytest

from billing import clock
from billing.mirror import account_import, next_bills
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import FAITH, GOSPEL
from billing.tests.api.synced_provider import SyncedProvider, iso_time

pytestmark = pytest.mark.django_db

ACCOUNT = "/api/account"
TIERED = f"{FAITH}-USD-Tiered"


@pytest.fixture
def tiered_shop(shop: SyncedProvider) -> SyncedProvider:
    """A shop that sells Faith & Family by the month in tiers, too."""
    tiers = [{"starting_unit": 1, "ending_unit": 2, "price": 550}, {"starting_unit": 3, "price": 300}]
    terms = {"period": 1, "period_unit": "month", "currency_code": "USD"}
    price = {"id": TIERED, "name": TIERED, "item_id": FAITH, "pricing_model": "tiered", "tiers": tiers}
    shop.client.ItemPrice.create({**terms, **price})
    account_import.sync_catalog()
    return shop


def subscribe_to_tiers(shop: SyncedProvider, customer: str, quantity: int = 1) -> str:
    items = [{"item_price_id": TIERED, "quantity": quantity}]
    answer = shop.client.Subscription.create_with_items(customer, {"subscription_items": items})
    shop.import_customer(customer)
    return str(answer.subscription.id)


def read_account(browser: Browser) -> dict[str, Any]:
    body: dict[str, Any] = browser.get(ACCOUNT).json()
    return body


@pytest.mark.shows("rule-19", "rule-21")
def test_one_unit_has_its_price_and_can_only_be_canceled_and_kept(tiered_shop: SyncedProvider) -> None:
    shop = tiered_shop
    ava = shop.customer("ava")
    subscription = subscribe_to_tiers(shop, "ava")
    browser = Browser(ava)
    [plan] = read_account(browser)["plans"]
    assert (plan["amount"], plan["isChangeable"]) == (550, False)
    next_bills.estimate_wanted_bills(ava.pk, now=clock.billing_now())
    assert [bill["amount"] for bill in read_account(browser)["nextBills"]] == [550]
    refused = browser.post("/api/account/upgrade", {"planIds": [FAITH]})
    assert (refused.status_code, refused.json()["code"]) == (409, "invalid_state")
    assert browser.post("/api/account/cancel", {}).status_code == 200
    assert shop.subscription(subscription)["status"] == "non_renewing"
    kept = browser.post("/api/account/subscription/remove-scheduled-cancellation", {"subscriptionId": [subscription]})
    assert kept.status_code == 200
    assert shop.subscription(subscription)["subscription_items"][0]["amount"] == 550


@pytest.mark.shows("rule-4", "rule-21")
def test_a_scheduled_change_to_tiers_shows_what_they_come_to(tiered_shop: SyncedProvider) -> None:
    shop = tiered_shop
    ben = shop.customer("ben")
    subscription = shop.subscribe("ben", FAITH, unit="Yearly")
    items = [{"item_price_id": TIERED, "quantity": 4}]
    changes = {"subscription_items": items, "replace_items_list": True, "change_option": "end_of_term"}
    shop.client.Subscription.update_for_items(subscription, changes)
    shop.import_customer("ben")
    browser = Browser(ben)
    read_account(browser)
    next_bills.estimate_wanted_bills(ben.pk, now=clock.billing_now())
    body = read_account(browser)
    scheduled = body["plans"][0]["scheduledPlan"]
    assert (scheduled["amount"], scheduled["at"]) == (2 * 550 + 2 * 300, iso_time(shop.term_end(subscription)))
    assert [bill["amount"] for bill in body["nextBills"]] == [1700]
    shop.pass_term_end("ben", subscription)
    assert shop.invoices("ben")[0]["total"] == 1700


def test_a_price_in_tiers_is_not_for_sale(tiered_shop: SyncedProvider) -> None:
    ava = tiered_shop.customer("ava")
    tiered_shop.subscribe("ava", GOSPEL)
    offered = Browser(ava).get("/api/account/manage-plans").json()["plans"]
    assert [plan["amount"] for plan in offered if plan["id"] == FAITH] == [699]
