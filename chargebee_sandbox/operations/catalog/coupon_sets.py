"""Operations on sets of single-use coupon codes."""

from __future__ import annotations

from chargebee_sandbox import event_log
from chargebee_sandbox.api import lists, router
from chargebee_sandbox.api.errors import duplicate_entry
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.models import Coupon, CouponCode, CouponSet
from chargebee_sandbox.operations.lookup import find_resource, free_id


@router.post("coupon_set.create", "/coupon_sets", "id coupon_id name")
def create_coupon_set(params: Params) -> Body:
    """Create an empty set of codes for a coupon."""
    coupon = find_resource(Coupon, params.required_text("coupon_id"), "coupon_id")
    counts = {"total_count": 0, "redeemed_count": 0, "archived_count": 0}
    body = {"coupon_id": coupon.handle, "name": params.required_text("name"), **counts}
    coupon_set = CouponSet.build_row(free_id(CouponSet, params.required_text("id")), body)
    coupon_set.save()
    event_log.record_event("coupon_set_created", coupon=coupon, coupon_set=coupon_set)
    return {"coupon_set": coupon_set.render_resource()}


@router.get("coupon_set.list", "/coupon_sets", takes=None)
def list_coupon_sets(params: Params) -> Body:
    """Return a page of sets."""
    counts = dict.fromkeys(("total_count", "redeemed_count", "archived_count"), "number")
    return lists.list_page(
        CouponSet.objects.all(),
        params,
        filters={"id": "string", "name": "string", "coupon_id": "string", **counts},
        render=lambda coupon_set: {"coupon_set": coupon_set.render_resource()},
    )


@router.get("coupon_set.retrieve", "/coupon_sets/{handle}")
def retrieve_coupon_set(params: Params, handle: str) -> Body:
    """Return a set."""
    return {"coupon_set": find_resource(CouponSet, handle).render_resource()}


@router.post("coupon_set.add_coupon_codes", "/coupon_sets/{handle}/add_coupon_codes", "code")
def add_coupon_codes(params: Params, handle: str) -> Body:
    """Add codes to a set. Raises: ApiError 400 for a code that exists in any set of the site."""
    coupon_set = find_resource(CouponSet, handle)
    codes = params.texts("code")
    for code in codes:
        _add_code(coupon_set, code)
    coupon_set.set_attributes(total_count=coupon_set["total_count"] + len(codes))
    coupon_set.save()
    coupon = find_resource(Coupon, coupon_set["coupon_id"])
    event_log.record_event("coupon_codes_added", coupon=coupon, coupon_set=coupon_set)
    return {"coupon_set": coupon_set.render_resource()}


@router.get("coupon_code.retrieve", "/coupon_codes/{handle}")
def retrieve_coupon_code(params: Params, handle: str) -> Body:
    """Return a code."""
    return {"coupon_code": find_resource(CouponCode, handle).render_resource()}


@router.get("coupon_code.list", "/coupon_codes", takes=None)
def list_coupon_codes(params: Params) -> Body:
    """Return a page of codes."""
    return lists.list_page(
        CouponCode.objects.all(),
        params,
        filters={"code": "string", "coupon_id": "string", "coupon_set_name": "string"},
        render=lambda code: {"coupon_code": code.render_resource()},
    )


def _add_code(coupon_set: CouponSet, code: str) -> None:
    if CouponCode.objects.filter(handle=code).exists():
        raise duplicate_entry("code", code)
    body = {
        "code": code,
        "status": "not_redeemed",
        "coupon_id": coupon_set["coupon_id"],
        "coupon_set_id": coupon_set.handle,
        "coupon_set_name": coupon_set["name"],
    }
    CouponCode.build_row(code, body).save()
