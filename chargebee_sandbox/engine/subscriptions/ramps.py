"""Ramps: changes of a subscription that take effect at times of their own, one after the other.

A scheduled ramp is applied at its time as an immediate change, and goes before a renewal of the same instant. It fails,
and changes nothing, if the subscription is no longer one that it can change. Another update of the subscription makes
its scheduled ramps drafts, which are never applied; an end or a pause deletes those that would come after it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from chargebee_sandbox import clock, event_log
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing import charging, coupons
from chargebee_sandbox.engine.subscriptions import immediate_changes, scheduled_changes, terms
from chargebee_sandbox.engine.subscriptions.scheduled_changes import SubscriptionContents
from chargebee_sandbox.models import Customer, ItemPrice, Ramp, Subscription


class RampFailed(Exception):
    """A ramp cannot be applied; the message says why."""


@dataclass(frozen=True)
class RampChange:
    """What a ramp brings: items added and updated with their tiers, ids of removed ones, and the same of coupons."""

    added_items: list[Body] = field(default_factory=list)
    updated_items: list[Body] = field(default_factory=list)
    removed_items: list[str] = field(default_factory=list)
    item_tiers: list[Body] = field(default_factory=list)
    added_coupons: list[str] = field(default_factory=list)
    removed_coupons: list[str] = field(default_factory=list)


def find_ramps(subscription: Subscription, status: str) -> list[Ramp]:
    """Return the ramps of a subscription in a status, in the order of their times."""
    ramps = Ramp.objects.filter(subscription_id=subscription.handle, deleted=False, body__status=status)
    return list(ramps.order_by("body__effective_from", "seq"))


def run_ramp(ramp: Ramp) -> None:
    """Apply a ramp that is due; its invoice is collected like that of a renewal."""
    subscription = Subscription.objects.get(handle=ramp.subscription_id)
    customer = Customer.objects.get(handle=subscription.customer_id)
    try:
        contents = _contents_after(subscription, RampChange(**ramp.change))
    except RampFailed as error:
        _end_ramp(ramp, "failed", {"code": "invalid_ramp", "message": str(error)})
        scheduled_changes.flag_scheduled_changes(subscription)
        subscription.save()
        return
    _end_ramp(ramp, "succeeded")
    # At the very end of a term nothing of it is left to charge or credit: the renewal that follows bills the change.
    prorate = terms.period_end(subscription) != clock.now_seconds()
    change = immediate_changes.SubscriptionChange(contents, prorate=prorate)
    applied = immediate_changes.change_now(subscription, customer, change)
    scheduled_changes.flag_scheduled_changes(subscription)
    charged = None
    if applied.draft_invoice is None:
        terms.save_derived(subscription)
    else:
        charged = charging.collect_invoice(applied.draft_invoice, subscription, customer, must_pay=False)
    charging.record_subscription_events(
        "subscription_changed", subscription, customer, charged, applied.issued_credit_notes
    )
    event_log.record_event("subscription_ramp_applied", ramp=ramp)


def draft_ramps(subscription: Subscription) -> None:
    """Make the scheduled ramps of a subscription that is updated drafts; the subscription is not saved."""
    for ramp in find_ramps(subscription, "scheduled"):
        _end_ramp(ramp, "draft", {"code": "subscription_updated", "message": "The subscription was updated"})
        event_log.record_event("subscription_ramp_drafted", ramp=ramp)
    scheduled_changes.flag_scheduled_changes(subscription)


def delete_ramps_from(subscription: Subscription, instant: int) -> None:
    """Delete the scheduled ramps from an instant on; the subscription is not saved."""
    for ramp in find_ramps(subscription, "scheduled"):
        if ramp["effective_from"] >= instant:
            delete_ramp(ramp)
    scheduled_changes.flag_scheduled_changes(subscription)


def delete_ramp(ramp: Ramp) -> None:
    """Delete a ramp, and record the event."""
    ramp.due_at, ramp.deleted = None, True
    ramp.set_attributes(deleted=True)
    ramp.save()
    event_log.record_event("subscription_ramp_deleted", ramp=ramp)


def _end_ramp(ramp: Ramp, status: str, reason: Body | None = None) -> None:
    ramp.due_at = None
    ramp.set_attributes(status=status, status_transition_reason=reason)
    ramp.save()


def _contents_after(subscription: Subscription, change: RampChange) -> SubscriptionContents:
    """Return the contents of a subscription after a ramp. Raises: RampFailed."""
    present = subscription["subscription_items"]
    missing = {item["item_price_id"] for item in change.updated_items} - {item["item_price_id"] for item in present}
    if missing:
        raise RampFailed(f"The subscription has no {', '.join(sorted(missing))}")
    given = [*change.updated_items, *change.added_items]
    dropped = {*change.removed_items, *(item["item_price_id"] for item in given)}
    replaces_plan = any(item["item_type"] == "plan" for item in given)
    kept = [
        item
        for item in present
        if item["item_price_id"] not in dropped and not (replaces_plan and item["item_type"] == "plan")
    ]
    items = sorted([*kept, *given], key=lambda item: item["item_type"] != "plan")
    plan, prices = _check_items(items)
    kept_tiers = [tier for tier in subscription.get("item_tiers", []) if tier["item_price_id"] not in dropped]
    present_coupons = [entry["coupon_id"] for entry in subscription.get("coupons", [])]
    return SubscriptionContents(
        items,
        plan["period"],
        plan["period_unit"],
        item_tiers=[*kept_tiers, *change.item_tiers],
        added_coupons=_redeem_coupons(subscription, change, prices),
        kept_coupons=[coupon for coupon in present_coupons if coupon not in change.removed_coupons],
    )


def _check_items(items: list[Body]) -> tuple[ItemPrice, list[ItemPrice]]:
    """Return the price of the plan, and all prices. Raises: RampFailed."""
    if [item["item_type"] for item in items].count("plan") != 1:
        raise RampFailed("The subscription would not have exactly one plan")
    found = ItemPrice.objects.in_bulk([item["item_price_id"] for item in items], field_name="handle")
    prices = [found[item["item_price_id"]] for item in items]
    if len({(price["period"], price["period_unit"], price["currency_code"]) for price in prices}) > 1:
        raise RampFailed("The items would have several billing periods or currencies")
    return prices[0], prices


def _redeem_coupons(subscription: Subscription, change: RampChange, prices: list[ItemPrice]) -> list[Body]:
    redeemed: list[Body] = []
    for handle in change.added_coupons:
        match = coupons.find_coupon(handle)
        try:
            if match is None:
                raise RampFailed(f"There is no coupon {handle}")
            redeemed.append(coupons.redeem_coupon(*match, prices, [*subscription.get("coupons", []), *redeemed]))
        except (coupons.CouponAlreadyApplied, coupons.CouponUnusable, coupons.CouponInapplicable) as error:
            raise RampFailed(f"The coupon {handle} cannot be applied") from error
    return redeemed
