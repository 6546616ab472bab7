"""Redeeming coupon codes over HTTP (docs/rules.md, rule 9)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote as percent_encoded

import pytest
from pytest_django import Settings

from billing.models import CodeRedemption, Command
from billing.tests.api.browser import Browser, is_refusal
from billing.tests.api.mirror_factory import FAITH, GOSPEL, KIDS, make_subscription, open_account
from billing.tests.api.synced_provider import UNREACHABLE_ENDPOINT, SyncedProvider

pytestmark = pytest.mark.django_db

REDEEM = "/api/account/add-coupon/"
MANAGE = "/api/account/manage-plans"
STATE = ("existingPlans", "bundleSavings", "couponDiscount", "total", "periodUnit", "otherTotal")

BAD_LENGTHS = ["", " ", "   ", "\t", "x" * 31, "SAVE20" * 6, "🎁" * 31, " " * 31, "/" * 31]
UNKNOWN_CODES = ["x" * 30, "NOSUCHCODE", "save20", "null", "list", "estimate", "..", "SAVE20."]
ODD_CODES = [
    "SAVE 20",
    "SAVE/20",
    "/",
    "//SAVE20",
    "SAVE20/",
    "../SAVE20",
    "🎁",
    "🎁" * 30,
    "SA\nVE20",
    "SAVE20\x00",
    "SAVE20?x=1",
    "SAVE20#x",
    "%",
    "%2F",
    "\uff33AVE20",
]


def pick_fields(answer: Any, names: Sequence[str]) -> dict[str, Any]:
    """Some of what an answer says."""
    body = answer.json()
    return {name: body[name] for name in names}


def redeem_code(browser: Browser, code: str, body: Any = None, **headers: str) -> Any:
    """Redeem a code as a browser spells it in an address."""
    return browser.post(REDEEM + percent_encoded(code, safe=""), body or {}, headers=headers)


@pytest.fixture
def sold(shop: SyncedProvider) -> SyncedProvider:
    """The provider, with 20 % off and five dollars off."""
    shop.coupon("SAVE20", percent=20)
    shop.coupon("WELCOME5", cents=500)
    return shop


@pytest.fixture
def ava(sold: SyncedProvider) -> Browser:
    """Ava, signed in, with two plans."""
    account = sold.customer("ava")
    sold.subscribe("ava", FAITH)
    sold.subscribe("ava", GOSPEL)
    return Browser(account)


@pytest.fixture
def alice(catalogue: None, no_provider: None) -> Browser:
    """Alice, signed in, with a plan, and nobody at the provider."""
    return Browser(open_account("alice", make_subscription("sub")))


@pytest.mark.shows("rule-9", "api-29")
def test_a_code_goes_to_where_it_saves_most_and_every_read_shows_it(sold: SyncedProvider, ava: Browser) -> None:
    answer = redeem_code(ava, "SAVE20")
    assert answer.status_code == 200
    gospel = answer.json()["existingPlans"][1]["subId"]
    assert pick_fields(answer, ("appliedTo", "planIds", "couponDiscount", "total", "dueNow", "credits")) == {
        "appliedTo": gospel,
        "planIds": [GOSPEL],
        "couponDiscount": 160,
        "total": 699 + 639,
        "dueNow": 0,
        "credits": 0,
    }
    assert [plan["hasUpcomingCoupon"] for plan in answer.json()["existingPlans"]] == [False, True]
    assert pick_fields(answer, STATE) == pick_fields(ava.get(MANAGE), STATE)
    assert sold.coupons_on(gospel) == ["SAVE20"]


def test_what_was_shown_is_what_is_billed(sold: SyncedProvider, ava: Browser) -> None:
    total = redeem_code(ava, "SAVE20").json()["total"]
    sold.provider.travel(days=32)
    assert sum(invoice["total"] for invoice in sold.invoices("ava")[:2]) == total
    sold.import_customer("ava")
    assert ava.get(MANAGE).json()["couponDiscount"] == 0


@pytest.mark.shows("rule-9")
def test_of_equals_the_first_of_the_catalogue_gets_it(sold: SyncedProvider, ava: Browser) -> None:
    answer = redeem_code(ava, "WELCOME5")
    assert answer.json()["planIds"] == [FAITH]


@pytest.mark.parametrize("code", [" SAVE20 ", "SAVE20\n"])
def test_a_code_with_spaces_around_it_is_the_code(ava: Browser, code: str) -> None:
    assert redeem_code(ava, code).status_code == 200


def test_the_coupon_behind_single_use_codes_is_no_code(sold: SyncedProvider, ava: Browser) -> None:
    sold.coupon("ONCE", cents=300)
    sold.client.CouponSet.create({"id": "ONCE", "name": "ONCE", "coupon_id": "ONCE"})
    sold.client.CouponSet.add_coupon_codes("ONCE", {"code": ["ONCE-K7QM"]})
    assert is_refusal(redeem_code(ava, "ONCE"), 404, "coupon_not_found")


@pytest.mark.shows("security-11")
def test_guessing_codes_is_slowed_down_whatever_the_cache_does(alice: Browser, settings: Settings) -> None:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}
    answers = [redeem_code(alice, "SAVE/20") for _ in range(31)]
    assert {answer.status_code for answer in answers[:30]} == {404}
    assert is_refusal(answers[30], 429, "throttled")
    assert int(answers[30].headers["Retry-After"]) > 0


@pytest.mark.shows("security-29")
def test_a_single_use_code_is_spent_once(sold: SyncedProvider, ava: Browser) -> None:
    sold.coupon("ONCE", cents=300)
    sold.client.CouponSet.create({"id": "ONCE", "name": "ONCE", "coupon_id": "ONCE"})
    sold.client.CouponSet.add_coupon_codes("ONCE", {"code": ["ONCE-K7QM"]})
    bob = Browser(sold.customer("bob"))
    sold.subscribe("bob", FAITH)
    assert redeem_code(ava, "ONCE-K7QM").json()["couponDiscount"] == 300
    assert is_refusal(redeem_code(bob, "ONCE-K7QM"), 409, "coupon_expired")
    assert is_refusal(redeem_code(ava, "ONCE-K7QM"), 409, "coupon_already_applied")


@pytest.mark.shows("error-24", "rule-9")
def test_a_code_is_good_once_per_account_ever(sold: SyncedProvider, ava: Browser) -> None:
    redeem_code(ava, "SAVE20")
    assert is_refusal(redeem_code(ava, "SAVE20"), 409, "coupon_already_applied")
    sold.provider.travel(days=40)
    sold.import_customer("ava")
    assert is_refusal(redeem_code(ava, "SAVE20"), 409, "coupon_already_applied")
    assert CodeRedemption.objects.count() == 1


@pytest.mark.shows("error-23")
def test_an_expired_code_is_refused(sold: SyncedProvider, ava: Browser) -> None:
    sold.coupon("EXPIRED10", percent=10, valid_till=sold.timestamp_in_days(-9))
    assert is_refusal(redeem_code(ava, "EXPIRED10"), 409, "coupon_expired")


@pytest.mark.shows("error-23")
def test_an_exhausted_code_is_refused(sold: SyncedProvider, ava: Browser) -> None:
    sold.coupon("FIRST", percent=10, max_redemptions=1)
    bob = Browser(sold.customer("bob"))
    sold.subscribe("bob", FAITH)
    redeem_code(ava, "FIRST")
    assert is_refusal(redeem_code(bob, "FIRST"), 409, "coupon_expired")


@pytest.mark.shows("error-25")
def test_a_code_that_goes_with_nothing_held_is_refused(sold: SyncedProvider, ava: Browser) -> None:
    prices = json.dumps([f"{FAITH}-USD-Yearly"])
    yearly = {"item_type": "plan", "constraint": "specific", "item_price_ids": prices}
    sold.coupon("ANNUALONLY", percent=15, item_constraints=[yearly])
    assert is_refusal(redeem_code(ava, "ANNUALONLY"), 409, "coupon_not_applicable")
    assert not Command.objects.exists()


@pytest.mark.shows("error-26")
@pytest.mark.parametrize("plans", [[], [FAITH]])
def test_a_code_needs_an_active_subscription(sold: SyncedProvider, plans: list[str]) -> None:
    hugo = Browser(sold.customer("hugo"))
    for plan in plans:
        sold.client.Subscription.cancel_for_items(sold.subscribe("hugo", plan), {"cancel_option": "immediately"})
    sold.import_customer("hugo")
    assert is_refusal(redeem_code(hugo, "SAVE20"), 409, "no_active_subscription")


def test_what_is_about_to_end_gets_no_code(sold: SyncedProvider) -> None:
    gia = Browser(sold.customer("gia"))
    kids = sold.subscribe("gia", KIDS)
    sold.client.Subscription.cancel_for_items(kids, {"cancel_option": "end_of_term"})
    sold.import_customer("gia")
    assert is_refusal(redeem_code(gia, "SAVE20"), 409, "no_active_subscription")


@pytest.mark.shows("error-8")
@pytest.mark.parametrize("code", ["BUNDLE-2", "BUNDLE-3", "FREE-MONTH"])
def test_our_own_coupons_are_not_known(sold: SyncedProvider, ava: Browser, bundles: None, code: str) -> None:
    sold.offer_free_month()
    assert is_refusal(redeem_code(ava, code), 404, "coupon_not_found")


@pytest.mark.shows("error-8")
def test_what_the_provider_does_not_know_is_not_known(ava: Browser) -> None:
    answers = [redeem_code(ava, code) for code in UNKNOWN_CODES]
    assert [is_refusal(answer, 404, "coupon_not_found") for answer in answers] == [True] * len(UNKNOWN_CODES)
    assert not Command.objects.exists()


@pytest.mark.parametrize("code", ODD_CODES)
def test_an_odd_code_is_not_known_and_nobody_is_asked(alice: Browser, code: str) -> None:
    assert is_refusal(redeem_code(alice, code), 404, "coupon_not_found")


@pytest.mark.parametrize("code", BAD_LENGTHS)
def test_a_code_that_is_blank_or_too_long_is_refused(alice: Browser, code: str) -> None:
    answer = redeem_code(alice, code)
    assert is_refusal(answer, 400, "validation_error")
    assert list(answer.json()["fields"]) == ["code"]


@pytest.mark.shows("coupon-4")
def test_a_code_of_thirty_characters_is_a_code(sold: SyncedProvider, ava: Browser) -> None:
    thirty = "A" * 30
    sold.coupon(thirty, percent=50)
    assert redeem_code(ava, thirty).status_code == 200


@pytest.mark.parametrize("code", ["%FF", "%C3%28", "%00", "%ED%A0%80", "SAVE20/more"])
def test_an_address_that_nobody_would_make_is_not_known(alice: Browser, code: str) -> None:
    assert is_refusal(alice.post(REDEEM + code, {}), 404, "coupon_not_found")


@pytest.mark.shows("request-10", "reliability-31")
def test_another_quote_is_refused_with_the_new_figures_and_nothing_is_done(sold: SyncedProvider, ava: Browser) -> None:
    answer = redeem_code(ava, "SAVE20", {"quote": "of-another-day"})
    assert is_refusal(answer, 409, "quote_changed")
    assert pick_fields(answer, ("couponDiscount", "total")) == {"couponDiscount": 160, "total": 699 + 639}
    assert not Command.objects.exists()
    assert redeem_code(ava, "SAVE20", {"quote": answer.json()["quote"]}).status_code == 200


@pytest.mark.shows("rule-6")
def test_a_code_keeps_a_scheduled_downgrade(sold: SyncedProvider) -> None:
    ben = Browser(sold.customer("ben"))
    faith = sold.subscribe("ben", FAITH, unit="Yearly")
    ben.post("/api/account/downgrade")
    answer = redeem_code(ben, "SAVE20")
    assert answer.status_code == 200
    assert answer.json()["existingPlans"][0]["hasScheduledChange"] is True
    assert sold.subscription(faith)["has_scheduled_changes"] is True
    assert sold.coupons_on(faith) == ["SAVE20"]


@pytest.mark.shows("rule-9")
def test_a_code_is_used_by_an_upgrades_invoice(sold: SyncedProvider) -> None:
    ava = Browser(sold.customer("ava"))
    sold.subscribe("ava", FAITH)
    redeem_code(ava, "SAVE20")
    shown = ava.get("/api/account/upgrade/estimate").json()
    ava.post("/api/account/upgrade", {"quote": shown["quote"]})
    assert sold.invoices("ava")[0]["total"] == 6999 - 1400
    assert sold.invoices("ava")[0]["amount_paid"] == shown["dueNow"]


def test_the_same_key_redeems_once_and_is_answered_alike(sold: SyncedProvider, ava: Browser) -> None:
    answers = [redeem_code(ava, "SAVE20", **{"Idempotency-Key": "one"}) for _ in range(2)]
    assert answers[0].status_code == 200
    assert answers[0].json() == answers[1].json()
    assert CodeRedemption.objects.count() == 1


def test_the_same_key_with_another_code_is_refused(ava: Browser) -> None:
    redeem_code(ava, "SAVE20", **{"Idempotency-Key": "one"})
    other = redeem_code(ava, "WELCOME5", **{"Idempotency-Key": "one"})
    assert is_refusal(other, 409, "idempotency_key_reused")


def test_nothing_is_redeemed_while_the_provider_is_away(ava: Browser, settings: Settings) -> None:
    before = ava.get(MANAGE).json()
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    answer = redeem_code(ava, "SAVE20")
    assert is_refusal(answer, 503, "billing_unavailable")
    assert ava.get(MANAGE).json() == before
