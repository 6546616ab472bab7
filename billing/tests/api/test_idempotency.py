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
from billing.tests.support.live_provider import VISA_CARD
from billing.tests.support.subscriber_wallet import MASTERCARD, SubscriberWallet
from core import data_retention
from core.models import IdempotentRequest, LimitCounter

pytestmark = pytest.mark.django_db

PAUSE = "/api/account/pause?days=30"
PAUSE_SOME = "/api/account/subscriptions/multiple-pause"
REMOVE_PAUSES = "/api/account/remove-scheduled-pause"
PAYMENT_METHODS = "/api/payments/updatePaymentSources"


def post_with_key(browser: Browser, path: str, key: str, body: Any = None) -> Any:
    """Post a change with an idempotency key; return the response."""
    return browser.post(path, body, headers={"Idempotency-Key": key})


@pytest.mark.shows("request-8")
def test_a_repeat_returns_the_first_response(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    first, second = post_with_key(browser, PAUSE, "one"), post_with_key(browser, PAUSE, "one")
    assert [first.status_code, second.status_code] == [200, 200]
    assert first.json() == second.json()
    assert shop.count_events("subscription_pause_scheduled") == 1


def test_a_repeat_returns_a_refusal_that_no_longer_applies(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    refusal = post_with_key(browser, PAUSE, "one")
    shop.subscribe("alice", FAITH)
    repeated = post_with_key(browser, PAUSE, "one")
    assert [refusal.status_code, repeated.status_code] == [409, 409]
    assert repeated.json() == refusal.json()


@pytest.mark.shows("error-20")
def test_a_key_reused_for_another_request_is_refused(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    post_with_key(browser, PAUSE, "one")
    others = [
        post_with_key(browser, REMOVE_PAUSES, "one"),
        post_with_key(browser, "/api/account/pause?days=60", "one"),
        post_with_key(browser, PAUSE, "one", {"more": 1}),
    ]
    assert [response.status_code for response in others] == [409, 409, 409]
    assert {response.json()["code"] for response in others} == {"idempotency_key_reused"}


@pytest.mark.shows("error-20")
def test_a_reused_key_is_refused_before_input_is_validated(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    post_with_key(browser, PAUSE, "one")
    response = post_with_key(browser, PAUSE_SOME, "one", {"subscriptionId": "nonsense"})
    assert response.json()["code"] == "idempotency_key_reused"


@pytest.mark.shows("request-9")
def test_an_expired_key_starts_a_new_change(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    post_with_key(browser, PAUSE, "one")
    post_with_key(browser, REMOVE_PAUSES, "two")
    IdempotentRequest.objects.update(created_at=timezone.now() - timedelta(hours=25))
    assert data_retention.delete_old_requests() == 2

    assert post_with_key(browser, PAUSE, "one").status_code == 200
    assert shop.count_events("subscription_pause_scheduled") == 2


@pytest.mark.shows("request-8")
def test_two_accounts_can_use_the_same_key(shop: SyncedProvider) -> None:
    alice, bob = Browser(shop.customer("alice")), Browser(shop.customer("bob"))
    shop.subscribe("alice", FAITH)
    shop.subscribe("bob", FAITH)
    assert [post_with_key(alice, PAUSE, "one").status_code, post_with_key(bob, PAUSE, "one").status_code] == [
        200,
        200,
    ]
    assert shop.count_events("subscription_pause_scheduled") == 2


@pytest.mark.shows("request-8")
def test_a_retryable_response_is_not_stored(shop: SyncedProvider, settings: Settings) -> None:
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    reachable = settings.CHARGEBEE_ENDPOINT
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    unavailable = post_with_key(browser, PAUSE, "one")
    settings.CHARGEBEE_ENDPOINT = reachable
    retried = post_with_key(browser, PAUSE, "one")
    assert [unavailable.status_code, retried.status_code] == [503, 200]
    assert retried.json()["plans"][0]["hasScheduledPause"] is True


def test_a_payment_method_key_is_refused_for_any_other_change(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    [card] = browser.get("/api/payments/").json()["card"]
    removal = {"operationType": "DELETE", "paymentSourceId": card["paymentSourceId"]}
    assert post_with_key(browser, PAYMENT_METHODS, "one", removal).status_code == 200
    others = [
        post_with_key(browser, PAYMENT_METHODS, "one", {**removal, "operationType": "SETPRIMARY"}),
        post_with_key(browser, PAYMENT_METHODS, "one", {**removal, "paymentSourceId": "somebody else's"}),
        post_with_key(browser, "/api/payments/paymentToken", "one", {}),
    ]
    assert {(response.status_code, response.json()["code"]) for response in others} == {(409, "idempotency_key_reused")}
    assert post_with_key(browser, PAYMENT_METHODS, "one", removal).json()["card"] == []


def test_a_retry_after_a_lost_response_creates_one_intent(shop: SyncedProvider, faulty_proxy: FaultyProxy) -> None:
    browser = Browser(shop.customer("alice"))
    faulty_proxy.lose_write(1)
    unconfirmed = post_with_key(browser, "/api/payments/paymentToken", "one", {})
    faulty_proxy.restore()
    confirmed = post_with_key(browser, "/api/payments/paymentToken", "one", {})
    assert (unconfirmed.status_code, unconfirmed.json()["code"]) == (503, "billing_unavailable")
    assert confirmed.status_code == 200
    assert shop.count_events("payment_intent_created") == 1


@pytest.mark.shows("error-33")
def test_a_retry_after_a_lost_response_adds_one_card(shop: SyncedProvider, faulty_proxy: FaultyProxy) -> None:
    wallet = SubscriberWallet(shop.provider, shop.customer("alice"))
    browser = Browser(wallet.account)
    addition = {"operationType": "ADD", "paymentsource": "CARD", "token": wallet.authorize_card(MASTERCARD)}
    other_intent = wallet.authorize_card(VISA_CARD)
    owner = {"firstName": "Grace", "lastName": "", "billingState": "Ohio", "billingZip": "43004"}
    faulty_proxy.lose_write(1)
    unconfirmed = post_with_key(browser, PAYMENT_METHODS, "one", {**addition, **owner})
    concurrent = post_with_key(browser, PAYMENT_METHODS, "two", {**addition, **owner, "token": other_intent})
    faulty_proxy.restore()
    Command.objects.update(next_attempt_at=timezone.now())
    confirmed = post_with_key(browser, PAYMENT_METHODS, "one", {**addition, **owner})
    assert [(response.status_code, response.json()["code"]) for response in (unconfirmed, concurrent)] == [
        (503, "billing_unconfirmed"),
        (409, "change_in_progress"),
    ]
    assert [int(response.headers["Retry-After"]) > 0 for response in (unconfirmed, concurrent)] == [True, True]
    assert (confirmed.status_code, len(confirmed.json()["card"])) == (200, 2)
    assert wallet.last_digits() == ["1111", "4444"]
    repeated = post_with_key(browser, PAYMENT_METHODS, "three", {**addition, **owner})
    assert (repeated.status_code, repeated.json()["code"]) == (400, "payment_method_invalid")


def test_repeating_an_unconfirmed_addition_is_not_throttled(shop: SyncedProvider, faulty_proxy: FaultyProxy) -> None:
    wallet = SubscriberWallet(shop.provider, shop.customer("alice"))
    browser = Browser(wallet.account)
    addition = {"operationType": "ADD", "paymentsource": "CARD", "token": wallet.authorize_card(MASTERCARD)}
    card_addition = {**addition, "firstName": "Grace", "lastName": "", "billingState": "Ohio", "billingZip": "43004"}
    faulty_proxy.lose_write(1)
    first = post_with_key(browser, PAYMENT_METHODS, "one", card_addition)
    # On a slow machine the lease of the first request would end during the others.
    Command.objects.update(next_attempt_at=timezone.now() + timedelta(hours=1))
    unconfirmed = [
        first,
        *(post_with_key(browser, PAYMENT_METHODS, "one", card_addition) for _ in range(PAYMENT_LIMIT.count)),
    ]
    assert {(response.status_code, response.json()["code"]) for response in unconfirmed} == {
        (503, "billing_unconfirmed")
    }
    others = [
        post_with_key(browser, PAYMENT_METHODS, f"card {number}", addition) for number in range(1, PAYMENT_LIMIT.count)
    ]
    assert {response.status_code for response in others} == {400}
    over_the_limit = [post_with_key(browser, PAYMENT_METHODS, "another card", addition) for _ in range(2)]
    assert [is_refusal(response, 429, "throttled") for response in over_the_limit] == [True, True]

    faulty_proxy.restore()
    Command.objects.update(next_attempt_at=timezone.now())
    confirmed, repeated = (post_with_key(browser, PAYMENT_METHODS, "one", card_addition) for _ in range(2))
    assert [confirmed.status_code, repeated.status_code] == [200, 200]
    assert wallet.last_digits() == ["1111", "4444"]


def test_a_key_does_not_bypass_the_limit_on_codes(shop: SyncedProvider) -> None:
    alice = Browser(shop.customer("alice"))
    code = "/api/account/add-coupon/GUESS-{}".format
    guesses = [post_with_key(alice, code(number), f"key {number}") for number in range(CODE_LIMIT.count)]
    assert {guess.json()["code"] for guess in guesses} == {"coupon_not_found"}
    shop.coupon("GUESS-50", percent=20)
    under_a_known_key = post_with_key(alice, code(50), "key 0")
    throttled = [
        post_with_key(alice, code(50), "key 50"),
        post_with_key(alice, code(50), "key 50"),
        alice.post(code(50)),
    ]
    assert is_refusal(under_a_known_key, 409, "idempotency_key_reused")
    assert [is_refusal(response, 429, "throttled") for response in throttled] == [True] * 3
    assert post_with_key(alice, code(0), "key 0").json() == guesses[0].json()

    # Once an operator lifts the limit, the throttled attempt runs like any other and counts once.
    LimitCounter.objects.all().delete()
    attempts = [post_with_key(alice, code(50), "key 50") for _ in range(2)]
    assert [is_refusal(response, 409, "no_active_subscription") for response in attempts] == [True, True]
    assert LimitCounter.objects.get().count == 1


def test_a_crashed_request_is_answered_when_its_lease_expires(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    first = post_with_key(browser, PAUSE, "one")
    # The state after a crash of the process before it stored the response.
    started_at = time.monotonic()
    lease_end = timezone.now() + timedelta(seconds=2)
    IdempotentRequest.objects.update(status=None, body=None, next_attempt_at=lease_end)
    confirmed = post_with_key(browser, PAUSE, "one")
    assert time.monotonic() - started_at > 0.5
    assert (confirmed.status_code, confirmed.json()) == (200, first.json())
    assert shop.count_events("subscription_pause_scheduled") == 1


def test_requests_without_a_key_are_independent(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    shop.subscribe("alice", GOSPEL)
    responses = [browser.post(PAUSE), browser.post(REMOVE_PAUSES), browser.post(PAUSE)]
    assert [response.status_code for response in responses] == [200, 200, 200]
    assert not IdempotentRequest.objects.exists()


def test_a_subscribers_key_cannot_collide_with_a_jobs_key(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    faith, gospel = shop.subscribe("alice", FAITH), shop.subscribe("alice", GOSPEL)
    browser.post(PAUSE_SOME, {"subscriptionId": [faith]})
    job_key = f"resume-schedule-{PauseSchedule.objects.get().pk}-0"
    post_with_key(browser, PAUSE_SOME, job_key, {"subscriptionId": [gospel]})
    shop.pass_term_end("alice", gospel, days=32)
    worker.resume_due_pauses(now=clock.billing_now())
    assert [shop.subscription(handle)["status"] for handle in (faith, gospel)] == ["active", "active"]
