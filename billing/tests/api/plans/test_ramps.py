"""Ramps: changes that customer service has scheduled for times of their own (docs/rules.md, rule 19)."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Account
from billing import clock
from billing.jobs import schedule
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import FAITH, GOSPEL
from billing.tests.api.synced_provider import SyncedProvider

pytestmark = pytest.mark.django_db

ACCOUNT, CANCEL = "/api/account", "/api/account/cancel"
KEEP = "/api/account/subscription/remove-scheduled-cancellation"
UNDO = "/api/account/subscription/remove-scheduled-change"


@pytest.fixture
def ava(shop: SyncedProvider) -> Account:
    """A subscriber of Faith & Family."""
    account = shop.customer("ava")
    shop.subscribe("ava", FAITH)
    return account


def only_plan(account: Account) -> dict[str, Any]:
    [plan] = Browser(account).get(ACCOUNT).json()["plans"]
    return dict(plan)


def add_ramp(shop: SyncedProvider, subscription: str, *, days: int, cents: int) -> str:
    """Schedule another price of the plan so many days from now; return the ramp's id."""
    item = {"item_price_id": f"{FAITH}-USD-Monthly", "unit_price": cents}
    change = {"effective_from": shop.timestamp_in_days(days), "items_to_update": [item]}
    return str(shop.client.Ramp.create_for_subscription(subscription, change).ramp.id)


def ramp_state(shop: SyncedProvider, subscription: str) -> list[tuple[str, bool]]:
    """Return the status of each ramp of a subscription, oldest first, and whether it is deleted."""
    filters = {"subscription_id": {"is": subscription}, "include_deleted": True, "sort_by": {"asc": "effective_from"}}
    return [(str(entry.ramp.status), entry.ramp.deleted) for entry in shop.client.Ramp.list(filters).list]


def read_feed() -> None:
    now = clock.billing_now()
    schedule.run_job("feed", schedule.JOBS["feed"].newest_slot(now), now=now)


@pytest.mark.shows("rule-19")
def test_a_ramp_is_known_by_its_event_and_its_price_once_it_is_applied(shop: SyncedProvider, ava: Account) -> None:
    subscription = only_plan(ava)["subId"]
    add_ramp(shop, subscription, days=10, cents=500)
    read_feed()
    plan = only_plan(ava)
    # It is none that the subscriber could take back.
    assert (plan["isChangeable"], plan["hasScheduledChange"], plan["amount"]) == (False, False, 699)
    undone = Browser(ava).post(UNDO, {"subscriptionId": [subscription]})
    assert (undone.status_code, undone.json()["code"]) == (409, "invalid_state")
    shop.provider.travel(days=11)
    read_feed()
    plan = only_plan(ava)
    assert (plan["isChangeable"], plan["amount"]) == (True, 500)


@pytest.mark.shows("rule-19")
def test_what_the_portal_could_write_leaves_ramps_alone(shop: SyncedProvider, ava: Account, bundles: None) -> None:
    subscription = only_plan(ava)["subId"]
    add_ramp(shop, subscription, days=40, cents=500)
    shop.import_customer("ava")
    shop.coupon("SAVE20", percent=20)
    browser = Browser(ava)
    assert only_plan(ava)["isChangeable"] is False
    for path in ("add-coupon/SAVE20", "upgrade", "pause?days=30"):
        assert browser.post(f"/api/account/{path}").status_code == 409, path
    services = {"planIds": [FAITH, GOSPEL]}
    quote = browser.post("/api/account/add-remove-service/estimate", services).json()["quote"]
    assert browser.post("/api/account/add-remove-service", {**services, "quote": quote}).status_code == 200
    assert shop.coupons_on(subscription) == []
    assert ramp_state(shop, subscription) == [("scheduled", False)]


@pytest.mark.shows("rule-19", "rule-7")
def test_a_cancellation_ends_the_plan_with_its_term_and_deletes_later_ramps(shop: SyncedProvider, ava: Account) -> None:
    subscription = only_plan(ava)["subId"]
    add_ramp(shop, subscription, days=5, cents=600)
    add_ramp(shop, subscription, days=40, cents=500)
    add_ramp(shop, subscription, days=70, cents=400)
    shop.import_customer("ava")
    browser = Browser(ava)
    assert browser.post(CANCEL, {}).status_code == 200
    assert only_plan(ava)["status"] == "NON_RENEWING"
    assert shop.subscription(subscription)["status"] == "non_renewing"
    assert ramp_state(shop, subscription) == [("scheduled", False), ("scheduled", True), ("scheduled", True)]
    assert browser.post(KEEP, {"subscriptionId": [subscription]}).status_code == 200
    assert shop.subscription(subscription)["status"] == "active"
    shop.pass_term_end("ava", subscription)
    assert shop.invoices("ava")[0]["total"] == 600
    assert only_plan(ava)["amount"] == 600
