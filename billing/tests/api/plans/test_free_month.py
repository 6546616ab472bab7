"""The free month over HTTP (docs/rules.md, rule 8)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pytest_django import Settings

from accounts.models import OutgoingMail, SiteSettings
from billing.models import OfferClaim
from billing.tests.api.browser import Browser, is_refusal
from billing.tests.api.mirror_factory import FAITH, GOSPEL, KIDS
from billing.tests.api.synced_provider import UNREACHABLE_ENDPOINT, SyncedProvider, iso_time

pytestmark = pytest.mark.django_db

CLAIM = "/api/account/claim-my-offer"
ESTIMATE = f"{CLAIM}/estimate"


@pytest.fixture
def ava(shop: SyncedProvider) -> Browser:
    """Return Ava's browser; she has two monthly plans, and a free month is on offer."""
    account = shop.customer("ava")
    shop.offer_free_month()
    shop.subscribe("ava", FAITH)
    shop.subscribe("ava", KIDS)
    return Browser(account)


@pytest.mark.shows("rule-8", "api-23")
def test_it_is_offered_for_the_most_expensive_plan(shop: SyncedProvider, ava: Browser) -> None:
    response = ava.get(ESTIMATE)
    body = response.json()
    kids = body["plans"][0]["subId"]
    assert response.status_code == 200
    assert (body["eligible"], body["reason"], body["amountSaved"]) == (True, None, 899)
    assert [plan["id"] for plan in body["plans"]] == [KIDS]
    assert body["nextBillingAt"] == iso_time(shop.term_end(kids))
    assert not OfferClaim.objects.exists()


@pytest.mark.shows("rule-8")
def test_it_saves_no_charge_that_waits_for_the_next_bill(shop: SyncedProvider) -> None:
    account = shop.customer("ava")
    shop.offer_free_month()
    shop.subscribe("ava", FAITH, invoice_immediately=False)
    assert Browser(account).get(ESTIMATE).json()["amountSaved"] == 699


@pytest.mark.shows("api-24")
def test_a_claim_matches_its_estimate_and_shows_in_every_read(shop: SyncedProvider, ava: Browser) -> None:
    estimate = ava.get(ESTIMATE).json()
    response = ava.post(CLAIM, {"quote": estimate["quote"]})
    body = response.json()
    assert response.status_code == 200
    for name in ("amountSaved", "nextBillingAt", "newNextBillingAt"):
        assert body[name] == estimate[name]
    assert [(plan["id"], plan["hasFreeMonth"]) for plan in body["plans"]] == [(KIDS, True)]
    assert (body["eligible"], body["reason"]) == (False, "already_waiting")
    assert [plan["hasFreeMonth"] for plan in ava.get("/api/account").json()["plans"]] == [False, True]
    assert ava.get("/api/account/manage-plans").json()["couponDiscount"] == 899
    assert shop.coupons_on(body["plans"][0]["subId"]) == ["FREE-MONTH"]


@pytest.mark.shows("rule-16")
def test_the_receipt_mentions_no_tax_on_the_free_bill(ava: Browser) -> None:
    ava.post(CLAIM)
    facts = dict(OutgoingMail.objects.latest("pk").context["facts"])
    assert facts["You save"] == "$8.99"
    assert facts["Next Kids bill"] == "$0.00 on April 10, 2026"


def test_the_next_invoice_is_free_and_the_following_date_is_kept(shop: SyncedProvider, ava: Browser) -> None:
    claim = ava.post(CLAIM).json()
    kids = claim["plans"][0]["subId"]
    shop.provider.travel_to(shop.term_end(kids))
    shop.provider.travel(days=1)
    invoice = next(invoice for invoice in shop.invoices("ava") if invoice["subscription_id"] == kids)
    assert invoice["total"] == 0
    assert iso_time(shop.term_end(kids)) == claim["newNextBillingAt"]


@pytest.mark.shows("error-21")
def test_a_second_claim_is_refused(shop: SyncedProvider, ava: Browser) -> None:
    ava.post(CLAIM)
    estimate = ava.get(ESTIMATE).json()
    assert (estimate["eligible"], estimate["reason"]) == (False, "already_waiting")
    assert is_refusal(ava.post(CLAIM), 409, "offer_already_claimed")
    shop.provider.travel(days=40)
    shop.import_customer("ava")
    later_estimate = ava.get(ESTIMATE).json()
    assert (later_estimate["eligible"], later_estimate["reason"]) == (False, "already_claimed")
    assert is_refusal(ava.post(CLAIM), 409, "offer_already_claimed")


