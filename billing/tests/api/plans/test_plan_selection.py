"""Adding and removing plans over HTTP, after a preview (docs/rules.md, rule 5)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Account, OutgoingMail
from billing.changes.discounts import bundle_coupons
from billing.models import Command
from billing.tests.api.browser import Browser, is_refusal, pick_fields, timeless_figures
from billing.tests.api.mirror_factory import FAITH, GOSPEL, KIDS, LEGACY, make_subscription, open_account
from billing.tests.api.synced_provider import DECLINING_CARD, UNREACHABLE_ENDPOINT, SyncedProvider, iso_time
from billing.tests.support.faulty_proxy import FaultyProxy

pytestmark = pytest.mark.django_db

ESTIMATE = "/api/account/add-remove-service/estimate"
CHANGE = "/api/account/add-remove-service"
MANAGE = "/api/account/manage-plans"
READ_FIELDS = (
    *("existingPlans", "plans", "bundleSavings", "couponDiscount", "total", "periodUnit", "period", "currencyCode"),
    *("otherTotal", "otherTotals"),
)
MONEY = ("bundleSavings", "couponDiscount", "total", "periodUnit", "otherTotal")


def existing_plan(response: Any, plan: str) -> dict[str, Any]:
    """Return an existing plan of a response by its id."""
    match: dict[str, Any] = next(row for row in response.json()["existingPlans"] if row["id"] == plan)
    return match


@pytest.fixture
def ava(shop: SyncedProvider, bundles: None) -> Browser:
    """Return Ava's browser; she has a bundle of two."""
    account = shop.customer("ava")
    # The plan that tests remove starts first: a second later, its term would outlast the other plan's next billing.
    shop.subscribe("ava", GOSPEL, coupon_ids=["BUNDLE-2"])
    shop.subscribe("ava", FAITH, coupon_ids=["BUNDLE-2"])
    return Browser(account)


def test_the_mail_about_a_removal_tells_what_it_changes_besides(shop: SyncedProvider, ava: Browser) -> None:
    shop.offer_free_month()
    ava.post("/api/account/claim-my-offer")
    subscriptions = {plan["id"]: plan["subId"] for plan in ava.get("/api/account").json()["plans"]}
    ava.post("/api/account/subscriptions/multiple-pause", {"subscriptionId": [subscriptions[GOSPEL]]})
    assert ava.post(CHANGE, {"planIds": [FAITH]}).status_code == 200
    told = OutgoingMail.objects.latest("pk").context
    assert told["title"] == "You removed Gospel TV"
    assert any("cancels the scheduled changes to Gospel TV." in line for line in told["lines"])
    assert "Your free month of Gospel TV won't be used unless you undo this." in told["lines"]
    assert dict(told["facts"])["Next Faith & Family bill"].startswith("$6.99 before tax on ")


@pytest.mark.shows("api-10")
def test_an_addition_is_estimated_with_its_totals(shop: SyncedProvider, ava: Browser) -> None:
    response = ava.post(ESTIMATE, {"planIds": [FAITH, GOSPEL, KIDS]})
    assert response.status_code == 200
    assert pick_fields(response, ("dueNow", *MONEY)) == {
        "dueNow": 764,
        "bundleSavings": 105 + 120 + 135,
        "couponDiscount": 0,
        "total": 594 + 679 + 764,
        "periodUnit": "month",
        "otherTotal": None,
    }
    assert pick_fields(response, ("added", "removed", "keptAgain", "plans")) == {
        "added": [KIDS],
        "removed": [],
        "keptAgain": [],
        "plans": [],
    }
    assert (
        existing_plan(response, KIDS)["status"],
        existing_plan(response, KIDS)["subId"],
        existing_plan(response, KIDS)["amount"],
    ) == (
        "ACTIVE",
        None,
        899,
    )


def test_an_estimate_changes_nothing(shop: SyncedProvider, ava: Browser) -> None:
    before = pick_fields(ava.get(MANAGE), READ_FIELDS)
    ava.post(ESTIMATE, {"planIds": [KIDS]})
    assert pick_fields(ava.get(MANAGE), READ_FIELDS) == before
    assert not Command.objects.exists()
    assert len(shop.invoices("ava")) == 2


