"""Coupons: what they take off, in which order, and how they are used up."""

from __future__ import annotations

import json
from typing import Any

import pytest

from billing.sandbox.tests.shop import Shop, refused


def test_a_bundle_rate_is_rounded_half_up_to_the_cent(shop: Shop):
    ten, fifteen = shop.coupon("TEN"), shop.coupon("FIFTEEN", discount_percentage=15)
    shop.customer()
    price = shop.price("gospel", "month", 725, id="gospel-725")
    # 69.9 rounds up to 70, 72.5 up to 73, 104.85 up to 105.
    for item_price, coupon, off in (
        ("faith-month", ten, 70),
        (price, ten, 73),
        ("faith-month", fifteen, 105),
    ):
        subscription = shop.subscribe("ava", item_price, coupon_ids=[coupon])
        invoice = shop.invoices(subscription.id)[0]
        assert invoice.sub_total - invoice.total == off
        assert invoice.discounts[0].entity_type == "item_level_coupon"
        assert (invoice.discounts[0].entity_id, invoice.discounts[0].amount) == (coupon, off)
        assert invoice.line_item_discounts[0].discount_amount == off
        assert invoice.line_items[0].item_level_discount_amount == off


def test_discounts_apply_in_the_providers_order(shop: Shop):
    shop.customer()
    document = {"apply_on": "invoice_amount"}
    wanted = [
        shop.coupon("DOCUMENT-HALF", discount_percentage=50, **document),
        shop.coupon("DOCUMENT-100", discount_amount=100, **document),
        shop.coupon("ITEM-10", discount_percentage=10),
        shop.coupon("ITEM-99", discount_amount=99),
    ]
    subscription = shop.subscribe("ava", coupon_ids=wanted)
    invoice = shop.invoices(subscription.id)[0]
    # 699 - 99 = 600, - 60 = 540, - 100 = 440, - 220 = 220
    assert [(one.entity_id, one.amount) for one in invoice.discounts] == [
        ("ITEM-99", 99),
        ("ITEM-10", 60),
        ("DOCUMENT-100", 100),
        ("DOCUMENT-HALF", 220),
    ]
    assert invoice.total == invoice.amount_paid == 220


def test_a_discount_never_goes_below_nothing(shop: Shop):
    coupon = shop.coupon("HUGE", discount_amount=10_000, apply_on="invoice_amount")
    subscription = shop.subscribe(shop.customer(card=None), coupon_ids=[coupon])
    invoice = shop.invoices(subscription.id)[0]
    assert (invoice.total, invoice.status, invoice.discounts[0].amount) == (0, "paid", 699)


def totals(shop: Shop, subscription: Any, renewals: int) -> list[int]:
    for _ in range(renewals):
        shop.travel_past(shop.subscription(subscription.id).current_term_end)
    return [invoice.total for invoice in shop.invoices(subscription.id)]


def test_a_one_time_coupon_is_gone_after_one_invoice(shop: Shop):
    coupon = shop.coupon("ONCE", discount_percentage=20, duration_type="one_time", apply_on="invoice_amount")
    subscription = shop.subscribe(shop.customer(), coupon_ids=[coupon])
    assert subscription.coupons is None
    assert totals(shop, subscription, 1) == [559, 699]


def test_a_limited_coupon_runs_from_its_first_use(shop: Shop):
    limited = {"duration_type": "limited_period", "period": 3, "period_unit": "month"}
    coupon = shop.coupon("THREE", discount_amount=500, apply_on="invoice_amount", **limited)
    shop.customer()
    trial_end = shop.client.Customer.retrieve("ava").customer.created_at + 40 * 86_400
    subscription = shop.subscribe("ava", coupon_ids=[coupon], trial_end=trial_end)
    assert (subscription.coupons[0].applied_count, subscription.coupons[0].apply_till) == (0, None)
    shop.travel_past(trial_end)
    assert shop.subscription(subscription.id).coupons[0].applied_count == 1
    assert totals(shop, subscription, 4) == [199, 199, 199, 699, 699]
    assert shop.subscription(subscription.id).coupons is None


def test_a_coupon_for_ever_counts_its_uses(shop: Shop):
    subscription = shop.subscribe(shop.customer(), coupon_ids=[shop.coupon("TEN")])
    assert totals(shop, subscription, 2) == [629, 629, 629]
    assert shop.subscription(subscription.id).coupons[0].applied_count == 3


def test_a_coupon_for_other_prices_is_refused(shop: Shop):
    coupon = shop.coupon("ANNUAL", item_constraints=shop.only_for("faith-year", "gospel-year"))
    shop.customer()
    with refused(400, "param_wrong_value"):
        shop.subscribe("ava", "faith-month", coupon_ids=[coupon])
    assert shop.subscribe("ava", "faith-year", coupon_ids=[coupon]).coupons[0].coupon_id == coupon


def test_an_expired_or_exhausted_coupon_is_refused(shop: Shop):
    shop.customer()
    now = shop.client.Customer.retrieve("ava").customer.created_at
    single = shop.coupon("SINGLE", max_redemptions=1)
    brief = shop.coupon("BRIEF", valid_till=now + 3600)
    held = shop.subscribe("ava", coupon_ids=[single, brief])
    with refused(400, "resource_limit_exhausted"):
        shop.subscribe("ava", coupon_ids=[single])
    shop.travel_past(now, 7200)
    assert shop.client.Coupon.retrieve(brief).coupon.status == "expired"
    with refused(400, "resource_limit_exhausted"):
        shop.subscribe("ava", coupon_ids=[brief])
    with refused(404, "resource_not_found"):
        shop.subscribe("ava", coupon_ids=["UNKNOWN"])
    assert shop.client.Coupon.retrieve(single).coupon.redemptions == 1
    assert len(shop.subscription(held.id).coupons) == 2


