"""The provider is unreachable, overloaded, or fails for a while."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest
from pytest_django import Settings

from billing.gateway import records
from billing.gateway.errors import NotSent
from billing.gateway.http import breaker, rate_limit
from billing.gateway.http.transport import LOGGED_CHARACTERS, redact_body
from billing.models import Command
from billing.tests.api.browser import Browser
from billing.tests.api.synced_provider import UNREACHABLE_ENDPOINT, SyncedProvider
from billing.tests.support.invariants import expire_leases
from billing.tests.support.live_provider import FAITH
from conftest import Sandbox

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("assert_settled_after")]

PAUSE = "/api/account/pause?days=30"
READS = ("/api/account", "/api/account/manage-plans", "/api/invoice/list")
NO_SUCH_HOST = "http://nobody.invalid/api/v2"
FAILURES = 3
REST_SECONDS = 10


@pytest.fixture
def alice(shop: SyncedProvider) -> Browser:
    """Alice, who has one plan."""
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    return browser


@pytest.fixture
def cautious(settings: Settings) -> Iterator[None]:
    """The portal leaves a provider alone that failed three times in a row, as in earnest after more."""
    settings.PROVIDER_FAILURES_IN_A_ROW, settings.PROVIDER_REST_SECONDS = FAILURES, REST_SECONDS
    breaker.reset_breaker()
    yield
    breaker.reset_breaker()


def read_pages(browser: Browser) -> list[Any]:
    """What the account's pages show."""
    answers = [browser.get(path) for path in READS]
    assert [answer.status_code for answer in answers] == [200] * len(READS)
    return [answer.json() for answer in answers]


def request_pause(browser: Browser, key: str = "one") -> tuple[int, str, int]:
    """Ask for a pause; return the status, the code and how long to wait."""
    answer = browser.post(PAUSE, headers={"Idempotency-Key": key})
    return answer.status_code, answer.json().get("code", ""), int(answer.headers.get("Retry-After", 0))


@pytest.mark.shows("reliability-1")
@pytest.mark.parametrize("endpoint", [UNREACHABLE_ENDPOINT, NO_SUCH_HOST])
def test_a_provider_that_cannot_be_reached_changes_nothing_and_all_is_shown(
    shop: SyncedProvider, alice: Browser, settings: Settings, endpoint: str
) -> None:
    before, there = read_pages(alice), settings.CHARGEBEE_ENDPOINT
    settings.CHARGEBEE_ENDPOINT = endpoint

    assert request_pause(alice) == (503, "billing_unavailable", 5)

    assert Command.objects.get().state == Command.State.FAILED
    assert read_pages(alice) == before
    settings.CHARGEBEE_ENDPOINT = there
    assert shop.provider.events("subscription_pause_scheduled") == []
    assert request_pause(alice)[0] == 200


@pytest.mark.shows("reliability-5")
def test_a_subscriber_who_is_turned_away_is_told_how_long_to_wait_and_asked_for_once(
    alice: Browser, sandbox: Sandbox
) -> None:
    sandbox.order_fault("error", "/subscriptions/*/pause", status=429, retry_after=17, count=10)

    assert request_pause(alice) == (503, "billing_unavailable", 17)

    assert len(sandbox.struck()) == 1
    sandbox.clear_faults()
    assert request_pause(alice)[0] == 200


@pytest.mark.shows("reliability-5")
@pytest.mark.usefixtures("cautious")
@pytest.mark.parametrize(("says", "rests"), [(30, 30), (3600, 60)])
def test_a_provider_that_turns_everybody_away_is_left_alone_for_as_long_as_it_says(
    alice: Browser, sandbox: Sandbox, says: int, rests: int
) -> None:
    now = 0
    breaker.reset_breaker(now=lambda: now)
    sandbox.order_fault("error", "*", status=429, retry_after=says, count=100)

    assert [request_pause(alice) for _ in range(FAILURES)] == [(503, "billing_unavailable", says)] * FAILURES
    now = rests - 1
    assert request_pause(alice) == (503, "billing_unavailable", 1)
    assert len(sandbox.struck()) == FAILURES

    now = rests
    assert request_pause(alice) == (503, "billing_unavailable", says)
    assert len(sandbox.struck()) == FAILURES + 1
    sandbox.clear_faults()
    now = 2 * rests
    assert request_pause(alice)[0] == 200


