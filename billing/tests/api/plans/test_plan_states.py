"""The `Plan` of a subscription in each state."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from billing.mirror import documents
from billing.models import PauseSchedule, Subscription
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import (
    FAITH,
    GOSPEL,
    KIDS,
    LEGACY,
    NOW,
    iso_time_at,
    make_subscription,
    open_account,
    scheduled_price_change,
    subscription_coupons,
    timestamp_at,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog", "no_provider")]

ACTIVE = {
    "id": "faith-family-plan",
    "name": "Faith & Family",
    "service": "faith-family",
    "amount": 699,
    "status": "ACTIVE",
    "subId": "sub",
    "periodUnit": "month",
    "period": 1,
    "currencyCode": "USD",
    "billingPeriod": "MONTH",
    "startsAt": None,
    "cancelAt": None,
    "nextBillingAt": iso_time_at(20),
    "contractEndsAt": None,
    "pauseDate": None,
    "resumeDate": None,
    "hasUpcomingCoupon": False,
    "hasPauseSub": False,
    "hasScheduledPause": False,
    "hasScheduledChange": False,
    "scheduledPlan": None,
    "hasFreeMonth": False,
    "hasOtherPeriod": True,
    "isChangeable": True,
    "amountToday": 699,
}

STATES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "active": ({}, {}),
    "in trial": (
        {"status": "in_trial", "trial_end": timestamp_at(20)},
        {"status": "IN_TRIAL"},
    ),
    "not started": (
        {"status": "future", "start_date": timestamp_at(20)},
        {"status": "IN_TRIAL", "startsAt": iso_time_at(20)},
    ),
    "with a cancelled trial": (
        {
            "status": "in_trial",
            "trial_end": timestamp_at(20),
            "cancelled_at": timestamp_at(20),
            "next_billing_at": None,
        },
        {"status": "NON_RENEWING", "cancelAt": iso_time_at(20), "nextBillingAt": None},
    ),
    "under contract": (
        {"contract_term": {"status": "active", "contract_end": timestamp_at(80)}},
        {"contractEndsAt": iso_time_at(80), "isChangeable": False, "hasOtherPeriod": False},
    ),
    "ending after its next bill": (
        {"cancelled_at": timestamp_at(50)},
        {"status": "NON_RENEWING", "cancelAt": iso_time_at(50)},
    ),
    "non-renewing": (
        {"status": "non_renewing", "cancelled_at": timestamp_at(20), "next_billing_at": None},
        {"status": "NON_RENEWING", "cancelAt": iso_time_at(20), "nextBillingAt": None},
    ),
    "cancelled": (
        {
            "status": "cancelled",
            "cancelled_at": timestamp_at(-2),
            "next_billing_at": None,
            "coupons": subscription_coupons("SAVE20"),
        },
        {"status": "CANCELLED", "cancelAt": iso_time_at(-2), "nextBillingAt": None},
    ),
    "paused": (
        {"status": "paused", "pause_date": timestamp_at(-2), "next_billing_at": None},
        {"status": "PAUSED", "pauseDate": iso_time_at(-2), "nextBillingAt": None, "hasPauseSub": True},
    ),
    "paused elsewhere, with an end": (
        {
            "status": "paused",
            "pause_date": timestamp_at(-2),
            "resume_date": timestamp_at(9),
            "next_billing_at": None,
        },
        {
            "status": "PAUSED",
            "pauseDate": iso_time_at(-2),
            "resumeDate": iso_time_at(9),
            "nextBillingAt": None,
            "hasPauseSub": True,
        },
    ),
    "about to pause": (
        {"pause_date": timestamp_at(20), "next_billing_at": None},
        {"pauseDate": iso_time_at(20), "nextBillingAt": None, "hasScheduledPause": True},
    ),
    "about to change": (
        scheduled_price_change("faith-family-plan-USD-Yearly"),
        {
            "hasScheduledChange": True,
            "scheduledPlan": {
                "periodUnit": "year",
                "period": 1,
                "currencyCode": "USD",
                "amount": 6999,
                "at": iso_time_at(20),
            },
        },
    ),
    "with ramps": ({"has_scheduled_changes": True}, {"isChangeable": False, "hasOtherPeriod": False}),
    "after a change that is no longer scheduled": (
        {**scheduled_price_change("faith-family-plan-USD-Yearly"), "has_scheduled_changes": False},
        {"scheduledPlan": None},
    ),
    "with a code": ({"coupons": subscription_coupons("SAVE20")}, {"hasUpcomingCoupon": True}),
    "in a bundle": ({"coupons": subscription_coupons("BUNDLE-2")}, {}),
    "with a free month": ({"coupons": subscription_coupons("FREE-MONTH")}, {"hasFreeMonth": True}),
}


def read_plans(*subscriptions: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the plans of the account read for these subscriptions."""
    response = Browser(open_account("alice", *subscriptions)).get("/api/account")
    plans: list[dict[str, Any]] = response.json()["plans"]
    return plans


