"""Promotional credits: their ledger, and how invoices use them."""

from __future__ import annotations

from typing import Any

from chargebee_sandbox.tests.support.site_driver import SiteDriver, attribute_values, expect_refusal


def give_credits(shop: SiteDriver, amount: int, how: str = "add") -> Any:
    params = {"customer_id": "ava", "amount": amount, "description": "For your patience"}
    return getattr(shop.client.PromotionalCredit, how)(params)


def test_each_entry_has_the_closing_balance(shop: SiteDriver):
    shop.add_customer()
    added = give_credits(shop, 300)
    entry = ("type", "amount", "closing_balance", "credit_type", "currency_code")
    assert attribute_values(added.promotional_credit, entry) == {
        "type": "increment",
        "amount": 300,
        "closing_balance": 300,
        "credit_type": "general",
        "currency_code": "USD",
    }
    assert give_credits(shop, 100, "deduct").customer.promotional_credits == 200
    assert attribute_values(give_credits(shop, 50, "set").promotional_credit, entry[:3]) == {
        "type": "decrement",
        "amount": 150,
        "closing_balance": 50,
    }
    entries = shop.client.PromotionalCredit.list({"customer_id": {"is": "ava"}}).list
    assert [row.promotional_credit.closing_balance for row in entries] == [50, 200, 300]
    event_types = [event.event_type for event in shop.list_events()][-3:]
    assert event_types == [
        "promotional_credits_added",
        "promotional_credits_deducted",
        "promotional_credits_deducted",
    ]


def test_a_deduction_above_the_balance_is_refused(shop: SiteDriver):
    shop.add_customer()
    give_credits(shop, 300)
    with expect_refusal(400, "param_wrong_value"):
        give_credits(shop, 301, "deduct")
    with expect_refusal(404, "resource_not_found"):
        shop.client.PromotionalCredit.add({"customer_id": "nobody", "amount": 1, "description": "?"})


def test_invoices_apply_them_after_coupons(shop: SiteDriver):
    coupon = shop.add_coupon("TEN")
    shop.add_customer()
    give_credits(shop, 800)
    subscription = shop.start_subscription("ava", coupon_ids=[coupon])
    first = shop.list_invoices(subscription.id)[0]
    assert [(discount.entity_type, discount.amount) for discount in first.discounts] == [
        ("item_level_coupon", 70),
        ("promotional_credits", 629),
    ]
    assert (first.total, first.status) == (0, "paid")
    estimate = shop.client.Estimate.renewal_estimate(subscription.id, {}).estimate.invoice_estimate
    left = {"use_existing_balances": False}
    alone = shop.client.Estimate.renewal_estimate(subscription.id, left).estimate.invoice_estimate
    assert (estimate.total, alone.total) == (629 - 171, 629)
    shop.travel_past(subscription.current_term_end)
    assert shop.list_invoices(subscription.id)[-1].total == 458
    assert shop.client.Customer.retrieve("ava").customer.promotional_credits == 0
    newest = shop.client.PromotionalCredit.list({"limit": 1}).list[0].promotional_credit
    assert newest.description == f"Applied to the invoice # {shop.list_invoices(subscription.id)[-1].id}"


def test_a_declined_change_restores_them(shop: SiteDriver):
    monthly = shop.start_subscription(shop.add_customer())
    shop.add_card("ava", "4005519200000004", replace_primary_payment_source=True)
    give_credits(shop, 500)
    with expect_refusal(400, "payment_processing_failed"):
        shop.change_items(monthly.id, "faith-year")
    assert shop.client.Customer.retrieve("ava").customer.promotional_credits == 500
