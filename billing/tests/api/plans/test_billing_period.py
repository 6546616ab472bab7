"""Switching between monthly and yearly billing over HTTP (docs/rules.md, rule 4)."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import Settings

from billing.models import Command
from billing.tests.api.browser import Browser, is_refusal, pick_fields, timeless_figures
from billing.tests.api.mirror_factory import FAITH, GOSPEL, KIDS
from billing.tests.api.synced_provider import DECLINING_CARD, UNREACHABLE_ENDPOINT, SyncedProvider, iso_time
from billing.tests.support.faulty_proxy import FaultyProxy

pytestmark = pytest.mark.django_db

UPGRADE, DOWNGRADE = "/api/account/upgrade", "/api/account/downgrade"
BOTH = [UPGRADE, DOWNGRADE]
MANAGE = "/api/account/manage-plans"
UNDO = "/api/account/subscription/remove-scheduled-change"
STATE = ("existingPlans", "bundleSavings", "couponDiscount", "total", "periodUnit", "otherTotal")
MONTHLY_DOLLARS = {"periodUnit": "month", "period": 1, "currencyCode": "USD"}
MONEY = ("bundleSavings", "couponDiscount", "total", "periodUnit", "otherTotal")


def omit_fields(body: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return a body without some of its fields."""
    return {name: value for name, value in body.items() if name not in names}


@pytest.fixture
def ava(shop: SyncedProvider, bundles: None) -> Browser:
    """Return Ava's browser; she has a monthly bundle of two, ten days into its month."""
    account = shop.customer("ava")
    shop.subscribe("ava", FAITH, coupon_ids=["BUNDLE-2"])
    shop.subscribe("ava", GOSPEL, coupon_ids=["BUNDLE-2"])
    shop.provider.travel(days=10)
    return Browser(account)


@pytest.fixture
def ben(shop: SyncedProvider) -> Browser:
    """Return Ben's browser; he has one yearly plan."""
    account = shop.customer("ben")
    shop.subscribe("ben", FAITH, unit="Yearly")
    return Browser(account)


@pytest.mark.shows("rule-4", "data-5", "api-12", "api-13")
def test_an_upgrade_charges_the_estimate_less_credits(shop: SyncedProvider, ava: Browser) -> None:
    estimate = ava.get(f"{UPGRADE}/estimate?planIds={FAITH}")
    result = ava.post(UPGRADE, {"planIds": [FAITH], "quote": estimate.json()["quote"]})
    assert result.status_code == 200
    invoice = shop.invoices("ava")[0]
    assert invoice["amount_paid"] == result.json()["dueNow"] == estimate.json()["dueNow"]
    assert estimate.json()["dueNow"] == invoice["total"] - estimate.json()["credits"]
    assert pick_fields(result, ("isImmediate", "planIds", "annualSavings", "hasPaymentFailure")) == {
        "isImmediate": True,
        "planIds": [FAITH],
        "annualSavings": 12 * 629 - 6299,
        "hasPaymentFailure": False,
    }


@pytest.mark.shows("request-5")
def test_every_read_shows_an_upgrade_at_once(ava: Browser) -> None:
    estimate = ava.get(f"{UPGRADE}/estimate?plan_ids={FAITH}")
    result = ava.post(UPGRADE, {"plan_ids": [FAITH]})
    assert pick_fields(result, STATE) == pick_fields(ava.get(MANAGE), STATE)
    assert pick_fields(result, MONEY) == pick_fields(estimate, MONEY)
    assert [plan["periodUnit"] for plan in result.json()["existingPlans"]] == ["year", "month"]
    assert result.json()["otherTotal"] == {
        "periodUnit": "month",
        "period": 1,
        "currencyCode": "USD",
        "total": 719,
        "bundleSavings": 80,
        "couponDiscount": 0,
    }
    assert ava.get("/api/invoice/list").json()[0]["total"] == 6299


