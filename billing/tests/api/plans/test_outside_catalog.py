"""Subscriptions that the catalog does not know: other items, periods and currencies (docs/rules.md, rule 19)."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Account, OutgoingMail, StreamingService
from billing import clock
from billing.health.checks import HealthCheck, run_health_checks
from billing.mirror import account_import
from billing.models import BundleRate
from billing.tests.api.browser import Browser
from billing.tests.api.synced_provider import SyncedProvider
from billing.tests.support.live_provider import FAITH, GOSPEL

ACCOUNT, MANAGE = "/api/account", "/api/account/manage-plans"
CANCEL, KEEP = "/api/account/cancel", "/api/account/subscription/remove-scheduled-cancellation"
LINK = "https://www.example.com/"
WEEKLY = "magazine-EUR-Weekly"


@pytest.fixture
def magazine(shop: SyncedProvider) -> str:
    """Sell an item that nobody has arranged, per week and in euros; return its price's id."""
    shop.client.Item.create(
        {
            "id": "magazine",
            "name": "magazine",
            "external_name": "The Magazine",
            "type": "plan",
            "item_family_id": "streaming",
        }
    )
    sell_item(shop, WEEKLY, "magazine", price=250, currency_code="EUR", period=1, period_unit="week")
    return WEEKLY


def sell_item(shop: SyncedProvider, price_id: str, item: str, **terms: Any) -> None:
    """Create a price at the provider; the mirror is not told."""
    shop.client.ItemPrice.create(
        {"id": price_id, "name": price_id, "item_id": item, "pricing_model": "flat_fee", **terms}
    )


def start_at_provider(shop: SyncedProvider, customer: str, price_id: str) -> str:
    """Start a subscription as customer service does, and sync the mirror; return its id."""
    items = [{"item_price_id": price_id, "quantity": 1}]
    started = shop.client.Subscription.create_with_items(customer, {"subscription_items": items})
    shop.import_customer(customer)
    return str(started.subscription.id)


def catalog_health() -> HealthCheck:
    """Return the health check of the catalog."""
    [check] = [check for check in run_health_checks(now=clock.billing_now()) if check.name == "items_not_arranged"]
    return check


def terms(plan: dict[str, Any]) -> tuple[Any, ...]:
    """Return the terms of a plan or a total as a response has them."""
    return plan["currencyCode"], plan["period"], plan["periodUnit"]


@pytest.fixture
def ava(shop: SyncedProvider) -> Account:
    """A subscriber of Faith & Family."""
    account = shop.customer("ava")
    shop.subscribe("ava", FAITH)
    return account


@pytest.mark.shows("rule-19", "money-3")
def test_it_is_shown_with_its_name_and_price_and_its_total_stands_alone(
    shop: SyncedProvider, ava: Account, magazine: str
) -> None:
    extra = start_at_provider(shop, "ava", magazine)
    browser = Browser(ava)
    plan = browser.get(ACCOUNT).json()["plans"][-1]
    assert (plan["subId"], plan["name"], plan["amount"], terms(plan)) == (
        extra,
        "The Magazine",
        250,
        ("EUR", 1, "week"),
    )
    assert (plan["service"], plan["isChangeable"]) == ("", False)
    costs = browser.get(MANAGE).json()
    assert [row["subId"] for row in costs["existingPlans"]][-1] == extra
    assert (costs["total"], terms(costs)) == (699, ("USD", 1, "month"))
    assert [(other["total"], terms(other)) for other in costs["otherTotals"]] == [(250, ("EUR", 1, "week"))]
    assert {row["currencyCode"] for row in browser.get("/api/invoice/list").json()} == {"EUR", "USD"}


@pytest.mark.shows("rule-19", "rule-7")
def test_canceling_everything_ends_it_too_and_it_can_be_kept(shop: SyncedProvider, ava: Account, magazine: str) -> None:
    extra = start_at_provider(shop, "ava", magazine)
    browser = Browser(ava)
    response = browser.post(CANCEL, {})
    assert response.status_code == 200
    assert {plan["status"] for plan in response.json()["plans"]} == {"NON_RENEWING"}
    assert shop.subscription(extra)["status"] == "non_renewing"
    assert browser.post(KEEP, {"subscriptionId": [extra]}).status_code == 200
    assert shop.subscription(extra)["status"] == "active"


@pytest.mark.shows("rule-19", "rule-1")
def test_a_pause_of_it_is_refused_with_what_can_be_done(shop: SyncedProvider, ava: Account, magazine: str) -> None:
    extra = start_at_provider(shop, "ava", magazine)
    response = Browser(ava).post("/api/account/subscriptions/multiple-pause", {"subscriptionId": [extra]})
    assert (response.status_code, response.json()["code"]) == (409, "invalid_state")
    assert "only canceled" in response.json()["message"]
    assert "pause_date" not in shop.subscription(extra)


@pytest.mark.shows("rule-19", "money-4")
def test_it_takes_no_part_in_the_bundle_nor_in_a_switch(shop: SyncedProvider, ava: Account, magazine: str) -> None:
    BundleRate.objects.create(size=2, percentage=10, coupon_id="BUNDLE-2")
    extra = start_at_provider(shop, "ava", magazine)
    browser = Browser(ava)
    upgraded = browser.post("/api/account/upgrade", {})
    assert upgraded.json()["planIds"] == [FAITH]
    assert [(other["total"], terms(other)) for other in upgraded.json()["otherTotals"]] == [(250, ("EUR", 1, "week"))]
    assert shop.coupons_on(extra) == []
    added = browser.post("/api/account/add-remove-service", {"planIds": [FAITH, GOSPEL]})
    assert added.status_code == 200
    assert shop.subscription(extra)["status"] == "active"