@pytest.mark.shows("rule-5", "api-11")
def test_an_addition_charges_its_estimate_and_shows_in_every_read(shop: SyncedProvider, ava: Browser) -> None:
    estimate = ava.post(ESTIMATE, {"planIds": [FAITH, GOSPEL, KIDS]})
    result = ava.post(CHANGE, {"planIds": [FAITH, GOSPEL, KIDS], "quote": estimate.json()["quote"]})
    assert result.status_code == 200
    assert shop.invoices("ava")[0]["amount_paid"] == result.json()["dueNow"] == estimate.json()["dueNow"] == 764
    assert pick_fields(result, MONEY) == pick_fields(estimate, MONEY)
    assert pick_fields(result, READ_FIELDS) == pick_fields(ava.get(MANAGE), READ_FIELDS)
    assert pick_fields(result, ("added", "removed", "hasPaymentFailure")) == {
        "added": [KIDS],
        "removed": [],
        "hasPaymentFailure": False,
    }
    assert ava.get("/api/invoice/list").json()[0]["total"] == 764
    assert existing_plan(result, KIDS)["subId"] is not None


@pytest.mark.shows("rule-5")
def test_a_removal_is_estimated_and_takes_effect_at_term_end(shop: SyncedProvider, ava: Browser) -> None:
    estimate = ava.post(ESTIMATE, {"planIds": [FAITH]})
    result = ava.post(CHANGE, {"planIds": [FAITH], "quote": estimate.json()["quote"]})
    end = iso_time(shop.term_end(existing_plan(result, GOSPEL)["subId"]))
    assert estimate.json()["dueNow"] == result.json()["dueNow"] == 0
    assert pick_fields(estimate, MONEY) == pick_fields(result, MONEY)
    assert estimate.json()["total"] == 699
    assert estimate.json()["effectiveAt"] == end
    assert estimate.json()["existingPlans"] == result.json()["existingPlans"]
    assert (existing_plan(result, GOSPEL)["status"], existing_plan(result, GOSPEL)["cancelAt"]) == (
        "NON_RENEWING",
        end,
    )
    assert pick_fields(result, READ_FIELDS) == pick_fields(ava.get(MANAGE), READ_FIELDS)
    assert len(shop.invoices("ava")) == 2


@pytest.mark.shows("rule-5")
def test_a_removed_plan_can_be_selected_again(shop: SyncedProvider, ava: Browser) -> None:
    before = ava.get(MANAGE).json()
    ava.post(CHANGE, {"planIds": [FAITH]})
    estimate = ava.post(ESTIMATE, {"planIds": [FAITH, GOSPEL]})
    result = ava.post(CHANGE, {"planIds": [FAITH, GOSPEL], "quote": estimate.json()["quote"]})
    assert result.json()["keptAgain"] == [GOSPEL]
    assert pick_fields(estimate, MONEY) == pick_fields(result, MONEY)
    assert ava.get(MANAGE).json() == before


def test_one_plan_is_kept_again_and_another_added(shop: SyncedProvider, ava: Browser) -> None:
    ava.post(CHANGE, {"planIds": [FAITH]})
    selection = [FAITH, GOSPEL, KIDS]
    estimate = ava.post(ESTIMATE, {"planIds": selection})
    result = ava.post(CHANGE, {"planIds": selection, "quote": estimate.json()["quote"]})
    assert pick_fields(result, ("added", "keptAgain")) == {"added": [KIDS], "keptAgain": [GOSPEL]}
    assert pick_fields(estimate, MONEY) == pick_fields(result, MONEY)
    assert estimate.json()["total"] == 594 + 679 + 764


def test_one_plan_is_added_and_another_removed(shop: SyncedProvider, ava: Browser) -> None:
    estimate = ava.post(ESTIMATE, {"planIds": [FAITH, KIDS]})
    result = ava.post(CHANGE, {"planIds": [FAITH, KIDS], "quote": estimate.json()["quote"]})
    assert pick_fields(result, ("added", "removed")) == {"added": [KIDS], "removed": [GOSPEL]}
    assert pick_fields(estimate, MONEY) == pick_fields(result, MONEY)
    assert pick_fields(result, READ_FIELDS) == pick_fields(ava.get(MANAGE), READ_FIELDS)


