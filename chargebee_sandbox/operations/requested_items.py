"""The items and coupons that a request names for a subscription."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chargebee_sandbox.api.errors import ApiError, duplicate_entry, not_found, wrong_value
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing import coupons
from chargebee_sandbox.models import ItemPrice
from chargebee_sandbox.operations.lookup import find_resource


@dataclass(frozen=True)
class RequestedItems:
    """A subscription's items, the plan first, and their prices in the same order."""

    items: list[Body]
    prices: list[ItemPrice]

    @property
    def plan(self) -> ItemPrice:
        """The price of the only plan."""
        return self.prices[0]


def read_requested_items(params: Params, present: Sequence[Body] = ()) -> RequestedItems:
    """Return the items that a request leads to on a subscription with the items ``present``.

    As documented, new items are added, a plan replaces the plan, and an item that is present is changed;
    ``replace_items_list`` replaces them all. Raises: ApiError 404 for a price that is unknown or, unless it is present,
    archived; 400 without a plan, with two plans, or for a currency or period other than the plan's.
    """
    rows = [
        (find_resource(ItemPrice, row.required_text("item_price_id"), "item_price_id"), row)
        for row in params.rows("subscription_items")
    ]
    present_ids = {item["item_price_id"] for item in present}
    for price, _row in rows:
        if price["status"] != "active" and price.handle not in present_ids:
            raise not_found("item_price", price.handle, "item_price_id")
    added = [(price, _item_body(price, row)) for price, row in rows]
    base = [] if "replace_items_list" in params and params.boolean("replace_items_list") else present
    return _check_items(_remaining_items(base, [price for price, _item in added]) + added)


def redeem_requested_coupons(params: Params, prices: Sequence[ItemPrice], applied: Sequence[Body] = ()) -> list[Body]:
    """Redeem the coupons in ``coupon_ids``, ids or codes, for a subscription with the coupons ``applied``.

    Raises: ApiError 404 for an unknown coupon, 400 resource_limit_exhausted for one that cannot be redeemed any more,
    duplicate_entry for one that is applied already, param_wrong_value for one that applies to none of the prices.
    """
    redeemed: list[Body] = []
    for handle in params.texts("coupon_ids"):
        redeemed.append(_redeem_coupon(handle, prices, [*applied, *redeemed]))
    return redeemed


def _remaining_items(items: Sequence[Body], added: Sequence[ItemPrice]) -> list[tuple[ItemPrice, Body]]:
    """Return the items that stay when others are added."""
    added_ids = {price.handle for price in added}
    replaces_plan = any(price["item_type"] == "plan" for price in added)
    remaining = [
        item
        for item in items
        if item["item_price_id"] not in added_ids and not (replaces_plan and item["item_type"] == "plan")
    ]
    return [(find_resource(ItemPrice, item["item_price_id"]), item) for item in remaining]


def _check_items(pairs: list[tuple[ItemPrice, Body]]) -> RequestedItems:
    pairs = sorted(pairs, key=lambda pair: pair[0]["item_type"] != "plan")
    prices = [price for price, _item in pairs]
    if [price["item_type"] for price in prices].count("plan") != 1:
        raise wrong_value("subscription_items", "should hold exactly one plan item price")
    if len({price.handle for price in prices}) != len(prices):
        raise wrong_value("subscription_items", "should name each item price once")
    plan = prices[0]
    for price in prices:
        period = (price["currency_code"], price.get("period"), price.get("period_unit"))
        if period != (plan["currency_code"], plan["period"], plan["period_unit"]):
            raise wrong_value("subscription_items", "should have the plan's currency and billing period")
    return RequestedItems([item for _price, item in pairs], prices)


def _item_body(price: ItemPrice, row: Params) -> Body:
    row.allow_only(("item_price_id", "quantity", "unit_price"))
    quantity = row.integer("quantity", least=1) or 1
    override = row.integer("unit_price", least=0)
    unit_price = price["price"] if override is None else override
    return {
        "item_price_id": price.handle,
        "item_type": price["item_type"],
        "quantity": quantity,
        "unit_price": unit_price,
        "amount": quantity * unit_price,
        "free_quantity": 0,
        "object": "subscription_item",
    }


def _redeem_coupon(handle: str, prices: Sequence[ItemPrice], applied: Sequence[Body]) -> Body:
    match = coupons.find_coupon(handle)
    if match is None:
        raise not_found("coupon", handle, "coupon_ids")
    try:
        return coupons.redeem_coupon(*match, prices, applied)
    except coupons.CouponAlreadyApplied:
        raise duplicate_entry("coupon_ids", handle) from None
    except coupons.CouponUnusable:
        message = f"The coupon {handle} is expired or cannot be redeemed any more"
        raise ApiError(400, "resource_limit_exhausted", message, param="coupon_ids") from None
    except coupons.CouponInapplicable:
        raise wrong_value("coupon_ids", f"{handle} does not apply to these items") from None
