"""Operations on coupons."""

from __future__ import annotations

from chargebee_sandbox import clock, event_log
from chargebee_sandbox.api import lists, router
from chargebee_sandbox.api.errors import invalid_state, wrong_value
from chargebee_sandbox.api.params import Params, require_value
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing import coupons
from chargebee_sandbox.models import Coupon, ItemPrice
from chargebee_sandbox.operations.lookup import find_resource, free_id

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
_PERIOD_UNITS = ("day", "week", "month", "year")
_ALWAYS_CHANGEABLE = "name invoice_name valid_from valid_till max_redemptions"
_DISCOUNT_TERMS = ("discount_percentage", "discount_amount", "currency_code", "period", "period_unit")
_FIXED_ONCE_REDEEMED = f"discount_type apply_on duration_type {' '.join(_DISCOUNT_TERMS)}"


@router.post(
    "coupon.create_for_items",
    "/coupons/create_for_items",
    "id name invoice_name discount_type discount_percentage discount_amount currency_code apply_on duration_type "
    "period period_unit valid_from valid_till max_redemptions item_constraints item_constraint_criteria",
)
def create_coupon(params: Params) -> Body:
    """Create a coupon: a percentage or an amount off items or invoices, once, forever, or for a limited period."""
    body = {
        "name": params.required_text("name"),
        "invoice_name": params.text("invoice_name"),
        "apply_on": params.choice("apply_on", _APPLY_ON, ""),
        "apply_discount_on": "not_applicable",
        "plan_constraint": "not_applicable",
        "addon_constraint": "not_applicable",
        "valid_from": params.instant("valid_from"),
        "valid_till": params.instant("valid_till"),
        "max_redemptions": params.integer("max_redemptions", least=1),
        **_read_constraints(params),
        "redemptions": 0,
        "created_at": clock.now_seconds(),
        **_read_discount(params),
        **_read_duration(params),
    }
    coupon = Coupon.build_row(free_id(Coupon, params.required_text("id")), body)
    coupons.update_validity(coupon)
    coupon.save()
    event_log.record_event("coupon_created", coupon=coupon)
    return {"coupon": coupon.render_resource()}


@router.post(
    "coupon.update_for_items",
    "/coupons/{handle}/update_for_items",
    f"{_ALWAYS_CHANGEABLE} {_FIXED_ONCE_REDEEMED} item_constraints item_constraint_criteria",
)
def update_coupon(params: Params, handle: str) -> Body:
    """Change a coupon; its discount, duration, and constraints are fixed after the first redemption.

    Raises: ApiError 409 for a change of those.
    """
    coupon = find_resource(Coupon, handle)
    terms = {*_FIXED_ONCE_REDEEMED.split(), "item_constraints", "item_constraint_criteria"}
    if coupon["redemptions"] and any(name in params for name in terms):
        raise invalid_state("The coupon has been redeemed; its terms cannot be changed")
    # Parameters that are not sent keep their values; all are validated as for a new coupon.
    merged = Params({**_as_params(coupon), **params.values})
    coupon.set_attributes(**_changed_attributes(params))
    coupon.set_attributes(**{**dict.fromkeys(_DISCOUNT_TERMS), **_read_discount(merged), **_read_duration(merged)})
    if "apply_on" in params:
        coupon.set_attributes(apply_on=params.choice("apply_on", _APPLY_ON, ""))
    if "item_constraints" in params:
        coupon.set_attributes(**_read_constraints(params))
    coupons.update_validity(coupon)
    coupon.save()
    event_log.record_event("coupon_updated", coupon=coupon)
    return {"coupon": coupon.render_resource()}


@router.get("coupon.retrieve", "/coupons/{handle}")
def retrieve_coupon(params: Params, handle: str) -> Body:
    """Return a coupon."""
    return {"coupon": find_resource(Coupon, handle).render_resource()}


@router.get("coupon.list", "/coupons", takes=None)
def list_coupons(params: Params) -> Body:
    """Return a page of coupons, including expired ones."""
    return lists.list_page(
        Coupon.objects.filter(deleted=False),
        params,
        filters=_FILTERS,
        sorts=("created_at",),
        render=lambda coupon: {"coupon": coupon.render_resource()},
    )


def _as_params(coupon: Coupon) -> Body:
    return {name: str(coupon[name]) for name in _FIXED_ONCE_REDEEMED.split() if name in coupon.body}


def _changed_attributes(params: Params) -> Body:
    changes: Body = {}
    if "name" in params:
        changes["name"] = params.required_text("name")
    if "invoice_name" in params:
        changes["invoice_name"] = params.text("invoice_name")
    for name in ("valid_from", "valid_till"):
        if name in params:
            changes[name] = params.instant(name)
    if "max_redemptions" in params:
        changes["max_redemptions"] = params.integer("max_redemptions", least=1)
    return changes


def _read_discount(params: Params) -> Body:
    kind = params.choice("discount_type", ("percentage", "fixed_amount"), "percentage")
    if kind == "fixed_amount":
        amount = require_value(params.integer("discount_amount", least=1), "discount_amount")
        return {
            "discount_type": kind,
            "discount_amount": amount,
            "currency_code": params.text("currency_code", "USD"),
        }
    percentage = require_value(params.number("discount_percentage"), "discount_percentage")
    if not 0 < percentage <= 100:
        raise wrong_value("discount_percentage", "should be above 0 and at most 100")
    return {"discount_type": kind, "discount_percentage": percentage}


def _read_duration(params: Params) -> Body:
    kind = params.choice("duration_type", ("one_time", "forever", "limited_period"), "forever")
    if kind != "limited_period":
        return {"duration_type": kind}
    return {
        "duration_type": kind,
        "period": require_value(params.integer("period", least=1), "period"),
        "period_unit": params.choice("period_unit", _PERIOD_UNITS, ""),
    }


def _read_constraints(params: Params) -> Body:
    constraints = [_read_constraint(row) for row in params.rows("item_constraints")]
    criteria = [_read_criterion(row) for row in params.rows("item_constraint_criteria")]
    return {"item_constraints": constraints or None, "item_constraint_criteria": criteria or None}


def _read_constraint(row: Params) -> Body:
    row.allow_only(("item_type", "constraint", "item_price_ids"))
    constraint: Body = {
        "item_type": row.choice("item_type", ("plan", "addon", "charge"), ""),
        "constraint": row.choice("constraint", ("none", "all", "specific", "criteria"), ""),
        "object": "item_constraint",
    }
    if constraint["constraint"] == "specific":
        price_ids = row.texts("item_price_ids")
        constraint["item_price_ids"] = [
            find_resource(ItemPrice, price_id, "item_price_ids").handle for price_id in price_ids
        ]
    return constraint


def _read_criterion(row: Params) -> Body:
    """Read the criteria of a constraint of kind ``criteria``; item_price_periods are units such as month and year."""
    row.allow_only(("item_type", "currencies", "item_family_ids", "item_price_periods"))
    lists = {name: row.texts(name) for name in ("currencies", "item_family_ids", "item_price_periods")}
    for unit in lists["item_price_periods"]:
        Params({"item_price_periods": unit}).choice("item_price_periods", _PERIOD_UNITS, "")
    item_type = row.choice("item_type", ("plan", "addon", "charge"), "")
    return {
        "item_type": item_type,
        **{name: values for name, values in lists.items() if values},
        "object": "item_constraint_criteria",
    }
