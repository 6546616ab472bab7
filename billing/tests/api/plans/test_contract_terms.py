"""Subscriptions under contract, and others that end after their next bill (docs/rules.md, rule 19)."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Account, OutgoingMail
from billing import clock
from billing.mirror import next_bills
from billing.tests.api.browser import Browser
from billing.tests.api.synced_provider import SyncedProvider
from billing.tests.support.live_provider import FAITH

ACCOUNT = "/api/account"
CANCEL, KEEP = "/api/account/cancel", "/api/account/subscription/remove-scheduled-cancellation"


@pytest.fixture
def ava(shop: SyncedProvider) -> Account:
    """A subscriber of Faith & Family under a contract of three months."""
    account = shop.customer("ava")
    shop.subscribe("ava", FAITH, billing_cycles=3, contract_term={"action_at_term_end": "renew"})
    shop.import_customer("ava")
    return account


def only_plan(browser: Browser) -> dict[str, Any]:
    [plan] = browser.get(ACCOUNT).json()["plans"]
    return dict(plan)


@pytest.mark.shows("rule-19", "rule-1")
def test_it_shows_the_contracts_end_and_refuses_a_pause(shop: SyncedProvider, ava: Account) -> None:
    browser = Browser(ava)
    plan = only_plan(browser)
    assert (plan["status"], plan["isChangeable"], plan["cancelAt"]) == ("ACTIVE", False, None)
    assert plan["contractEndsAt"] > plan["nextBillingAt"]
    response = browser.post("/api/account/subscriptions/multiple-pause", {"subscriptionId": [plan["subId"]]})
    assert (response.status_code, response.json()["code"]) == (409, "invalid_state")
    assert "pause_date" not in shop.subscription(plan["subId"])


@pytest.mark.shows("rule-19", "rule-7")
def test_a_cancellation_ends_it_with_its_contract_and_bills_it_until_then(shop: SyncedProvider, ava: Account) -> None:
    browser = Browser(ava)
    before = only_plan(browser)
    assert browser.post(CANCEL, {}).status_code == 200
    after = only_plan(browser)
    assert (after["status"], after["cancelAt"]) == ("NON_RENEWING", before["contractEndsAt"])
    assert after["nextBillingAt"] == before["nextBillingAt"]
    raw = shop.subscription(before["subId"])
    assert (raw["status"], raw["cancelled_at"]) == ("active", raw["contract_term"]["contract_end"])
    lines = OutgoingMail.objects.latest("pk").context["lines"]
    assert lines == ["You can watch Faith & Family until it ends. We bill you until then."]
    assert browser.post(CANCEL, {}).json()["code"] == "invalid_state"


@pytest.mark.shows("rule-19", "rule-7", "rule-21")
def test_bills_are_announced_until_the_contract_ends(shop: SyncedProvider, ava: Account) -> None:
    browser = Browser(ava)
    browser.post(CANCEL, {})
    plan = only_plan(browser)
    next_bills.estimate_wanted_bills(ava.pk, now=clock.billing_now())
    [bill] = browser.get(ACCOUNT).json()["nextBills"]
    assert (bill["date"], bill["amount"], bill["follows"]) == (plan["nextBillingAt"], 699, False)
    for _ in range(2):
        shop.pass_term_end("ava", plan["subId"])
    assert browser.get(ACCOUNT).json()["nextBills"] == []
    assert only_plan(browser)["cancelAt"] == plan["cancelAt"]


@pytest.mark.shows("rule-7", "rule-21")
def test_what_customer_service_ends_later_bills_until_then_and_can_end_with_its_term(shop: SyncedProvider) -> None:
    account = shop.customer("ben")
    subscription_id = shop.subscribe("ben", FAITH)
    end = shop.subscription(subscription_id)["current_term_end"]
    shop.client.Subscription.cancel_for_items(
        subscription_id, {"cancel_option": "specific_date", "cancel_at": end + 90 * 86_400}
    )
    shop.import_customer("ben")
    browser = Browser(account)
    plan = only_plan(browser)
    assert (plan["status"], plan["isChangeable"], plan["contractEndsAt"]) == ("NON_RENEWING", True, None)
    assert plan["cancelAt"] > plan["nextBillingAt"]
    assert browser.get("/api/account/manage-plans").json()["total"] == 699
    assert [bill["date"] for bill in browser.get(ACCOUNT).json()["nextBills"]] == [plan["nextBillingAt"]]

    assert browser.post(CANCEL, {}).status_code == 200
    assert shop.subscription(subscription_id)["status"] == "non_renewing"
    assert only_plan(browser)["cancelAt"] == plan["nextBillingAt"]
    assert browser.get(ACCOUNT).json()["nextBills"] == []
    assert browser.post(CANCEL, {}).json()["code"] == "invalid_state"


@pytest.mark.shows("rule-19", "rule-7")
def test_it_can_be_kept(shop: SyncedProvider, ava: Account) -> None:
    browser = Browser(ava)
    browser.post(CANCEL, {})
    plan = only_plan(browser)
    assert browser.post(KEEP, {"subscriptionId": [plan["subId"]]}).status_code == 200
    assert only_plan(browser)["status"] == "ACTIVE"
    assert "cancelled_at" not in shop.subscription(plan["subId"])


@pytest.mark.shows("rule-7")
def test_a_cancellation_goes_on_where_the_provider_keeps_scheduled_changes(
    shop: SyncedProvider,
) -> None:
    account = shop.customer("ava")
    subscription_id = shop.subscribe("ava", FAITH, unit="Yearly")
    browser = Browser(account)
    quote = browser.get("/api/account/downgrade/estimate").json()["quote"]
    assert browser.post("/api/account/downgrade", {"quote": quote}).status_code == 200
    shop.provider.sandbox.refuse_requests(f"/subscriptions/{subscription_id}/remove_scheduled_changes")
    assert browser.post(CANCEL, {}).status_code == 200
    assert shop.subscription(subscription_id)["status"] == "non_renewing"