def test_an_addition_beside_a_non_renewing_plan_matches_its_estimate(shop: SyncedProvider, ava: Browser) -> None:
    ava.post(CHANGE, {"planIds": [FAITH]})
    estimate = ava.post(ESTIMATE, {"planIds": [FAITH, KIDS]})
    assert pick_fields(estimate, ("added", "keptAgain")) == {"added": [KIDS], "keptAgain": []}
    result = ava.post(CHANGE, {"planIds": [FAITH, KIDS], "quote": estimate.json()["quote"]})
    assert shop.invoices("ava")[0]["total"] == estimate.json()["dueNow"]
    assert pick_fields(estimate, MONEY) == pick_fields(result, MONEY)


@pytest.mark.shows("rule-5")
def test_a_canceled_service_restarts_as_an_addition(shop: SyncedProvider) -> None:
    hugo = Browser(shop.customer("hugo"))
    old = shop.subscribe("hugo", KIDS)
    shop.client.Subscription.cancel_for_items(old, {"cancel_option": "immediately"})
    shop.import_customer("hugo")
    result = hugo.post(CHANGE, {"planIds": [KIDS]})
    assert pick_fields(result, ("added", "dueNow")) == {"added": [KIDS], "dueNow": 899}
    assert existing_plan(result, KIDS)["subId"] != old
    assert shop.subscription(old)["status"] == "cancelled"


def test_an_addition_beside_a_scheduled_pause_matches_its_estimate(shop: SyncedProvider, bundles: None) -> None:
    ella = Browser(shop.customer("ella"))
    faith = shop.subscribe("ella", FAITH, coupon_ids=["BUNDLE-2"])
    shop.subscribe("ella", KIDS, coupon_ids=["BUNDLE-2"])
    ella.post("/api/account/subscriptions/multiple-pause", {"subscriptionId": [faith]})
    estimate = ella.post(ESTIMATE, {"planIds": [FAITH, GOSPEL, KIDS]})
    result = ella.post(CHANGE, {"planIds": [FAITH, GOSPEL, KIDS], "quote": estimate.json()["quote"]})
    assert result.status_code == 200
    assert pick_fields(estimate, MONEY) == pick_fields(result, MONEY)
    assert existing_plan(result, FAITH)["hasScheduledPause"] is True


@pytest.mark.shows("rule-5")
def test_a_plan_can_be_added_though_the_coupon_of_its_bundle_has_expired(shop: SyncedProvider, bundles: None) -> None:
    account = shop.customer("zoe")
    faith = shop.subscribe("zoe", FAITH, coupon_ids=["BUNDLE-2"])
    gospel = shop.subscribe("zoe", GOSPEL, coupon_ids=["BUNDLE-2"])
    for coupon in ("BUNDLE-2", "BUNDLE-3"):
        shop.client.Coupon.update_for_items(coupon, {"valid_till": shop.timestamp_in_days(1)})
    shop.provider.travel(days=2)
    shop.import_customer("zoe")
    zoe, selection = Browser(account), {"planIds": [FAITH, GOSPEL, KIDS]}

    estimate = zoe.post(ESTIMATE, selection).json()
    result = zoe.post(CHANGE, {**selection, "quote": estimate["quote"]})

    assert result.status_code == 200
    assert estimate["dueNow"] == result.json()["dueNow"] == shop.invoices("zoe")[0]["amount_paid"] == 899
    assert [shop.coupons_on(held) for held in (faith, gospel)] == [["BUNDLE-2"], ["BUNDLE-2"]]
    assert result.json()["total"] == zoe.get(MANAGE).json()["total"] == estimate["total"] == 629 + 719 + 899
    assert not bundle_coupons.pending_swaps(account)


