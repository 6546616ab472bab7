"""Pausing, its estimate, and removing a scheduled pause (docs/rules.md, rules 1 and 2)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from pytest_django import Settings

from accounts.models import OutgoingMail
from billing.models import PauseSchedule
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import FAITH, GOSPEL, KIDS
from billing.tests.api.synced_provider import DECLINING_CARD, UNREACHABLE_ENDPOINT, SyncedProvider, iso_time

pytestmark = pytest.mark.django_db

PAUSE = "/api/account/pause?days=30"
PAUSE_SOME = "/api/account/subscriptions/multiple-pause"
REMOVE_ALL = "/api/account/remove-scheduled-pause"
REMOVE_ONE = "/api/account/subscription/remove-scheduled-pause"


@pytest.mark.shows("rule-1", "api-16")
def test_it_pauses_everything_at_the_end_of_the_term(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    ids = [shop.subscribe("alice", FAITH), shop.subscribe("alice", GOSPEL)]
    response = browser.post(PAUSE)
    term_end = shop.term_end(ids[0])
    assert response.status_code == 200
    assert response.json()["pauseDate"] == iso_time(term_end)
    assert response.json()["resumeDate"] == iso_time(term_end + timedelta(days=30))
    assert [plan["hasScheduledPause"] for plan in response.json()["plans"]] == [True, True]
    assert ["pause_date" in shop.subscription(handle) for handle in ids] == [True, True]
    assert ["resume_date" in shop.subscription(handle) for handle in ids] == [False, False]
    assert PauseSchedule.objects.filter(state="scheduled").count() == 2


@pytest.mark.shows("api-16")
def test_it_pauses_everything_that_was_shown_and_nothing_that_came_since(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    shown = shop.subscribe("alice", FAITH)
    added = shop.subscribe("alice", GOSPEL)
    response = browser.post(f"{PAUSE}&subscriptionId={shown}")
    assert response.status_code == 200
    assert ["pause_date" in shop.subscription(handle) for handle in (shown, added)] == [True, False]


@pytest.mark.shows("request-5", "api-5")
def test_every_read_shows_a_pause_at_once(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    body = browser.post(PAUSE).json()
    assert browser.get("/api/account").json()["plans"] == body["plans"]
    assert browser.get("/api/account").json()["hasScheduledPause"] is True
    assert browser.get("/api/account/manage-plans").json()["existingPlans"] == body["plans"]


@pytest.mark.shows("api-17")
def test_it_pauses_only_the_named_subscriptions(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    faith, gospel = shop.subscribe("alice", FAITH), shop.subscribe("alice", GOSPEL)
    response = browser.post(PAUSE_SOME, {"subscriptionId": [gospel, gospel]})
    assert response.status_code == 200
    assert [plan["hasScheduledPause"] for plan in response.json()["plans"]] == [False, True]
    assert "pause_date" not in shop.subscription(faith)


def test_unknown_fields_are_ignored(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH)
    before = shop.subscription(faith)
    unknown_fields = {"status": "CANCELLED", "amount": 0, "customerId": "bob", "email": "b@example.com", "days": 900}
    response = browser.post(PAUSE_SOME, {"subscriptionId": [faith], "isStaff": True, **unknown_fields})
    assert response.json()["resumeDate"] == iso_time(shop.term_end(faith) + timedelta(days=30))
    after = shop.subscription(faith)
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed - {"resource_version", "updated_at"} == {"pause_date"}
    assert browser.get("/api/account").json()["email"] == "alice@example.com"


@pytest.mark.shows("request-1")
def test_it_accepts_snake_case(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH)
    assert browser.post(PAUSE_SOME, {"subscription_id": [faith]}).status_code == 200


@pytest.mark.shows("error-13")
def test_a_second_pause_is_refused(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH)
    browser.post(PAUSE)
    everything, named = browser.post(PAUSE), browser.post(PAUSE_SOME, {"subscriptionId": [faith]})
    assert [everything.status_code, named.status_code] == [409, 409]
    assert [everything.json()["code"], named.json()["code"]] == ["already_paused", "already_paused"]
    assert shop.count_events("subscription_pause_scheduled") == 1


def test_pausing_everything_skips_what_is_already_paused(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    faith, gospel = shop.subscribe("alice", FAITH), shop.subscribe("alice", GOSPEL)
    browser.post(PAUSE_SOME, {"subscriptionId": [faith]})
    assert browser.post(PAUSE).status_code == 200
    assert "pause_date" in shop.subscription(gospel)


@pytest.mark.parametrize("is_overdue", [True, False])
def test_its_mail_does_not_deny_an_overdue_bill(shop: SyncedProvider, *, is_overdue: bool) -> None:
    browser = Browser(shop.customer("ava"))
    faith = shop.subscribe("ava", FAITH)
    if is_overdue:
        shop.provider.add_card("ava", DECLINING_CARD)
        shop.pass_term_end("ava", faith, days=1)
    assert browser.post(PAUSE).status_code == 200
    told = OutgoingMail.objects.latest("pk").context
    ending = ", except for what you still owe." if is_overdue else " while paused."
    assert told["lines"][0].endswith(ending)


@pytest.mark.shows("rule-1")
def test_a_yearly_subscription_can_be_paused(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH, unit="Yearly")
    assert browser.post(PAUSE).json()["pauseDate"] == iso_time(shop.term_end(faith))


@pytest.mark.shows("error-12")
def test_it_refuses_when_there_is_nothing_to_pause(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("ivy"))
    responses = [browser.post(PAUSE), browser.get("/api/account/pause/estimate?days=30")]
    assert [response.status_code for response in responses] == [409, 409]
    assert {response.json()["code"] for response in responses} == {"nothing_to_pause"}


@pytest.mark.shows("error-11", "rule-2")
def test_one_ineligible_subscription_refuses_the_whole_list(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    faith, kids = shop.subscribe("alice", FAITH), shop.subscribe("alice", KIDS)
    shop.client.Subscription.cancel_for_items(kids, {"cancel_option": "end_of_term"})
    shop.import_customer("alice")
    response = browser.post(PAUSE_SOME, {"subscriptionId": [faith, kids]})
    assert (response.status_code, response.json()["code"]) == (409, "invalid_state")
    assert shop.count_events("subscription_pause_scheduled") == 0


@pytest.mark.shows("api-18")
def test_the_estimate_lists_every_pause_and_the_earliest(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    yearly = shop.subscribe("alice", FAITH, unit="Yearly")
    monthly = shop.subscribe("alice", GOSPEL)
    body = browser.get("/api/account/pause/estimate?days=60").json()
    ends = {handle: shop.term_end(handle) for handle in (monthly, yearly)}
    assert body == {
        "pauseDate": iso_time(ends[monthly]),
        "resumeDate": iso_time(ends[monthly] + timedelta(days=60)),
        "plans": [
            {"subId": handle, "pauseDate": iso_time(end), "resumeDate": iso_time(end + timedelta(days=60))}
            for handle, end in ends.items()
        ],
        "nextBills": body["nextBills"],
    }
    assert [(bill["plans"], bill["date"]) for bill in body["nextBills"]] == [
        ([handle], iso_time(end + timedelta(days=60))) for handle, end in ends.items()
    ]


@pytest.mark.shows("paused-5", "api-21")
def test_all_scheduled_pauses_can_be_removed(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    ids = [shop.subscribe("alice", FAITH), shop.subscribe("alice", GOSPEL)]
    browser.post(PAUSE)
    response = browser.post(REMOVE_ALL)
    assert response.status_code == 200
    assert [plan["hasScheduledPause"] for plan in response.json()["plans"]] == [False, False]
    assert [plan["pauseDate"] for plan in response.json()["plans"]] == [None, None]
    assert ["next_billing_at" in shop.subscription(handle) for handle in ids] == [True, True]
    assert PauseSchedule.objects.filter(state="removed").count() == 2


@pytest.mark.shows("api-22")
def test_one_scheduled_pause_can_be_removed(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    faith, _ = shop.subscribe("alice", FAITH), shop.subscribe("alice", GOSPEL)
    browser.post(PAUSE)
    response = browser.post(REMOVE_ONE, {"subscriptionId": [faith]})
    assert [plan["hasScheduledPause"] for plan in response.json()["plans"]] == [False, True]


def test_it_refuses_to_remove_a_pause_that_is_not_scheduled(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH)
    responses = [browser.post(REMOVE_ALL), browser.post(REMOVE_ONE, {"subscriptionId": [faith]})]
    assert [(response.status_code, response.json()["code"]) for response in responses] == [(409, "invalid_state")] * 2


def test_a_partial_change_returns_the_current_state(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    ids = [shop.subscribe("alice", FAITH), shop.subscribe("alice", GOSPEL)]
    # The mirror does not know of this, so the provider accepts the first pause and refuses the second.
    shop.client.Subscription.cancel_for_items(ids[1], {"cancel_option": "immediately"})
    response = browser.post(PAUSE_SOME, {"subscriptionId": ids}, headers={"Idempotency-Key": "one"})
    assert (response.status_code, response.json()["code"]) == (502, "billing_partial")
    assert response.json()["pauseDate"] == iso_time(shop.term_end(ids[0]))
    assert [plan["hasScheduledPause"] for plan in response.json()["plans"]] == [True, False]
    assert response.json()["plans"] == browser.get("/api/account").json()["plans"]


@pytest.mark.shows("error-32")
def test_nothing_changes_while_the_provider_is_unavailable(shop: SyncedProvider, settings: Settings) -> None:
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    before = browser.get("/api/account").json()
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    response = browser.post(PAUSE)
    assert (response.status_code, response.json()["code"]) == (503, "billing_unavailable")
    assert int(response.headers["Retry-After"]) > 0
    assert browser.get("/api/account").json() == before
