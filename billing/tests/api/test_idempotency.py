"""The same change with the same key acts once and is answered alike (contract, section 2)."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from accounts.models import LimitCounter
from billing import clock
from billing.api.allowances import CODES, PAYMENTS
from billing.models import Command, IdempotentRequest, PauseSchedule
from billing.services import idempotency, resuming_night
from billing.tests.api.browser import Browser, is_refusal
from billing.tests.api.mirrored import FAITH, GOSPEL
from billing.tests.api.shop import NOBODY, Shop
from billing.tests.cable import Cable
from billing.tests.purse import MASTERCARD, Purse

pytestmark = pytest.mark.django_db

PAUSE = "/api/account/pause?days=30"
PAUSE_SOME = "/api/account/subscriptions/multiple-pause"
TAKE_BACK = "/api/account/remove-scheduled-pause"
METHODS = "/api/payments/updatePaymentSources"


def keyed(browser: Browser, path: str, key: str, body: Any = None) -> Any:
    """A change asked for with a key."""
    return browser.post(path, body, headers={"Idempotency-Key": key})


def test_the_first_answer_is_given_again(shop: Shop) -> None:
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    first, second = keyed(browser, PAUSE, "one"), keyed(browser, PAUSE, "one")
    assert [first.status_code, second.status_code] == [200, 200]
    assert first.json() == second.json()
    assert shop.happened("subscription_pause_scheduled") == 1


def test_a_refusal_is_given_again_although_it_would_not_be_refused_now(shop: Shop) -> None:
    browser = Browser(shop.customer("alice"))
    refusal = keyed(browser, PAUSE, "one")
    shop.subscribe("alice", FAITH)
    again = keyed(browser, PAUSE, "one")
    assert [refusal.status_code, again.status_code] == [409, 409]
    assert again.json() == refusal.json()


def test_a_key_that_came_with_another_request_is_refused(shop: Shop) -> None:
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    keyed(browser, PAUSE, "one")
    others = [
        keyed(browser, TAKE_BACK, "one"),
        keyed(browser, "/api/account/pause?days=60", "one"),
        keyed(browser, PAUSE, "one", {"more": 1}),
    ]
    assert [answer.status_code for answer in others] == [409, 409, 409]
    assert {answer.json()["code"] for answer in others} == {"idempotency_key_reused"}


def test_a_reused_key_is_refused_before_the_input_is_looked_at(shop: Shop) -> None:
    browser = Browser(shop.customer("alice"))
    keyed(browser, PAUSE, "one")
    answer = keyed(browser, PAUSE_SOME, "one", {"subscriptionId": "nonsense"})
    assert answer.json()["code"] == "idempotency_key_reused"


def test_a_key_that_was_forgotten_after_a_day_stands_for_a_new_change(shop: Shop) -> None:
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    keyed(browser, PAUSE, "one")
    keyed(browser, TAKE_BACK, "two")
    IdempotentRequest.objects.update(created_at=timezone.now() - timedelta(hours=25))
    assert idempotency.forget_old() == 2

    assert keyed(browser, PAUSE, "one").status_code == 200
    assert shop.happened("subscription_pause_scheduled") == 2


def test_two_accounts_may_have_the_same_key(shop: Shop) -> None:
    alice, bob = Browser(shop.customer("alice")), Browser(shop.customer("bob"))
    shop.subscribe("alice", FAITH)
    shop.subscribe("bob", FAITH)
    assert [keyed(alice, PAUSE, "one").status_code, keyed(bob, PAUSE, "one").status_code] == [200, 200]
    assert shop.happened("subscription_pause_scheduled") == 2


def test_an_answer_that_asks_to_try_again_is_not_kept(shop: Shop, settings: Settings) -> None:
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    reachable = settings.CHARGEBEE_ENDPOINT
    settings.CHARGEBEE_ENDPOINT = NOBODY
    away = keyed(browser, PAUSE, "one")
    settings.CHARGEBEE_ENDPOINT = reachable
    back = keyed(browser, PAUSE, "one")
    assert [away.status_code, back.status_code] == [503, 200]
    assert back.json()["plans"][0]["hasScheduledPause"] is True


def test_a_key_of_a_change_of_payment_methods_stands_for_no_other(shop: Shop) -> None:
    browser = Browser(shop.customer("alice"))
    [card] = browser.get("/api/payments/").json()["card"]
    removal = {"operationType": "DELETE", "paymentSourceId": card["paymentSourceId"]}
    assert keyed(browser, METHODS, "one", removal).status_code == 200
    others = [
        keyed(browser, METHODS, "one", {**removal, "operationType": "SETPRIMARY"}),
        keyed(browser, METHODS, "one", {**removal, "paymentSourceId": "somebody else's"}),
        keyed(browser, "/api/payments/paymentToken", "one", {}),
    ]
    assert {(answer.status_code, answer.json()["code"]) for answer in others} == {
        (409, "idempotency_key_reused")
    }
    assert keyed(browser, METHODS, "one", removal).json()["card"] == []


def test_an_intent_whose_answer_was_lost_is_asked_for_again_and_made_once(shop: Shop, cable: Cable) -> None:
    browser = Browser(shop.customer("alice"))
    cable.lose_write(1)
    lost = keyed(browser, "/api/payments/paymentToken", "one", {})
    cable.mend()
    found = keyed(browser, "/api/payments/paymentToken", "one", {})
    assert (lost.status_code, lost.json()["code"]) == (503, "billing_unavailable")
    assert found.status_code == 200
    assert shop.happened("payment_intent_created") == 1


def test_a_card_whose_answer_was_lost_is_asked_for_again_and_added_once(shop: Shop, cable: Cable) -> None:
    purse = Purse(shop.provider, shop.customer("alice"))
    browser = Browser(purse.account)
    addition = {"operationType": "ADD", "paymentsource": "CARD", "token": purse.token(MASTERCARD)}
    owner = {"firstName": "Grace", "lastName": "", "billingState": "Ohio", "billingZip": "43004"}
    cable.lose_write(1)
    lost = keyed(browser, METHODS, "one", {**addition, **owner})
    at_work = keyed(browser, METHODS, "two", {**addition, **owner})
    cable.mend()
    Command.objects.update(next_attempt_at=timezone.now())
    found = keyed(browser, METHODS, "one", {**addition, **owner})
    assert [(one.status_code, one.json()["code"]) for one in (lost, at_work)] == [
        (503, "billing_unconfirmed"),
        (409, "change_in_progress"),
    ]
    assert [int(one.headers["Retry-After"]) > 0 for one in (lost, at_work)] == [True, True]
    assert (found.status_code, len(found.json()["card"])) == (200, 2)
    assert purse.digits() == ["1111", "4444"]
    again = keyed(browser, METHODS, "two", {**addition, **owner})
    assert (again.status_code, again.json()["code"]) == (400, "payment_method_invalid")


def test_asking_how_a_payment_ended_uses_up_no_allowance(shop: Shop, cable: Cable) -> None:
    purse = Purse(shop.provider, shop.customer("alice"))
    browser = Browser(purse.account)
    addition = {"operationType": "ADD", "paymentsource": "CARD", "token": purse.token(MASTERCARD)}
    whole = {**addition, "firstName": "Grace", "lastName": "", "billingState": "Ohio", "billingZip": "43004"}
    cable.lose_write(1)
    unheard = [keyed(browser, METHODS, "one", whole) for _ in range(PAYMENTS.count + 1)]
    assert {(one.status_code, one.json()["code"]) for one in unheard} == {(503, "billing_unconfirmed")}
    others = [keyed(browser, METHODS, f"card {number}", addition) for number in range(1, PAYMENTS.count)]
    assert {one.status_code for one in others} == {400}
    one_too_many = [keyed(browser, METHODS, "another card", addition) for _ in range(2)]
    assert [is_refusal(one, 429, "throttled") for one in one_too_many] == [True, True]

    cable.mend()
    Command.objects.update(next_attempt_at=timezone.now())
    found, again = (keyed(browser, METHODS, "one", whole) for _ in range(2))
    assert [found.status_code, again.status_code] == [200, 200]
    assert purse.digits() == ["1111", "4444"]


def test_no_code_is_tried_for_nothing_under_a_key(shop: Shop) -> None:
    alice = Browser(shop.customer("alice"))
    code = "/api/account/add-coupon/GUESS-{}".format
    guesses = [keyed(alice, code(number), f"key {number}") for number in range(CODES.count)]
    assert {guess.json()["code"] for guess in guesses} == {"coupon_not_found"}
    shop.coupon("GUESS-50", percent=20)
    under_a_known_key = keyed(alice, code(50), "key 0")
    slowed = [keyed(alice, code(50), "key 50"), keyed(alice, code(50), "key 50"), alice.post(code(50))]
    assert is_refusal(under_a_known_key, 409, "idempotency_key_reused")
    assert [is_refusal(one, 429, "throttled") for one in slowed] == [True] * 3
    assert keyed(alice, code(0), "key 0").json() == guesses[0].json()

    # As an operator lifts a limit: what it refused is a try like any other, and counts once.
    LimitCounter.objects.all().delete()
    tried = [keyed(alice, code(50), "key 50") for _ in range(2)]
    assert [is_refusal(one, 409, "no_active_subscription") for one in tried] == [True, True]
    assert LimitCounter.objects.get().count == 1


def test_a_request_that_died_keeps_its_key_for_a_minute_and_is_then_answered(shop: Shop) -> None:
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    unheard = keyed(browser, PAUSE, "one")
    # Where its process ended before it had kept the answer.
    began = time.monotonic()
    nearly_over = timezone.now() - timedelta(seconds=58)
    IdempotentRequest.objects.update(status=None, body=None, claimed_at=nearly_over)
    found = keyed(browser, PAUSE, "one")
    assert time.monotonic() - began > 0.5
    assert (found.status_code, found.json()) == (200, unheard.json())
    assert shop.happened("subscription_pause_scheduled") == 1


def test_without_a_key_each_request_is_its_own(shop: Shop) -> None:
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    shop.subscribe("alice", GOSPEL)
    answers = [browser.post(PAUSE), browser.post(TAKE_BACK), browser.post(PAUSE)]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert not IdempotentRequest.objects.exists()


def test_a_subscribers_key_cannot_stand_for_a_jobs_work(shop: Shop) -> None:
    browser = Browser(shop.customer("alice"))
    faith, gospel = shop.subscribe("alice", FAITH), shop.subscribe("alice", GOSPEL)
    browser.post(PAUSE_SOME, {"subscriptionId": [faith]})
    nights_key = f"resume-schedule-{PauseSchedule.objects.get().pk}-0"
    keyed(browser, PAUSE_SOME, nights_key, {"subscriptionId": [gospel]})
    shop.pass_term_end("alice", gospel, days=32)
    resuming_night.resume_due(now=clock.now())
    assert [shop.subscription(one)["status"] for one in (faith, gospel)] == ["active", "active"]