def test_the_mail_about_a_removal_does_not_deny_an_overdue_bill(shop: SyncedProvider, ava: Browser) -> None:
    gospel = existing_plan(ava.get(MANAGE), GOSPEL)["subId"]
    shop.provider.add_card("ava", DECLINING_CARD)
    shop.pass_term_end("ava", gospel, days=1)
    assert ava.post(CHANGE, {"planIds": [FAITH]}).status_code == 200
    told = OutgoingMail.objects.latest("pk").context
    assert told["lines"] == ["No more charges for Gospel TV, except what you still owe."]


@pytest.mark.shows("rule-16")
def test_the_mail_about_a_removal_names_what_its_end_has_billed(shop: SyncedProvider, ava: Browser) -> None:
    gospel = existing_plan(ava.get(MANAGE), GOSPEL)["subId"]
    dearer = {"item_price_id": f"{GOSPEL}-USD-Monthly", "quantity": 1, "unit_price": 1799}
    change = {"subscription_items": [dearer], "prorate": True, "invoice_immediately": False}
    shop.client.Subscription.update_for_items(gospel, change)
    shop.client.Subscription.pause(gospel, {"pause_option": "immediately"})
    shop.import_customer("ava")

    assert ava.post(CHANGE, {"planIds": [FAITH]}).status_code == 200

    billed = shop.invoices("ava")[0]["amount_paid"]
    assert billed > 0
    assert dict(OutgoingMail.objects.latest("pk").context["facts"])["Charged"] == f"${billed / 100:.2f}, taxes included"


def test_it_accepts_snake_case(ava: Browser) -> None:
    assert ava.post(ESTIMATE, {"plan_ids": [FAITH]}).status_code == 200
    assert ava.post(CHANGE, {"plan_ids": [FAITH]}).status_code == 200


def test_a_quote_stays_valid_while_the_figures_are_the_same(shop: SyncedProvider, ava: Browser) -> None:
    ava.post(CHANGE, {"planIds": [FAITH]})
    quote = ava.post(ESTIMATE, {"planIds": [FAITH, GOSPEL]}).json()["quote"]
    shop.provider.travel(hours=2)
    assert ava.post(CHANGE, {"planIds": [FAITH, GOSPEL], "quote": quote}).status_code == 200


@pytest.mark.shows("request-10", "error-18", "reliability-31")
def test_an_outdated_quote_is_refused_with_the_new_figures(shop: SyncedProvider, ava: Browser) -> None:
    before = ava.get(MANAGE).json()
    selection = [FAITH, GOSPEL, KIDS]
    response = ava.post(CHANGE, {"planIds": selection, "quote": "of-another-day"})
    assert is_refusal(response, 409, "quote_changed")
    estimate = ava.post(ESTIMATE, {"planIds": selection}).json()
    assert timeless_figures(pick_fields(response, estimate)) == timeless_figures(estimate)
    assert ava.get(MANAGE).json() == before
    assert len(shop.invoices("ava")) == 2


@pytest.mark.shows("reliability-31")
def test_a_raised_price_must_be_confirmed_before_it_is_charged(shop: SyncedProvider, ava: Browser) -> None:
    selection = {"planIds": [FAITH, GOSPEL, KIDS]}
    estimate = ava.post(ESTIMATE, selection).json()
    shop.client.ItemPrice.update(f"{KIDS}-USD-Monthly", {"price": 1099})

    response = ava.post(CHANGE, {**selection, "quote": estimate["quote"]})

    assert is_refusal(response, 409, "quote_changed")
    assert response.json()["dueNow"] > estimate["dueNow"]
    assert len(shop.invoices("ava")) == 2
    assert ava.post(CHANGE, {**selection, "quote": response.json()["quote"]}).status_code == 200
    assert shop.invoices("ava")[0]["total"] == response.json()["dueNow"]


def test_a_quote_for_another_change_is_refused(ava: Browser) -> None:
    quote = ava.post(ESTIMATE, {"planIds": [FAITH]}).json()["quote"]
    assert is_refusal(ava.post(CHANGE, {"planIds": [GOSPEL], "quote": quote}), 409, "quote_changed")


