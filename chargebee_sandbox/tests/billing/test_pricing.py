"""The totals of a bill, for any items and coupons."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chargebee_sandbox.engine.billing.pricing import (
    Deduction,
    LineItem,
    compute_totals,
    prorate_amount,
    round_half_up,
)

OWNER = {"customer_id": "ava", "subscription_id": "one"}
ENTITIES = ("plan", "addon", "charge")
PERCENTAGES = st.decimals(min_value=Decimal("0.01"), max_value=100, places=2)

prices = st.lists(
    st.builds(
        LineItem,
        entity_id=st.sampled_from(ENTITIES),
        entity_type=st.just("plan_item_price"),
        description=st.just("Streaming"),
        quantity=st.integers(1, 5),
        unit_amount=st.integers(0, 100_000),
        date_from=st.just(0),
        date_to=st.just(1),
    ),
    min_size=1,
    max_size=4,
)
deductions = st.lists(
    st.builds(
        Deduction,
        coupon_id=st.sampled_from(("A", "B", "C")),
        description=st.just("less"),
        item_level=st.booleans(),
        percentage=st.none() | PERCENTAGES,
        amount=st.integers(0, 50_000),
        entities=st.frozensets(st.sampled_from(ENTITIES)),
    ),
    max_size=4,
)


@given(prices=prices, deductions=deductions, tax=st.sampled_from([0.0, 7.25, 20.0]))
def test_the_line_items_add_up_and_no_amount_is_negative(prices: Any, deductions: Any, tax: float):
    bill = compute_totals(prices, deductions, tax, OWNER)
    amounts = sum(discount["amount"] for discount in bill.discounts)
    assert bill.total == bill.sub_total - amounts + bill.tax
    assert amounts == sum(discount["discount_amount"] for discount in bill.line_item_discounts)
    assert amounts == sum(line["discount_amount"] for line in bill.line_items)
    assert bill.tax == sum(line["tax_amount"] for line in bill.line_items)
    assert all(0 <= line["discount_amount"] <= line["amount"] for line in bill.line_items)
    assert all(line["item_level_discount_amount"] <= line["discount_amount"] for line in bill.line_items)
    assert all(discount["amount"] > 0 for discount in bill.discounts)
    assert bill.used_coupons == {discount["entity_id"] for discount in bill.discounts}


@given(cents=st.integers(0, 10**9))
def test_half_a_cent_rounds_up(cents: int):
    assert round_half_up(Decimal(cents) + Decimal("0.5")) == cents + 1
    assert round_half_up(Decimal(cents) + Decimal("0.499")) == cents


def test_a_proration_matches_chargebees_documented_example():
    assert prorate_amount(900, 1362166854, 1364845254, 1362253265) == 871


@given(amount=st.integers(0, 10**7), length=st.integers(1, 10**8), share=st.floats(0, 1))
def test_a_prorated_amount_is_between_zero_and_the_full_amount(amount: int, length: int, share: float):
    assert 0 <= prorate_amount(amount, 0, length, int(length * share)) <= amount
    assert prorate_amount(amount, 0, length, 0) == amount
    assert prorate_amount(amount, 0, length, length) == 0
