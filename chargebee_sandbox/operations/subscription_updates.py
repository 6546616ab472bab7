"""Operations that change a subscription's items and coupons, now or at the end of its term."""

from __future__ import annotations

from dataclasses import dataclass

from chargebee_sandbox.api import router
from chargebee_sandbox.api.errors import invalid_state, not_found, wrong_value
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing import charging, invoicing
from chargebee_sandbox.engine.subscriptions import immediate_changes, ramps, scheduled_changes, terms
from chargebee_sandbox.engine.subscriptions.immediate_changes import AppliedChange, SubscriptionChange
from chargebee_sandbox.models import Coupon, CouponCode, Subscription
from chargebee_sandbox.operations.collection_errors import as_api_errors
from chargebee_sandbox.operations.lookup import find_resource
from chargebee_sandbox.operations.payments.authorized_intents import charge_requested_intent
from chargebee_sandbox.operations.requested_items import (
    RequestedItems,
    read_requested_items,
    redeem_requested_coupons,
)
from chargebee_sandbox.operations.subscriptions import (
    SubscriptionWithCustomer,
    find_subscription,
    handle_requested_charges,
)
from chargebee_sandbox.site_settings import load_settings

CHANGE_PARAMETERS = (
    "subscription_items item_tiers replace_items_list coupon_ids replace_coupon_list prorate force_term_reset "
    "reactivate invoice_immediately change_option end_of_term"
)
"""The parameters that an update and its estimate share."""


@dataclass(frozen=True)
class RequestedChange:
    """A requested change, checked against the subscription's state."""

    change: SubscriptionChange
    at_term_end: bool

    def apply_to(self, target: SubscriptionWithCustomer) -> AppliedChange:
        """Apply or schedule the change, unsaved and uncollected."""
        if self.at_term_end:
            scheduled_changes.drop_scheduled_change(target.subscription)
            scheduled_changes.schedule_change(target.subscription, self.change.contents)
            return AppliedChange()
        return immediate_changes.change_now(target.subscription, target.customer, self.change)


@router.post(
    "subscription.update_for_items",
    "/subscriptions/{handle}/update_for_items",
    f"{CHANGE_PARAMETERS} trial_end auto_collection payment_intent payment_initiator",
)
def update_for_items(params: Params, handle: str) -> Body:
    """Change items and coupons now, with charges and credits for the rest of the term, or at the end of the term.

    Raises: ApiError 400 on a decline, which rolls the change back unless the site keeps unpaid changes.
    """
    target = find_subscription(handle)
    requested = read_requested_change(params, params, target)
    ramps.draft_ramps(target.subscription)
    with handle_requested_charges(params):
        applied = requested.apply_to(target)
    intent = charge_requested_intent(params, target.customer)
    with as_api_errors("Subscription cannot be changed", target.customer), intent:
        charged = collect_change(applied, target)
    if requested.at_term_end:
        return target.record_and_answer("subscription_changes_scheduled")
    event_type = "subscription_reactivated" if applied.is_reactivated else "subscription_changed"
    return target.record_and_answer(event_type, charged, applied.issued_credit_notes)


@router.post("subscription.remove_scheduled_changes", "/subscriptions/{handle}/remove_scheduled_changes")
def remove_scheduled_changes(params: Params, handle: str) -> Body:
    """Remove a scheduled change."""
    target = find_subscription(handle)
    if not scheduled_changes.drop_scheduled_change(target.subscription):
        raise invalid_state("There are no scheduled changes for this subscription")
    terms.save_derived(target.subscription)
    return target.record_and_answer("subscription_scheduled_changes_removed")


@router.post("subscription.remove_coupons", "/subscriptions/{handle}/remove_coupons", "coupon_ids")
def remove_coupons(params: Params, handle: str) -> Body:
    """Remove coupons by id or code; without ids, all of them. A scheduled change stays.

    Raises: ApiError 404 for a coupon that the subscription does not have; 409 while it is paused.
    """
    target = find_subscription(handle)
    _check_writable(target.subscription)
    removed = {_coupon_id(handle) for handle in params.texts("coupon_ids")}
    entries = target.subscription.get("coupons", [])
    for missing in sorted(removed - {entry["coupon_id"] for entry in entries}):
        raise not_found("coupon", missing, "coupon_ids")
    remaining = [entry for entry in entries if removed and entry["coupon_id"] not in removed]
    target.subscription.set_attributes(coupons=remaining or None)
    ramps.draft_ramps(target.subscription)
    terms.save_derived(target.subscription)
    return target.record_and_answer("subscription_changed")