@pytest.mark.parametrize("percentage", [0, 101, -5])
def test_a_percentage_out_of_bounds_is_no_coupon(shop: Shop, percentage: int):
    with refused(400, "param_wrong_value"):
        shop.coupon("ODD", discount_percentage=percentage)


def test_a_coupon_by_its_criteria_is_for_prices_of_its_periods_alone(shop: Shop):
    constraint = {"item_constraints": [{"item_type": "plan", "constraint": "criteria"}]}
    criterion = {
        "item_constraint_criteria": [{"item_type": "plan", "item_price_periods": json.dumps(["year"])}]
    }
    annual = shop.coupon("ANNUAL", **constraint, **criterion)
    monthly = shop.subscribe(shop.customer())
    with refused(400, "param_wrong_value"):
        shop.update(monthly.id, coupon_ids=[annual])
    assert shop.change(monthly.id, "faith-year", coupon_ids=[annual]).invoice.total == 6299


def test_a_coupon_waits_and_an_upgrades_invoice_uses_it(shop: Shop):
    monthly = shop.subscribe(shop.customer())
    once = {"duration_type": "one_time", "apply_on": "invoice_amount"}
    waiting = shop.update(monthly.id, coupon_ids=[shop.coupon("FIVE", discount_amount=500, **once)])
    assert (waiting.invoice, waiting.subscription.coupons[0].coupon_id) == (None, "FIVE")
    upgraded = shop.change(monthly.id, "faith-year")
    assert (upgraded.invoice.total, upgraded.subscription.coupons) == (6499, None)


def test_a_coupon_for_monthly_prices_waits_in_vain_on_a_yearly_one(shop: Shop):
    free = shop.coupon("FREE", discount_percentage=100, item_constraints=shop.only_for("faith-month"))
    monthly = shop.subscribe(shop.customer())
    shop.update(monthly.id, coupon_ids=[free])
    upgraded = shop.change(monthly.id, "faith-year")
    assert upgraded.invoice.total == 6999
    assert [coupon.applied_count for coupon in upgraded.subscription.coupons] == [0]


def test_a_coupon_is_held_once(shop: Shop):
    monthly = shop.subscribe(shop.customer(), coupon_ids=[shop.coupon("TEN")])
    with refused(400, "duplicate_entry"):
        shop.update(monthly.id, coupon_ids=["TEN"])
    with refused(400, "duplicate_entry"):
        shop.subscribe("ava", coupon_ids=["TEN", "TEN"])
    assert shop.client.Coupon.retrieve("TEN").coupon.redemptions == 1


def test_a_replaced_list_keeps_what_it_names_as_far_as_it_is_used(shop: Shop):
    monthly = shop.subscribe(shop.customer(), coupon_ids=[shop.coupon("TEN"), shop.coupon("FIVE")])
    replaced = shop.update(
        monthly.id, coupon_ids=["TEN", shop.coupon("TWO", discount_percentage=2)], replace_coupon_list=True
    ).subscription
    assert [(one.coupon_id, one.applied_count) for one in replaced.coupons] == [("TEN", 1), ("TWO", 0)]
    assert shop.update(monthly.id, replace_coupon_list=True).subscription.coupons is None


def test_a_code_is_spent_by_the_first_who_has_it(shop: Shop):
    code = shop.single_use("TEN", "TEN-1")
    shop.customer("ava")
    shop.customer("ben")
    held = shop.subscribe("ava", coupon_ids=[code]).coupons[0]
    assert (held.coupon_id, held.coupon_code) == ("TEN", code)
    assert shop.client.CouponCode.retrieve(code).coupon_code.status == "redeemed"
    assert shop.client.CouponSet.retrieve("TEN").coupon_set.redeemed_count == 1
    with refused(400, "resource_limit_exhausted"):
        shop.subscribe("ben", coupon_ids=[code])
    with refused(404, "resource_not_found"):
        shop.subscribe("ben", coupon_ids=["TEN-2"])


def test_coupons_are_taken_off_by_id_or_code_or_all_together(shop: Shop):
    wanted = [shop.single_use("TEN", "TEN-1"), shop.coupon("FIVE"), shop.coupon("TWO")]
    monthly = shop.subscribe(shop.customer(), coupon_ids=wanted)
    remove = shop.client.Subscription.remove_coupons
    left = remove(monthly.id, {"coupon_ids": ["TEN-1"]}).subscription.coupons
    assert [one.coupon_id for one in left] == ["FIVE", "TWO"]
    with refused(404, "resource_not_found"):
        remove(monthly.id, {"coupon_ids": ["TEN"]})
    assert remove(monthly.id).subscription.coupons is None


def test_a_coupons_terms_are_fixed_once_somebody_has_it(shop: Shop):
    ten = shop.coupon("TEN")
    update = shop.client.Coupon.update_for_items
    assert update(ten, {"discount_percentage": 20}).coupon.discount_percentage == 20
    fixed = {"discount_type": "fixed_amount", "discount_amount": 150}
    changed = update(ten, fixed).coupon
    assert (changed.discount_amount, changed.discount_percentage) == (150, None)
    shop.subscribe(shop.customer(), coupon_ids=[ten])
    with refused(409, "invalid_state_for_request"):
        update(ten, {"discount_amount": 200})
    assert update(ten, {"name": "Ten"}).coupon.name == "Ten"
    assert update(ten, {"max_redemptions": 1}).coupon.discount_amount == 150
    with refused(400, "resource_limit_exhausted"):
        shop.subscribe("ava", coupon_ids=[ten])