@pytest.mark.shows("rule-4")
def test_all_monthly_plans_are_upgraded_by_default(shop: SyncedProvider, ava: Browser) -> None:
    estimate = ava.get(f"{UPGRADE}/estimate")
    result = ava.post(UPGRADE, {"quote": estimate.json()["quote"]})
    assert result.json()["planIds"] == [FAITH, GOSPEL]
    assert sum(invoice["amount_paid"] for invoice in shop.invoices("ava")[:2]) == estimate.json()["dueNow"]
    assert pick_fields(result, MONEY) == pick_fields(estimate, MONEY)
    assert (result.json()["total"], result.json()["otherTotal"]) == (6299 + 7199, None)


@pytest.mark.shows("rule-4", "api-14", "api-15")
def test_a_downgrade_is_estimated_and_scheduled(shop: SyncedProvider, ben: Browser) -> None:
    estimate = ben.get(f"{DOWNGRADE}/estimate")
    result = ben.post(DOWNGRADE, {"quote": estimate.json()["quote"]})
    plan = result.json()["existingPlans"][0]
    end = iso_time(shop.term_end(plan["subId"]))
    assert result.json() == estimate.json()
    assert pick_fields(result, ("isImmediate", "effectiveAt", "dueNow", "credits", "total", "periodUnit")) == {
        "isImmediate": False,
        "effectiveAt": end,
        "dueNow": 0,
        "credits": 0,
        "total": 699,
        "periodUnit": "month",
    }
    assert (plan["amount"], plan["periodUnit"], plan["hasScheduledChange"]) == (699, "month", True)
    assert plan["scheduledPlan"] == {**MONTHLY_DOLLARS, "amount": 699, "at": end}
    assert len(shop.invoices("ben")) == 1


def test_every_read_shows_a_scheduled_downgrade(shop: SyncedProvider, ben: Browser) -> None:
    result = ben.post(DOWNGRADE)
    plan = ben.get("/api/account").json()["plans"][0]
    assert (plan["amount"], plan["periodUnit"], plan["hasScheduledChange"]) == (6999, "year", True)
    assert plan["scheduledPlan"] == {
        **MONTHLY_DOLLARS,
        "amount": 699,
        "at": result.json()["effectiveAt"],
    }
    assert ben.get(MANAGE).json()["total"] == 6999


@pytest.mark.shows("rule-4", "rule-21")
def test_a_scheduled_change_has_the_price_that_customer_service_has_given(shop: SyncedProvider, ben: Browser) -> None:
    subscription = ben.get("/api/account").json()["plans"][0]["subId"]
    given = {"item_price_id": f"{FAITH}-USD-Monthly", "quantity": 1, "unit_price": 500}
    changes = {"subscription_items": [given], "replace_items_list": True, "change_option": "end_of_term"}
    shop.client.Subscription.update_for_items(subscription, changes)
    shop.import_customer("ben")
    plan = ben.get("/api/account").json()["plans"][0]
    end = iso_time(shop.term_end(subscription))
    assert plan["scheduledPlan"] == {**MONTHLY_DOLLARS, "amount": 500, "at": end}
    estimate = ben.get(f"{DOWNGRADE}/estimate").json()
    assert (estimate["total"], estimate["existingPlans"][0]["scheduledPlan"]["amount"]) == (500, 500)
    assert [bill["amount"] for bill in estimate["nextBills"]] == [500]
    shop.pass_term_end("ben", subscription)
    assert shop.invoices("ben")[0]["total"] == 500


def test_the_estimate_of_a_scheduled_downgrade_stays_available(ben: Browser) -> None:
    result = ben.post(DOWNGRADE).json()
    estimate = ben.get(f"{DOWNGRADE}/estimate").json()
    named = ben.get(f"{DOWNGRADE}/estimate?planIds={FAITH}").json()
    assert omit_fields(estimate, "quote") == omit_fields(named, "quote") == omit_fields(result, "quote")
    assert is_refusal(ben.post(DOWNGRADE), 409, "no_change")
    assert is_refusal(ben.post(DOWNGRADE, {"planIds": [FAITH]}), 409, "invalid_state")


