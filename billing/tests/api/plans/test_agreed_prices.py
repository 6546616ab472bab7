"""Prices that customer service has agreed with a subscriber, now or for later, outlive what the subscriber does."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing import clock
from billing.commands import lifecycle
from billing.jobs.command_kinds import COMMAND_KINDS
from billing.models import Command
from billing.tests.api.browser import Browser, is_refusal, read_bills
from billing.tests.api.mirror_factory import FAITH, GOSPEL, KIDS
from billing.tests.api.synced_provider import SyncedProvider

pytestmark = pytest.mark.django_db

ACCOUNT, REDEEM, CANCEL = "/api/account", "/api/account/add-coupon/SAVE20", "/api/account/cancel"
KEEP = "/api/account/subscription/remove-scheduled-cancellation"
SELECT = "/api/account/add-remove-service"
AGREED = 500


@pytest.fixture
def shop(shop: SyncedProvider) -> SyncedProvider:
    """The shop with a code for 20 % off."""
    shop.coupon("SAVE20", percent=20)
    return shop


@pytest.fixture
def ben(shop: SyncedProvider) -> Browser:
    """The browser of a subscriber who pays Faith & Family by the year."""
    account = shop.customer("ben")
    shop.subscribe("ben", FAITH, unit="Yearly")
    return Browser(account)


def agree_on_price(shop: SyncedProvider, subscription: str, *, option: str, unit: str = "Monthly", **item: Any) -> None:
    """Give a subscription a price of its own, as customer service does at the provider."""
    items = [{"item_price_id": f"{FAITH}-USD-{unit}", "quantity": 1, **item}]
    change = {"subscription_items": items, "replace_items_list": True, "change_option": option}
    shop.client.Subscription.update_for_items(subscription, {**change, "prorate": False})
    shop.import_customer(shop.subscription(subscription)["customer_id"])


def faith_subscription(browser: Browser) -> str:
    plans = browser.get(ACCOUNT).json()["plans"]
    return next(str(plan["subId"]) for plan in plans if plan["id"] == FAITH)


def scheduled_item(shop: SyncedProvider, subscription: str) -> dict[str, Any]:
    """Return the provider's item of the scheduled change."""
    scheduled: Any = shop.client.Subscription.retrieve_with_scheduled_changes(subscription)
    [item] = scheduled.subscription.raw_data["subscription_items"]
    return {name: item[name] for name in ("item_price_id", "unit_price", "quantity")}


AGREED_MONTH = {"item_price_id": f"{FAITH}-USD-Monthly", "unit_price": AGREED, "quantity": 1}


@pytest.mark.shows("rule-6", "rule-9")
def test_a_code_leaves_the_agreed_price_of_a_scheduled_change(shop: SyncedProvider, ben: Browser) -> None:
    subscription = faith_subscription(ben)
    agree_on_price(shop, subscription, option="end_of_term", unit_price=AGREED)
    answer = ben.post(REDEEM)
    assert answer.status_code == 200
    assert scheduled_item(shop, subscription) == AGREED_MONTH
    assert [bill["amount"] for bill in answer.json()["nextBills"]] == [400, 500]
    assert read_bills(shop.import_customer("ben"))[0]["amount"] == 400
    shop.pass_term_end("ben", subscription)
    assert shop.invoices("ben")[0]["total"] == 400
    assert ben.get(ACCOUNT).json()["plans"][0]["amount"] == AGREED


def test_the_agreed_price_is_restored_although_that_answer_is_lost(shop: SyncedProvider, ben: Browser) -> None:
    subscription = faith_subscription(ben)
    agree_on_price(shop, subscription, option="end_of_term", unit_price=AGREED)
    # The first update adds the coupon, and the second one restores the change.
    shop.provider.sandbox.order_fault(
        "drop_connection_after", f"/subscriptions/{subscription}/update_for_items", skip=1
    )
    assert is_refusal(ben.post(REDEEM), 503, "billing_unconfirmed")
    Command.objects.update(next_attempt_at=timezone.now() - timedelta(seconds=1))
    assert lifecycle.settle_due_commands(COMMAND_KINDS, now=clock.billing_now()) == {"settled": 1, "waiting": 0}
    assert scheduled_item(shop, subscription) == AGREED_MONTH
    assert shop.coupons_on(subscription) == ["SAVE20"]


