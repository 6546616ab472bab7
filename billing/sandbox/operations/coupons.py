"""Coupons."""

from __future__ import annotations

from billing.sandbox import clock, events
from billing.sandbox.body import Body
from billing.sandbox.models import Coupon, ItemPrice
from billing.sandbox.operations.lookup import found, free_id
from billing.sandbox.wire import lists, router
from billing.sandbox.wire.errors import invalid_state, wrong_value
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
_APPLY_ON = ("invoice_amount", "each_specified_item")
_UNITS = ("day", "week", "month", "year")
_FREE = "name invoice_name valid_till max_redemptions"
_TERMS = ("discount_percentage", "discount_amount", "currency_code", "period", "period_unit")
_FIXED_ONCE_REDEEMED = f"discount_type apply_on duration_type {' '.join(_TERMS)}"


@router.post(
    "coupon.create_for_items",
    "/coupons/create_for_items",
    "id name invoice_name discount_type discount_percentage discount_amount currency_code apply_on duration_type "
    "period period_unit valid_till max_redemptions item_constraints item_constraint_criteria",
)
def create_for_items(params: Params) -> Body:
    """A new coupon: a percentage or a fixed amount off items or off the invoice, once, for ever or for a while."""
    valid_till = params.instant("valid_till")
    expired = valid_till is not None and valid_till <= clock.now()
    body = {
        "name": params.needed("name"),
        "invoice_name": params.text("invoice_name"),
        "apply_on": params.choice("apply_on", _APPLY_ON, ""),
        "apply_discount_on": "not_applicable",
        "plan_constraint": "not_applicable",
        "addon_constraint": "not_applicable",
        "valid_till": valid_till,
        "max_redemptions": params.integer("max_redemptions", least=1),
        "status": "expired" if expired else "active",
        **_constraints(params),
        "redemptions": 0,
        "created_at": clock.now(),
        **_discount(params),
        **_duration(params),
    }
    coupon = Coupon.make(free_id(Coupon, params.needed("id")), body, due_at=None if expired else valid_till)
    coupon.save()
    events.record("coupon_created", coupon=coupon)
    return {"coupon": coupon.render()}


@router.post(
    "coupon.update_for_items",
    "/coupons/{handle}/update_for_items",
    f"{_FREE} {_FIXED_ONCE_REDEEMED} item_constraints item_constraint_criteria",
)
def update_for_items(params: Params, handle: str) -> Body:
    """Change a coupon; what it takes off, for how long and off what is fixed once somebody has it.

    Raises: ApiError 409 for a change of those after the first redemption.
    """
    coupon = found(Coupon, handle)
    terms = {*_FIXED_ONCE_REDEEMED.split(), "item_constraints", "item_constraint_criteria"}
    if coupon["redemptions"] and any(name in params for name in terms):
        raise invalid_state("The coupon has been redeemed; its terms cannot be changed")
    # What is not named stays as it is; what is named is read as for a new coupon.
    merged = Params({**_as_params(coupon), **params.values})
    coupon.change(**_changeable(params))
    coupon.change(**{**dict.fromkeys(_TERMS), **_discount(merged), **_duration(merged)})
    if "apply_on" in params:
        coupon.change(apply_on=params.choice("apply_on", _APPLY_ON, ""))
    if "item_constraints" in params:
        coupon.change(**_constraints(params))
    _settle_validity(coupon)
    coupon.save()
    events.record("coupon_updated", coupon=coupon)
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


def _as_params(coupon: Coupon) -> Body:
    return {name: str(coupon[name]) for name in _FIXED_ONCE_REDEEMED.split() if name in coupon.body}


def _changeable(params: Params) -> Body:
    changes: Body = {}
    if "name" in params:
        changes["name"] = params.needed("name")
    if "invoice_name" in params:
        changes["invoice_name"] = params.text("invoice_name")
    if "valid_till" in params:
        changes["valid_till"] = params.instant("valid_till")
    if "max_redemptions" in params:
        changes["max_redemptions"] = params.integer("max_redemptions", least=1)
    return changes


def _settle_validity(coupon: Coupon) -> None:
    """Whether it can still be redeemed follows from the day it is valid till."""
    valid_till = coupon.get("valid_till")
    expired = valid_till is not None and valid_till <= clock.now()
    coupon.due_at = None if expired else valid_till
    coupon.change(status="expired" if expired else "active")


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
        "period_unit": params.choice("period_unit", _UNITS, ""),
    }


def _constraints(params: Params) -> Body:
    constraints = [_constraint(row) for row in params.rows("item_constraints")]
    criteria = [_criterion(row) for row in params.rows("item_constraint_criteria")]
    return {"item_constraints": constraints or None, "item_constraint_criteria": criteria or None}


def _constraint(row: Params) -> Body:
    row.allow_only(("item_type", "constraint", "item_price_ids"))
    constraint: Body = {
        "item_type": row.choice("item_type", ("plan", "addon", "charge"), ""),
        "constraint": row.choice("constraint", ("none", "all", "specific", "criteria"), ""),
        "object": "item_constraint",
    }
    if constraint["constraint"] == "specific":
        named = row.texts("item_price_ids")
        constraint["item_price_ids"] = [found(ItemPrice, one, "item_price_ids").handle for one in named]
    return constraint


def _criterion(row: Params) -> Body:
    """Which prices meet a constraint of the kind ``criteria``; item_price_periods are words such as month and year."""
    row.allow_only(("item_type", "currencies", "item_family_ids", "item_price_periods"))
    lists = {name: row.texts(name) for name in ("currencies", "item_family_ids", "item_price_periods")}
    for unit in lists["item_price_periods"]:
        Params({"item_price_periods": unit}).choice("item_price_periods", _UNITS, "")
    item_type = row.choice("item_type", ("plan", "addon", "charge"), "")
    return {
        "item_type": item_type,
        **{name: given for name, given in lists.items() if given},
        "object": "item_constraint_criteria",
    }
