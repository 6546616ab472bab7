"""Changing what a subscription is for: at once, at the end of its term, and taking a scheduled change back."""

from __future__ import annotations

from dataclasses import dataclass

from billing.sandbox import settings
from billing.sandbox.body import Body
from billing.sandbox.engine import billing, changing, invoicing, scheduling, terms
from billing.sandbox.engine.changing import Change, Changed
from billing.sandbox.models import Coupon, CouponCode, Subscription
from billing.sandbox.operations.lookup import found
from billing.sandbox.operations.orders import Order, order, redeemed
from billing.sandbox.operations.refusals import as_api_errors
from billing.sandbox.operations.subscriptions import Owned, owned
from billing.sandbox.wire import router
from billing.sandbox.wire.errors import invalid_state, not_found, wrong_value
from billing.sandbox.wire.params import Params

CHANGING = (
    "subscription_items replace_items_list coupon_ids replace_coupon_list prorate force_term_reset reactivate "
    "invoice_immediately change_option end_of_term"
)
"""The parameters an update and its estimate share."""


@dataclass(frozen=True)
class Wish:
    """A change as it was asked for, checked against the subscription's state."""

    change: Change
    at_term_end: bool

    def apply(self, own: Owned) -> Changed:
        """Put it on the subscription, unsaved and uncollected."""
        if self.at_term_end:
            scheduling.drop(own.subscription)
            scheduling.place(own.subscription, self.change.contents)
            return Changed()
        return changing.change_now(own.subscription, own.customer, self.change)


@router.post(
    "subscription.update_for_items",
    "/subscriptions/{handle}/update_for_items",
    f"{CHANGING} trial_end auto_collection",
)
def update_for_items(params: Params, handle: str) -> Body:
    """Change items and coupons now, charging and crediting the rest of the term, or at the term's end.

    A charge that is declined undoes the change and is a 400, unless the site is set to leave it unpaid.
    """
    own = owned(handle)
    wish = wished(params, params, own)
    changed = wish.apply(own)
    with as_api_errors("Subscription cannot be changed", own.customer):
        charged = _collect(changed, own)
    if wish.at_term_end:
        return own.done("subscription_changes_scheduled")
    event_type = "subscription_reactivated" if changed.revived else "subscription_changed"
    return own.done(event_type, charged, changed.issued)


@router.post("subscription.remove_scheduled_changes", "/subscriptions/{handle}/remove_scheduled_changes")
def remove_scheduled_changes(params: Params, handle: str) -> Body:
    """Let a subscription go on as it is."""
    own = owned(handle)
    if not scheduling.drop(own.subscription):
        raise invalid_state("There are no scheduled changes for this subscription")
    terms.settle(own.subscription)
    return own.done("subscription_scheduled_changes_removed")


@router.post("subscription.remove_coupons", "/subscriptions/{handle}/remove_coupons", "coupon_ids")
def remove_coupons(params: Params, handle: str) -> Body:
    """Take coupons off, by id or by code; without any named, all of them. A scheduled change stays.

    Raises: ApiError 404 for a coupon the subscription has not; 409 while it is paused.
    """
    own = owned(handle)
    _check_writable(own.subscription)
    gone = {_coupon_id(named) for named in params.texts("coupon_ids")}
    held = own.subscription.get("coupons", [])
    for missing in sorted(gone - {one["coupon_id"] for one in held}):
        raise not_found("coupon", missing, "coupon_ids")
    left = [one for one in held if gone and one["coupon_id"] not in gone]
    own.subscription.change(coupons=left or None)
    terms.settle(own.subscription)
    return own.done("subscription_changed")


