"""Prices in tiers: what a quantity costs, and which tiers the subscription and its invoices name."""

from __future__ import annotations

from typing import Any

import pytest

from chargebee_sandbox.tests.support.published_facts import find_faults
from chargebee_sandbox.tests.support.site_driver import SiteDriver, expect_refusal

TIERS = [
    {"starting_unit": 1, "ending_unit": 10, "price": 500},
    {"starting_unit": 11, "ending_unit": 20, "price": 400},
    {"starting_unit": 21, "price": 300},
]


def add_tiered_price(shop: SiteDriver, model: str) -> str:
    terms = {"period": 1, "period_unit": "month", "currency_code": "USD"}
    price = {"id": "seats-month", "name": "seats", "item_id": "faith", "pricing_model": model, "tiers": TIERS}
    return str(shop.client.ItemPrice.create({**terms, **price}).item_price.id)


def start_with_seats(shop: SiteDriver, price: str, quantity: int, **more: Any) -> Any:
    items = [{"item_price_id": price, "quantity": quantity}]
    return shop.client.Subscription.create_with_items(shop.add_customer(), {"subscription_items": items, **more})


@pytest.mark.parametrize(
    ("model", "quantity", "amount", "used"),
    [
        ("tiered", 1, 500, [(1, 1, 500)]),
        ("tiered", 25, 10_500, [(1, 10, 500), (11, 10, 400), (21, 5, 300)]),
        ("volume", 20, 8_000, [(11, 20, 400)]),
        ("stairstep", 20, 400, [(11, 20, 400)]),
        ("stairstep", 21, 300, [(21, 21, 300)]),
    ],
)
def test_a_quantity_costs_what_its_tiers_come_to(
    shop: SiteDriver, model: str, quantity: int, amount: int, used: list[tuple[int, int, int]]
):
    answer = start_with_seats(shop, add_tiered_price(shop, model), quantity)
    [item] = answer.subscription.subscription_items
    assert (item.quantity, item.amount, answer.invoice.total) == (quantity, amount, amount)
    rows = answer.invoice.raw_data["line_item_tiers"]
    assert [(row["starting_unit"], row["quantity_used"], row["unit_amount"]) for row in rows] == used
    assert {row["line_item_id"] for row in rows} == {answer.invoice.line_items[0].id}
    assert [row.price for row in answer.subscription.item_tiers] == [500, 400, 300]
    faults = find_faults("subscription", answer.subscription.raw_data) + find_faults("invoice", answer.invoice.raw_data)
    assert faults == []
    shop.travel_past(answer.subscription.current_term_end)
    assert shop.list_invoices(answer.subscription.id)[-1].total == amount


def test_a_price_in_tiers_has_no_price_of_its_own(shop: SiteDriver):
    price = shop.client.ItemPrice.retrieve(add_tiered_price(shop, "tiered")).item_price.raw_data
    assert "price" not in price
    assert find_faults("item_price", price) == []
    assert [row["starting_unit"] for row in price["tiers"]] == [1, 11, 21]


def test_a_subscription_can_have_tiers_of_its_own(shop: SiteDriver):
    price = add_tiered_price(shop, "volume")
    own = [{"item_price_id": price, "starting_unit": 1, "price": 100}]
    answer = start_with_seats(shop, price, 3, item_tiers=own)
    assert (answer.invoice.total, [row.price for row in answer.subscription.item_tiers]) == (300, [100])
    handle = answer.subscription.id
    more = shop.update_subscription(handle, subscription_items=[{"item_price_id": price, "quantity": 5}])
    assert more.subscription.subscription_items[0].amount == 500
    plain = shop.change_items(handle, "faith-month", replace_items_list=True)
    assert "item_tiers" not in plain.subscription.raw_data


def test_a_scheduled_change_brings_its_tiers(shop: SiteDriver):
    price = add_tiered_price(shop, "tiered")
    subscription = shop.start_subscription(shop.add_customer())
    items = [{"item_price_id": price, "quantity": 11}]
    scheduled = shop.update_subscription(subscription.id, subscription_items=items, change_option="end_of_term")
    assert "item_tiers" not in scheduled.subscription.raw_data
    coming = shop.client.Subscription.retrieve_with_scheduled_changes(subscription.id).subscription
    assert (coming.subscription_items[0].amount, len(coming.item_tiers)) == (5400, 3)
    estimate = shop.client.Estimate.renewal_estimate(subscription.id).estimate
    assert estimate.invoice_estimate.total == 5400
    shop.travel_past(subscription.current_term_end)
    assert shop.list_invoices(subscription.id)[-1].total == 5400


@pytest.mark.parametrize(
    "tiers",
    [[], TIERS[:2], TIERS[1:], [TIERS[0], TIERS[2]], [{"starting_unit": 1, "price": 500}, TIERS[2]]],
)
def test_tiers_with_a_gap_or_an_end_are_refused(shop: SiteDriver, tiers: list[dict[str, int]]):
    price = {"id": "odd", "name": "odd", "item_id": "faith", "pricing_model": "tiered", "tiers": tiers}
    with expect_refusal(400, "param_wrong_value"):
        shop.client.ItemPrice.create({**price, "period": 1, "period_unit": "month", "currency_code": "USD"})


def test_a_price_in_tiers_takes_no_unit_price(shop: SiteDriver):
    items = [{"item_price_id": add_tiered_price(shop, "tiered"), "quantity": 2, "unit_price": 5}]
    with expect_refusal(400, "param_wrong_value"):
        shop.client.Subscription.create_with_items(shop.add_customer(), {"subscription_items": items})
