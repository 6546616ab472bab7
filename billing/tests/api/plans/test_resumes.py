"""Resuming, and what it charges (docs/rules.md, rule 3)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from billing.tests.api.browser import Browser, is_refusal
from billing.tests.api.mirror_factory import FAITH, GOSPEL
from billing.tests.api.synced_provider import DECLINING_CARD, SyncedProvider, iso_time

pytestmark = pytest.mark.django_db

RESUME = "/api/account/resume"
ESTIMATE = "/api/account/resume/estimate"


def make_paused_subscription(shop: SyncedProvider) -> tuple[Browser, str]:
    """Return Alice's browser and the id of her subscription, paused three days ago."""
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH)
    browser.post("/api/account/pause?days=30")
    shop.pass_term_end("alice", faith)
    return browser, faith


def test_a_pause_in_effect_is_shown(shop: SyncedProvider) -> None:
    browser, _ = make_paused_subscription(shop)
    body = browser.get("/api/account").json()
    assert (body["hasPauseSub"], body["hasScheduledPause"]) == (True, False)
    assert body["plans"][0]["status"] == "PAUSED"
    assert body["plans"][0]["resumeDate"] is not None
    assert len(browser.get("/api/invoice/list").json()) == 1


@pytest.mark.shows("rule-3", "api-19", "api-20")
def test_resuming_charges_the_estimated_amount(shop: SyncedProvider) -> None:
    browser, faith = make_paused_subscription(shop)
    estimate = browser.get(ESTIMATE).json()
    response = browser.post(RESUME, {"quote": estimate["quote"]})
    assert response.status_code == 200
    [plan] = response.json()["plans"]
    assert plan["status"] == "ACTIVE"
    [bill] = estimate["nextBills"]
    assert (bill["date"][:10], bill["amount"], bill["plans"]) == (plan["nextBillingAt"][:10], 699, [faith])
    assert shop.subscription(faith)["status"] == "active"
    assert shop.invoices("alice")[0]["total"] == estimate["amountDue"] == 699
    assert browser.get("/api/invoice/list").json()[0]["total"] == 699


def test_it_resumes_only_the_named_subscription(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    faith, gospel = shop.subscribe("alice", FAITH), shop.subscribe("alice", GOSPEL)
    browser.post("/api/account/pause?days=30")
    shop.pass_term_end("alice", gospel)
    response = browser.post(RESUME, {"subscriptionId": [faith]})
    assert [plan["status"] for plan in response.json()["plans"]] == ["ACTIVE", "PAUSED"]


@pytest.mark.shows("reliability-31")
def test_an_outdated_quote_is_refused_with_the_new_figures(shop: SyncedProvider) -> None:
    browser, faith = make_paused_subscription(shop)
    response = browser.post(RESUME, {"quote": "of-another-day"})
    assert (response.status_code, response.json()["code"]) == (409, "quote_changed")
    assert response.json()["amountDue"] == 699
    assert response.json()["quote"] == browser.get(ESTIMATE).json()["quote"]
    assert shop.subscription(faith)["status"] == "paused"


@pytest.mark.shows("rule-3")
def test_a_missing_payment_method_is_no_decline_however_the_provider_types_it(shop: SyncedProvider) -> None:
    browser, faith = make_paused_subscription(shop)
    shop.provider.sandbox.order_fault("error", "*/resume", status=400, api_error_code="payment_method_not_present")
    assert is_refusal(browser.post(RESUME), 409, "payment_method_required")
    assert shop.subscription(faith)["status"] == "paused"


@pytest.mark.shows("error-5", "rule-3", "reliability-9")
def test_a_declined_card_leaves_it_paused(shop: SyncedProvider) -> None:
    browser, faith = make_paused_subscription(shop)
    shop.provider.add_card("alice", DECLINING_CARD)
    response = browser.post(RESUME)
    assert (response.status_code, response.json()["code"]) == (402, "payment_processing_failed")
    assert "3001" not in response.json()["message"]
    assert shop.subscription(faith)["status"] == "paused"
    assert browser.get("/api/account").json()["hasPauseSub"] is True


@pytest.mark.shows("rule-3", "api-19")
def test_resuming_within_the_paid_term_announces_and_charges_nothing(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH)
    shop.client.Subscription.pause(faith, {"pause_option": "immediately"})
    shop.import_customer("alice")
    estimate = browser.get(ESTIMATE).json()
    later = {days: browser.get(f"{ESTIMATE}?days={days}").json()["amountDue"] for days in (30, 60)}
    assert (estimate["amountDue"], later) == (0, {30: 0, 60: 699})
    assert browser.post(RESUME, {"quote": estimate["quote"]}).status_code == 200
    assert shop.subscription(faith)["status"] == "active"
    assert len(shop.invoices("alice")) == 1


@pytest.mark.shows("api-18", "api-20")
def test_the_estimate_counts_days_from_the_pause_date(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH)
    body = browser.get(f"{ESTIMATE}?days=60").json()
    assert body["resumeDate"] == iso_time(shop.term_end(faith) + timedelta(days=60))
    assert body["amountDue"] == 699


@pytest.mark.shows("error-14")
def test_it_refuses_when_nothing_is_paused(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH)
    responses = [browser.post(RESUME), browser.post(RESUME, {"subscriptionId": [faith]}), browser.get(ESTIMATE)]
    assert [(response.status_code, response.json()["code"]) for response in responses] == [
        (409, "nothing_to_resume")
    ] * 3


def make_two_paused_subscriptions(shop: SyncedProvider) -> tuple[Browser, list[str]]:
    """Return Alice's browser and the ids of two paused subscriptions; the paid term of the first is over."""
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH)
    browser.post("/api/account/pause?days=30")
    shop.pass_term_end("alice", faith)
    gospel = shop.subscribe("alice", GOSPEL)
    shop.client.Subscription.pause(gospel, {"pause_option": "immediately"})
    shop.import_customer("alice")
    return browser, [faith, gospel]