@pytest.mark.shows("error-17")
@pytest.mark.parametrize("path", [ESTIMATE, CHANGE])
def test_it_refuses_an_unchanged_selection(ava: Browser, path: str) -> None:
    assert is_refusal(ava.post(path, {"planIds": [GOSPEL, FAITH, GOSPEL]}), 409, "no_change")


@pytest.mark.shows("error-15", "rule-5")
def test_an_addition_without_a_payment_method_is_estimated_but_refused(shop: SyncedProvider) -> None:
    ivy = Browser(shop.customer("ivy", card=None))
    assert ivy.post(ESTIMATE, {"planIds": [FAITH]}).json()["dueNow"] == 699
    assert is_refusal(ivy.post(CHANGE, {"planIds": [FAITH]}), 409, "payment_method_required")
    assert shop.invoices("ivy") == []


@pytest.mark.shows("reliability-9")
def test_a_declined_card_changes_nothing(shop: SyncedProvider, ava: Browser) -> None:
    before = pick_fields(ava.get(MANAGE), READ_FIELDS)
    shop.provider.add_card("ava", DECLINING_CARD)
    response = ava.post(CHANGE, {"planIds": [GOSPEL, KIDS]})
    assert is_refusal(response, 402, "payment_processing_failed")
    shop.import_customer("ava")
    assert pick_fields(ava.get(MANAGE), READ_FIELDS) == before
    assert len(shop.invoices("ava")) == 2


def test_nothing_is_estimated_or_changed_while_the_provider_is_unavailable(ava: Browser, settings: Settings) -> None:
    before = ava.get(MANAGE).json()
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    responses = [ava.post(path, {"planIds": [FAITH, GOSPEL, KIDS]}) for path in (ESTIMATE, CHANGE)]
    assert [is_refusal(response, 503, "billing_unavailable") for response in responses] == [True, True]
    assert [int(response.headers["Retry-After"]) > 0 for response in responses] == [True, True]
    assert ava.get(MANAGE).json() == before


def test_a_partial_change_returns_the_current_state(
    shop: SyncedProvider, ava: Browser, faulty_proxy: FaultyProxy
) -> None:
    gospel = existing_plan(ava.get(MANAGE), GOSPEL)["subId"]

    def end_after_start(request: bytes) -> None:
        """End the plan at the provider once the addition started, so that the provider refuses its cancellation."""
        if b"/subscription_for_items" in request and shop.subscription(gospel)["status"] == "active":
            shop.client.Subscription.cancel_for_items(gospel, {"cancel_option": "immediately"})

    faulty_proxy.on_answer = end_after_start
    response = ava.post(CHANGE, {"planIds": [FAITH, KIDS]})
    assert is_refusal(response, 502, "billing_partial")
    assert pick_fields(response, READ_FIELDS) == pick_fields(ava.get(MANAGE), READ_FIELDS)
    assert existing_plan(response, KIDS)["status"] == "ACTIVE"


@pytest.mark.shows("rule-2")
@pytest.mark.parametrize("headers", [[{}, {}], [{"Idempotency-Key": "one"}] * 2])
def test_a_retry_finishes_a_partial_change(
    shop: SyncedProvider,
    ava: Browser,
    faulty_proxy: FaultyProxy,
    settings: Settings,
    headers: list[dict[str, str]],
) -> None:
    selection, reachable = {"planIds": [FAITH, GOSPEL, KIDS]}, settings.CHARGEBEE_ENDPOINT

    def disconnect_after_start(request: bytes) -> None:
        if b"/subscription_for_items" in request:
            settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT

    faulty_proxy.on_answer = disconnect_after_start
    assert is_refusal(ava.post(CHANGE, selection, headers=headers[0]), 502, "billing_partial")
    faulty_proxy.on_answer = lambda _request: None
    settings.CHARGEBEE_ENDPOINT = reachable
    result = ava.post(CHANGE, selection, headers=headers[1])
    assert result.status_code == 200
    assert pick_fields(result, ("added", "dueNow", "total")) == {
        "added": [KIDS],
        "dueNow": 764,
        "total": 594 + 679 + 764,
    }
    ids = [plan["subId"] for plan in result.json()["existingPlans"]]
    assert [shop.coupons_on(handle) for handle in ids] == [["BUNDLE-3"]] * 3
    assert len(shop.invoices("ava")) == 3
    assert is_refusal(ava.post(CHANGE, selection), 409, "no_change")