@pytest.mark.shows("rule-8")
def test_it_can_be_claimed_again_after_twelve_months(shop: SyncedProvider, ava: Browser) -> None:
    ava.post(CLAIM)
    OfferClaim.objects.update(claimed_at=OfferClaim.objects.get().claimed_at.replace(year=2024))
    shop.provider.travel(days=40)
    shop.import_customer("ava")
    assert ava.get(ESTIMATE).json()["eligible"] is True
    assert ava.post(CLAIM).status_code == 200


def assert_not_claimable(browser: Browser, reason: str) -> None:
    """Assert that the estimate gives the reason, and that a claim is refused."""
    estimate = browser.get(ESTIMATE).json()
    assert estimate == {
        "eligible": False,
        "reason": reason,
        "amountSaved": 0,
        "currencyCode": "USD",
        "nextBillingAt": None,
        "newNextBillingAt": None,
        "plans": [],
        "nextBills": [],
        "quote": estimate["quote"],
    }
    assert is_refusal(browser.post(CLAIM), 409, "offer_not_available")


@pytest.mark.shows("error-22", "rule-8")
def test_it_cannot_be_claimed_while_it_is_switched_off(ava: Browser) -> None:
    SiteSettings.objects.update(free_month_on=False)
    assert_not_claimable(ava, "not_offered")


@pytest.mark.shows("rule-8")
def test_a_yearly_account_is_not_eligible(shop: SyncedProvider) -> None:
    shop.offer_free_month()
    ben = Browser(shop.customer("ben"))
    shop.subscribe("ben", FAITH, unit="Yearly")
    assert_not_claimable(ben, "not_monthly")


@pytest.mark.shows("rule-8")
def test_an_account_without_an_active_plan_is_not_eligible(shop: SyncedProvider) -> None:
    shop.offer_free_month()
    gia, ivy = Browser(shop.customer("gia")), Browser(shop.customer("ivy"))
    kids = shop.subscribe("gia", KIDS)
    shop.client.Subscription.cancel_for_items(kids, {"cancel_option": "end_of_term"})
    shop.import_customer("gia")
    assert_not_claimable(gia, "no_active_plan")
    assert_not_claimable(ivy, "no_active_plan")


@pytest.mark.shows("request-10")
def test_an_outdated_quote_is_refused_with_the_new_figures(shop: SyncedProvider, ava: Browser) -> None:
    estimate = ava.get(ESTIMATE).json()
    shop.subscribe("ava", GOSPEL)
    response = ava.post(CLAIM, {"quote": "of-another-day"})
    assert is_refusal(response, 409, "quote_changed")
    assert {name: response.json()[name] for name in estimate} == estimate
    assert not OfferClaim.objects.exists()


def test_a_repeated_key_claims_once_with_the_same_response(ava: Browser) -> None:
    responses = [ava.post(CLAIM, headers={"Idempotency-Key": "one"}) for _ in range(2)]
    assert responses[0].status_code == 200
    assert responses[0].json() == responses[1].json()
    assert OfferClaim.objects.count() == 1


def test_nothing_is_claimed_while_the_provider_is_unavailable(ava: Browser, settings: Settings) -> None:
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    responses = [ava.get(ESTIMATE), ava.post(CLAIM)]
    assert [is_refusal(response, 503, "billing_unavailable") for response in responses] == [True, True]
    assert not OfferClaim.objects.exists()


@pytest.mark.shows("rule-8", "api-23")
def test_after_a_short_month_the_first_paid_bill_is_on_the_plans_own_day(shop: SyncedProvider) -> None:
    shop.offer_free_month()
    shop.provider.travel_to(datetime(2026, 3, 31, 12, tzinfo=UTC))
    ava = Browser(shop.customer("ava"))
    faith = shop.subscribe("ava", FAITH)
    estimate = ava.get(ESTIMATE).json()
    assert [estimate[name][:10] for name in ("nextBillingAt", "newNextBillingAt")] == ["2026-04-30", "2026-05-31"]
    shop.pass_term_end("ava", faith)
    assert iso_time(shop.term_end(faith)) == estimate["newNextBillingAt"]


@pytest.mark.shows("rule-8")
def test_a_plan_that_customer_service_switches_to_the_year_at_its_next_bill_has_no_free_month(
    shop: SyncedProvider,
) -> None:
    shop.offer_free_month()
    ava = Browser(shop.customer("ava"))
    faith = shop.subscribe("ava", FAITH)
    items = [{"item_price_id": f"{FAITH}-USD-Yearly", "quantity": 1}]
    change = {"subscription_items": items, "replace_items_list": True, "change_option": "end_of_term"}
    shop.client.Subscription.update_for_items(faith, change)
    shop.import_customer("ava")
    assert_not_claimable(ava, "not_monthly")