def wished(params: Params, details: Params, own: Owned, *, use_balances: bool = True) -> Wish:
    """The change that is asked for, its coupons redeemed; ``details`` holds ``trial_end`` and ``auto_collection``.

    Raises: ApiError 409 where the state does not allow it, and what reading items and coupons raises.
    """
    subscription = own.subscription
    _check_writable(subscription)
    at_term_end = _at_term_end(params, subscription)
    # There are no unbilled charges on this site: what a change costs is invoiced with it.
    params.choice("invoice_immediately", ("true",), "true")
    if "auto_collection" in details:
        subscription.change(auto_collection=details.choice("auto_collection", ("on", "off"), "on"))
    scheduling.drop(subscription)
    wanted = order(params, subscription["subscription_items"])
    change = Change(
        contents=_contents(params, subscription, wanted),
        prorate=params.boolean("prorate", default=True),
        force_term_reset=params.boolean("force_term_reset"),
        trial_end=_trial_end(details, subscription, at_term_end=at_term_end),
        revive=_revives(params, details),
        use_balances=use_balances,
    )
    return Wish(change, at_term_end)


def _collect(changed: Changed, own: Owned) -> billing.Charged | None:
    invoicing.note_dues(own.subscription)
    if changed.drawn is None:
        terms.settle(own.subscription)
        return None
    must_pay = not settings.SANDBOX_UNPAID_CHANGES
    return billing.collect(changed.drawn, own.subscription, own.customer, must_pay=must_pay)


def _check_writable(subscription: Subscription) -> None:
    if subscription["status"] == "paused":
        raise invalid_state("The subscription is paused; resume it first")


def _at_term_end(params: Params, subscription: Subscription) -> bool:
    fallback = "end_of_term" if params.boolean("end_of_term") else "immediately"
    option = params.choice("change_option", ("immediately", "end_of_term"), fallback)
    if option == "immediately":
        return False
    if subscription["status"] not in ("active", "in_trial"):
        raise invalid_state("The subscription has no term after this one to change")
    term_end = subscription["current_term_end"]
    if any(subscription.get(name, term_end + 1) <= term_end for name in ("cancelled_at", "pause_date")):
        raise invalid_state("The subscription ends or pauses with this term")
    return True


def _contents(params: Params, subscription: Subscription, wanted: Order) -> scheduling.Contents:
    held = subscription.get("coupons", [])
    if not params.boolean("replace_coupon_list"):
        added, kept = redeemed(params, wanted.prices, held), None
    else:
        added, kept = _replaced_coupons(params, wanted, held)
    period = {"billing_period": wanted.plan["period"], "billing_period_unit": wanted.plan["period_unit"]}
    return scheduling.Contents(wanted.items, **period, added_coupons=added, kept_coupons=kept)


def _replaced_coupons(params: Params, wanted: Order, held: list[Body]) -> tuple[list[Body], list[str]]:
    """The coupons that are new, and the ids of those that are named again and stay as far as they are used."""
    had = {one["coupon_id"] for one in held}
    names = {named: _coupon_id(named) for named in params.texts("coupon_ids")}
    new = [named for named, coupon_id in names.items() if coupon_id not in had]
    added = redeemed(Params({"coupon_ids": new}), wanted.prices)
    return added, sorted(had & set(names.values()))


def _coupon_id(named: str) -> str:
    code = CouponCode.objects.filter(handle=named).first()
    if code is not None and not Coupon.objects.filter(handle=named).exists():
        return str(code["coupon_id"])
    return found(Coupon, named, "coupon_ids").handle


def _trial_end(details: Params, subscription: Subscription, *, at_term_end: bool) -> int | None:
    """When the trial is to end; an instant that is over (0 as a rule) ends it now."""
    trial_end = details.instant("trial_end")
    if trial_end is None:
        return None
    if at_term_end or subscription["status"] not in ("in_trial", "future", "cancelled"):
        raise wrong_value("trial_end", "is for a subscription in trial, and for a change at once")
    return trial_end


def _revives(params: Params, details: Params) -> bool:
    """As documented: asked for in so many words, or else where there is anything to change."""
    touched = any(name in params for name in ("subscription_items", "coupon_ids"))
    return params.boolean("reactivate", default=touched or "trial_end" in details)