@pytest.mark.shows("rule-19")
def test_a_plan_of_the_catalog_billed_every_three_months_can_only_be_canceled(
    shop: SyncedProvider, ava: Account
) -> None:
    price = f"{GOSPEL}-USD-Quarterly"
    sell_item(shop, price, GOSPEL, price=2199, currency_code="USD", period=3, period_unit="month")
    quarterly = start_at_provider(shop, "ava", price)
    browser = Browser(ava)
    costs = browser.get(MANAGE).json()
    assert [(plan["name"], terms(plan), plan["isChangeable"]) for plan in costs["existingPlans"]] == [
        ("Faith & Family", ("USD", 1, "month"), True),
        ("Gospel TV", ("USD", 3, "month"), False),
    ]
    assert (costs["total"], costs["otherTotal"]["total"]) == (699, 2199)
    refused = browser.post("/api/account/upgrade", {"planIds": [GOSPEL]})
    assert (refused.status_code, "only canceled" in refused.json()["message"]) == (409, True)
    assert browser.post("/api/account/subscriptions/cancel", {"subscriptionIds": [quarterly]}).status_code == 200
    assert shop.subscription(quarterly)["status"] == "non_renewing"


@pytest.mark.shows("rule-19")
def test_an_arranged_plan_in_another_currency_is_switched_in_it(shop: SyncedProvider) -> None:
    for unit, cents in (("month", 599), ("year", 5999)):
        sell_item(shop, f"gtv-{unit}-eur", GOSPEL, price=cents, currency_code="EUR", period=1, period_unit=unit)
    account = shop.customer("eva")
    euros = start_at_provider(shop, "eva", "gtv-month-eur")
    account_import.sync_catalog()
    browser = Browser(account)
    estimate = browser.get("/api/account/upgrade/estimate").json()
    assert (estimate["total"], terms(estimate), estimate["dueCurrencyCode"]) == (5999, ("EUR", 1, "year"), "EUR")
    assert browser.post("/api/account/upgrade", {"quote": estimate["quote"]}).status_code == 200
    assert shop.subscription(euros)["subscription_items"][0]["item_price_id"] == "gtv-year-eur"
    facts = dict(OutgoingMail.objects.latest("pk").context["facts"])
    assert "EUR, taxes included" in facts["Charged"]
    assert "59.99 EUR before tax" in facts["Next Gospel TV bill"]
    assert "$" not in "".join(facts.values())


@pytest.mark.shows("rule-19")
def test_a_first_purchase_is_priced_in_the_currency_that_the_customer_prefers(shop: SyncedProvider) -> None:
    for unit, cents in (("month", 599), ("year", 5999)):
        sell_item(shop, f"gtv-{unit}-eur", GOSPEL, price=cents, currency_code="EUR", period=1, period_unit=unit)
    account = shop.customer("eva")
    account_import.sync_catalog()
    browser = Browser(account)
    assert "EUR" not in {plan["currencyCode"] for plan in browser.get(MANAGE).json()["plans"]}

    shop.client.Customer.update("eva", {"preferred_currency_code": "EUR"})
    shop.import_customer("eva")
    [plan] = browser.get(MANAGE).json()["plans"]
    assert (plan["id"], plan["currencyCode"]) == (GOSPEL, "EUR")
    wish = {"planIds": [GOSPEL]}
    estimate = browser.post("/api/account/add-remove-service/estimate", wish).json()
    assert (estimate["total"], terms(estimate), estimate["dueCurrencyCode"]) == (599, ("EUR", 1, "month"), "EUR")
    assert browser.post("/api/account/add-remove-service", {**wish, "quote": estimate["quote"]}).status_code == 200
    [started] = shop.client.Subscription.list({"customer_id[is]": "eva"}).list
    assert started.subscription.subscription_items[0].item_price_id == "gtv-month-eur"


def test_system_health_counts_its_subscriptions_up_to_a_limit(
    shop: SyncedProvider, ava: Account, magazine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("billing.health.checks.COUNT_LIMIT", 2)
    start_at_provider(shop, "ava", magazine)
    ended = start_at_provider(shop, "ava", magazine)
    shop.client.Subscription.cancel_for_items(ended, {"end_of_term": False})
    shop.import_customer("ava")
    assert "The Magazine (magazine) with 1 subscription" in catalog_health().found
    for _ in range(2):
        start_at_provider(shop, "ava", magazine)
    assert "The Magazine (magazine) with 2 subscriptions or more" in catalog_health().found


@pytest.mark.shows("rule-19")
def test_an_operator_who_arranges_its_item_brings_it_into_the_catalog(
    shop: SyncedProvider, ava: Account, magazine: str, admin_client: Any
) -> None:
    sell_item(shop, "magazine-usd", "magazine", price=300, currency_code="USD", period=1, period_unit="month")
    start_at_provider(shop, "ava", "magazine-usd")
    assert catalog_health().needs_somebody
    assert "The Magazine (magazine) with 1 subscription" in catalog_health().found
    StreamingService.objects.create(code="reading", name="Reading", stream_url=LINK, browse_url=LINK)
    form = {"id": "magazine", "service": "reading", "name": "Magazine Plus", "position": 5, "on_sale": "on"}
    assert admin_client.post("/admin/billing/plan/add/", form).status_code == 302
    plan = Browser(ava).get(ACCOUNT).json()["plans"][0]
    assert (plan["name"], plan["service"], plan["isChangeable"]) == ("Magazine Plus", "reading", True)
    assert not catalog_health().needs_somebody
