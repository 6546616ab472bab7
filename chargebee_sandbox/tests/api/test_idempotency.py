"""The idempotency header."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from chargebee_sandbox.tests.support.site_driver import DECLINING_CARD, SiteDriver, expect_refusal


def key_headers(key: str) -> dict[str, str]:
    return {"chargebee-idempotency-key": key}


@pytest.fixture
def pause(shop: SiteDriver) -> Any:
    subscription = shop.start_subscription(shop.add_customer())

    def send(key: str, **params: Any) -> Any:
        params = {"pause_option": "end_of_term", **params}
        return shop.client.Subscription.pause(subscription.id, params, key_headers(key))

    return send


def count_pauses(shop: SiteDriver) -> int:
    return [event.event_type for event in shop.list_events()].count("subscription_pause_scheduled")


def test_a_repeated_request_gets_the_first_response_and_acts_once(shop: SiteDriver, pause: Any):
    first, second = pause("one"), pause("one")
    assert not first.is_idempotency_replayed
    assert second.is_idempotency_replayed
    assert second.subscription.resource_version == first.subscription.resource_version
    assert count_pauses(shop) == 1


def test_another_request_with_the_same_key_is_refused(shop: SiteDriver, pause: Any):
    pause("one")
    with expect_refusal(422, "unable_to_process_request"):
        pause("one", pause_option="immediately")
    assert count_pauses(shop) == 1


def test_twenty_concurrent_requests_act_once(shop: SiteDriver, pause: Any):
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: pause("one"), range(20)))
    assert {answer.subscription.resource_version for answer in answers} == {answers[0].subscription.resource_version}
    assert count_pauses(shop) == 1


def test_a_key_expires_after_half_an_hour_of_the_sites_clock(shop: SiteDriver, pause: Any):
    began = pause("one").subscription.updated_at
    shop.travel_past(began, 29 * 60)
    assert pause("one").is_idempotency_replayed
    shop.travel_past(began, 31 * 60)
    assert not pause("one").is_idempotency_replayed
    assert count_pauses(shop) == 2


def test_an_error_is_replayed_too(shop: SiteDriver):
    shop.add_customer(card=DECLINING_CARD)
    params = {"subscription_items": [{"item_price_id": "faith-month"}]}
    with expect_refusal(400, "payment_processing_failed"):
        shop.client.Subscription.create_with_items("ava", params, key_headers("one"))
    shop.add_card("ava", "4111111111111111", replace_primary_payment_source=True)
    with expect_refusal(400, "payment_processing_failed") as caught:
        shop.client.Subscription.create_with_items("ava", params, key_headers("one"))
    assert caught.value.http_headers["chargebee-idempotency-replayed"] == "true"


def test_an_estimate_changes_nothing(shop: SiteDriver):
    coupon = shop.add_coupon("TEN")
    before = len(shop.list_events())
    params = {"subscription_items": [{"item_price_id": "faith-month"}], "coupon_ids": [coupon]}
    estimate = shop.client.Estimate.create_sub_item_estimate(params).estimate
    assert estimate.invoice_estimate.total == 629
    assert shop.client.Coupon.retrieve(coupon).coupon.redemptions == 0
    assert shop.client.Subscription.list({}).list == []
    assert len(shop.list_events()) == before


def test_an_estimate_ignores_the_key(shop: SiteDriver):
    subscription = shop.start_subscription(shop.add_customer())
    for option in ("immediately", "end_of_term"):
        params = {"pause_option": option}
        answer = shop.client.Estimate.pause_subscription(subscription.id, params, key_headers("one"))
        assert not answer.is_idempotency_replayed
