"""Operations on ramps: changes of a subscription that are scheduled for times of their own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from chargebee_sandbox import clock, event_log, identifiers
from chargebee_sandbox.api import lists, router
from chargebee_sandbox.api.errors import ApiError, invalid_state, not_found, wrong_value
from chargebee_sandbox.api.params import Params, require_value
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine import billing_dates
from chargebee_sandbox.engine.billing import coupons
from chargebee_sandbox.engine.subscriptions import ramps, scheduled_changes
from chargebee_sandbox.engine.subscriptions.ramps import RampChange
from chargebee_sandbox.models import ItemPrice, Ramp, Subscription
from chargebee_sandbox.operations.lookup import find_resource
from chargebee_sandbox.operations.requested_items import price_tiers, read_item

_MOST_SCHEDULED = 12
_LEAST_SECONDS_APART = 86_400
_MOST_YEARS_AHEAD = 5
_CHANGE_PARAMETERS = (
    "effective_from description items_to_add items_to_update items_to_remove coupons_to_add coupons_to_remove"
)
_FILTERS = {
    "status": "enum",
    "subscription_id": "string",
    "effective_from": "timestamp",
    "updated_at": "timestamp",
}


@router.post("ramp.create_for_subscription", "/subscriptions/{handle}/create_ramp", _CHANGE_PARAMETERS)
def create_ramp(params: Params, handle: str) -> Body:
    """Schedule a ramp.

    Raises: ApiError 409 for a subscription that is paused or canceled or has a draft, 400 for a twelfth ramp too many
    or a time that is not allowed.
    """
    subscription = find_resource(Subscription, handle)
    if subscription["status"] in ("paused", "cancelled"):
        raise invalid_state("Ramps are not for paused and cancelled subscriptions")
    if ramps.find_ramps(subscription, "draft"):
        raise invalid_state("The subscription has ramps in draft; update or delete them first")
    if len(ramps.find_ramps(subscription, "scheduled")) >= _MOST_SCHEDULED:
        raise ApiError(400, "resource_limit_exceeded", f"A subscription can have {_MOST_SCHEDULED} upcoming ramps")
    ramp = Ramp.build_row(
        identifiers.new_id(),
        {"subscription_id": handle, "created_at": clock.now_seconds(), "deleted": False},
        customer_id=subscription.customer_id,
        subscription_id=handle,
    )
    return _schedule_ramp(params, ramp, subscription, "subscription_ramp_created")


@router.post("ramp.update", "/ramps/{handle}/update", _CHANGE_PARAMETERS)
def update_ramp(params: Params, handle: str) -> Body:
    """Replace everything that a ramp brings; a draft is scheduled again. Raises: ApiError 409 once it has ended."""
    ramp = _find_open_ramp(handle)
    subscription = find_resource(Subscription, ramp.subscription_id)
    return _schedule_ramp(params, ramp, subscription, "subscription_ramp_updated")


@router.get("ramp.retrieve", "/ramps/{handle}")
def retrieve_ramp(params: Params, handle: str) -> Body:
    """Return a ramp."""
    return _answer(find_resource(Ramp, handle))


@router.post("ramp.delete", "/ramps/{handle}/delete")
def delete_ramp(params: Params, handle: str) -> Body:
    """Delete a ramp. Raises: ApiError 409 once it has ended."""
    ramp = _find_open_ramp(handle)
    ramps.delete_ramp(ramp)
    _save_flag(find_resource(Subscription, ramp.subscription_id))
    return _answer(ramp)


@router.get("ramp.list", "/ramps", takes=None)
def list_ramps(params: Params) -> Body:
    """Return a page of the ramps of a subscription. Raises: ApiError 400 without one."""
    if "subscription_id" not in params:
        raise wrong_value("subscription_id", "is required")
    return lists.list_page(
        lists.exclude_deleted(Ramp.objects.all(), params),
        params,
        filters=_FILTERS,
        sorts=("effective_from", "updated_at"),
        render=_answer,
        columns={"subscription_id": "subscription_id"},
        also=("include_deleted",),
    )


def _answer(ramp: Ramp) -> Body:
    return {"ramp": ramp.render_resource()}


def _find_open_ramp(handle: str) -> Ramp:
    ramp = find_resource(Ramp, handle)
    if ramp["status"] not in ("scheduled", "draft"):
        raise invalid_state("The ramp has been executed")
    return ramp


def _schedule_ramp(params: Params, ramp: Ramp, subscription: Subscription, event_type: str) -> Body:
    """Schedule a ramp as requested, save it with the subscription's flag, and return the answer."""
    effective_from = int(require_value(params.instant("effective_from"), "effective_from"))
    _check_time(effective_from, ramp, subscription)
    change = RampChange(
        added_items=_read_items(params, "items_to_add"),
        updated_items=_read_items(params, "items_to_update"),
        removed_items=params.texts("items_to_remove"),
        item_tiers=[tier for name in ("items_to_add", "items_to_update") for tier in _read_tiers(params, name)],
        added_coupons=_read_coupons(params),
        removed_coupons=params.texts("coupons_to_remove"),
    )
    ramp.change, ramp.due_at = asdict(change), effective_from
    ramp.set_attributes(
        effective_from=effective_from,
        description=params.text("description", longest=250),
        status="scheduled",
        status_transition_reason=None,
        items_to_add=_as_rows(change.added_items, "items_to_add"),
        items_to_update=_as_rows(change.updated_items, "items_to_update"),
        items_to_remove=change.removed_items or None,
        coupons_to_add=[{"coupon_id": coupon, "object": "coupons_to_add"} for coupon in change.added_coupons] or None,
        coupons_to_remove=change.removed_coupons or None,
    )
    ramp.save()
    event_log.record_event(event_type, ramp=ramp)
    _save_flag(subscription)
    return _answer(ramp)