def make_partial_resume(shop: SyncedProvider) -> tuple[Browser, dict[str, object]]:
    """Return Alice's browser and the request that resumed and charged only the first of two subscriptions."""
    browser, ids = make_two_paused_subscriptions(shop)
    query = "&".join(f"subscriptionId={handle}" for handle in ids)
    body = {"subscriptionId": ids, "quote": browser.get(f"{ESTIMATE}?{query}").json()["quote"]}
    shop.provider.sandbox.order_fault("error", f"/subscriptions/{ids[1]}/resume", status=429)
    assert is_refusal(browser.post(RESUME, body), 502, "billing_partial")
    return browser, body


def test_repeating_the_request_finishes_a_partial_resume(shop: SyncedProvider) -> None:
    browser, body = make_partial_resume(shop)
    response = browser.post(RESUME, body)
    assert response.status_code == 200
    assert [plan["status"] for plan in response.json()["plans"]] == ["ACTIVE", "ACTIVE"]
    assert len(shop.invoices("alice")) == 3
    assert is_refusal(browser.post(RESUME, body), 409, "nothing_to_resume")


def test_a_partial_resume_is_not_finished_at_a_higher_price(shop: SyncedProvider) -> None:
    browser, body = make_partial_resume(shop)
    gospel = body["subscriptionId"][1]  # type: ignore[index]  # it is a list
    shop.provider.travel_to(shop.term_end(gospel))
    shop.provider.travel(days=1)

    response = browser.post(RESUME, body)

    assert is_refusal(response, 409, "quote_changed")
    assert response.json()["amountDue"] == 799
    assert shop.subscription(gospel)["status"] == "paused"
    assert browser.post(RESUME, {**body, "quote": response.json()["quote"]}).status_code == 200
    assert shop.invoices("alice")[0]["total"] == 799


def test_a_retry_at_a_higher_price_asks_for_confirmation_again(
    shop: SyncedProvider,
) -> None:
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH)
    shop.client.Subscription.pause(faith, {"pause_option": "immediately"})
    shop.import_customer("alice")
    body, headers = {"quote": browser.get(ESTIMATE).json()["quote"]}, {"Idempotency-Key": "one"}
    shop.provider.sandbox.order_fault("error", f"/subscriptions/{faith}/resume", status=429)
    assert is_refusal(browser.post(RESUME, body, headers=headers), 503, "billing_unavailable")
    shop.pass_term_end("alice", faith)

    response = browser.post(RESUME, body, headers=headers)

    assert is_refusal(response, 409, "quote_changed")
    assert response.json()["amountDue"] == 699
    assert shop.subscription(faith)["status"] == "paused"
    assert len(shop.invoices("alice")) == 1


def test_a_retry_with_the_same_key_resumes_at_the_same_price(
    shop: SyncedProvider,
) -> None:
    browser, faith = make_paused_subscription(shop)
    body, headers = {"quote": browser.get(ESTIMATE).json()["quote"]}, {"Idempotency-Key": "one"}
    shop.provider.sandbox.order_fault("error", f"/subscriptions/{faith}/resume", status=429)
    assert is_refusal(browser.post(RESUME, body, headers=headers), 503, "billing_unavailable")

    assert [browser.post(RESUME, body, headers=headers).status_code for _ in range(2)] == [200, 200]

    assert shop.subscription(faith)["status"] == "active"
    assert [invoice["total"] for invoice in shop.invoices("alice")] == [699, 699]
