"""What a subscription is ordered for: the items and coupons a request names, read and checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from billing.sandbox.body import Body
from billing.sandbox.engine import coupons
from billing.sandbox.models import ItemPrice
from billing.sandbox.operations.lookup import found
from billing.sandbox.wire.errors import ApiError, duplicate, not_found, wrong_value
from billing.sandbox.wire.params import Params


@dataclass(frozen=True)
class Order:
    """Items as they stand on a subscription, the plan first, and their prices in the same order."""

    items: list[Body]
    prices: list[ItemPrice]

    @property
    def plan(self) -> ItemPrice:
        """The price of the one plan."""
        return self.prices[0]


def order(params: Params, held: Sequence[Body] = ()) -> Order:
    """The items that a request leads to on a subscription that has the items ``held``.

    As documented they are added to the list, a plan takes the place of the plan, an item it has already is changed;
    ``replace_items_list`` replaces the list. Raises: ApiError 404 for prices that are unknown or, unless it has them
    already, off sale; 400 for no plan, two plans, or a price of another currency or period than the plan's.
    """
    asked = [(found(ItemPrice, row.needed("item_price_id"), "item_price_id"), row) for row in _rows(params)]
    had = {item["item_price_id"] for item in held}
    for price, _row in asked:
        if price["status"] != "active" and price.handle not in had:
            raise not_found("item_price", price.handle, "item_price_id")
    chosen = [(price, _item(price, row)) for price, row in asked]
    kept = [] if "replace_items_list" in params and params.boolean("replace_items_list") else held
    return _checked(_kept(kept, [price for price, _item in chosen]) + chosen)


def redeemed(params: Params, prices: Sequence[ItemPrice], held: Sequence[Body] = ()) -> list[Body]:
    """Take the coupons that ``coupon_ids`` names, by id or by code, for a subscription that has the coupons ``held``.

    Raises: ApiError 404 for one nobody knows, 400 resource_limit_exhausted for one that is expired, used up or spent,
    duplicate_entry for one it has already, param_wrong_value for one that applies to none of the prices.
    """
    taken: list[Body] = []
    for handle in params.texts("coupon_ids"):
        taken.append(_redeem(handle, prices, [*held, *taken]))
    return taken


def _rows(params: Params) -> list[Params]:
    return params.rows("subscription_items")


def _kept(held: Sequence[Body], coming: Sequence[ItemPrice]) -> list[tuple[ItemPrice, Body]]:
    """The held items that stay beside those that come."""
    named = {price.handle for price in coming}
    new_plan = any(price["item_type"] == "plan" for price in coming)
    staying = [
        item
        for item in held
        if item["item_price_id"] not in named and not (new_plan and item["item_type"] == "plan")
    ]
    return [(found(ItemPrice, item["item_price_id"]), item) for item in staying]


def _checked(chosen: list[tuple[ItemPrice, Body]]) -> Order:
    chosen = sorted(chosen, key=lambda pair: pair[0]["item_type"] != "plan")
    prices = [price for price, _item in chosen]
    if [price["item_type"] for price in prices].count("plan") != 1:
        raise wrong_value("subscription_items", "should hold exactly one plan item price")
    if len({price.handle for price in prices}) != len(prices):
        raise wrong_value("subscription_items", "should name each item price once")
    plan = prices[0]
    for price in prices:
        period = (price["currency_code"], price.get("period"), price.get("period_unit"))
        if period != (plan["currency_code"], plan["period"], plan["period_unit"]):
            raise wrong_value("subscription_items", "should have the plan's currency and billing period")
    return Order([item for _price, item in chosen], prices)


def _item(price: ItemPrice, row: Params) -> Body:
    row.allow_only(("item_price_id", "quantity", "unit_price"))
    quantity = row.integer("quantity", least=1) or 1
    asked = row.integer("unit_price", least=0)
    unit_price = price["price"] if asked is None else asked
    return {
        "item_price_id": price.handle,
        "item_type": price["item_type"],
        "quantity": quantity,
        "unit_price": unit_price,
        "amount": quantity * unit_price,
        "free_quantity": 0,
        "object": "subscription_item",
    }


def _redeem(handle: str, prices: Sequence[ItemPrice], held: Sequence[Body]) -> Body:
    known = coupons.resolve(handle)
    if known is None:
        raise not_found("coupon", handle, "coupon_ids")
    try:
        return coupons.redeem(*known, prices, held)
    except coupons.CouponHeld:
        raise duplicate("coupon_ids", handle) from None
    except coupons.CouponUnusable:
        message = f"The coupon {handle} is expired or cannot be redeemed any more"
        raise ApiError(400, "resource_limit_exhausted", message, param="coupon_ids") from None
    except coupons.CouponInapplicable:
        raise wrong_value("coupon_ids", f"{handle} does not apply to these items") from None
