"""Promotional credits: the book of them, and what they take off invoices."""

from __future__ import annotations

from typing import Any

from billing.sandbox.tests.shop import Shop, refused, shown


def give(shop: Shop, amount: int, how: str = "add") -> Any:
    asked = {"customer_id": "ava", "amount": amount, "description": "For your patience"}
    return getattr(shop.client.PromotionalCredit, how)(asked)


def test_each_entry_says_what_it_left(shop: Shop):
    shop.customer()
    added = give(shop, 300)
    entry = ("type", "amount", "closing_balance", "credit_type", "currency_code")
    assert shown(added.promotional_credit, entry) == {
        "type": "increment",
        "amount": 300,
        "closing_balance": 300,
        "credit_type": "general",
        "currency_code": "USD",
    }
    assert give(shop, 100, "deduct").customer.promotional_credits == 200
    assert shown(give(shop, 50, "set").promotional_credit, entry[:3]) == {
        "type": "decrement",
        "amount": 150,
        "closing_balance": 50,
    }
    entries = shop.client.PromotionalCredit.list({"customer_id": {"is": "ava"}}).list
    assert [one.promotional_credit.closing_balance for one in entries] == [50, 200, 300]
    told = [event.event_type for event in shop.events()][-3:]
    assert told == [
        "promotional_credits_added",
        "promotional_credits_deducted",
        "promotional_credits_deducted",
    ]


def test_more_than_there_is_cannot_be_taken(shop: Shop):
    shop.customer()
    give(shop, 300)
    with refused(400, "param_wrong_value"):
        give(shop, 301, "deduct")
    with refused(404, "resource_not_found"):
        shop.client.PromotionalCredit.add({"customer_id": "nobody", "amount": 1, "description": "?"})


def test_invoices_take_them_after_the_coupons(shop: Shop):
    coupon = shop.coupon("TEN")
    shop.customer()
    give(shop, 800)
    subscription = shop.subscribe("ava", coupon_ids=[coupon])
    first = shop.invoices(subscription.id)[0]
    assert [(one.entity_type, one.amount) for one in first.discounts] == [
        ("item_level_coupon", 70),
        ("promotional_credits", 629),
    ]
    assert (first.total, first.status) == (0, "paid")
    estimate = shop.client.Estimate.renewal_estimate(subscription.id, {}).estimate.invoice_estimate
    left = {"use_existing_balances": False}
    alone = shop.client.Estimate.renewal_estimate(subscription.id, left).estimate.invoice_estimate
    assert (estimate.total, alone.total) == (629 - 171, 629)
    shop.travel_past(subscription.current_term_end)
    assert shop.invoices(subscription.id)[-1].total == 458
    assert shop.client.Customer.retrieve("ava").customer.promotional_credits == 0
    newest = shop.client.PromotionalCredit.list({"limit": 1}).list[0].promotional_credit
    assert newest.description == f"Applied to the invoice # {shop.invoices(subscription.id)[-1].id}"


def test_a_declined_change_gives_them_back(shop: Shop):
    monthly = shop.subscribe(shop.customer())
    shop.add_card("ava", "4005519200000004", replace_primary_payment_source=True)
    give(shop, 500)
    with refused(400, "payment_processing_failed"):
        shop.change(monthly.id, "faith-year")
    assert shop.client.Customer.retrieve("ava").customer.promotional_credits == 500
