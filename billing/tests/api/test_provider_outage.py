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
FAILURES_TO_OPEN = 3
OPEN_SECONDS = 10


@pytest.fixture
def alice(shop: SyncedProvider) -> Browser:
    """Return Alice's browser; she has one plan."""
    browser = Browser(shop.customer("alice"))
    shop.subscribe("alice", FAITH)
    return browser


@pytest.fixture
def sensitive_breaker(settings: Settings) -> Iterator[None]:
    """Open the circuit breaker after three failures in a row; production allows more."""
    settings.PROVIDER_FAILURES_IN_A_ROW, settings.PROVIDER_REST_SECONDS = FAILURES_TO_OPEN, OPEN_SECONDS
    breaker.reset_breaker()
    yield
    breaker.reset_breaker()


def read_pages(browser: Browser) -> list[Any]:
    """Return the bodies of the hot reads."""
    responses = [browser.get(path) for path in READS]
    assert [response.status_code for response in responses] == [200] * len(READS)
    return [response.json() for response in responses]


def request_pause(browser: Browser, key: str = "one") -> tuple[int, str, int]:
    """Ask for a pause; return the status, the code and how long to wait."""
    response = browser.post(PAUSE, headers={"Idempotency-Key": key})
    return response.status_code, response.json().get("code", ""), int(response.headers.get("Retry-After", 0))


@pytest.mark.shows("reliability-1")
@pytest.mark.parametrize("endpoint", [UNREACHABLE_ENDPOINT, NO_SUCH_HOST])
def test_an_unreachable_provider_changes_nothing_and_pages_still_load(
    shop: SyncedProvider, alice: Browser, settings: Settings, endpoint: str
) -> None:
    before, reachable = read_pages(alice), settings.CHARGEBEE_ENDPOINT
    settings.CHARGEBEE_ENDPOINT = endpoint

    assert request_pause(alice) == (503, "billing_unavailable", 5)

    assert Command.objects.get().state == Command.State.FAILED
    assert read_pages(alice) == before
    settings.CHARGEBEE_ENDPOINT = reachable
    assert shop.provider.events("subscription_pause_scheduled") == []
    assert request_pause(alice)[0] == 200


@pytest.mark.shows("reliability-5")
def test_a_throttled_request_returns_retry_after_and_is_sent_once(alice: Browser, sandbox: Sandbox) -> None:
    sandbox.order_fault("error", "/subscriptions/*/pause", status=429, retry_after=17, count=10)

    assert request_pause(alice) == (503, "billing_unavailable", 17)

    assert len(sandbox.struck()) == 1
    sandbox.clear_faults()
    assert request_pause(alice)[0] == 200


@pytest.mark.shows("reliability-5")
@pytest.mark.usefixtures("sensitive_breaker")
@pytest.mark.parametrize(("retry_after", "open_seconds"), [(30, 30), (3600, 60)])
def test_the_breaker_stays_open_for_the_providers_retry_after(
    alice: Browser, sandbox: Sandbox, retry_after: int, open_seconds: int
) -> None:
    now = 0
    breaker.reset_breaker(now=lambda: now)
    sandbox.order_fault("error", "*", status=429, retry_after=retry_after, count=100)

    assert [request_pause(alice) for _ in range(FAILURES_TO_OPEN)] == [
        (503, "billing_unavailable", retry_after)
    ] * FAILURES_TO_OPEN
    now = open_seconds - 1
    assert request_pause(alice) == (503, "billing_unavailable", 1)
    assert len(sandbox.struck()) == FAILURES_TO_OPEN

    now = open_seconds
    assert request_pause(alice) == (503, "billing_unavailable", retry_after)
    assert len(sandbox.struck()) == FAILURES_TO_OPEN + 1
    sandbox.clear_faults()
    now = 2 * open_seconds
    assert request_pause(alice)[0] == 200