def test_a_downgrade_can_be_undone_and_repeated(shop: SyncedProvider, ben: Browser) -> None:
    before = ben.get("/api/account").json()
    sub_id = ben.post(DOWNGRADE).json()["existingPlans"][0]["subId"]
    undo = ben.post(UNDO, {"subscriptionId": [sub_id]})
    assert undo.status_code == 200
    assert undo.json()["plans"] == before["plans"] == ben.get("/api/account").json()["plans"]
    assert ben.post(DOWNGRADE).status_code == 200
    assert shop.subscription(sub_id)["has_scheduled_changes"] is True


@pytest.mark.shows("rule-4", "data-5")
def test_a_trial_is_downgraded_immediately_and_keeps_its_end(shop: SyncedProvider) -> None:
    carla = Browser(shop.customer("carla"))
    end = shop.timestamp_in_days(10)
    kids = shop.subscribe("carla", KIDS, unit="Yearly", trial_end=end)
    quote = carla.get(f"{DOWNGRADE}/estimate").json()["quote"]
    shop.provider.travel(hours=2)
    result = carla.post(DOWNGRADE, {"quote": quote})
    assert pick_fields(result, ("isImmediate", "dueNow", "total", "periodUnit")) == {
        "isImmediate": True,
        "dueNow": 0,
        "total": 899,
        "periodUnit": "month",
    }
    subscription = shop.subscription(kids)
    assert (subscription["status"], subscription["trial_end"], subscription["billing_period_unit"]) == (
        "in_trial",
        end,
        "month",
    )
    assert pick_fields(result, STATE) == pick_fields(carla.get(MANAGE), STATE)


@pytest.mark.shows("request-8", "error-5", "reliability-9")
def test_a_declined_upgrade_changes_nothing(shop: SyncedProvider, ava: Browser) -> None:
    shop.provider.add_card("ava", DECLINING_CARD)
    shop.import_customer("ava")
    before = ava.get(MANAGE).json()
    response = ava.post(UPGRADE, headers={"Idempotency-Key": "one"})
    assert is_refusal(response, 402, "payment_processing_failed")
    shop.import_customer("ava")
    assert ava.get(MANAGE).json() == before
    assert ava.post(UPGRADE, headers={"Idempotency-Key": "one"}).json() == response.json()
    assert len(shop.invoices("ava")) == 2


@pytest.mark.shows("request-10", "error-18", "reliability-31")
def test_an_outdated_quote_is_refused_with_the_new_figures(shop: SyncedProvider, ava: Browser) -> None:
    response = ava.post(UPGRADE, {"planIds": [FAITH], "quote": "of-another-day"})
    assert is_refusal(response, 409, "quote_changed")
    estimate = ava.get(f"{UPGRADE}/estimate?planIds={FAITH}").json()
    del estimate["existingPlans"]
    assert timeless_figures(pick_fields(response, estimate)) == timeless_figures(estimate)
    assert [plan["periodUnit"] for plan in response.json()["existingPlans"]] == ["year", "month"]
    assert not Command.objects.exists()
    assert len(shop.invoices("ava")) == 2


def test_a_quote_for_other_plans_is_refused(ava: Browser) -> None:
    quote = ava.get(f"{UPGRADE}/estimate?planIds={FAITH}").json()["quote"]
    assert is_refusal(ava.post(UPGRADE, {"quote": quote}), 409, "quote_changed")


@pytest.mark.shows("request-10")
def test_a_quote_is_outdated_after_days(shop: SyncedProvider, ava: Browser) -> None:
    quote = ava.get(f"{UPGRADE}/estimate").json()["quote"]
    shop.provider.travel(days=5)
    assert is_refusal(ava.post(UPGRADE, {"quote": quote}), 409, "quote_changed")


@pytest.mark.shows("error-17")
def test_it_refuses_when_no_plan_has_the_other_period(ava: Browser, ben: Browser) -> None:
    responses = [
        ava.get(f"{DOWNGRADE}/estimate"),
        ava.post(DOWNGRADE),
        ben.get(f"{UPGRADE}/estimate"),
        ben.post(UPGRADE),
    ]
    assert [is_refusal(response, 409, "no_change") for response in responses] == [True] * 4


