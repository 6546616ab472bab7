"""Properties of every discounted price."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as some

from billing.queries.discounts import Discount, discounted_price
from billing.tests.api.mirror_factory import NOW

DISCOUNTS = some.builds(
    Discount,
    coupon_id=some.just("any"),
    kind=some.sampled_from(["code", "free_month"]),
    item_level=some.just(False),
    cents=some.integers(0, 2000),
    percentage=some.just(Decimal(0)),
) | some.builds(
    Discount,
    coupon_id=some.just("any"),
    kind=some.just("bundle"),
    item_level=some.just(True),
    percentage=some.decimals(0, 100, places=2),
)


@pytest.mark.shows("money-1")
@given(amount=some.integers(0, 100_000), discounts=some.lists(DISCOUNTS, max_size=5))
def test_a_price_is_the_amount_less_discounts_and_never_negative(amount: int, discounts: list[Discount]) -> None:
    found = discounted_price(amount, discounts)
    assert found.total == amount - found.bundle_savings - found.coupon_discount
    assert 0 <= found.total <= amount
    assert min(found.bundle_savings, found.coupon_discount) >= 0


@given(amount=some.integers(0, 100_000), discounts=some.lists(DISCOUNTS, max_size=5))
def test_invoice_level_coupons_never_change_the_bundle_savings(amount: int, discounts: list[Discount]) -> None:
    bundle_alone = [discount for discount in discounts if discount.kind == "bundle"]
    assert discounted_price(amount, discounts).bundle_savings == discounted_price(amount, bundle_alone).bundle_savings


@pytest.mark.shows("money-1")
@pytest.mark.parametrize(
    ("percentage", "cents", "off"),
    [("10", 705, 71), ("10", 704, 70), ("15", 899, 135), ("12.5", 699, 87), ("33.33", 1, 0), ("50", 1, 1)],
)
def test_a_percentage_rounds_half_up_to_the_cent(percentage: str, cents: int, off: int) -> None:
    discount = Discount(coupon_id="any", kind="code", item_level=False, percentage=Decimal(percentage))
    assert discount.amount_off(cents) == off


@pytest.mark.parametrize(("days", "covered"), [(-1, False), (0, False), (1, True)])
def test_the_end_of_a_coupon_is_exclusive(days: int, covered: bool) -> None:
    discount = Discount(coupon_id="any", kind="code", item_level=False, until=NOW + timedelta(days=days))
    assert discount.is_in_force_at(NOW) is covered
