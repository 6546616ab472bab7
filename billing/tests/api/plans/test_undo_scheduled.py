"""Undoing a scheduled change of billing period and a scheduled cancellation over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import Settings

from billing.tests.api.browser import Browser, is_refusal
from billing.tests.api.mirror_factory import FAITH, GOSPEL, KIDS
from billing.tests.api.synced_provider import UNREACHABLE_ENDPOINT, SyncedProvider

pytestmark = pytest.mark.django_db

KEEP = "/api/account/subscription/remove-scheduled-cancellation"
UNDO = "/api/account/subscription/remove-scheduled-change"
SERVICES = "/api/account/add-remove-service"
DOWNGRADE = "/api/account/downgrade"
READS = ("/api/account", "/api/account/manage-plans")


def hot_read_bodies(browser: Browser) -> list[Any]:
    """What the reads show."""
    return [browser.get(path).json() for path in READS]


@pytest.fixture
def ava(shop: SyncedProvider, bundles: None) -> Browser:
    """Ava, signed in, with a bundle of two."""
    account = shop.customer("ava")
    shop.subscribe("ava", FAITH, coupon_ids=["BUNDLE-2"])
    shop.subscribe("ava", GOSPEL, coupon_ids=["BUNDLE-2"])
    return Browser(account)


@pytest.fixture
def ben(shop: SyncedProvider, bundles: None) -> Browser:
    """Ben, signed in, with a yearly bundle of two."""
    account = shop.customer("ben")
    shop.subscribe("ben", FAITH, unit="Yearly", coupon_ids=["BUNDLE-2"])
    shop.subscribe("ben", KIDS, unit="Yearly", coupon_ids=["BUNDLE-2"])
    return Browser(account)


@pytest.mark.shows("api-27")
def test_keeping_what_was_going_to_end_restores_everything(ava: Browser) -> None:
    before = hot_read_bodies(ava)
    ended = ava.post(SERVICES, {"planIds": [FAITH]}).json()["existingPlans"]
    assert [plan["status"] for plan in ended] == ["ACTIVE", "NON_RENEWING"]
    answer = ava.post(KEEP, {"subscriptionId": [ended[1]["subId"]]})
    assert answer.status_code == 200
    assert answer.json() == {"plans": before[0]["plans"]}
    assert hot_read_bodies(ava) == before


def test_a_trial_that_was_cancelled_can_be_kept(shop: SyncedProvider) -> None:
    carla = Browser(shop.customer("carla"))
    kids = shop.subscribe("carla", KIDS, unit="Yearly", trial_end=shop.timestamp_in_days(10))
    before = hot_read_bodies(carla)
    shop.client.Subscription.cancel_for_items(kids, {"cancel_option": "end_of_term"})
    shop.import_customer("carla")
    assert carla.get("/api/account").json()["plans"][0]["status"] == "NON_RENEWING"
    shown = carla.post(f"{SERVICES}/estimate", {"planIds": [KIDS]}).json()
    answer = carla.post(KEEP, {"subscription_id": [kids]})
    assert answer.json()["plans"][0]["status"] == "IN_TRIAL"
    assert hot_read_bodies(carla) == before
    assert shown["existingPlans"] == answer.json()["plans"]


@pytest.mark.shows("api-28")
def test_undoing_a_downgrade_restores_everything(shop: SyncedProvider, ben: Browser) -> None:
    before = hot_read_bodies(ben)
    changed = ben.post(DOWNGRADE).json()["existingPlans"]
    answers = [ben.post(UNDO, {"subscriptionId": [plan["subId"]]}) for plan in changed]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert [plan["hasScheduledChange"] for plan in answers[0].json()["plans"]] == [False, True]
    assert answers[1].json() == {"plans": before[0]["plans"]}
    assert hot_read_bodies(ben) == before


@pytest.mark.shows("error-11")
def test_it_refuses_what_is_not_scheduled(ava: Browser) -> None:
    faith = ava.get("/api/account").json()["plans"][0]["subId"]
    answers = [ava.post(path, {"subscriptionId": [faith]}) for path in (KEEP, UNDO)]
    assert [is_refusal(answer, 409, "invalid_state") for answer in answers] == [True, True]


def test_it_refuses_what_has_ended(shop: SyncedProvider) -> None:
    hugo = Browser(shop.customer("hugo"))
    kids = shop.subscribe("hugo", KIDS)
    shop.client.Subscription.cancel_for_items(kids, {"cancel_option": "immediately"})
    shop.import_customer("hugo")
    answers = [hugo.post(path, {"subscriptionId": [kids]}) for path in (KEEP, UNDO)]
    assert [is_refusal(answer, 409, "invalid_state") for answer in answers] == [True, True]
    assert shop.subscription(kids)["status"] == "cancelled"


def test_a_second_undo_is_refused_and_the_same_key_is_answered_alike(ben: Browser) -> None:
    faith = ben.post(DOWNGRADE, {"planIds": [FAITH]}).json()["existingPlans"][0]["subId"]
    body = {"subscriptionId": [faith]}
    answers = [ben.post(UNDO, body, headers={"Idempotency-Key": "one"}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    assert is_refusal(ben.post(UNDO, body), 409, "invalid_state")


@pytest.mark.shows("reliability-6")
def test_what_the_provider_undid_meanwhile_is_shown_after_the_refusal(shop: SyncedProvider, ben: Browser) -> None:
    faith = ben.post(DOWNGRADE, {"planIds": [FAITH]}).json()["existingPlans"][0]["subId"]
    shop.client.Subscription.remove_scheduled_changes(faith)
    assert is_refusal(ben.post(UNDO, {"subscriptionId": [faith]}), 409, "invalid_state")
    assert ben.get("/api/account").json()["plans"][0]["hasScheduledChange"] is False


def test_nothing_is_undone_while_the_provider_is_away(ben: Browser, settings: Settings) -> None:
    faith = ben.post(DOWNGRADE, {"planIds": [FAITH]}).json()["existingPlans"][0]["subId"]
    before = hot_read_bodies(ben)
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    assert is_refusal(ben.post(UNDO, {"subscriptionId": [faith]}), 503, "billing_unavailable")
    assert hot_read_bodies(ben) == before