@pytest.mark.shows("request-3", "data-2")
@pytest.mark.parametrize(("fields", "expected"), STATES.values(), ids=STATES.keys())
def test_a_plan_shows_its_state(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    assert read_plans(make_subscription("sub", **fields)) == [{**ACTIVE, **expected}]


def test_the_pause_schedule_provides_the_resume_date() -> None:
    account = open_account("alice", make_subscription("sub", pause_date=timestamp_at(20), next_billing_at=None))
    PauseSchedule.objects.create(
        subscription=Subscription.objects.get(provider_id="sub"),
        pause_date=NOW + timedelta(days=20),
        resume_date=NOW + timedelta(days=50),
        created_at=NOW,
    )
    documents.rebuild_documents(account)
    body = Browser(account).get("/api/account").json()
    assert body["plans"][0]["pauseDate"] == iso_time_at(20)
    assert body["plans"][0]["resumeDate"] == iso_time_at(50)
    assert body["hasScheduledPause"] is True


def test_plans_are_in_catalog_order() -> None:
    plans = read_plans(make_subscription("c", KIDS), make_subscription("b", GOSPEL), make_subscription("a", FAITH))
    assert [plan["subId"] for plan in plans] == ["a", "b", "c"]


def test_a_service_shows_its_newest_subscription() -> None:
    old = make_subscription(
        "old", LEGACY, status="cancelled", cancelled_at=timestamp_at(-90), created_at=timestamp_at(-400)
    )
    assert [plan["subId"] for plan in read_plans(old, make_subscription("new", KIDS))] == ["new"]


def test_a_newer_ended_subscription_does_not_hide_an_active_one() -> None:
    ended = make_subscription(
        "ended", KIDS, status="cancelled", cancelled_at=timestamp_at(-1), created_at=timestamp_at(-2)
    )
    assert [plan["subId"] for plan in read_plans(ended, make_subscription("bills", LEGACY))] == ["bills"]


def test_a_plan_shows_whether_its_other_period_is_on_sale() -> None:
    plans = read_plans(make_subscription("old", LEGACY), make_subscription("new", GOSPEL))
    assert {plan["subId"]: plan["hasOtherPeriod"] for plan in plans} == {"old": False, "new": True}


@pytest.mark.shows("rule-7")
def test_a_plan_shows_what_it_costs_today_unless_it_is_no_longer_sold() -> None:
    plans = read_plans(make_subscription("old", LEGACY), make_subscription("cheap", GOSPEL, amount=599))
    assert {plan["subId"]: (plan["amount"], plan["amountToday"]) for plan in plans} == {
        "old": (799, None),
        "cheap": (599, 799),
    }


def test_every_live_subscription_of_a_service_is_shown() -> None:
    plans = read_plans(make_subscription("first", created_at=timestamp_at(-90)), make_subscription("second"))
    assert [(plan["subId"], plan["isChangeable"]) for plan in plans] == [("second", True), ("first", False)]


@pytest.mark.shows("rule-19")
def test_a_plan_outside_the_catalog_has_the_name_of_its_price_if_nothing_more_is_known() -> None:
    [plan] = read_plans(make_subscription("other", "somebody-elses-plan", amount=450))
    assert (plan["name"], plan["service"], plan["amount"]) == ("somebody-elses-plan-USD-Monthly", "", 450)
    assert (plan["isChangeable"], plan["hasOtherPeriod"]) == (False, False)


def test_a_deleted_subscription_is_omitted() -> None:
    assert read_plans(make_subscription("gone", deleted=True)) == []


@pytest.mark.shows("subscriptions-1")
def test_canceled_plans_are_in_the_account_but_not_in_existing_plans() -> None:
    browser = Browser(open_account("hugo", make_subscription("sub", owner="hugo", status="cancelled")))
    assert [plan["status"] for plan in browser.get("/api/account").json()["plans"]] == ["CANCELLED"]
    assert browser.get("/api/account/manage-plans").json()["existingPlans"] == []


@pytest.mark.shows("api-9")
def test_it_offers_the_other_plans_at_the_accounts_period() -> None:
    browser = Browser(open_account("alice", make_subscription("sub", GOSPEL, unit="year")))
    offers = browser.get("/api/account/manage-plans").json()["plans"]
    assert [(plan["id"], plan["amount"], plan["billingPeriod"]) for plan in offers] == [
        ("faith-family-plan", 6999, "YEAR"),
        ("Minno-Plan", 8999, "YEAR"),
    ]
    assert {plan["status"] for plan in offers} == {None}
    assert {plan["subId"] for plan in offers} == {None}


def test_it_offers_no_second_plan_of_a_service() -> None:
    browser = Browser(open_account("gia", make_subscription("sub", LEGACY, owner="gia")))
    offers = browser.get("/api/account/manage-plans").json()["plans"]
    assert [plan["id"] for plan in offers] == ["faith-family-plan", "gospel-tv-plan"]


def test_it_offers_a_canceled_service_again() -> None:
    browser = Browser(open_account("hugo", make_subscription("sub", owner="hugo", status="cancelled")))
    offers = browser.get("/api/account/manage-plans").json()["plans"]
    assert [plan["id"] for plan in offers] == ["faith-family-plan", "gospel-tv-plan", "Minno-Plan"]


@pytest.mark.shows("data-1", "api-5")
def test_an_account_without_subscriptions_has_no_plans() -> None:
    browser = Browser(open_account("ivy"))
    assert browser.get("/api/account").json() == {
        "name": "Ivy Example",
        "email": "ivy@example.com",
        "plans": [],
        "hasPauseSub": False,
        "hasScheduledPause": False,
        "hasPaymentFailure": False,
        "nextBills": [],
        "creditBalance": 0,
        "hasUnbilledCharges": False,
        "creditCurrency": "USD",
    }
