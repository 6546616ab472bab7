"""Redeeming coupon codes over HTTP (docs/rules.md, rule 9)."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote as percent_encoded

import pytest
from pytest_django import Settings

from billing.models import CodeRedemption, Command, RefusedCode
from billing.tests.api.browser import Browser, is_refusal, pick_fields
from billing.tests.api.mirror_factory import FAITH, GOSPEL, KIDS, make_subscription, open_account
from billing.tests.api.synced_provider import UNREACHABLE_ENDPOINT, SyncedProvider

pytestmark = pytest.mark.django_db

REDEEM = "/api/account/add-coupon/"
MANAGE = "/api/account/manage-plans"
STATE = ("existingPlans", "bundleSavings", "couponDiscount", "total", "periodUnit", "otherTotal")

BAD_LENGTHS = ["", " ", "   ", "\t", "x" * 31, "SAVE20" * 6, "🎁" * 31, " " * 31, "/" * 31]
UNKNOWN_CODES = ["x" * 30, "NOSUCHCODE", "null", "list", "estimate", "..", "SAVE20."]
MALFORMED_CODES = [
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


def redeem_code(browser: Browser, code: str, body: Any = None, **headers: str) -> Any:
    """Redeem a code, percent-encoded as a browser encodes it in a URL."""
    return browser.post(REDEEM + percent_encoded(code, safe=""), body or {}, headers=headers)


@pytest.fixture
def shop(shop: SyncedProvider) -> SyncedProvider:
    """Return the shop with two codes, for 20 % off and for five dollars off."""
    shop.coupon("SAVE20", percent=20)
    shop.coupon("WELCOME5", cents=500)
    return shop


@pytest.fixture
def ava(shop: SyncedProvider) -> Browser:
    """Return Ava's browser; she has two plans."""
    account = shop.customer("ava")
    shop.subscribe("ava", FAITH)
    shop.subscribe("ava", GOSPEL)
    return Browser(account)


@pytest.fixture
def alice(catalog: None, no_provider: None) -> Browser:
    """Return Alice's browser; she has a plan, and the provider is unreachable."""
    return Browser(open_account("alice", make_subscription("sub")))


@pytest.mark.shows("rule-9", "api-29")
def test_a_code_applies_where_it_saves_most_and_shows_in_every_read(shop: SyncedProvider, ava: Browser) -> None:
    response = redeem_code(ava, "SAVE20")
    assert response.status_code == 200
    gospel = response.json()["existingPlans"][1]["subId"]
    assert pick_fields(response, ("appliedTo", "planIds", "couponDiscount", "total", "dueNow", "credits")) == {
        "appliedTo": gospel,
        "planIds": [GOSPEL],
        "couponDiscount": 160,
        "total": 699 + 639,
        "dueNow": 0,
        "credits": 0,
    }
    assert [plan["hasUpcomingCoupon"] for plan in response.json()["existingPlans"]] == [False, True]
    assert pick_fields(response, STATE) == pick_fields(ava.get(MANAGE), STATE)
    assert shop.coupons_on(gospel) == ["SAVE20"]


def test_the_next_invoices_match_the_total(shop: SyncedProvider, ava: Browser) -> None:
    total = redeem_code(ava, "SAVE20").json()["total"]
    shop.provider.travel(days=32)
    assert sum(invoice["total"] for invoice in shop.invoices("ava")[:2]) == total
    shop.import_customer("ava")
    assert ava.get(MANAGE).json()["couponDiscount"] == 0


@pytest.mark.shows("rule-9")
def test_equal_savings_go_to_the_first_plan_of_the_catalog(shop: SyncedProvider, ava: Browser) -> None:
    response = redeem_code(ava, "WELCOME5")
    assert response.json()["planIds"] == [FAITH]


@pytest.mark.parametrize("code", [" SAVE20 ", "SAVE20\n"])
def test_whitespace_around_a_code_is_ignored(ava: Browser, code: str) -> None:
    assert redeem_code(ava, code).status_code == 200


@pytest.mark.shows("rule-9")
@pytest.mark.parametrize(
    ("typed", "spelled"), [("save20", "SAVE20"), ("sAvE20", "SAVE20"), ("WELCOME-BACK", "Welcome-Back")]
)
def test_a_code_matches_without_case_and_keeps_the_providers_spelling(
    shop: SyncedProvider, ava: Browser, typed: str, spelled: str
) -> None:
    shop.coupon("Welcome-Back", percent=30)
    gospel = redeem_code(ava, typed).json()["appliedTo"]
    assert shop.coupons_on(gospel) == [spelled]
    assert CodeRedemption.objects.get().code == spelled
    assert Command.objects.get().shown["code"] == spelled
    assert is_refusal(redeem_code(ava, spelled), 409, "coupon_already_applied")