def test_it_refuses_an_account_without_plans(shop: SyncedProvider) -> None:
    ivy = Browser(shop.customer("ivy"))
    responses = [
        ivy.get(f"{UPGRADE}/estimate"),
        ivy.post(UPGRADE),
        ivy.get(f"{DOWNGRADE}/estimate"),
        ivy.post(DOWNGRADE),
    ]
    assert [is_refusal(response, 409, "no_change") for response in responses] == [True] * 4


@pytest.mark.shows("rule-4")
@pytest.mark.parametrize("path", BOTH)
@pytest.mark.parametrize("plan", [KIDS, FAITH])
def test_one_ineligible_plan_refuses_the_whole_request(
    shop: SyncedProvider, ava: Browser, path: str, plan: str
) -> None:
    """The kids plan is not subscribed; the faith plan is already monthly and has a scheduled pause."""
    faith = ava.get(MANAGE).json()["existingPlans"][0]["subId"]
    ava.post("/api/account/subscriptions/multiple-pause", {"subscriptionId": [faith]})
    responses = [
        ava.get(f"{path}/estimate?planIds={plan}&planIds={GOSPEL}"),
        ava.post(path, {"planIds": [plan, GOSPEL]}),
    ]
    assert [is_refusal(response, 409, "invalid_state") for response in responses] == [True, True]
    assert len(shop.invoices("ava")) == 2


def test_nothing_is_estimated_or_changed_while_the_provider_is_unavailable(ava: Browser, settings: Settings) -> None:
    before = ava.get(MANAGE).json()
    settings.CHARGEBEE_ENDPOINT = UNREACHABLE_ENDPOINT
    responses = [ava.get(f"{UPGRADE}/estimate"), ava.post(UPGRADE)]
    assert [is_refusal(response, 503, "billing_unavailable") for response in responses] == [True, True]
    assert ava.get(MANAGE).json() == before


def test_a_partial_upgrade_returns_the_current_state_and_a_retry_finishes(
    shop: SyncedProvider, ava: Browser, faulty_proxy: FaultyProxy
) -> None:
    def decline_after_first_upgrade(request: bytes) -> None:
        """Make the card decline once the first upgrade is paid."""
        if b"/update_for_items" in request and len(shop.invoices("ava")) == 3:
            shop.provider.add_card("ava", DECLINING_CARD)

    faulty_proxy.on_answer = decline_after_first_upgrade
    response = ava.post(UPGRADE, headers={"Idempotency-Key": "one"})
    assert is_refusal(response, 502, "billing_partial")
    assert [plan["periodUnit"] for plan in response.json()["existingPlans"]] == ["year", "month"]
    assert pick_fields(response, STATE) == pick_fields(ava.get(MANAGE), STATE)

    faulty_proxy.on_answer = lambda _request: None
    shop.provider.add_card("ava", "4111111111111111")
    retried = ava.post(UPGRADE, headers={"Idempotency-Key": "one"})
    assert retried.status_code == 200
    assert [plan["periodUnit"] for plan in retried.json()["existingPlans"]] == ["year", "year"]
    assert len(shop.invoices("ava")) == 4


@pytest.mark.parametrize("body", [{}, {"planIds": [GOSPEL, FAITH]}])
def test_a_partial_upgrade_is_finished_without_the_key(
    shop: SyncedProvider, ava: Browser, faulty_proxy: FaultyProxy, body: dict[str, Any]
) -> None:
    def decline_after_first_upgrade(request: bytes) -> None:
        if b"/update_for_items" in request and len(shop.invoices("ava")) == 3:
            shop.provider.add_card("ava", DECLINING_CARD)

    faulty_proxy.on_answer = decline_after_first_upgrade
    assert is_refusal(ava.post(UPGRADE, body), 502, "billing_partial")
    faulty_proxy.on_answer = lambda _request: None
    shop.provider.add_card("ava", "4111111111111111")
    retried = ava.post(UPGRADE, body)
    assert retried.status_code == 200
    assert [plan["periodUnit"] for plan in retried.json()["existingPlans"]] == ["year", "year"]
    assert len(shop.invoices("ava")) == 4
    assert pick_fields(retried, STATE) == pick_fields(ava.get(MANAGE), STATE)


