"""The items and coupons that a request names for a subscription."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chargebee_sandbox.api.errors import ApiError, duplicate_entry, not_found, wrong_value
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing import coupons, tiers
from chargebee_sandbox.engine.billing.pricing import proportional_share
from chargebee_sandbox.models import ItemPrice
from chargebee_sandbox.operations.lookup import find_resource
from chargebee_sandbox.operations.requested_tiers import as_item_tier, read_item_tiers


@dataclass(frozen=True)
class RequestedItems:
    """A subscription's items, the plan first, their prices in the same order, and the tiers of tiered prices."""

    items: list[Body]
    prices: list[ItemPrice]
    item_tiers: list[Body]

    @property
    def plan(self) -> ItemPrice:
        """The price of the only plan."""
        return self.prices[0]


def read_requested_items(
    params: Params, present: Sequence[Body] = (), present_tiers: Sequence[Body] = ()
) -> RequestedItems:
    """Return the items that a request leads to on a subscription with the items ``present`` and their tiers.

    None are present on a new one.
    As documented, new items are added, a plan replaces the plan, and an item that is present is changed;
    ``replace_items_list`` replaces them all. Raises: ApiError 404 for a price that is unknown or, unless it is present,
    archived; 400 without a plan, with two plans, for a currency or period other than the plan's (what is charged once
    has no period), or for wrong tiers.
    """
    rows = [
        (find_resource(ItemPrice, row.required_text("item_price_id"), "item_price_id"), row)
        for row in params.rows("subscription_items")
    ]
    present_ids = {item["item_price_id"] for item in present}
    for price, _row in rows:
        if price["status"] != "active" and price.handle not in present_ids:
            raise not_found("item_price", price.handle, "item_price_id")
        if price["item_type"] == "charge" and present:
            raise wrong_value("subscription_items", "can be charged once only by a new subscription, in this sandbox")
    present_by_price = _tiers_by_price(present_tiers)
    tiers_by_price = {
        **present_by_price,
        **{price.handle: price_tiers(price) for price, _row in rows if price.handle not in present_by_price},
        **read_item_tiers(params),
    }
    added = [(price, read_item(price, row, tiers_by_price[price.handle])) for price, row in rows]
    base = [] if "replace_items_list" in params and params.boolean("replace_items_list") else present
    pairs = _check_items(_remaining_items(base, [price for price, _item in added]) + added)
    return RequestedItems(
        items=[item for _price, item in pairs],
        prices=[price for price, _item in pairs],
        item_tiers=[tier for price, _item in pairs for tier in tiers_by_price.get(price.handle, [])],
    )


def redeem_requested_coupons(params: Params, prices: Sequence[ItemPrice], applied: Sequence[Body] = ()) -> list[Body]:
    """Redeem the coupons in ``coupon_ids``, ids or codes, for a subscription with the coupons ``applied``.

    Raises: ApiError 404 for an unknown coupon, 400 resource_limit_exhausted for one that cannot be redeemed any more,
    duplicate_entry for one that is applied already, param_wrong_value for one that applies to none of the prices.
    """
    redeemed: list[Body] = []
    for handle in params.texts("coupon_ids"):
        redeemed.append(_redeem_coupon(handle, prices, [*applied, *redeemed]))
    return redeemed


def _tiers_by_price(item_tiers: Sequence[Body]) -> dict[str, list[Body]]:
    found: dict[str, list[Body]] = {}
    for tier in item_tiers:
        found.setdefault(tier["item_price_id"], []).append(tier)
    return found


def price_tiers(price: ItemPrice) -> list[Body]:
    """Return the tiers of a price as those of a subscription."""
    return [as_item_tier(price.handle, {**tier}) for tier in price.get("tiers", [])]


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


def _check_items(pairs: list[tuple[ItemPrice, Body]]) -> list[tuple[ItemPrice, Body]]:
    """Return the pairs with the plan first. Raises: ApiError 400."""
    pairs = sorted(pairs, key=lambda pair: pair[0]["item_type"] != "plan")
    prices = [price for price, _item in pairs]
    if [price["item_type"] for price in prices].count("plan") != 1:
        raise wrong_value("subscription_items", "should hold exactly one plan item price")
    if len({price.handle for price in prices}) != len(prices):
        raise wrong_value("subscription_items", "should name each item price once")
    plan = prices[0]
    for price in prices:
        if price["item_type"] == "charge" and price["currency_code"] == plan["currency_code"]:
            continue
        period = (price["currency_code"], price.get("period"), price.get("period_unit"))
        if period != (plan["currency_code"], plan["period"], plan["period_unit"]):
            raise wrong_value("subscription_items", "should have the plan's currency and billing period")
    return pairs


def read_item(price: ItemPrice, row: Params, item_tiers: Sequence[Body]) -> Body:
    """Return the item that a row asks for. Raises: ApiError 400."""
    row.allow_only(("item_price_id", "quantity", "unit_price"))
    quantity = row.integer("quantity", least=1) or 1
    override = row.integer("unit_price", least=0)
    if item_tiers:
        if override is not None:
            raise wrong_value("subscription_items[unit_price]", "is not for a price in tiers")
        amount = sum(use.amount for use in tiers.use_tiers(price["pricing_model"], item_tiers, quantity))
        unit_price = proportional_share(amount, 1, quantity)
    else:
        unit_price = price["price"] if override is None else override
        amount = quantity * unit_price
    return {
        "item_price_id": price.handle,
        "item_type": price["item_type"],
        "quantity": quantity,
        "unit_price": unit_price,
        "amount": amount,
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