@pytest.mark.shows("reliability-5")
def test_a_job_that_is_turned_away_asks_five_times_each_after_another_while(
    shop: SyncedProvider, sandbox: Sandbox
) -> None:
    sandbox.order_fault("error", "/coupons/*", status=429, retry_after=0, count=10)

    random.seed(5)
    with rate_limit.throttle_background(), pytest.raises(NotSent):
        records.find_record("coupon", "BUNDLE-2")

    asked = [datetime.fromisoformat(strike["at"]) for strike in reversed(sandbox.struck())]
    waited = [(later - earlier).total_seconds() for earlier, later in pairwise(asked)]
    assert len(asked) == 5
    assert max(waited) - min(waited) > 0.05


@pytest.mark.shows("reliability-7")
@pytest.mark.usefixtures("cautious")
def test_a_provider_that_only_fails_is_left_alone_until_one_request_is_answered(
    shop: SyncedProvider, alice: Browser, sandbox: Sandbox
) -> None:
    bob = Browser(shop.customer("bob"))
    shop.subscribe("bob", FAITH)
    before = read_pages(alice)
    now = 0
    breaker.reset_breaker(now=lambda: now)
    sandbox.order_fault("error", "*", status=500, count=100)

    assert request_pause(alice) == (503, "billing_unconfirmed", 5)
    with pytest.raises(NotSent):
        records.find_record("coupon", "BUNDLE-2")  # asked again after each failure, but for the last
    assert request_pause(bob) == (503, "billing_unavailable", REST_SECONDS)
    assert len(sandbox.struck()) == FAILURES
    assert read_pages(alice) == before

    now = REST_SECONDS
    with ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(records.find_record, "coupon", "BUNDLE-2") for _ in range(8)]
        assert {type(future.exception()) for future in asked} == {NotSent}
    assert len(sandbox.struck()) == FAILURES + 1

    sandbox.clear_faults()
    now = 2 * REST_SECONDS
    expire_leases()
    assert [request_pause(alice)[0], request_pause(bob)[0]] == [200, 200]


@pytest.mark.shows("reliability-7")
@pytest.mark.usefixtures("cautious")
def test_a_burst_of_half_a_minute_costs_few_requests_and_everybody_goes_on_reading(
    shop: SyncedProvider, sandbox: Sandbox, settings: Settings
) -> None:
    settings.PROVIDER_FAILURES_IN_A_ROW, settings.PROVIDER_REST_SECONDS = 5, 10
    people = [Browser(shop.provider.subscriber(f"person-{number}", FAITH)) for number in range(31)]
    before = [read_pages(person) for person in people]
    now, told = 0, []
    breaker.reset_breaker(now=lambda: now)

    sandbox.order_fault("error", "*", status=500, count=1000)
    for now, person in enumerate(people[:30]):
        told.append(request_pause(person))
        assert read_pages(person) == before[now]
    sandbox.clear_faults()

    asked = [second for second, answer in enumerate(told) if answer[1] == "billing_unconfirmed"]
    assert asked == [0, 1, 2, 3, 4, 14, 24]
    assert len(sandbox.struck()) == len(asked)
    assert told[5:9] == [(503, "billing_unavailable", left) for left in (9, 8, 7, 6)]
    assert request_pause(people[30])[1] == "billing_unavailable"
    now = 34
    assert request_pause(people[30])[0] == 200
    expire_leases()
    assert [request_pause(person)[0] for person in people] == [200] * len(people)
    assert len(shop.provider.events("subscription_pause_scheduled")) == len(people)


@pytest.mark.shows("reliability-8")
@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("html_body", "<!DOCTYPE html><html><head><title>Bad gateway</title></head>"),
        ("missing_object", "{}"),
    ],
)
def test_what_came_in_place_of_an_answer_is_told_to_the_log(
    alice: Browser, sandbox: Sandbox, caplog: pytest.LogCaptureFixture, kind: str, told: str
) -> None:
    sandbox.order_fault(kind, "/subscriptions/*/pause")

    assert request_pause(alice)[:2] == (503, "billing_unconfirmed")

    [line] = [record.getMessage() for record in caplog.records if record.name == "billing.gateway.http.client"]
    assert told in line


@pytest.mark.shows("reliability-8")
def test_a_log_line_of_an_answer_is_short_and_holds_nothing_of_a_subscriber() -> None:
    cut = '{"customer": {"first_name": "Ava", "deleted": false, "cards": ["x", 7], "last_name": "O\\"Neil, '
    assert redact_body(cut) == '{"customer": {"first_name": "…", "deleted": false, "cards": ["…", 7], "last_name": "…'
    assert len(redact_body("<p>" * 1000)) == LOGGED_CHARACTERS
