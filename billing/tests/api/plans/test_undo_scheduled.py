"""Undoing a scheduled change of billing period and a scheduled cancellation over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import Settings

from accounts.models import OutgoingMail
from billing.models import Command
from billing.tests.api.browser import Browser, is_refusal
from billing.tests.api.mirror_factory import FAITH, GOSPEL, KIDS, apply_resources, make_invoice
from billing.tests.api.synced_provider import UNREACHABLE_ENDPOINT, SyncedProvider

pytestmark = pytest.mark.django_db

KEEP = "/api/account/subscription/remove-scheduled-cancellation"
UNDO = "/api/account/subscription/remove-scheduled-change"
SERVICES = "/api/account/add-remove-service"
DOWNGRADE = "/api/account/downgrade"
READS = ("/api/account", "/api/account/manage-plans")


def read_hot_reads(browser: Browser) -> list[Any]:
    """Return the bodies of the hot reads."""
    return [browser.get(path).json() for path in READS]


@pytest.fixture
def ava(shop: SyncedProvider, bundles: None) -> Browser:
    """Return Ava's browser; she has a bundle of two."""
    account = shop.customer("ava")
    shop.subscribe("ava", FAITH, coupon_ids=["BUNDLE-2"])
    shop.subscribe("ava", GOSPEL, coupon_ids=["BUNDLE-2"])
    return Browser(account)


@pytest.fixture
def ben(shop: SyncedProvider, bundles: None) -> Browser:
    """Return Ben's browser; he has a yearly bundle of two."""
    account = shop.customer("ben")
    shop.subscribe("ben", FAITH, unit="Yearly", coupon_ids=["BUNDLE-2"])
    shop.subscribe("ben", KIDS, unit="Yearly", coupon_ids=["BUNDLE-2"])
    return Browser(account)


@pytest.mark.shows("api-27")
def test_undoing_a_cancellation_restores_everything(ava: Browser) -> None:
    before = read_hot_reads(ava)
    plans = ava.post(SERVICES, {"planIds": [FAITH]}).json()["existingPlans"]
    assert [plan["status"] for plan in plans] == ["ACTIVE", "NON_RENEWING"]
    response = ava.post(KEEP, {"subscriptionId": [plans[1]["subId"]]})
    assert response.status_code == 200
    assert response.json() == {"plans": before[0]["plans"]}
    assert read_hot_reads(ava) == before


def test_a_canceled_trial_can_be_kept(shop: SyncedProvider) -> None:
    carla = Browser(shop.customer("carla"))
    kids = shop.subscribe("carla", KIDS, unit="Yearly", trial_end=shop.timestamp_in_days(10))
    before = read_hot_reads(carla)
    shop.client.Subscription.cancel_for_items(kids, {"cancel_option": "end_of_term"})
    shop.import_customer("carla")
    assert carla.get("/api/account").json()["plans"][0]["status"] == "NON_RENEWING"
    estimate = carla.post(f"{SERVICES}/estimate", {"planIds": [KIDS]}).json()
    response = carla.post(KEEP, {"subscription_id": [kids]})
    assert response.json()["plans"][0]["status"] == "IN_TRIAL"
    assert read_hot_reads(carla) == before
    assert estimate["existingPlans"] == response.json()["plans"]


@pytest.mark.shows("api-28")
def test_undoing_a_downgrade_restores_everything(shop: SyncedProvider, ben: Browser) -> None:
    before = read_hot_reads(ben)
    plans = ben.post(DOWNGRADE).json()["existingPlans"]
    responses = [ben.post(UNDO, {"subscriptionId": [plan["subId"]]}) for plan in plans]
    assert [response.status_code for response in responses] == [200, 200]
    assert [plan["hasScheduledChange"] for plan in responses[0].json()["plans"]] == [False, True]
    assert responses[1].json() == {"plans": before[0]["plans"]}
    assert read_hot_reads(ben) == before


def test_one_request_undoes_a_downgrade_of_several(ben: Browser) -> None:
    before = read_hot_reads(ben)
    plans = ben.post(DOWNGRADE).json()["existingPlans"]
    response = ben.post(UNDO, {"subscriptionId": [plan["subId"] for plan in plans]})
    assert response.json() == {"plans": before[0]["plans"]}
    assert sorted(Command.objects.values_list("kind", flat=True)) == ["downgrade", "undo_change"]