def _save_flag(subscription: Subscription) -> None:
    scheduled_changes.flag_scheduled_changes(subscription)
    subscription.save()


def _check_time(effective_from: int, ramp: Ramp, subscription: Subscription) -> None:
    now = clock.now_seconds()
    if not now < effective_from <= billing_dates.add_periods(now, _MOST_YEARS_AHEAD, "year"):
        raise wrong_value("effective_from", "should be in the next five years")
    others = [row for row in ramps.find_ramps(subscription, "scheduled") if row.handle != ramp.handle]
    if any(abs(row["effective_from"] - effective_from) < _LEAST_SECONDS_APART for row in others):
        raise wrong_value("effective_from", "should be a day from that of another ramp")
    for name in ("pause_date", "cancelled_at"):
        if effective_from >= subscription.get(name, effective_from + 1):
            raise wrong_value("effective_from", f"should be before {name}")


def _find_prices(params: Params, name: str) -> Iterable[tuple[ItemPrice, Params]]:
    for row in params.rows(name):
        handle = row.required_text("item_price_id")
        price = find_resource(ItemPrice, handle, f"{name}[item_price_id]")
        if price["status"] != "active" and name == "items_to_add":
            raise not_found("item_price", handle, f"{name}[item_price_id]")
        yield price, row


def _read_items(params: Params, name: str) -> list[Body]:
    return [read_item(price, row, price_tiers(price)) for price, row in _find_prices(params, name)]


def _read_tiers(params: Params, name: str) -> list[Body]:
    return [tier for price, _row in _find_prices(params, name) for tier in price_tiers(price)]


def _read_coupons(params: Params) -> list[str]:
    found = []
    for row in params.rows("coupons_to_add"):
        row.allow_only(("coupon_id",))
        handle = row.required_text("coupon_id")
        if coupons.find_coupon(handle) is None:
            raise not_found("coupon", handle, "coupons_to_add[coupon_id]")
        found.append(handle)
    return found


def _as_rows(items: list[Body], name: str) -> list[Body] | None:
    return [{**item, "object": name} for item in items] or None
