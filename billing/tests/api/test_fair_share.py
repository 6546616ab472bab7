"""One account cannot slow the others, and asking for the same estimate again costs the provider nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from billing.tests.api.browser import Browser, is_refusal
from billing.tests.api.mirror_factory import FAITH, GOSPEL, KIDS
from billing.tests.api.synced_provider import SyncedProvider
from billing.tests.api.test_concurrent_requests import REQUEST_COUNT, run_concurrently
from billing.tests.support.faulty_proxy import FaultyProxy
from core import fair_share
from core.fair_share import ALLOWANCE_SECONDS, PROVIDER_LIMIT
from core.models import IdempotentRequest

ACCOUNT = "/api/account"
ESTIMATE = "/api/account/add-remove-service/estimate"
CHANGE = "/api/account/add-remove-service"


class Clock:
    """The seconds of the process's monotonic clock."""

    seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock(settings: Settings) -> Iterator[Clock]:
    """Let each account make one request a second, on a clock that stands still."""
    settings.ACCOUNT_REQUESTS_A_SECOND = 1
    now = Clock()
    fair_share.reset_shares(now=now)
    yield now
    fair_share.reset_shares()


@pytest.fixture
def alice(shop: SyncedProvider) -> Browser:
    """Return the browser of Alice, who has one plan."""
    account = shop.customer("alice")
    shop.subscribe("alice", FAITH)
    return Browser(account)


@pytest.mark.django_db
@pytest.mark.shows("security-52")
def test_an_account_that_asks_too_often_waits_while_others_are_answered(
    alice: Browser, shop: SyncedProvider, clock: Clock
) -> None:
    bob = Browser(shop.customer("bob"))
    statuses = Counter(alice.get(ACCOUNT).status_code for _ in range(ALLOWANCE_SECONDS + 1))
    assert statuses == {200: ALLOWANCE_SECONDS, 429: 1}
    with CaptureQueriesContext(connection) as queries:
        repeated = alice.get(ACCOUNT)
    assert is_refusal(repeated, 429, "throttled")
    assert repeated.headers["Retry-After"] == "1"
    assert len(queries) == 0
    assert bob.get(ACCOUNT).status_code == 200
    clock.seconds += 1
    assert alice.get(ACCOUNT).status_code == 200


@pytest.mark.django_db
@pytest.mark.shows("security-52")
def test_an_account_uses_no_more_than_its_share_of_the_providers_requests(
    alice: Browser, shop: SyncedProvider, clock: Clock, settings: Settings, faulty_proxy: FaultyProxy
) -> None:
    settings.ACCOUNT_REQUESTS_A_SECOND = 1000
    requests, numbers = faulty_proxy.record_requests(), count()

    def estimate(browser: Browser) -> Any:
        return browser.post(ESTIMATE, {"planIds": [FAITH, KIDS], "number": next(numbers)})

    first = estimate(alice)
    assert first.status_code == 200
    per_estimate = len(requests)
    answers = [estimate(alice) for _ in range(PROVIDER_LIMIT.count)]
    assert is_refusal(answers[-1], 429, "throttled")
    assert int(answers[-1].headers["Retry-After"]) <= 60
    assert PROVIDER_LIMIT.count <= len(requests) < PROVIDER_LIMIT.count + per_estimate
    refused = alice.post(CHANGE, {"planIds": [FAITH, KIDS], "quote": first.json()["quote"]})
    assert is_refusal(refused, 429, "throttled")
    assert shop.count_events("subscription_created") == 1
    assert alice.get(ACCOUNT).status_code == 200

    bob = Browser(shop.customer("bob"))
    shop.subscribe("bob", FAITH)
    assert estimate(bob).status_code == 200


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
@pytest.mark.shows("security-52")
def test_requests_that_take_long_hold_half_of_the_threads(
    alice: Browser, shop: SyncedProvider, settings: Settings
) -> None:
    settings.ACCOUNT_REQUESTS_A_SECOND = 1000
    fair_share.reset_shares()
    # Until the others are refused, and less than the portal waits for an answer.
    shop.provider.sandbox.order_fault("delay", "*/estimates/*", seconds=12, count=2)
    browsers = [Browser(shop.import_customer("alice")) for _ in range(REQUEST_COUNT)]
    refusals = count(1)

    def estimate(number: int) -> Any:
        answer = browsers[number].post(ESTIMATE, {"planIds": [FAITH, KIDS], "number": number})
        if answer.status_code == 429 and next(refusals) == REQUEST_COUNT - 2:
            shop.provider.sandbox.clear_faults()
        return answer

    answers = run_concurrently(estimate)
    assert Counter(answer.status_code for answer in answers) == {200: 2, 429: REQUEST_COUNT - 2}
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert is_refusal(refused, 429, "throttled")
    assert refused.headers["Retry-After"] == "1"
    browsers[0] = Browser(shop.import_customer("alice"))
    assert estimate(0).status_code == 200