@pytest.mark.shows("reliability-5")
def test_a_throttled_job_sends_five_requests_with_different_delays(shop: SyncedProvider, sandbox: Sandbox) -> None:
    sandbox.order_fault("error", "/coupons/*", status=429, retry_after=0, count=10)

    random.seed(5)
    with rate_limit.throttle_jobs(), pytest.raises(NotSent):
        records.find_record("coupon", "BUNDLE-2")

    sent_at = [datetime.fromisoformat(strike["at"]) for strike in reversed(sandbox.struck())]
    delays = [(later - earlier).total_seconds() for earlier, later in pairwise(sent_at)]
    assert len(sent_at) == 5
    assert max(delays) - min(delays) > 0.05


@pytest.mark.shows("reliability-7")
@pytest.mark.usefixtures("sensitive_breaker")
def test_the_breaker_stays_open_until_one_request_succeeds(
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
        records.find_record("coupon", "BUNDLE-2")  # a read is retried after each failure
    assert request_pause(bob) == (503, "billing_unavailable", OPEN_SECONDS)
    assert len(sandbox.struck()) == FAILURES_TO_OPEN
    assert read_pages(alice) == before

    now = OPEN_SECONDS
    with ThreadPoolExecutor(8) as threads:
        futures = [threads.submit(records.find_record, "coupon", "BUNDLE-2") for _ in range(8)]
        assert {type(future.exception()) for future in futures} == {NotSent}
    assert len(sandbox.struck()) == FAILURES_TO_OPEN + 1

    sandbox.clear_faults()
    now = 2 * OPEN_SECONDS
    expire_leases()
    assert [request_pause(alice)[0], request_pause(bob)[0]] == [200, 200]


@pytest.mark.shows("reliability-7")
@pytest.mark.usefixtures("sensitive_breaker")
def test_an_outage_of_thirty_seconds_costs_few_requests_and_reads_continue(
    shop: SyncedProvider, sandbox: Sandbox, settings: Settings
) -> None:
    settings.PROVIDER_FAILURES_IN_A_ROW, settings.PROVIDER_REST_SECONDS = 5, 10
    browsers = [Browser(shop.provider.subscriber(f"person-{number}", FAITH)) for number in range(31)]
    before = [read_pages(browser) for browser in browsers]
    now, responses = 0, []
    breaker.reset_breaker(now=lambda: now)

    sandbox.order_fault("error", "*", status=500, count=1000)
    for now, browser in enumerate(browsers[:30]):
        responses.append(request_pause(browser))
        assert read_pages(browser) == before[now]
    sandbox.clear_faults()

    unconfirmed_seconds = [second for second, response in enumerate(responses) if response[1] == "billing_unconfirmed"]
    assert unconfirmed_seconds == [0, 1, 2, 3, 4, 14, 24]
    assert len(sandbox.struck()) == len(unconfirmed_seconds)
    assert responses[5:9] == [(503, "billing_unavailable", left) for left in (9, 8, 7, 6)]
    assert request_pause(browsers[30])[1] == "billing_unavailable"
    now = 34
    assert request_pause(browsers[30])[0] == 200
    expire_leases()
    assert [request_pause(browser)[0] for browser in browsers] == [200] * len(browsers)
    assert len(shop.provider.events("subscription_pause_scheduled")) == len(browsers)


@pytest.mark.shows("reliability-8")
@pytest.mark.parametrize(
    ("kind", "excerpt"),
    [
        ("html_body", "<!DOCTYPE html><html><head><title>Bad gateway</title></head>"),
        ("missing_object", "{}"),
    ],
)
def test_a_malformed_provider_response_is_logged(
    alice: Browser, sandbox: Sandbox, caplog: pytest.LogCaptureFixture, kind: str, excerpt: str
) -> None:
    sandbox.order_fault(kind, "/subscriptions/*/pause")

    assert request_pause(alice)[:2] == (503, "billing_unconfirmed")

    [line] = [record.getMessage() for record in caplog.records if record.name == "billing.gateway.http.client"]
    assert excerpt in line


@pytest.mark.shows("reliability-8")
def test_a_logged_response_body_is_short_and_redacted() -> None:
    body = '{"customer": {"first_name": "Ava", "deleted": false, "cards": ["x", 7], "last_name": "O\\"Neil, '
    assert redact_body(body) == '{"customer": {"first_name": "…", "deleted": false, "cards": ["…", 7], "last_name": "…'
    assert len(redact_body("<p>" * 1000)) == LOGGED_CHARACTERS