def test_a_repeated_key_upgrades_once(shop: SyncedProvider, ava: Browser) -> None:
    responses = [ava.post(UPGRADE, headers={"Idempotency-Key": "one"}) for _ in range(2)]
    assert responses[0].status_code == 200
    assert responses[0].json() == responses[1].json()
    assert len(shop.invoices("ava")) == 4


def test_a_lost_response_is_recovered_with_the_key(
    shop: SyncedProvider, ava: Browser, faulty_proxy: FaultyProxy
) -> None:
    estimate = ava.get(f"{UPGRADE}/estimate?planIds={FAITH}").json()
    body = {"planIds": [FAITH], "quote": estimate["quote"]}

    def lose_response(request: bytes) -> None:
        if b"/update_for_items" in request:
            faulty_proxy.lose_answers()

    faulty_proxy.on_answer = lose_response
    unconfirmed = ava.post(UPGRADE, body, headers={"Idempotency-Key": "one"})
    assert is_refusal(unconfirmed, 503, "billing_unconfirmed")
    faulty_proxy.on_answer = lambda _request: None
    faulty_proxy.restore()
    Command.objects.update(next_attempt_at=Command.objects.get().first_sent_at)
    retried = ava.post(UPGRADE, body, headers={"Idempotency-Key": "one"})
    assert retried.status_code == 200
    assert retried.json()["dueNow"] == estimate["dueNow"]
    assert len(shop.invoices("ava")) == 3


@pytest.mark.shows("rule-8")
def test_an_upgrade_reports_that_it_removes_the_free_month(shop: SyncedProvider) -> None:
    ava = Browser(shop.customer("ava"))
    shop.offer_free_month()
    faith = shop.subscribe("ava", FAITH)
    ava.post("/api/account/claim-my-offer")
    assert shop.coupons_on(faith) == ["FREE-MONTH"]
    estimate = ava.get(f"{UPGRADE}/estimate")
    result = ava.post(UPGRADE, {"quote": estimate.json()["quote"]})
    assert estimate.json()["removesFreeMonth"] is result.json()["removesFreeMonth"] is True
    assert shop.coupons_on(faith) == []
    assert result.json()["existingPlans"][0]["hasFreeMonth"] is False
    assert pick_fields(result, MONEY) == pick_fields(estimate, MONEY)
    assert shop.invoices("ava")[0]["amount_paid"] == estimate.json()["dueNow"]


def test_the_estimate_reports_an_existing_payment_failure(shop: SyncedProvider, ben: Browser) -> None:
    shop.provider.add_card("ben", DECLINING_CARD)
    term_end = shop.term_end(ben.get(MANAGE).json()["existingPlans"][0]["subId"])
    shop.provider.travel_to(term_end)
    shop.provider.travel(days=1)
    shop.import_customer("ben")
    assert ben.get(f"{DOWNGRADE}/estimate").json()["hasPaymentFailure"] is True


@pytest.mark.shows("rule-19")
@pytest.mark.parametrize("named", ["", f"?planIds={FAITH}"])
def test_the_first_of_two_subscriptions_to_one_plan_can_switch(shop: SyncedProvider, named: str) -> None:
    mia = Browser(shop.customer("mia"))
    shop.subscribe("mia", FAITH)
    shop.subscribe("mia", FAITH)
    response = mia.get(f"{UPGRADE}/estimate{named}")
    assert (response.status_code, response.json().get("planIds")) == (200, [FAITH])


@pytest.mark.shows("rule-19")
def test_a_plan_that_is_held_twice_is_switched_once(shop: SyncedProvider) -> None:
    ava = Browser(shop.customer("ava"))
    older = shop.subscribe("ava", FAITH)
    shop.provider.travel(days=1)
    newer = shop.subscribe("ava", FAITH)
    estimate = ava.get(f"{UPGRADE}/estimate?planIds={FAITH}")
    assert estimate.status_code == 200
    result = ava.post(UPGRADE, {"planIds": [FAITH], "quote": estimate.json()["quote"]})
    assert result.status_code == 200
    assert [shop.subscription(handle)["billing_period_unit"] for handle in (newer, older)] == ["year", "month"]