@pytest.mark.django_db
@pytest.mark.shows("security-53")
def test_the_same_estimate_is_asked_again_only_after_a_change(
    alice: Browser, shop: SyncedProvider, faulty_proxy: FaultyProxy
) -> None:
    requests = faulty_proxy.record_requests()
    first = alice.post(ESTIMATE, {"planIds": [FAITH, KIDS]})
    asked = len(requests)
    assert asked > 0
    assert alice.post(ESTIMATE, {"planIds": [FAITH, KIDS]}).json() == first.json()
    assert len(requests) == asked
    assert alice.post(ESTIMATE, {"planIds": [FAITH, GOSPEL]}).json() != first.json()

    shop.subscribe("alice", GOSPEL)
    changed = alice.post(ESTIMATE, {"planIds": [FAITH, KIDS]})
    assert changed.json()["removed"] == [GOSPEL]
    shop.provider.travel(days=1)
    asked = len(requests)
    alice.post(ESTIMATE, {"planIds": [FAITH, KIDS]})
    assert len(requests) > asked
    assert IdempotentRequest.objects.count() <= 4


@pytest.mark.django_db
@pytest.mark.shows("security-53", "request-10")
def test_an_outdated_estimate_is_neither_confirmed_nor_shown_again(
    alice: Browser, shop: SyncedProvider, faulty_proxy: FaultyProxy
) -> None:
    wanted = {"planIds": [FAITH, KIDS]}
    outdated = alice.post(ESTIMATE, wanted).json()
    # No webhook tells the portal of it.
    shop.client.ItemPrice.update(f"{KIDS}-USD-Monthly", {"price": 1599})
    assert alice.post(ESTIMATE, wanted).json()["quote"] == outdated["quote"]
    refused = alice.post(CHANGE, {**wanted, "quote": outdated["quote"]})
    assert is_refusal(refused, 409, "quote_changed")
    assert shop.count_events("subscription_created") == 1
    renewed = alice.post(ESTIMATE, wanted).json()
    assert renewed["quote"] == refused.json()["quote"]
    assert renewed["dueNow"] > outdated["dueNow"]


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
@pytest.mark.shows("security-53")
def test_twenty_requests_for_one_estimate_ask_the_provider_once(
    alice: Browser, shop: SyncedProvider, faulty_proxy: FaultyProxy
) -> None:
    requests = faulty_proxy.record_requests()
    alice.post(ESTIMATE, {"planIds": [FAITH, GOSPEL]})
    asked = len(requests)
    browsers = [Browser(shop.import_customer("alice")) for _ in range(REQUEST_COUNT)]
    before = len(requests)
    answers = run_concurrently(lambda number: browsers[number].post(ESTIMATE, {"planIds": [FAITH, KIDS]}))
    assert {answer.status_code for answer in answers} == {200}
    assert [answer.json() for answer in answers] == [answers[0].json()] * REQUEST_COUNT
    assert len(requests) - before == asked