@pytest.mark.shows("rule-9")
def test_a_code_as_typed_comes_before_one_of_another_case(shop: SyncedProvider, ava: Browser) -> None:
    shop.coupon("save20", percent=10)
    gospel = redeem_code(ava, "save20").json()["appliedTo"]
    assert shop.coupons_on(gospel) == ["save20"]


@pytest.mark.shows("rule-9")
@pytest.mark.parametrize(
    ("typed", "spelled"), [("once-k7qm", "ONCE-K7QM"), ("Once-p3xz", "once-p3xz"), ("ONCE-P3XZ", "Once-p3Xz")]
)
def test_a_single_use_code_matches_without_case(shop: SyncedProvider, ava: Browser, typed: str, spelled: str) -> None:
    shop.coupon("ONCE", cents=300)
    shop.client.CouponSet.create({"id": "ONCE", "name": "ONCE", "coupon_id": "ONCE"})
    shop.client.CouponSet.add_coupon_codes("ONCE", {"code": [spelled]})
    assert redeem_code(ava, typed).status_code == 200
    assert CodeRedemption.objects.get().code == spelled
    assert is_refusal(redeem_code(ava, "once"), 404, "coupon_not_found")


@pytest.mark.shows("rule-9")
def test_a_single_use_code_of_mixed_case_is_found_among_many(shop: SyncedProvider, ava: Browser) -> None:
    shop.coupon("ONCE", cents=300)
    shop.client.CouponSet.create({"id": "ONCE", "name": "ONCE", "coupon_id": "ONCE"})
    shop.client.CouponSet.add_coupon_codes("ONCE", {"code": ["Gift-p3Xz"]})
    shop.client.CouponSet.add_coupon_codes("ONCE", {"code": [f"Gift-{number:03}" for number in range(101)]})
    assert redeem_code(ava, "GIFT-P3XZ").status_code == 200
    assert CodeRedemption.objects.get().code == "Gift-p3Xz"
    assert is_refusal(redeem_code(ava, "GIFT-P3XY"), 404, "coupon_not_found")


def test_the_coupon_of_single_use_codes_is_not_a_code(shop: SyncedProvider, ava: Browser) -> None:
    shop.coupon("ONCE", cents=300)
    shop.client.CouponSet.create({"id": "ONCE", "name": "ONCE", "coupon_id": "ONCE"})
    shop.client.CouponSet.add_coupon_codes("ONCE", {"code": ["ONCE-K7QM"]})
    assert is_refusal(redeem_code(ava, "ONCE"), 404, "coupon_not_found")


@pytest.mark.shows("security-11")
def test_guessing_codes_is_throttled_without_a_cache(alice: Browser, settings: Settings) -> None:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}
    responses = [redeem_code(alice, "SAVE/20") for _ in range(31)]
    assert {response.status_code for response in responses[:30]} == {404}
    assert is_refusal(responses[30], 429, "throttled")
    assert int(responses[30].headers["Retry-After"]) > 0


@pytest.mark.shows("security-29")
def test_a_single_use_code_works_once(shop: SyncedProvider, ava: Browser) -> None:
    shop.coupon("ONCE", cents=300)
    shop.client.CouponSet.create({"id": "ONCE", "name": "ONCE", "coupon_id": "ONCE"})
    shop.client.CouponSet.add_coupon_codes("ONCE", {"code": ["ONCE-K7QM"]})
    bob = Browser(shop.customer("bob"))
    shop.subscribe("bob", FAITH)
    assert redeem_code(ava, "ONCE-K7QM").json()["couponDiscount"] == 300
    assert is_refusal(redeem_code(bob, "ONCE-K7QM"), 409, "coupon_expired")
    assert is_refusal(redeem_code(ava, "ONCE-K7QM"), 409, "coupon_already_applied")


@pytest.mark.shows("error-24", "rule-9")
def test_a_code_works_once_per_account(shop: SyncedProvider, ava: Browser) -> None:
    redeem_code(ava, "SAVE20")
    assert is_refusal(redeem_code(ava, "SAVE20"), 409, "coupon_already_applied")
    shop.provider.travel(days=40)
    shop.import_customer("ava")
    assert is_refusal(redeem_code(ava, "SAVE20"), 409, "coupon_already_applied")
    assert CodeRedemption.objects.count() == 1


@pytest.mark.shows("error-23")
def test_an_expired_code_is_refused(shop: SyncedProvider, ava: Browser) -> None:
    shop.coupon("EXPIRED10", percent=10, valid_till=shop.timestamp_in_days(-9))
    assert is_refusal(redeem_code(ava, "EXPIRED10"), 409, "coupon_expired")


@pytest.mark.shows("rule-9")
def test_a_code_saves_nothing_on_charges_that_wait_for_the_next_bill(shop: SyncedProvider) -> None:
    account = shop.customer("ava")
    shop.subscribe("ava", FAITH, invoice_immediately=False)
    preview = redeem_code(Browser(account), "SAVE20").json()
    assert (preview["total"], preview["couponDiscount"]) == (559, 140)


