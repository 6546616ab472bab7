"""Sets of single-use coupon codes."""

from __future__ import annotations

from billing.sandbox import events
from billing.sandbox.body import Body
from billing.sandbox.models import Coupon, CouponCode, CouponSet
from billing.sandbox.operations.lookup import found, free_id
from billing.sandbox.wire import lists, router
from billing.sandbox.wire.errors import duplicate
from billing.sandbox.wire.params import Params


@router.post("coupon_set.create", "/coupon_sets", "id coupon_id name")
def create(params: Params) -> Body:
    """A new, empty set of codes of one coupon."""
    coupon = found(Coupon, params.needed("coupon_id"), "coupon_id")
    counts = {"total_count": 0, "redeemed_count": 0, "archived_count": 0}
    body = {"coupon_id": coupon.handle, "name": params.needed("name"), **counts}
    coupon_set = CouponSet.make(free_id(CouponSet, params.needed("id")), body)
    coupon_set.save()
    events.record("coupon_set_created", coupon=coupon, coupon_set=coupon_set)
    return {"coupon_set": coupon_set.render()}


@router.get("coupon_set.retrieve", "/coupon_sets/{handle}")
def retrieve(params: Params, handle: str) -> Body:
    """One set."""
    return {"coupon_set": found(CouponSet, handle).render()}


@router.post("coupon_set.add_coupon_codes", "/coupon_sets/{handle}/add_coupon_codes", "code")
def add_coupon_codes(params: Params, handle: str) -> Body:
    """Put codes into a set. Raises: ApiError 400 for a code that exists anywhere on the site."""
    coupon_set = found(CouponSet, handle)
    codes = params.texts("code")
    for code in codes:
        _add(coupon_set, code)
    coupon_set.change(total_count=coupon_set["total_count"] + len(codes))
    coupon_set.save()
    coupon = found(Coupon, coupon_set["coupon_id"])
    events.record("coupon_codes_added", coupon=coupon, coupon_set=coupon_set)
    return {"coupon_set": coupon_set.render()}


@router.get("coupon_code.retrieve", "/coupon_codes/{handle}")
def retrieve_code(params: Params, handle: str) -> Body:
    """One code."""
    return {"coupon_code": found(CouponCode, handle).render()}


@router.get("coupon_code.list", "/coupon_codes", takes=None)
def list_codes(params: Params) -> Body:
    """A page of codes."""
    return lists.page(
        CouponCode.objects.all(),
        params,
        filters={"code": "string", "coupon_id": "string", "coupon_set_name": "string"},
        render=lambda code: {"coupon_code": code.render()},
    )


def _add(coupon_set: CouponSet, code: str) -> None:
    if CouponCode.objects.filter(handle=code).exists():
        raise duplicate("code", code)
    body = {
        "code": code,
        "status": "not_redeemed",
        "coupon_id": coupon_set["coupon_id"],
        "coupon_set_id": coupon_set.handle,
        "coupon_set_name": coupon_set["name"],
    }
    CouponCode.make(code, body).save()