@pytest.mark.shows("rule-7")
def test_canceling_and_keeping_restores_the_agreed_price_of_a_scheduled_change(
    shop: SyncedProvider, ben: Browser
) -> None:
    subscription = faith_subscription(ben)
    agree_on_price(shop, subscription, option="end_of_term", unit_price=AGREED)
    before = ben.get(ACCOUNT).json()
    assert ben.post(CANCEL, {"planIds": [FAITH]}).status_code == 200
    assert ben.post(KEEP, {"subscriptionId": [subscription]}).status_code == 200
    assert scheduled_item(shop, subscription) == AGREED_MONTH
    after = ben.get(ACCOUNT).json()
    assert (after["plans"], after["nextBills"]) == (before["plans"], before["nextBills"])
    shop.pass_term_end("ben", subscription)
    assert shop.invoices("ben")[0]["total"] == AGREED


def test_a_change_to_more_than_one_of_a_plan_is_not_restored_as_another(shop: SyncedProvider, ben: Browser) -> None:
    subscription = faith_subscription(ben)
    agree_on_price(shop, subscription, option="end_of_term", quantity=2)
    assert is_refusal(ben.post(REDEEM), 409, "coupon_not_applicable")
    assert scheduled_item(shop, subscription)["quantity"] == 2
    assert ben.post(CANCEL, {"planIds": [FAITH]}).status_code == 200
    assert ben.post(KEEP, {"subscriptionId": [subscription]}).status_code == 200
    assert shop.subscription(subscription)["has_scheduled_changes"] is False
    assert read_bills(shop.import_customer("ben"))[0]["amount"] == 6999


@pytest.mark.shows("rule-9")
def test_a_code_comes_off_the_agreed_price(shop: SyncedProvider) -> None:
    ava = Browser(shop.customer("ava"))
    subscription = shop.subscribe("ava", FAITH)
    agree_on_price(shop, subscription, option="immediately", unit_price=AGREED)
    answer = ava.post(REDEEM)
    assert answer.status_code == 200
    assert (answer.json()["couponDiscount"], answer.json()["total"]) == (100, 400)
    shop.pass_term_end("ava", subscription)
    assert shop.invoices("ava")[0]["total"] == 400


@pytest.mark.shows("rule-5", "rule-21")
@pytest.mark.usefixtures("bundles")
def test_a_bundle_shows_and_bills_the_agreed_price_with_its_new_rate(shop: SyncedProvider) -> None:
    ava = Browser(shop.customer("ava"))
    subscription = shop.subscribe("ava", FAITH)
    shop.subscribe("ava", GOSPEL)
    agree_on_price(shop, subscription, option="immediately", unit_price=AGREED)
    answer = ava.post(SELECT, {"planIds": [FAITH, GOSPEL, KIDS]})
    assert answer.status_code == 200, answer.json()
    shown = {plan["id"]: plan["amount"] for plan in answer.json()["existingPlans"]}
    assert shown[FAITH] == AGREED
    promised = [bill["amount"] for bill in read_bills(shop.import_customer("ava")) if subscription in bill["plans"]]
    shop.pass_term_end("ava", subscription)
    billed = next(row["total"] for row in shop.invoices("ava") if row["subscription_id"] == subscription)
    # Fifteen percent off for three.
    assert (billed, promised) == (425, [425])


@pytest.mark.shows("rule-4")
def test_a_price_agreed_for_the_next_month_is_no_switch_to_monthly_billing(shop: SyncedProvider) -> None:
    ava = Browser(shop.customer("ava"))
    subscription = shop.subscribe("ava", FAITH)
    agree_on_price(shop, subscription, option="end_of_term", unit_price=AGREED)
    assert is_refusal(ava.get("/api/account/downgrade/estimate"), 409, "no_change")
    shop.subscribe("ava", GOSPEL, unit="Yearly")
    answer = ava.get("/api/account/downgrade/estimate").json()
    assert (answer["planIds"], answer["annualSavings"]) == ([GOSPEL], 12 * 799 - 7999)
