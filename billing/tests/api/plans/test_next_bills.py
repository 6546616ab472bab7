"""The next bill in figures: what is shown is what the provider bills next."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import override_settings

from billing.gateway.estimates import Bill, ChangeEstimate
from billing.mirror.next_bills import amounts_due
from billing.models import Customer, NextBillEstimate, Subscription
from billing.queries.next_bills import Balances, EstimatedBill, Payer, billed_plan, project_bills
from billing.queries.subscriptions.holdings import holdings_of
from billing.tests.api.browser import Browser, read_bills
from billing.tests.api.mirror_factory import (
    FAITH,
    GOSPEL,
    KIDS,
    apply_resources,
    make_resource,
    make_subscription,
    open_account,
    timestamp_at,
)
from billing.tests.api.synced_provider import UNREACHABLE_ENDPOINT, SyncedProvider
from core.clock import database_now

pytestmark = pytest.mark.django_db

SERVICES = "/api/account/add-remove-service"
DOWNGRADE, UPGRADE = "/api/account/downgrade", "/api/account/upgrade"
MANAGE = "/api/account/manage-plans"
RESUME_ESTIMATE = "/api/account/resume/estimate"


def figures(bills: list[dict[str, Any]]) -> list[tuple[str, int | None, str, bool]]:
    """Return the day, amount and period of each bill, and whether it follows another."""
    return [(bill["date"][:10], bill["amount"], bill["periodUnit"], bill["follows"]) for bill in bills]


@pytest.mark.shows("rule-21")
def test_the_amount_is_null_until_a_read_has_requested_its_estimate(shop: SyncedProvider) -> None:
    ava = shop.customer("ava")
    shop.subscribe("ava", FAITH)
    assert figures(Browser(ava).get("/api/account").json()["nextBills"]) == [("2026-04-10", None, "month", False)]
    [bill] = read_bills(ava)
    assert (bill["amount"], bill["tax"], bill["planNames"]) == (699, "included", ["Faith & Family"])
    assert bill["paymentSource"]["last4"] == "1111"


@pytest.mark.shows("rule-21")
def test_removing_a_plan_after_a_scheduled_downgrade_shows_the_monthly_bills(
    shop: SyncedProvider, bundles: None
) -> None:
    ben = shop.customer("ben")
    for plan in (FAITH, GOSPEL, KIDS):
        shop.subscribe("ben", plan, unit="Yearly", coupon_ids=["BUNDLE-3"])
    browser = Browser(ben)
    assert browser.post(DOWNGRADE).status_code == 200
    estimate = browser.post(f"{SERVICES}/estimate", {"planIds": [GOSPEL, KIDS]}).json()
    assert estimate["periodUnit"] == "year"
    # The first one's year ends first, be it by a second: the others renew at the rate of two.
    expected = [("2027-03-10", 719, "month", False), ("2027-03-10", 809, "month", False)]
    assert figures(estimate["nextBills"]) == expected
    browser.post(SERVICES, {"planIds": [GOSPEL, KIDS], "quote": estimate["quote"]})
    assert figures(read_bills(ben)) == expected


@pytest.mark.shows("rule-21")
def test_charges_that_wait_for_the_next_bill_are_on_it(shop: SyncedProvider) -> None:
    ava = shop.customer("ava")
    faith = shop.subscribe("ava", FAITH, invoice_immediately=False)
    expected = [("2026-04-10", 2 * 699, "month", False), ("2026-05-10", 699, "month", True)]
    assert figures(read_bills(ava)) == expected
    shop.pass_term_end("ava", faith)
    assert [invoice["amount_paid"] for invoice in shop.invoices("ava")] == [2 * 699]


@pytest.mark.shows("money-2")
def test_charges_that_wait_for_the_next_bill_are_in_no_total(shop: SyncedProvider) -> None:
    ava = shop.customer("ava")
    shop.subscribe("ava", FAITH, invoice_immediately=False)
    browser = Browser(ava)
    assert browser.get(MANAGE).json()["total"] == 699
    read_bills(ava)
    change = browser.post(f"{SERVICES}/estimate", {"planIds": [FAITH, GOSPEL]}).json()
    assert change["total"] == 699 + 799
    assert {bill["amount"] for bill in change["nextBills"] if bill["planNames"] == ["Faith & Family"]} == {2 * 699, 699}


@pytest.mark.shows("rule-21", "rule-7")
def test_a_plan_that_is_kept_shows_its_bill_and_what_follows(shop: SyncedProvider) -> None:
    ava = shop.customer("ava")
    shop.coupon("SAVE20", percent=20)
    for plan in (FAITH, GOSPEL):
        shop.subscribe("ava", plan)
    browser = Browser(ava)
    assert browser.post("/api/account/add-coupon/SAVE20").status_code == 200
    before = figures(read_bills(ava))
    assert [follows for _, _, _, follows in before].count(True) == 1
    assert browser.post("/api/account/cancel").status_code == 200
    kept = browser.post(f"{SERVICES}/estimate", {"planIds": [FAITH, GOSPEL]}).json()
    assert figures(kept["nextBills"]) == before


@pytest.mark.shows("rule-21")
def test_a_pausing_plan_is_billed_when_it_resumes(shop: SyncedProvider, bundles: None) -> None:
    ava = shop.customer("ava")
    faith = shop.subscribe("ava", FAITH, coupon_ids=["BUNDLE-2"])
    shop.subscribe("ava", GOSPEL, coupon_ids=["BUNDLE-2"])
    browser = Browser(ava)
    read_bills(ava)
    estimate = browser.get(f"/api/account/pause/estimate?days=30&subscriptionId={faith}").json()
    assert [plan["subId"] for plan in estimate["plans"]] == [faith]
    browser.post("/api/account/subscriptions/multiple-pause", {"subscriptionId": [faith]})
    assert browser.get(MANAGE).json()["total"] == 629 + 719
    expected = [("2026-04-10", 719, "month", False), ("2026-05-10", 629, "month", False)]
    assert figures(estimate["nextBills"]) == figures(read_bills(ava)) == expected


@pytest.mark.shows("rule-21")
def test_a_resume_shows_the_bill_after_its_charge(shop: SyncedProvider, bundles: None) -> None:
    ava = shop.customer("ava")
    shop.subscribe("ava", FAITH, coupon_ids=["BUNDLE-2"])
    gospel = shop.subscribe("ava", GOSPEL, coupon_ids=["BUNDLE-2"])
    shop.coupon("SAVE20", percent=20)
    browser = Browser(ava)
    browser.post("/api/account/add-coupon/SAVE20")
    browser.post("/api/account/pause?days=30")
    shop.pass_term_end("ava", gospel)
    read_bills(ava)
    together = browser.get(RESUME_ESTIMATE).json()
    assert together["charges"] == [629, 575]
    alone = browser.get(f"{RESUME_ESTIMATE}?subscriptionId={gospel}").json()
    assert (alone["amountDue"], [bill["amount"] for bill in alone["nextBills"]]) == (575, [719])
    assert browser.post("/api/account/resume", {"quote": together["quote"]}).status_code == 200
    bills = read_bills(ava)
    assert [bill["amount"] for bill in bills] == [629, 719]
    assert figures(together["nextBills"]) == figures(bills)


@pytest.mark.shows("rule-21")
def test_a_resume_counts_the_credits_that_other_plans_use_before_anybody_has_read_their_bills(
    shop: SyncedProvider,
) -> None:
    ava = shop.customer("ava")
    shop.subscribe("ava", FAITH)
    gospel = shop.subscribe("ava", GOSPEL)
    browser = Browser(ava)
    browser.post("/api/account/subscriptions/multiple-pause", {"subscriptionId": [gospel]})
    shop.pass_term_end("ava", gospel)
    shop.client.PromotionalCredit.add({"customer_id": "ava", "amount": 2000, "description": "Sorry"})
    shop.import_customer("ava")
    estimate = browser.get(RESUME_ESTIMATE).json()
    assert browser.post("/api/account/resume", {"quote": estimate["quote"]}).status_code == 200
    bills = [bill for bill in read_bills(ava) if bill["plans"] == [gospel]]
    assert figures(estimate["nextBills"]) == figures(bills)
    assert estimate["nextBills"][0]["amount"] == 799 - (2000 - 799 - 699)


@pytest.mark.shows("rule-21")
def test_a_pause_has_amounts_before_anybody_has_read_the_bills(shop: SyncedProvider) -> None:
    ava = shop.customer("ava")
    shop.subscribe("ava", FAITH)
    estimate = Browser(ava).get("/api/account/pause/estimate?days=30").json()
    assert figures(estimate["nextBills"]) == [("2026-05-10", 699, "month", False)]


@pytest.mark.shows("rule-21")
def test_a_free_month_shows_the_bill_that_is_free_and_what_follows(shop: SyncedProvider) -> None:
    shop.offer_free_month()
    ava = shop.customer("ava")
    shop.subscribe("ava", FAITH)
    shop.subscribe("ava", KIDS)
    browser = Browser(ava)
    offer = browser.get("/api/account/claim-my-offer/estimate").json()
    claimed = browser.post("/api/account/claim-my-offer", {"quote": offer["quote"]}).json()
    expected = [("2026-04-10", 0, "month", False), ("2026-05-10", 899, "month", True)]
    shown = [bill for bill in read_bills(ava) if bill["planIds"] == [KIDS]]
    assert figures(offer["nextBills"]) == figures(claimed["nextBills"]) == figures(shown) == expected


@pytest.mark.shows("rule-21")
@pytest.mark.parametrize(("tax_percent", "tax"), [(8, "before"), (0, "included")])
def test_what_follows_a_free_month_is_before_tax_if_plans_are_taxed(
    shop: SyncedProvider, tax_percent: float, tax: str
) -> None:
    shop.provider.sandbox.configure_site(tax_percent=tax_percent)
    shop.offer_free_month()
    ava = shop.customer("ava")
    shop.subscribe("ava", FAITH)
    browser = Browser(ava)
    offer = browser.get("/api/account/claim-my-offer/estimate").json()
    claimed = browser.post("/api/account/claim-my-offer", {"quote": offer["quote"]}).json()
    for bills in (offer["nextBills"], claimed["nextBills"], read_bills(ava)):
        assert [(bill["amount"], bill["tax"]) for bill in bills] == [(0, "included"), (699, tax)]


@pytest.mark.shows("rule-21")
def test_nothing_follows_the_last_bill_that_customer_service_agreed_on(shop: SyncedProvider) -> None:
    ava = shop.customer("ava")
    shop.coupon("OFF", cents=100)
    shop.subscribe("ava", FAITH, billing_cycles=2)
    shop.subscribe("ava", GOSPEL, billing_cycles=3)
    for entry in shop.provider.raw_subscriptions("ava"):
        shop.client.Subscription.update_for_items(entry, {"coupon_ids": ["OFF"]})
    shop.import_customer("ava")

    told = [(bill["planIds"], bill["amount"], bill["follows"]) for bill in read_bills(ava)]

    assert told == [([FAITH], 599, False), ([GOSPEL], 699, False), ([GOSPEL], 799, True)]


@pytest.mark.shows("rule-21")
def test_nothing_is_billed_after_a_cancellation(shop: SyncedProvider) -> None:
    ava = shop.customer("ava")
    shop.subscribe("ava", FAITH)
    Browser(ava).post("/api/account/cancel", {})
    assert read_bills(ava) == []


@pytest.mark.shows("rule-21")
def test_a_one_time_code_does_not_count_in_what_follows(shop: SyncedProvider, bundles: None) -> None:
    ava = shop.customer("ava")
    shop.subscribe("ava", FAITH)
    shop.coupon("SAVE20", percent=20)
    browser = Browser(ava)
    redeemed = browser.post("/api/account/add-coupon/SAVE20").json()
    expected = [("2026-04-10", 559, "month", False), ("2026-05-10", 699, "month", True)]
    assert figures(redeemed["nextBills"]) == figures(read_bills(ava)) == expected
    addition = browser.post(f"{SERVICES}/estimate", {"planIds": [FAITH, GOSPEL]}).json()
    assert figures(addition["nextBills"]) == [
        ("2026-04-10", 503, "month", False),
        ("2026-04-10", 719, "month", False),
        ("2026-05-10", 629, "month", True),
    ]
    upgrade = browser.get(f"{UPGRADE}/estimate").json()
    assert figures(upgrade["nextBills"]) == [("2027-03-10", 6999, "year", False)]


@pytest.mark.shows("rule-21")
def test_credits_pay_the_bills_in_the_order_of_their_dates(shop: SyncedProvider) -> None:
    ava = shop.customer("ava")
    shop.subscribe("ava", FAITH)
    shop.client.PromotionalCredit.add({"customer_id": "ava", "amount": 1000, "description": "Sorry"})
    shop.import_customer("ava")
    assert figures(read_bills(ava)) == [
        ("2026-04-10", 0, "month", False),
        ("2026-05-10", 398, "month", True),
        ("2026-06-10", 699, "month", True),
    ]


@pytest.mark.shows("rule-21", "money-4")
def test_a_plan_that_ends_seconds_after_a_bill_does_not_lower_it(shop: SyncedProvider, bundles: None) -> None:
    ava = shop.customer("ava")
    shop.subscribe("ava", FAITH, coupon_ids=["BUNDLE-2"])
    shop.provider.travel(minutes=1)
    shop.subscribe("ava", GOSPEL, coupon_ids=["BUNDLE-2"])
    browser = Browser(ava)
    estimate = browser.post(f"{SERVICES}/estimate", {"planIds": [FAITH]}).json()
    assert figures(estimate["nextBills"]) == [("2026-04-10", 699, "month", False)]
    assert browser.post(SERVICES, {"planIds": [FAITH], "quote": estimate["quote"]}).status_code == 200
    assert figures(read_bills(ava)) == figures(estimate["nextBills"])


@pytest.mark.shows("rule-21")
def test_credits_pay_the_older_of_two_plans_that_are_billed_at_once(shop: SyncedProvider) -> None:
    ava = shop.customer("ava")
    gospel, faith = (shop.subscribe("ava", plan) for plan in (GOSPEL, FAITH))
    shop.client.PromotionalCredit.add({"customer_id": "ava", "amount": 500, "description": "Sorry"})
    shop.import_customer("ava")
    shown = {bill["plans"][0]: bill["amount"] for bill in read_bills(ava) if not bill["follows"]}
    shop.pass_term_end("ava", faith)
    billed = {invoice["subscription_id"]: invoice["amount_paid"] for invoice in shop.invoices("ava")[:2]}
    assert shown == billed == {gospel: 799 - 500, faith: 699}


@pytest.mark.shows("rule-21")
def test_an_account_that_nobody_reads_costs_no_request(shop: SyncedProvider) -> None:
    ava = shop.customer("ava")
    faith = shop.subscribe("ava", FAITH)
    read_bills(ava)
    shop.pass_term_end("ava", faith)
    assert not NextBillEstimate.objects.due().exists()
    Browser(ava).get("/api/account")
    assert NextBillEstimate.objects.due().count() == 1


@pytest.mark.shows("rule-21")
def test_an_unreachable_provider_leaves_the_date_alone(shop: SyncedProvider) -> None:
    ava = shop.customer("ava")
    shop.subscribe("ava", FAITH)
    with override_settings(CHARGEBEE_ENDPOINT=UNREACHABLE_ENDPOINT):
        assert figures(read_bills(ava)) == [("2026-04-10", None, "month", False)]
    NextBillEstimate.objects.update(next_attempt_at=database_now())
    assert figures(read_bills(ava)) == [("2026-04-10", 699, "month", False)]


@pytest.mark.shows("rule-21")
def test_a_plan_that_customer_service_lets_be_paid_by_hand_names_no_payment_method(shop: SyncedProvider) -> None:
    ava = shop.customer("ava")
    by_hand = shop.subscribe("ava", FAITH, auto_collection="off")
    gospel = shop.subscribe("ava", GOSPEL)
    shop.client.Customer.update("ava", {"auto_collection": "off"})
    shop.client.Subscription.override_billing_profile(gospel, {"auto_collection": "on"})
    shop.import_customer("ava")
    sources = {bill["plans"][0]: bill["paymentSource"] for bill in read_bills(ava)}
    assert sources[by_hand] is None
    assert sources[gospel]["last4"] == "1111"
    shop.client.Customer.update("ava", {"auto_collection": "on"})
    shop.import_customer("ava")
    assert [bill["paymentSource"] is None for bill in read_bills(ava)] == [True, False]


@pytest.mark.shows("rule-21")
def test_what_follows_a_bill_with_a_discount_by_hand_is_not_told() -> None:
    """Customer service can give a discount without a coupon: how long it lasts is not in the estimate."""
    account = open_account("alice", make_subscription("faith"))
    [holding] = holdings_of(account)
    bill = EstimatedBill(full_price=699, price=559, tax=0, coupon_ids=("discount_1",))
    plan = billed_plan(holding, bill, ())
    assert plan is not None
    [shown] = project_bills([plan], (), Payer(), Balances())
    assert (shown.amount, shown.follows) == (559, False)


@pytest.mark.shows("money-3")
def test_credits_pay_no_bill_in_another_currency() -> None:
    balance = {"promotional_credits": 1000, "preferred_currency_code": "USD"}
    euros = make_subscription("faith", currency_code="EUR", next_billing_at=timestamp_at(10))
    account = open_account("alice", euros, make_subscription("gospel", GOSPEL))
    apply_resources(make_resource("customer", "alice", email="alice@example.com", **balance))
    payer = Payer.of_customer(Customer.objects.get(account=account))
    plans = []
    for holding in holdings_of(account):
        price = holding.subscription.amount
        plan = billed_plan(holding, EstimatedBill(full_price=price, price=price, tax=0), ())
        assert plan is not None
        plans.append(plan)
    bills = project_bills(plans, (), payer, payer.balances)
    assert [(bill.terms.currency, bill.amount) for bill in bills[:3]] == [("EUR", 699), ("USD", 0), ("USD", 598)]
    charges = {handle: ChangeEstimate(now=Bill(full_price=599, amount_due=599)) for handle in ("first", "second")}
    due, left = amounts_due(charges, payer.balances, currency="EUR")
    assert (list(due.values()), left) == ([599, 599], payer.balances)


@pytest.mark.shows("money-2")
@pytest.mark.parametrize(("duration", "total"), [("forever", 6499), ("one_time", 6999)])
def test_an_upgrade_keeps_a_discount_by_hand_that_lasts(shop: SyncedProvider, duration: str, total: int) -> None:
    browser = Browser(shop.customer("ava"))
    shop.subscribe("ava", FAITH)
    subscription = Subscription.objects.get()
    terms = {"id": "disc_1", "coupon_id": "disc_1", "type": "fixed_amount", "apply_on": "invoice_amount"}
    subscription.payload["discounts"] = [{**terms, "amount": 500, "duration_type": duration}]
    subscription.save()

    assert browser.get(MANAGE).json()["total"] == 199
    assert browser.get(f"{UPGRADE}/estimate").json()["total"] == total
