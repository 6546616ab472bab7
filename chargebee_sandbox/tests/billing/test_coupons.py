"""Coupons: discounts, their order, and redemptions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chargebee_sandbox.tests.support.site_driver import SiteDriver, expect_refusal


def test_a_bundle_rate_is_rounded_half_up_to_the_cent(shop: SiteDriver):
    ten, fifteen = shop.add_coupon("TEN"), shop.add_coupon("FIFTEEN", discount_percentage=15)
    shop.add_customer()
    price = shop.add_price("gospel", "month", 725, id="gospel-725")
    # 69.9 rounds up to 70, 72.5 up to 73, 104.85 up to 105.
    for item_price, coupon, off in (
        ("faith-month", ten, 70),
        (price, ten, 73),
        ("faith-month", fifteen, 105),
    ):
        subscription = shop.start_subscription("ava", item_price, coupon_ids=[coupon])
        invoice = shop.list_invoices(subscription.id)[0]
        assert invoice.sub_total - invoice.total == off
        assert invoice.discounts[0].entity_type == "item_level_coupon"
        assert (invoice.discounts[0].entity_id, invoice.discounts[0].amount) == (coupon, off)
        assert invoice.line_item_discounts[0].discount_amount == off
        assert invoice.line_items[0].item_level_discount_amount == off


def test_discounts_apply_in_chargebees_order(shop: SiteDriver):
    shop.add_customer()
    document = {"apply_on": "invoice_amount"}
    coupons = [
        shop.add_coupon("DOCUMENT-HALF", discount_percentage=50, **document),
        shop.add_coupon("DOCUMENT-100", discount_amount=100, **document),
        shop.add_coupon("ITEM-10", discount_percentage=10),
        shop.add_coupon("ITEM-99", discount_amount=99),
    ]
    subscription = shop.start_subscription("ava", coupon_ids=coupons)
    invoice = shop.list_invoices(subscription.id)[0]
    # 699 - 99 = 600, - 60 = 540, - 100 = 440, - 220 = 220
    assert [(discount.entity_id, discount.amount) for discount in invoice.discounts] == [
        ("ITEM-99", 99),
        ("ITEM-10", 60),
        ("DOCUMENT-100", 100),
        ("DOCUMENT-HALF", 220),
    ]
    assert invoice.total == invoice.amount_paid == 220


def test_a_discount_never_exceeds_the_amount(shop: SiteDriver):
    coupon = shop.add_coupon("HUGE", discount_amount=10_000, apply_on="invoice_amount")
    subscription = shop.start_subscription(shop.add_customer(card=None), coupon_ids=[coupon])
    invoice = shop.list_invoices(subscription.id)[0]
    assert (invoice.total, invoice.status, invoice.discounts[0].amount) == (0, "paid", 699)


def invoice_totals(shop: SiteDriver, subscription: Any, renewals: int) -> list[int]:
    for _ in range(renewals):
        shop.travel_past(shop.retrieve_subscription(subscription.id).current_term_end)
    return [invoice.total for invoice in shop.list_invoices(subscription.id)]


def test_a_one_time_coupon_applies_to_one_invoice(shop: SiteDriver):
    coupon = shop.add_coupon("ONCE", discount_percentage=20, duration_type="one_time", apply_on="invoice_amount")
    subscription = shop.start_subscription(shop.add_customer(), coupon_ids=[coupon])
    assert subscription.coupons is None
    assert invoice_totals(shop, subscription, 1) == [559, 699]


def test_a_limited_coupon_runs_from_its_first_use(shop: SiteDriver):
    limited = {"duration_type": "limited_period", "period": 3, "period_unit": "month"}
    coupon = shop.add_coupon("THREE", discount_amount=500, apply_on="invoice_amount", **limited)
    shop.add_customer()
    trial_end = shop.client.Customer.retrieve("ava").customer.created_at + 40 * 86_400
    subscription = shop.start_subscription("ava", coupon_ids=[coupon], trial_end=trial_end)
    assert (subscription.coupons[0].applied_count, subscription.coupons[0].apply_till) == (0, None)
    shop.travel_past(trial_end)
    assert shop.retrieve_subscription(subscription.id).coupons[0].applied_count == 1
    assert invoice_totals(shop, subscription, 4) == [199, 199, 199, 699, 699]
    assert shop.retrieve_subscription(subscription.id).coupons is None


def test_a_forever_coupon_counts_its_uses(shop: SiteDriver):
    subscription = shop.start_subscription(shop.add_customer(), coupon_ids=[shop.add_coupon("TEN")])
    assert invoice_totals(shop, subscription, 2) == [629, 629, 629]
    assert shop.retrieve_subscription(subscription.id).coupons[0].applied_count == 3


def test_a_coupon_for_other_prices_is_refused(shop: SiteDriver):
    coupon = shop.add_coupon("ANNUAL", item_constraints=shop.only_for("faith-year", "gospel-year"))
    shop.add_customer()
    with expect_refusal(400, "param_wrong_value"):
        shop.start_subscription("ava", "faith-month", coupon_ids=[coupon])
    assert shop.start_subscription("ava", "faith-year", coupon_ids=[coupon]).coupons[0].coupon_id == coupon


def test_an_expired_or_exhausted_coupon_is_refused(shop: SiteDriver):
    shop.add_customer()
    now = shop.client.Customer.retrieve("ava").customer.created_at
    single = shop.add_coupon("SINGLE", max_redemptions=1)
    brief = shop.add_coupon("BRIEF", valid_till=now + 3600)
    subscription = shop.start_subscription("ava", coupon_ids=[single, brief])
    with expect_refusal(400, "resource_limit_exhausted"):
        shop.start_subscription("ava", coupon_ids=[single])
    shop.travel_past(now, 7200)
    assert shop.client.Coupon.retrieve(brief).coupon.status == "expired"
    with expect_refusal(400, "resource_limit_exhausted"):
        shop.start_subscription("ava", coupon_ids=[brief])
    with expect_refusal(404, "resource_not_found"):
        shop.start_subscription("ava", coupon_ids=["UNKNOWN"])
    assert shop.client.Coupon.retrieve(single).coupon.redemptions == 1
    assert len(shop.retrieve_subscription(subscription.id).coupons) == 2


def test_a_coupon_is_refused_before_its_time_and_then_accepted(shop: SiteDriver):
    shop.add_customer()
    now = shop.client.Customer.retrieve("ava").customer.created_at
    early = shop.add_coupon("EARLY", valid_from=now + 3600, valid_till=now + 10_800)
    with expect_refusal(400, "resource_limit_exhausted"):
        shop.start_subscription("ava", coupon_ids=[early])
    assert shop.client.Coupon.retrieve(early).coupon.status == "future"
    shop.travel_past(now, 7200)
    assert shop.client.Coupon.retrieve(early).coupon.status == "active"
    assert shop.start_subscription("ava", coupon_ids=[early]).coupons[0].coupon_id == early
    shop.travel_past(now, 14_400)
    assert shop.client.Coupon.retrieve(early).coupon.status == "expired"


@pytest.mark.parametrize("percentage", [0, 101, -5])
def test_a_percentage_out_of_range_is_refused(shop: SiteDriver, percentage: int):
    with expect_refusal(400, "param_wrong_value"):
        shop.add_coupon("ODD", discount_percentage=percentage)


def test_a_coupon_with_period_criteria_applies_only_to_those_periods(shop: SiteDriver):
    constraint = {"item_constraints": [{"item_type": "plan", "constraint": "criteria"}]}
    criterion = {"item_constraint_criteria": [{"item_type": "plan", "item_price_periods": json.dumps(["year"])}]}
    annual = shop.add_coupon("ANNUAL", **constraint, **criterion)
    monthly = shop.start_subscription(shop.add_customer())
    with expect_refusal(400, "param_wrong_value"):
        shop.update_subscription(monthly.id, coupon_ids=[annual])
    assert shop.change_items(monthly.id, "faith-year", coupon_ids=[annual]).invoice.total == 6299


def test_an_added_coupon_is_used_by_the_invoice_of_an_upgrade(shop: SiteDriver):
    monthly = shop.start_subscription(shop.add_customer())
    once = {"duration_type": "one_time", "apply_on": "invoice_amount"}
    waiting = shop.update_subscription(monthly.id, coupon_ids=[shop.add_coupon("FIVE", discount_amount=500, **once)])
    assert (waiting.invoice, waiting.subscription.coupons[0].coupon_id) == (None, "FIVE")
    upgraded = shop.change_items(monthly.id, "faith-year")
    assert (upgraded.invoice.total, upgraded.subscription.coupons) == (6499, None)


def test_a_monthly_coupon_is_not_used_on_a_yearly_price(shop: SiteDriver):
    free = shop.add_coupon("FREE", discount_percentage=100, item_constraints=shop.only_for("faith-month"))
    monthly = shop.start_subscription(shop.add_customer())
    shop.update_subscription(monthly.id, coupon_ids=[free])
    upgraded = shop.change_items(monthly.id, "faith-year")
    assert upgraded.invoice.total == 6999
    assert [coupon.applied_count for coupon in upgraded.subscription.coupons] == [0]


def test_a_coupon_can_be_added_only_once(shop: SiteDriver):
    monthly = shop.start_subscription(shop.add_customer(), coupon_ids=[shop.add_coupon("TEN")])
    with expect_refusal(400, "duplicate_entry"):
        shop.update_subscription(monthly.id, coupon_ids=["TEN"])
    with expect_refusal(400, "duplicate_entry"):
        shop.start_subscription("ava", coupon_ids=["TEN", "TEN"])
    assert shop.client.Coupon.retrieve("TEN").coupon.redemptions == 1


def test_replacing_the_coupons_keeps_the_use_count_of_kept_ones(shop: SiteDriver):
    monthly = shop.start_subscription(shop.add_customer(), coupon_ids=[shop.add_coupon("TEN"), shop.add_coupon("FIVE")])
    replaced = shop.update_subscription(
        monthly.id,
        coupon_ids=["TEN", shop.add_coupon("TWO", discount_percentage=2)],
        replace_coupon_list=True,
    ).subscription
    assert [(coupon.coupon_id, coupon.applied_count) for coupon in replaced.coupons] == [
        ("TEN", 1),
        ("TWO", 0),
    ]
    assert shop.update_subscription(monthly.id, replace_coupon_list=True).subscription.coupons is None


def test_a_single_use_code_can_be_redeemed_once(shop: SiteDriver):
    code = shop.add_single_use_code("TEN", "TEN-1")
    shop.add_customer("ava")
    shop.add_customer("ben")
    coupon = shop.start_subscription("ava", coupon_ids=[code]).coupons[0]
    assert (coupon.coupon_id, coupon.coupon_code) == ("TEN", code)
    assert shop.client.CouponCode.retrieve(code).coupon_code.status == "redeemed"
    assert shop.client.CouponSet.retrieve("TEN").coupon_set.redeemed_count == 1
    with expect_refusal(400, "resource_limit_exhausted"):
        shop.start_subscription("ben", coupon_ids=[code])
    with expect_refusal(404, "resource_not_found"):
        shop.start_subscription("ben", coupon_ids=["TEN-2"])


def test_coupons_can_be_removed_by_id_by_code_or_all(shop: SiteDriver):
    coupons = [shop.add_single_use_code("TEN", "TEN-1"), shop.add_coupon("FIVE"), shop.add_coupon("TWO")]
    monthly = shop.start_subscription(shop.add_customer(), coupon_ids=coupons)
    remove = shop.client.Subscription.remove_coupons
    left = remove(monthly.id, {"coupon_ids": ["TEN-1"]}).subscription.coupons
    assert [coupon.coupon_id for coupon in left] == ["FIVE", "TWO"]
    with expect_refusal(404, "resource_not_found"):
        remove(monthly.id, {"coupon_ids": ["TEN"]})
    assert remove(monthly.id).subscription.coupons is None


def test_the_terms_of_a_redeemed_coupon_cannot_be_changed(shop: SiteDriver):
    ten = shop.add_coupon("TEN")
    update = shop.client.Coupon.update_for_items
    assert update(ten, {"discount_percentage": 20}).coupon.discount_percentage == 20
    fixed = {"discount_type": "fixed_amount", "discount_amount": 150}
    changed = update(ten, fixed).coupon
    assert (changed.discount_amount, changed.discount_percentage) == (150, None)
    shop.start_subscription(shop.add_customer(), coupon_ids=[ten])
    with expect_refusal(409, "invalid_state_for_request"):
        update(ten, {"discount_amount": 200})
    assert update(ten, {"name": "Ten"}).coupon.name == "Ten"
    assert update(ten, {"max_redemptions": 1}).coupon.discount_amount == 150
    with expect_refusal(400, "resource_limit_exhausted"):
        shop.start_subscription("ava", coupon_ids=[ten])