def test_a_repeated_key_adds_once(shop: SyncedProvider, ava: Browser) -> None:
    body = {"planIds": [FAITH, GOSPEL, KIDS]}
    responses = [ava.post(CHANGE, body, headers={"Idempotency-Key": "one"}) for _ in range(2)]
    assert responses[0].status_code == 200
    assert responses[0].json() == responses[1].json()
    assert len(shop.invoices("ava")) == 3


def test_a_repeat_without_the_key_adds_nothing(shop: SyncedProvider, ava: Browser) -> None:
    body = {"planIds": [FAITH, GOSPEL, KIDS]}
    first = ava.post(CHANGE, body, headers={"Idempotency-Key": "one"})
    repeated = ava.post(CHANGE, body)
    assert is_refusal(repeated, 409, "no_change")
    assert first.status_code == 200
    assert len(shop.invoices("ava")) == 3


@pytest.mark.parametrize("path", [ESTIMATE, CHANGE])
def test_a_service_with_a_retired_plan_cannot_be_added(catalog: None, no_provider: None, path: str) -> None:
    gia = Browser(open_account("gia", make_subscription("sub", LEGACY, owner="gia")))
    assert is_refusal(gia.post(path, {"planIds": [KIDS]}), 409, "invalid_state")


def test_a_removed_paused_plan_ends_immediately_and_is_offered_again(shop: SyncedProvider, ava: Browser) -> None:
    faith = existing_plan(ava.get(MANAGE), FAITH)["subId"]
    shop.client.Subscription.pause(faith, {"pause_option": "immediately"})
    shop.import_customer("ava")
    estimate = ava.post(ESTIMATE, {"planIds": [GOSPEL]})
    shop.provider.travel(hours=2)
    result = ava.post(CHANGE, {"planIds": [GOSPEL], "quote": estimate.json()["quote"]})
    assert result.status_code == 200
    assert (
        pick_fields(estimate, READ_FIELDS)
        == pick_fields(result, READ_FIELDS)
        == pick_fields(ava.get(MANAGE), READ_FIELDS)
    )
    assert [plan["id"] for plan in result.json()["plans"]] == [FAITH, KIDS]
    assert shop.subscription(faith)["status"] == "cancelled"


@pytest.mark.shows("money-4")
def test_an_addition_beside_a_paused_plan_is_bundled(shop: SyncedProvider, bundles: None) -> None:
    dan = Browser(shop.customer("dan"))
    shop.subscribe("dan", FAITH, coupon_ids=["BUNDLE-2"])
    gospel = shop.subscribe("dan", GOSPEL, coupon_ids=["BUNDLE-2"])
    shop.client.Subscription.pause(gospel, {"pause_option": "immediately"})
    shop.import_customer("dan")
    selection = {"planIds": [FAITH, GOSPEL, KIDS]}
    estimate = dan.post(ESTIMATE, selection)
    result = dan.post(CHANGE, {**selection, "quote": estimate.json()["quote"]})
    assert pick_fields(estimate, MONEY) == pick_fields(result, MONEY)
    assert (estimate.json()["dueNow"], estimate.json()["total"]) == (764, 594 + 764)
    assert shop.coupons_on(gospel) == ["BUNDLE-2"]


@pytest.mark.shows("error-19")
def test_it_is_refused_while_another_change_is_in_progress(shop: SyncedProvider, ava: Browser) -> None:
    Command.objects.create(
        account=Account.objects.get(),
        kind="pause",
        key="of-another-tab",
        actor="you",
        steps=[],
        attempts=1,
        next_attempt_at=timezone.now() + timedelta(minutes=1),
    )
    response = ava.post(CHANGE, {"planIds": [FAITH]})
    assert is_refusal(response, 409, "change_in_progress")
    assert int(response.headers["Retry-After"]) > 0
