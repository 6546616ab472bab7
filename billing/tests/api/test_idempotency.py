"""A repeated request with the same idempotency key acts once and gets the same response."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from billing import clock
from billing.api.account_limits import CODE_LIMIT, PAYMENT_LIMIT
from billing.jobs.resumes import worker
from billing.models import Command, PauseSchedule
from billing.tests.api.browser import Browser, is_refusal
from billing.tests.api.mirror_factory import FAITH, GOSPEL
from billing.tests.api.synced_provider import UNREACHABLE_ENDPOINT, SyncedProvider
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.subscriber_wallet import MASTERCARD, SubscriberWallet
from core import data_retention
from core.models import IdempotentRequest, LimitCounter

pytestmark = pytest.mark.django_db

PAUSE = "/api/account/pause?days=30"
PAUSE_SOME = "/api/account/subscriptions/multiple-pause"
TAKE_BACK = "/api/account/remove-scheduled-pause"
METHODS = "/api/payments/updatePaymentSources"


def post_with_key(browser: Browser, path: str, key: str, body: Any = None) -> Any:
    """A change asked for with a key."""
    return browser.post(path, body, headers={"Idempotency-Key": key})


@pytest.mark.shows("request-8")
def test_the_first_answer_is_given_again(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    first, second = post_with_key(browser, PAUSE, "one"), post_with_key(browser, PAUSE, "one")
    assert [first.status_code, second.status_code] == [200, 200]
    assert first.json() == second.json()
    assert shop.count_events("subscription_pause_scheduled") == 1


def test_a_refusal_is_given_again_although_it_would_not_be_refused_now(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    refusal = post_with_key(browser, PAUSE, "one")
    shop.subscribe("alice", FAITH)
    again = post_with_key(browser, PAUSE, "one")
    assert [refusal.status_code, again.status_code] == [409, 409]
    assert again.json() == refusal.json()


@pytest.mark.shows("error-20")
def test_a_key_that_came_with_another_request_is_refused(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    post_with_key(browser, PAUSE, "one")
    others = [
        post_with_key(browser, TAKE_BACK, "one"),
        post_with_key(browser, "/api/account/pause?days=60", "one"),
        post_with_key(browser, PAUSE, "one", {"more": 1}),
    ]
    assert [answer.status_code for answer in others] == [409, 409, 409]
    assert {answer.json()["code"] for answer in others} == {"idempotency_key_reused"}


@pytest.mark.shows("error-20")
def test_a_reused_key_is_refused_before_the_input_is_looked_at(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    post_with_key(browser, PAUSE, "one")
    answer = post_with_key(browser, PAUSE_SOME, "one", {"subscriptionId": "nonsense"})
    assert answer.json()["code"] == "idempotency_key_reused"


@pytest.mark.shows("request-9")
def test_a_key_that_was_forgotten_after_a_day_stands_for_a_new_change(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    post_with_key(browser, PAUSE, "one")
    post_with_key(browser, TAKE_BACK, "two")
    IdempotentRequest.objects.update(created_at=timezone.now() - timedelta(hours=25))
    assert data_retention.delete_old_requests() == 2

    assert post_with_key(browser, PAUSE, "one").status_code == 200
    assert shop.count_events("subscription_pause_scheduled") == 2


@pytest.mark.shows("request-8")
def test_two_accounts_may_have_the_same_key(shop: SyncedProvider) -> None:
    alice, bob = Browser(shop.customer("alice")), Browser(shop.customer("bob"))
    shop.subscribe("alice", FAITH)
    shop.subscribe("bob", FAITH)
    assert [post_with_key(alice, PAUSE, "one").status_code, post_with_key(bob, PAUSE, "one").status_code] == [
        200,
        200,
    ]
    assert shop.count_events("subscription_pause_scheduled") == 2


@pytest.mark.shows("request-8")
def test_an_answer_that_asks_to_try_again_is_not_kept(shop: SyncedProvider, settings: Settings) -> None:
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    reachable = settings.CHARGEBEE_ENDPOINT
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    away = post_with_key(browser, PAUSE, "one")
    settings.CHARGEBEE_ENDPOINT = reachable
    back = post_with_key(browser, PAUSE, "one")
    assert [away.status_code, back.status_code] == [503, 200]
    assert back.json()["plans"][0]["hasScheduledPause"] is True


def test_a_key_of_a_change_of_payment_methods_stands_for_no_other(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    [card] = browser.get("/api/payments/").json()["card"]
    removal = {"operationType": "DELETE", "paymentSourceId": card["paymentSourceId"]}
    assert post_with_key(browser, METHODS, "one", removal).status_code == 200
    others = [
        post_with_key(browser, METHODS, "one", {**removal, "operationType": "SETPRIMARY"}),
        post_with_key(browser, METHODS, "one", {**removal, "paymentSourceId": "somebody else's"}),
        post_with_key(browser, "/api/payments/paymentToken", "one", {}),
    ]
    assert {(answer.status_code, answer.json()["code"]) for answer in others} == {(409, "idempotency_key_reused")}
    assert post_with_key(browser, METHODS, "one", removal).json()["card"] == []


def test_an_intent_whose_answer_was_lost_is_asked_for_again_and_made_once(
    shop: SyncedProvider, faulty_proxy: FaultyProxy
) -> None:
    browser = Browser(shop.customer("alice"))
    faulty_proxy.lose_write(1)
    lost = post_with_key(browser, "/api/payments/paymentToken", "one", {})
    faulty_proxy.restore()
    found = post_with_key(browser, "/api/payments/paymentToken", "one", {})
    assert (lost.status_code, lost.json()["code"]) == (503, "billing_unavailable")
    assert found.status_code == 200
    assert shop.count_events("payment_intent_created") == 1


@pytest.mark.shows("error-33")
def test_a_card_whose_answer_was_lost_is_asked_for_again_and_added_once(
    shop: SyncedProvider, faulty_proxy: FaultyProxy
) -> None:
    purse = SubscriberWallet(shop.provider, shop.customer("alice"))
    browser = Browser(purse.account)
    addition = {"operationType": "ADD", "paymentsource": "CARD", "token": purse.create_token(MASTERCARD)}
    owner = {"firstName": "Grace", "lastName": "", "billingState": "Ohio", "billingZip": "43004"}
    faulty_proxy.lose_write(1)
    lost = post_with_key(browser, METHODS, "one", {**addition, **owner})
    at_work = post_with_key(browser, METHODS, "two", {**addition, **owner})
    faulty_proxy.restore()
    Command.objects.update(next_attempt_at=timezone.now())
    found = post_with_key(browser, METHODS, "one", {**addition, **owner})
    assert [(answer.status_code, answer.json()["code"]) for answer in (lost, at_work)] == [
        (503, "billing_unconfirmed"),
        (409, "change_in_progress"),
    ]
    assert [int(answer.headers["Retry-After"]) > 0 for answer in (lost, at_work)] == [True, True]
    assert (found.status_code, len(found.json()["card"])) == (200, 2)
    assert purse.last_digits() == ["1111", "4444"]
    again = post_with_key(browser, METHODS, "two", {**addition, **owner})
    assert (again.status_code, again.json()["code"]) == (400, "payment_method_invalid")


def test_asking_how_a_payment_ended_uses_up_no_allowance(shop: SyncedProvider, faulty_proxy: FaultyProxy) -> None:
    purse = SubscriberWallet(shop.provider, shop.customer("alice"))
    browser = Browser(purse.account)
    addition = {"operationType": "ADD", "paymentsource": "CARD", "token": purse.create_token(MASTERCARD)}
    whole = {**addition, "firstName": "Grace", "lastName": "", "billingState": "Ohio", "billingZip": "43004"}
    faulty_proxy.lose_write(1)
    unheard = [post_with_key(browser, METHODS, "one", whole) for _ in range(PAYMENT_LIMIT.count + 1)]
    assert {(answer.status_code, answer.json()["code"]) for answer in unheard} == {(503, "billing_unconfirmed")}
    others = [post_with_key(browser, METHODS, f"card {number}", addition) for number in range(1, PAYMENT_LIMIT.count)]
    assert {answer.status_code for answer in others} == {400}
    one_too_many = [post_with_key(browser, METHODS, "another card", addition) for _ in range(2)]
    assert [is_refusal(answer, 429, "throttled") for answer in one_too_many] == [True, True]

    faulty_proxy.restore()
    Command.objects.update(next_attempt_at=timezone.now())
    found, again = (post_with_key(browser, METHODS, "one", whole) for _ in range(2))
    assert [found.status_code, again.status_code] == [200, 200]
    assert purse.last_digits() == ["1111", "4444"]


def test_no_code_is_tried_for_nothing_under_a_key(shop: SyncedProvider) -> None:
    alice = Browser(shop.customer("alice"))
    code = "/api/account/add-coupon/GUESS-{}".format
    guesses = [post_with_key(alice, code(number), f"key {number}") for number in range(CODE_LIMIT.count)]
    assert {guess.json()["code"] for guess in guesses} == {"coupon_not_found"}
    shop.coupon("GUESS-50", percent=20)
    under_a_known_key = post_with_key(alice, code(50), "key 0")
    slowed = [
        post_with_key(alice, code(50), "key 50"),
        post_with_key(alice, code(50), "key 50"),
        alice.post(code(50)),
    ]
    assert is_refusal(under_a_known_key, 409, "idempotency_key_reused")
    assert [is_refusal(answer, 429, "throttled") for answer in slowed] == [True] * 3
    assert post_with_key(alice, code(0), "key 0").json() == guesses[0].json()

    # As an operator lifts a limit: what it refused is a try like any other, and counts once.
    LimitCounter.objects.all().delete()
    tried = [post_with_key(alice, code(50), "key 50") for _ in range(2)]
    assert [is_refusal(answer, 409, "no_active_subscription") for answer in tried] == [True, True]
    assert LimitCounter.objects.get().count == 1


def test_a_request_that_died_keeps_its_key_for_a_minute_and_is_then_answered(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    unheard = post_with_key(browser, PAUSE, "one")
    # Where its process ended before it had kept the answer.
    began = time.monotonic()
    nearly_over = timezone.now() + timedelta(seconds=2)
    IdempotentRequest.objects.update(status=None, body=None, next_attempt_at=nearly_over)
    found = post_with_key(browser, PAUSE, "one")
    assert time.monotonic() - began > 0.5
    assert (found.status_code, found.json()) == (200, unheard.json())
    assert shop.count_events("subscription_pause_scheduled") == 1


def test_without_a_key_each_request_is_its_own(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    shop.subscribe("alice", GOSPEL)
    answers = [browser.post(PAUSE), browser.post(TAKE_BACK), browser.post(PAUSE)]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert not IdempotentRequest.objects.exists()


def test_a_subscribers_key_cannot_stand_for_a_jobs_work(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    faith, gospel = shop.subscribe("alice", FAITH), shop.subscribe("alice", GOSPEL)
    browser.post(PAUSE_SOME, {"subscriptionId": [faith]})
    nights_key = f"resume-schedule-{PauseSchedule.objects.get().pk}-0"
    post_with_key(browser, PAUSE_SOME, nights_key, {"subscriptionId": [gospel]})
    shop.pass_term_end("alice", gospel, days=32)
    worker.resume_due_pauses(now=clock.billing_now())
    assert [shop.subscription(handle)["status"] for handle in (faith, gospel)] == ["active", "active"]