def test_one_request_undoes_a_cancellation_of_several(ava: Browser) -> None:
    before = read_hot_reads(ava)
    ids = [plan["subId"] for plan in before[0]["plans"]]
    ava.post("/api/account/cancel", {})
    response = ava.post(KEEP, {"subscriptionId": ids})
    assert response.json() == {"plans": before[0]["plans"]}
    assert sorted(Command.objects.values_list("kind", flat=True)) == ["cancel", "undo_cancellation"]


def test_the_mail_about_an_undo_tells_a_restored_pause_from_a_usual_renewal(ava: Browser) -> None:
    faith, gospel = (plan["subId"] for plan in ava.get("/api/account").json()["plans"])
    ava.post("/api/account/subscriptions/multiple-pause", {"subscriptionId": [gospel]})
    ava.post("/api/account/cancel", {})
    response = ava.post(KEEP, {"subscriptionId": [faith, gospel]})
    assert [plan["hasScheduledPause"] for plan in response.json()["plans"]] == [False, True]
    assert OutgoingMail.objects.latest("pk").context["lines"] == [
        "Faith & Family will renew as usual.",
        "Your pause of Gospel TV is scheduled again.",
    ]


@pytest.mark.shows("rule-16")
@pytest.mark.parametrize(
    ("price_type", "currency", "told"),
    [
        ("tax_inclusive", "USD", "$6.29 including tax on "),
        ("tax_inclusive", "EUR", "$6.29 before tax on "),
        ("tax_exclusive", "USD", "$6.29 before tax on "),
    ],
)
def test_the_mail_says_whether_tax_is_in_the_price_as_on_the_newest_invoice(
    ava: Browser, price_type: str, currency: str, told: str
) -> None:
    apply_resources(make_invoice("INV-VAT", owner="ava", days=1, price_type=price_type, currency_code=currency))
    faith = ava.get("/api/account").json()["plans"][0]["subId"]
    ava.post("/api/account/subscriptions/cancel", {"subscriptionIds": [faith]})
    assert ava.post(KEEP, {"subscriptionId": [faith]}).status_code == 200
    facts = dict(OutgoingMail.objects.latest("pk").context["facts"])
    assert facts["Next Faith & Family bill"].startswith(told)


@pytest.mark.shows("error-11")
def test_it_refuses_to_undo_what_is_not_scheduled(ava: Browser) -> None:
    faith = ava.get("/api/account").json()["plans"][0]["subId"]
    responses = [ava.post(path, {"subscriptionId": [faith]}) for path in (KEEP, UNDO)]
    assert [is_refusal(response, 409, "invalid_state") for response in responses] == [True, True]


def test_it_refuses_an_ended_subscription(shop: SyncedProvider) -> None:
    hugo = Browser(shop.customer("hugo"))
    kids = shop.subscribe("hugo", KIDS)
    shop.client.Subscription.cancel_for_items(kids, {"cancel_option": "immediately"})
    shop.import_customer("hugo")
    responses = [hugo.post(path, {"subscriptionId": [kids]}) for path in (KEEP, UNDO)]
    assert [is_refusal(response, 409, "invalid_state") for response in responses] == [True, True]
    assert shop.subscription(kids)["status"] == "cancelled"


def test_a_second_undo_is_refused_unless_it_repeats_the_key(ben: Browser) -> None:
    faith = ben.post(DOWNGRADE, {"planIds": [FAITH]}).json()["existingPlans"][0]["subId"]
    body = {"subscriptionId": [faith]}
    responses = [ben.post(UNDO, body, headers={"Idempotency-Key": "one"}) for _ in range(2)]
    assert [response.status_code for response in responses] == [200, 200]
    assert responses[0].json() == responses[1].json()
    assert is_refusal(ben.post(UNDO, body), 409, "invalid_state")


@pytest.mark.shows("reliability-6")
def test_a_refused_undo_refreshes_the_account(shop: SyncedProvider, ben: Browser) -> None:
    faith = ben.post(DOWNGRADE, {"planIds": [FAITH]}).json()["existingPlans"][0]["subId"]
    shop.client.Subscription.remove_scheduled_changes(faith)
    assert is_refusal(ben.post(UNDO, {"subscriptionId": [faith]}), 409, "invalid_state")
    assert ben.get("/api/account").json()["plans"][0]["hasScheduledChange"] is False


def test_nothing_is_undone_while_the_provider_is_unavailable(ben: Browser, settings: Settings) -> None:
    faith = ben.post(DOWNGRADE, {"planIds": [FAITH]}).json()["existingPlans"][0]["subId"]
    before = read_hot_reads(ben)
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    assert is_refusal(ben.post(UNDO, {"subscriptionId": [faith]}), 503, "billing_unavailable")
    assert read_hot_reads(ben) == before
