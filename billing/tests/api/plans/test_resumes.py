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
    """Alice's browser, and her subscription, paused three days ago."""
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH)
    browser.post("/api/account/pause?days=30")
    shop.pass_term_end("alice", faith)
    return browser, faith


def test_a_pause_that_took_effect_is_shown(shop: SyncedProvider) -> None:
    browser, _ = make_paused_subscription(shop)
    answer = browser.get("/api/account").json()
    assert (answer["hasPauseSub"], answer["hasScheduledPause"]) == (True, False)
    assert answer["plans"][0]["status"] == "PAUSED"
    assert answer["plans"][0]["resumeDate"] is not None
    assert len(browser.get("/api/invoice/list").json()) == 1


@pytest.mark.shows("rule-3", "api-19", "api-20")
def test_resuming_charges_what_the_estimate_said(shop: SyncedProvider) -> None:
    browser, faith = make_paused_subscription(shop)
    estimate = browser.get(ESTIMATE).json()
    answer = browser.post(RESUME, {"quote": estimate["quote"]})
    assert answer.status_code == 200
    assert answer.json()["plans"][0]["status"] == "ACTIVE"
    assert shop.subscription(faith)["status"] == "active"
    assert shop.invoices("alice")[0]["total"] == estimate["amountDue"] == 699
    assert browser.get("/api/invoice/list").json()[0]["total"] == 699


def test_it_resumes_the_named_one_only(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    faith, gospel = shop.subscribe("alice", FAITH), shop.subscribe("alice", GOSPEL)
    browser.post("/api/account/pause?days=30")
    shop.pass_term_end("alice", gospel)
    answer = browser.post(RESUME, {"subscriptionId": [faith]})
    assert [plan["status"] for plan in answer.json()["plans"]] == ["ACTIVE", "PAUSED"]


@pytest.mark.shows("reliability-31")
def test_a_quote_that_no_longer_holds_is_refused_with_the_new_figures(shop: SyncedProvider) -> None:
    browser, faith = make_paused_subscription(shop)
    answer = browser.post(RESUME, {"quote": "of-another-day"})
    assert (answer.status_code, answer.json()["code"]) == (409, "quote_changed")
    assert answer.json()["amountDue"] == 699
    assert answer.json()["quote"] == browser.get(ESTIMATE).json()["quote"]
    assert shop.subscription(faith)["status"] == "paused"


@pytest.mark.shows("error-5", "rule-3", "reliability-9")
def test_a_declined_card_leaves_it_paused(shop: SyncedProvider) -> None:
    browser, faith = make_paused_subscription(shop)
    shop.provider.add_card("alice", DECLINING_CARD)
    answer = browser.post(RESUME)
    assert (answer.status_code, answer.json()["code"]) == (402, "payment_processing_failed")
    assert "3001" not in answer.json()["message"]
    assert shop.subscription(faith)["status"] == "paused"
    assert browser.get("/api/account").json()["hasPauseSub"] is True


@pytest.mark.shows("api-18", "api-20")
def test_the_estimate_counts_days_from_the_pause_date(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH)
    answer = browser.get(f"{ESTIMATE}?days=60").json()
    assert answer["resumeDate"] == iso_time(shop.term_end(faith) + timedelta(days=60))
    assert answer["amountDue"] == 699


@pytest.mark.shows("error-14")
def test_it_refuses_where_nothing_is_paused(shop: SyncedProvider) -> None:
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH)
    answers = [browser.post(RESUME), browser.post(RESUME, {"subscriptionId": [faith]}), browser.get(ESTIMATE)]
    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(409, "nothing_to_resume")] * 3


def make_two_paused(shop: SyncedProvider) -> tuple[Browser, list[str]]:
    """Alice's browser, and her two subscriptions; the first one's paid term is over, the second's is not."""
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH)
    browser.post("/api/account/pause?days=30")
    shop.pass_term_end("alice", faith)
    gospel = shop.subscribe("alice", GOSPEL)
    shop.client.Subscription.pause(gospel, {"pause_option": "immediately"})
    shop.import_customer("alice")
    return browser, [faith, gospel]


def make_half_resumed(shop: SyncedProvider) -> tuple[Browser, dict[str, object]]:
    """Alice's browser, and what she confirmed: the first one was resumed and charged, the second is still paused."""
    browser, both = make_two_paused(shop)
    query = "&".join(f"subscriptionId={handle}" for handle in both)
    body = {"subscriptionId": both, "quote": browser.get(f"{ESTIMATE}?{query}").json()["quote"]}
    shop.provider.sandbox.order_fault("error", f"/subscriptions/{both[1]}/resume", status=429)
    assert is_refusal(browser.post(RESUME, body), 502, "billing_partial")
    return browser, body


def test_what_was_resumed_in_part_is_finished_by_the_same_call(shop: SyncedProvider) -> None:
    browser, body = make_half_resumed(shop)
    answer = browser.post(RESUME, body)
    assert answer.status_code == 200
    assert [plan["status"] for plan in answer.json()["plans"]] == ["ACTIVE", "ACTIVE"]
    assert len(shop.invoices("alice")) == 3
    assert is_refusal(browser.post(RESUME, body), 409, "nothing_to_resume")


def test_what_is_left_of_it_is_not_resumed_for_more_than_was_confirmed(shop: SyncedProvider) -> None:
    browser, body = make_half_resumed(shop)
    gospel = body["subscriptionId"][1]  # type: ignore[index]  # it is a list
    shop.provider.travel_to(shop.term_end(gospel))
    shop.provider.travel(days=1)

    answer = browser.post(RESUME, body)

    assert is_refusal(answer, 409, "quote_changed")
    assert answer.json()["amountDue"] == 799
    assert shop.subscription(gospel)["status"] == "paused"
    assert browser.post(RESUME, {**body, "quote": answer.json()["quote"]}).status_code == 200
    assert shop.invoices("alice")[0]["total"] == 799


def test_what_was_confirmed_is_asked_again_where_nothing_was_done_the_first_time(
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

    answer = browser.post(RESUME, body, headers=headers)

    assert is_refusal(answer, 409, "quote_changed")
    assert answer.json()["amountDue"] == 699
    assert shop.subscription(faith)["status"] == "paused"
    assert len(shop.invoices("alice")) == 1


def test_what_was_not_done_the_first_time_is_done_with_the_same_key_at_the_same_price(
    shop: SyncedProvider,
) -> None:
    browser, faith = make_paused_subscription(shop)
    body, headers = {"quote": browser.get(ESTIMATE).json()["quote"]}, {"Idempotency-Key": "one"}
    shop.provider.sandbox.order_fault("error", f"/subscriptions/{faith}/resume", status=429)
    assert is_refusal(browser.post(RESUME, body, headers=headers), 503, "billing_unavailable")

    assert [browser.post(RESUME, body, headers=headers).status_code for _ in range(2)] == [200, 200]

    assert shop.subscription(faith)["status"] == "active"
    assert [invoice["total"] for invoice in shop.invoices("alice")] == [699, 699]