@pytest.mark.shows("error-48")
def test_a_code_is_refused_until_its_first_day_and_then_accepted(shop: SyncedProvider, ava: Browser) -> None:
    shop.coupon("ADVENT", percent=10, valid_from=shop.timestamp_in_days(2))
    refused = redeem_code(ava, "ADVENT")
    assert is_refusal(refused, 409, "coupon_not_valid_yet")
    assert "expired" not in refused.json()["message"]
    assert RefusedCode.objects.get().get_reason_display() == "it can't be used yet"

    shop.provider.travel(days=3)
    shop.import_customer("ava")
    assert redeem_code(ava, "ADVENT").status_code == 200


@pytest.mark.shows("error-23")
def test_an_exhausted_code_is_refused(shop: SyncedProvider, ava: Browser) -> None:
    shop.coupon("FIRST", percent=10, max_redemptions=1)
    bob = Browser(shop.customer("bob"))
    shop.subscribe("bob", FAITH)
    redeem_code(ava, "FIRST")
    assert is_refusal(redeem_code(bob, "FIRST"), 409, "coupon_expired")


def make_yearly_code(shop: SyncedProvider) -> None:
    """Create the code ANNUALONLY, for the yearly price of one plan."""
    prices = json.dumps([f"{FAITH}-USD-Yearly"])
    yearly = {"item_type": "plan", "constraint": "specific", "item_price_ids": prices}
    shop.coupon("ANNUALONLY", percent=15, item_constraints=[yearly])


@pytest.mark.shows("error-25")
def test_a_code_that_applies_to_no_plan_is_refused(shop: SyncedProvider, ava: Browser) -> None:
    make_yearly_code(shop)
    assert is_refusal(redeem_code(ava, "ANNUALONLY"), 409, "coupon_not_applicable")
    assert not Command.objects.exists()


@pytest.mark.shows("error-25")
def test_a_yearly_code_is_refused_where_the_next_bill_is_monthly(shop: SyncedProvider) -> None:
    make_yearly_code(shop)
    ben = Browser(shop.customer("ben"))
    faith = shop.subscribe("ben", FAITH, unit="Yearly")
    assert ben.post("/api/account/downgrade").status_code == 200
    assert is_refusal(redeem_code(ben, "ANNUALONLY"), 409, "coupon_not_applicable")
    assert shop.coupons_on(faith) == []
    assert redeem_code(ben, "SAVE20").status_code == 200
    assert shop.coupons_on(faith) == ["SAVE20"]


@pytest.mark.shows("error-26")
@pytest.mark.parametrize("plans", [[], [FAITH]])
def test_a_code_needs_an_active_subscription(shop: SyncedProvider, plans: list[str]) -> None:
    hugo = Browser(shop.customer("hugo"))
    for plan in plans:
        shop.client.Subscription.cancel_for_items(shop.subscribe("hugo", plan), {"cancel_option": "immediately"})
    shop.import_customer("hugo")
    assert is_refusal(redeem_code(hugo, "SAVE20"), 409, "no_active_subscription")


def test_a_non_renewing_subscription_gets_no_code(shop: SyncedProvider) -> None:
    gia = Browser(shop.customer("gia"))
    kids = shop.subscribe("gia", KIDS)
    shop.client.Subscription.cancel_for_items(kids, {"cancel_option": "end_of_term"})
    shop.import_customer("gia")
    assert is_refusal(redeem_code(gia, "SAVE20"), 409, "no_active_subscription")


@pytest.mark.shows("error-8")
@pytest.mark.parametrize("code", ["BUNDLE-2", "BUNDLE-3", "FREE-MONTH", "bundle-2", "free-month"])
def test_internal_coupons_are_not_found(shop: SyncedProvider, ava: Browser, bundles: None, code: str) -> None:
    shop.offer_free_month()
    assert is_refusal(redeem_code(ava, code), 404, "coupon_not_found")


@pytest.mark.shows("error-8")
def test_an_unknown_code_is_not_found(ava: Browser) -> None:
    responses = [redeem_code(ava, code) for code in UNKNOWN_CODES]
    assert [is_refusal(response, 404, "coupon_not_found") for response in responses] == [True] * len(UNKNOWN_CODES)
    assert not Command.objects.exists()


@pytest.mark.parametrize("code", MALFORMED_CODES)
def test_a_malformed_code_is_not_found_without_a_provider_request(alice: Browser, code: str) -> None:
    assert is_refusal(redeem_code(alice, code), 404, "coupon_not_found")


@pytest.mark.parametrize("code", BAD_LENGTHS)
def test_a_blank_or_too_long_code_is_refused(alice: Browser, code: str) -> None:
    response = redeem_code(alice, code)
    assert is_refusal(response, 400, "validation_error")
    assert list(response.json()["fields"]) == ["code"]


