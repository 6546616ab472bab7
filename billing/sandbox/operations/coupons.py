"""Coupons."""

from __future__ import annotations

from billing.sandbox import clock, events
from billing.sandbox.body import Body
from billing.sandbox.models import Coupon, ItemPrice
from billing.sandbox.operations.lookup import found, free_id
from billing.sandbox.wire import lists, router
from billing.sandbox.wire.errors import wrong_value
from billing.sandbox.wire.params import Params, required

_FILTERS = {
    "id": "string",
    "name": "string",
    "discount_type": "enum",
    "duration_type": "enum",
    "status": "enum",
    "apply_on": "enum",
    "created_at": "timestamp",
    "updated_at": "timestamp",
    "currency_code": "string",
}


@router.post(
    "coupon.create_for_items",
    "/coupons/create_for_items",
    "id name invoice_name discount_type discount_percentage discount_amount currency_code apply_on duration_type "
    "period period_unit valid_till max_redemptions item_constraints",
)
def create_for_items(params: Params) -> Body:
    """A new coupon: a percentage or a fixed amount off items or off the invoice, once, for ever or for a while."""
    valid_till = params.instant("valid_till")
    expired = valid_till is not None and valid_till <= clock.now()
    body = {
        "name": params.needed("name"),
        "invoice_name": params.text("invoice_name"),
        "apply_on": params.choice("apply_on", ("invoice_amount", "each_specified_item"), ""),
        "apply_discount_on": "not_applicable",
        "plan_constraint": "not_applicable",
        "addon_constraint": "not_applicable",
        "valid_till": valid_till,
        "max_redemptions": params.integer("max_redemptions", least=1),
        "status": "expired" if expired else "active",
        "item_constraints": _constraints(params) or None,
        "redemptions": 0,
        "created_at": clock.now(),
        **_discount(params),
        **_duration(params),
    }
    coupon = Coupon.make(free_id(Coupon, params.needed("id")), body, due_at=None if expired else valid_till)
    coupon.save()
    events.record("coupon_created", coupon=coupon)
    return {"coupon": coupon.render()}


@router.get("coupon.retrieve", "/coupons/{handle}")
def retrieve(params: Params, handle: str) -> Body:
    """One coupon."""
    return {"coupon": found(Coupon, handle).render()}


@router.get("coupon.list", "/coupons", takes=None)
def list_coupons(params: Params) -> Body:
    """A page of coupons, expired ones included."""
    return lists.page(
        Coupon.objects.filter(deleted=False),
        params,
        filters=_FILTERS,
        sorts=("created_at",),
        render=lambda coupon: {"coupon": coupon.render()},
    )


def _discount(params: Params) -> Body:
    kind = params.choice("discount_type", ("percentage", "fixed_amount"), "percentage")
    if kind == "fixed_amount":
        amount = required(params.integer("discount_amount", least=1), "discount_amount")
        return {
            "discount_type": kind,
            "discount_amount": amount,
            "currency_code": params.text("currency_code", "USD"),
        }
    percentage = required(params.number("discount_percentage"), "discount_percentage")
    if not 0 < percentage <= 100:
        raise wrong_value("discount_percentage", "should be above 0 and at most 100")
    return {"discount_type": kind, "discount_percentage": percentage}


def _duration(params: Params) -> Body:
    kind = params.choice("duration_type", ("one_time", "forever", "limited_period"), "forever")
    if kind != "limited_period":
        return {"duration_type": kind}
    return {
        "duration_type": kind,
        "period": required(params.integer("period", least=1), "period"),
        "period_unit": params.choice("period_unit", ("day", "week", "month", "year"), ""),
    }


def _constraints(params: Params) -> list[Body]:
    return [_constraint(row) for row in params.rows("item_constraints")]


def _constraint(row: Params) -> Body:
    row.allow_only(("item_type", "constraint", "item_price_ids"))
    constraint: Body = {
        "item_type": row.choice("item_type", ("plan", "addon", "charge"), ""),
        "constraint": row.choice("constraint", ("none", "all", "specific"), ""),
        "object": "item_constraint",
    }
    if constraint["constraint"] == "specific":
        named = row.texts("item_price_ids")
        constraint["item_price_ids"] = [found(ItemPrice, one, "item_price_ids").handle for one in named]
    return constraint
