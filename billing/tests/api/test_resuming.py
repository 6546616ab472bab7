"""Resuming and what it charges (contract, rule 3)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from billing.tests.api.browser import Browser
from billing.tests.api.mirrored import FAITH, GOSPEL
from billing.tests.api.shop import DECLINES, Shop, iso

pytestmark = pytest.mark.django_db

RESUME = "/api/account/resume"
ESTIMATE = "/api/account/resume/estimate"


def paused(shop: Shop) -> tuple[Browser, str]:
    """Alice's browser, and her subscription, paused three days ago."""
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH)
    browser.post("/api/account/pause?days=30")
    shop.pass_term_end("alice", faith)
    return browser, faith


def test_a_pause_that_took_effect_is_shown(shop: Shop) -> None:
    browser, _ = paused(shop)
    answer = browser.get("/api/account").json()
    assert (answer["hasPauseSub"], answer["hasScheduledPause"]) == (True, False)
    assert answer["plans"][0]["status"] == "PAUSED"
    assert answer["plans"][0]["resumeDate"] is not None
    assert len(browser.get("/api/invoice/list").json()) == 1


def test_resuming_charges_what_the_estimate_said(shop: Shop) -> None:
    browser, faith = paused(shop)
    estimate = browser.get(ESTIMATE).json()
    answer = browser.post(RESUME, {"quote": estimate["quote"]})
    assert answer.status_code == 200
    assert answer.json()["plans"][0]["status"] == "ACTIVE"
    assert shop.subscription(faith)["status"] == "active"
    assert shop.invoices("alice")[0]["total"] == estimate["amountDue"] == 699
    assert browser.get("/api/invoice/list").json()[0]["total"] == 699


def test_it_resumes_the_named_one_only(shop: Shop) -> None:
    browser = Browser(shop.customer("alice"))
    faith, gospel = shop.subscribe("alice", FAITH), shop.subscribe("alice", GOSPEL)
    browser.post("/api/account/pause?days=30")
    shop.pass_term_end("alice", gospel)
    answer = browser.post(RESUME, {"subscriptionId": [faith]})
    assert [plan["status"] for plan in answer.json()["plans"]] == ["ACTIVE", "PAUSED"]


def test_a_quote_that_no_longer_holds_is_refused_with_the_new_figures(shop: Shop) -> None:
    browser, faith = paused(shop)
    answer = browser.post(RESUME, {"quote": "of-another-day"})
    assert (answer.status_code, answer.json()["code"]) == (409, "quote_changed")
    assert answer.json()["amountDue"] == 699
    assert answer.json()["quote"] == browser.get(ESTIMATE).json()["quote"]
    assert shop.subscription(faith)["status"] == "paused"


def test_a_declined_card_leaves_it_paused(shop: Shop) -> None:
    browser, faith = paused(shop)
    shop.provider.add_card("alice", DECLINES)
    answer = browser.post(RESUME)
    assert (answer.status_code, answer.json()["code"]) == (402, "payment_processing_failed")
    assert "3001" not in answer.json()["message"]
    assert shop.subscription(faith)["status"] == "paused"
    assert browser.get("/api/account").json()["hasPauseSub"] is True


def test_the_estimate_counts_days_from_the_pause_date(shop: Shop) -> None:
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH)
    answer = browser.get(f"{ESTIMATE}?days=60").json()
    assert answer["resumeDate"] == iso(shop.term_end(faith) + timedelta(days=60))
    assert answer["amountDue"] == 699


def test_it_refuses_where_nothing_is_paused(shop: Shop) -> None:
    browser = Browser(shop.customer("alice"))
    faith = shop.subscribe("alice", FAITH)
    answers = [browser.post(RESUME), browser.post(RESUME, {"subscriptionId": [faith]}), browser.get(ESTIMATE)]
    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [
        (409, "nothing_to_resume")
    ] * 3