@pytest.mark.shows("coupon-4")
def test_a_code_of_thirty_characters_is_accepted(shop: SyncedProvider, ava: Browser) -> None:
    thirty = "A" * 30
    shop.coupon(thirty, percent=50)
    assert redeem_code(ava, thirty).status_code == 200


@pytest.mark.parametrize("code", ["%FF", "%C3%28", "%00", "%ED%A0%80", "SAVE20/more"])
def test_a_malformed_url_is_not_found(alice: Browser, code: str) -> None:
    assert is_refusal(alice.post(REDEEM + code, {}), 404, "coupon_not_found")


@pytest.mark.shows("request-10", "reliability-31")
def test_an_outdated_quote_is_refused_with_the_new_figures(shop: SyncedProvider, ava: Browser) -> None:
    response = redeem_code(ava, "SAVE20", {"quote": "of-another-day"})
    assert is_refusal(response, 409, "quote_changed")
    assert pick_fields(response, ("couponDiscount", "total")) == {"couponDiscount": 160, "total": 699 + 639}
    assert not Command.objects.exists()
    assert redeem_code(ava, "SAVE20", {"quote": response.json()["quote"]}).status_code == 200


@pytest.mark.shows("rule-6")
def test_a_code_keeps_a_scheduled_downgrade(shop: SyncedProvider) -> None:
    ben = Browser(shop.customer("ben"))
    faith = shop.subscribe("ben", FAITH, unit="Yearly")
    ben.post("/api/account/downgrade")
    response = redeem_code(ben, "SAVE20")
    assert response.status_code == 200
    assert response.json()["existingPlans"][0]["hasScheduledChange"] is True
    assert shop.subscription(faith)["has_scheduled_changes"] is True
    assert shop.coupons_on(faith) == ["SAVE20"]


@pytest.mark.shows("rule-9")
def test_the_invoice_of_an_upgrade_uses_the_code(shop: SyncedProvider) -> None:
    ava = Browser(shop.customer("ava"))
    shop.subscribe("ava", FAITH)
    redeem_code(ava, "SAVE20")
    estimate = ava.get("/api/account/upgrade/estimate").json()
    ava.post("/api/account/upgrade", {"quote": estimate["quote"]})
    assert shop.invoices("ava")[0]["total"] == 6999 - 1400
    assert shop.invoices("ava")[0]["amount_paid"] == estimate["dueNow"]


def test_a_repeated_key_redeems_once_with_the_same_response(shop: SyncedProvider, ava: Browser) -> None:
    responses = [redeem_code(ava, "SAVE20", **{"Idempotency-Key": "one"}) for _ in range(2)]
    assert responses[0].status_code == 200
    assert responses[0].json() == responses[1].json()
    assert CodeRedemption.objects.count() == 1


def test_a_key_reused_for_another_code_is_refused(ava: Browser) -> None:
    redeem_code(ava, "SAVE20", **{"Idempotency-Key": "one"})
    other = redeem_code(ava, "WELCOME5", **{"Idempotency-Key": "one"})
    assert is_refusal(other, 409, "idempotency_key_reused")


def test_nothing_is_redeemed_while_the_provider_is_unavailable(ava: Browser, settings: Settings) -> None:
    before = ava.get(MANAGE).json()
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    response = redeem_code(ava, "SAVE20")
    assert is_refusal(response, 503, "billing_unavailable")
    assert ava.get(MANAGE).json() == before


@pytest.mark.shows("rule-5", "rule-9")
@pytest.mark.usefixtures("bundles")
def test_keeping_a_plan_again_does_not_revive_a_code_that_has_ended(shop: SyncedProvider) -> None:
    shop.coupon("QUARTER5", cents=500, duration_type="limited_period", period=3, period_unit="month")
    ben = Browser(shop.customer("ben"))
    shop.subscribe("ben", GOSPEL, unit="Yearly")
    faith = shop.subscribe("ben", FAITH, unit="Yearly", trial_end=shop.timestamp_in_days(10))
    assert redeem_code(ben, "QUARTER5").json()["appliedTo"] == faith
    shop.provider.travel(days=11)
    shop.import_customer("ben")
    assert ben.post("/api/account/cancel").status_code == 200
    # With a third plan it gets the coupon of a larger bundle.
    wanted = {"planIds": [FAITH, GOSPEL, KIDS]}
    promised = pick_fields(ben.post("/api/account/add-remove-service/estimate", wanted), ("total", "couponDiscount"))
    assert ben.post("/api/account/add-remove-service", wanted).status_code == 200
    assert (
        pick_fields(ben.get(MANAGE), ("total", "couponDiscount")) == promised == {"total": 20397, "couponDiscount": 0}
    )