def read_requested_change(
    params: Params, details: Params, target: SubscriptionWithCustomer, *, use_balances: bool = True
) -> RequestedChange:
    """Return the requested change and redeem its coupons; ``details`` has ``trial_end`` and ``auto_collection``.

    Raises: ApiError 409 if the state does not allow it, and the errors of reading items and coupons.
    """
    subscription = target.subscription
    _check_writable(subscription)
    at_term_end = _is_at_term_end(params, subscription)
    if "auto_collection" in details:
        subscription.set_attributes(auto_collection=details.choice("auto_collection", ("on", "off"), "on"))
    scheduled_changes.drop_scheduled_change(subscription)
    requested = read_requested_items(params, subscription["subscription_items"], subscription.get("item_tiers", []))
    change = SubscriptionChange(
        contents=_changed_contents(params, subscription, requested),
        prorate=params.boolean("prorate", default=True),
        force_term_reset=params.boolean("force_term_reset"),
        trial_end=_trial_end(details, subscription, at_term_end=at_term_end),
        reactivate=_is_reactivation(params, details),
        use_balances=use_balances,
    )
    return RequestedChange(change, at_term_end)


def collect_change(applied: AppliedChange, target: SubscriptionWithCustomer) -> charging.ChargeResult | None:
    """Collect the invoice of a change, if there is one, and save. Raises: as ``charging.collect_invoice``."""
    invoicing.update_dues(target.subscription)
    if applied.draft_invoice is None:
        terms.save_derived(target.subscription)
        return None
    must_pay = not load_settings().unpaid_changes
    return charging.collect_invoice(applied.draft_invoice, target.subscription, target.customer, must_pay=must_pay)


def _check_writable(subscription: Subscription) -> None:
    if subscription["status"] == "paused":
        raise invalid_state("The subscription is paused; resume it first")


def _is_at_term_end(params: Params, subscription: Subscription) -> bool:
    fallback = "end_of_term" if params.boolean("end_of_term") else "immediately"
    option = params.choice("change_option", ("immediately", "end_of_term"), fallback)
    if option == "immediately":
        return False
    if subscription["status"] not in ("active", "in_trial"):
        raise invalid_state("The subscription has no term after this one to change")
    term_end = terms.period_end(subscription)
    if term_end is None or any(
        subscription.get(name, term_end + 1) <= term_end for name in ("cancelled_at", "pause_date")
    ):
        raise invalid_state("The subscription ends or pauses with this term")
    return True


def _changed_contents(
    params: Params, subscription: Subscription, requested: RequestedItems
) -> scheduled_changes.SubscriptionContents:
    entries = subscription.get("coupons", [])
    if not params.boolean("replace_coupon_list"):
        added, kept_ids = redeem_requested_coupons(params, requested.prices, entries), None
    else:
        added, kept_ids = _replaced_coupons(params, requested, entries)
    period = {
        "billing_period": requested.plan["period"],
        "billing_period_unit": requested.plan["period_unit"],
    }
    return scheduled_changes.SubscriptionContents(
        requested.items, **period, item_tiers=requested.item_tiers, added_coupons=added, kept_coupons=kept_ids
    )


def _replaced_coupons(params: Params, requested: RequestedItems, entries: list[Body]) -> tuple[list[Body], list[str]]:
    """Redeem the new coupons and return them, with the ids of those that are present and requested again."""
    present = {entry["coupon_id"] for entry in entries}
    coupon_ids = {handle: _coupon_id(handle) for handle in params.texts("coupon_ids")}
    new = [handle for handle, coupon_id in coupon_ids.items() if coupon_id not in present]
    added = redeem_requested_coupons(Params({"coupon_ids": new}), requested.prices)
    return added, sorted(present & set(coupon_ids.values()))


def _coupon_id(handle: str) -> str:
    code = CouponCode.objects.filter(handle=handle).first()
    if code is not None and not Coupon.objects.filter(handle=handle).exists():
        return str(code["coupon_id"])
    return find_resource(Coupon, handle, "coupon_ids").handle


def _trial_end(details: Params, subscription: Subscription, *, at_term_end: bool) -> int | None:
    """Return when the trial ends; an instant of the past (usually 0) ends it now."""
    trial_end = details.instant("trial_end")
    if trial_end is None:
        return None
    if at_term_end or subscription["status"] not in ("in_trial", "future", "cancelled"):
        raise wrong_value("trial_end", "is for a subscription in trial, and for a change at once")
    return trial_end


def _is_reactivation(params: Params, details: Params) -> bool:
    """Return ``reactivate``, which as documented defaults to whether the request changes anything."""
    has_changes = any(name in params for name in ("subscription_items", "coupon_ids"))
    return params.boolean("reactivate", default=has_changes or "trial_end" in details)
