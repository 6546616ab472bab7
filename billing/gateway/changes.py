"""Changing what a subscription is: start one, change its price now or at its term's end, its coupons, end it, keep it.

Every update says `reactivate=false`: an update would otherwise revive a cancelled subscription. Every update deletes a
scheduled change at the provider: whoever writes coupons puts it back (contract, rule 6).
"""

from collections.abc import Sequence
from typing import Any

from billing.gateway import subscriptions
from billing.gateway.answers import changed
from billing.gateway.client import sdk, write
from billing.gateway.errors import Missing, NotSent, Refused, Unconfirmed
from billing.gateway.snapshots import Snapshot, SubscriptionSnapshot

AT_ONCE = "immediately"
AT_TERM_END = "end_of_term"


def start(
    subscription_id: str, *, key: str, customer_id: str, price: str, coupons: Sequence[str]
) -> list[Snapshot]:
    """Start a subscription to a price, charged at once, without a trial; its id is ours to give.

    Raises PaymentRefused when the charge failed; nothing was started.
    """
    params = {"id": subscription_id, **_price(price), "coupon_ids": list(coupons), "trial_end": 0}
    return changed(write(sdk().Subscription.create_with_items, customer_id, key=key, params=params))


def change_now(
    subscription_id: str, *, key: str, price: str, coupons: Sequence[str] | None = None
) -> list[Snapshot]:
    """Change the price at once, pro-rated and charged, with exactly these coupons from then on (None: those it has).

    Raises PaymentRefused when the charge failed; nothing was changed.
    """
    params = {
        **_price(price),
        **_exactly(coupons),
        "replace_items_list": True,
        "prorate": True,
        "invoice_immediately": True,
        "change_option": AT_ONCE,
    }
    return _update(subscription_id, key=key, params=params)


def change_at_term_end(subscription_id: str, *, key: str, price: str) -> list[Snapshot]:
    """Schedule a change of the price for the end of the running term."""
    params = {**_price(price), "replace_items_list": True, "change_option": AT_TERM_END}
    return _update(subscription_id, key=key, params=params)


def swap_coupons(
    subscription_id: str, *, key: str, add: Sequence[str], remove: Sequence[str], changing_to: str = ""
) -> list[Snapshot]:
    """Take coupons off a subscription and put others on, and put its scheduled change of price back, if it had one.

    What was done before, with another key, is passed over: asked again, it ends in the same state. Raises Unconfirmed
    when it was cut short, or the change that was put back is not there: the same key finishes it.
    """
    found: list[Snapshot] = []
    if remove:
        found = _take_off(subscription_id, remove, key=f"{key}:off")
    try:
        if add:
            found = _put_on(subscription_id, add, key=f"{key}:on")
        return _put_back(subscription_id, changing_to, key=f"{key}:back") if changing_to else found
    except NotSent as error:
        if found:
            raise Unconfirmed("cut short between two writes") from error
        raise


def _take_off(subscription_id: str, coupons: Sequence[str], *, key: str) -> list[Snapshot]:
    params = {"coupon_ids": list(coupons)}
    try:
        return changed(write(sdk().Subscription.remove_coupons, subscription_id, key=key, params=params))
    except Missing as error:
        if error.param != "coupon_ids":
            raise
        return _all_off(subscription_id, coupons, key=key)


def _all_off(subscription_id: str, coupons: Sequence[str], *, key: str) -> list[Snapshot]:
    """Take off those of these coupons that are on still."""
    found = subscriptions.retrieve(subscription_id)
    left = [coupon for coupon in coupons if coupon in _coupons_of(found)]
    return _take_off(subscription_id, left, key=f"{key}:left") if left else [found]


def _put_on(subscription_id: str, coupons: Sequence[str], *, key: str) -> list[Snapshot]:
    params = {"coupon_ids": list(coupons), "change_option": AT_ONCE}
    try:
        return _update(subscription_id, key=key, params=params)
    except Refused as error:
        found = subscriptions.retrieve(subscription_id)
        if error.code != "duplicate_entry" or not _coupons_of(found).issuperset(coupons):
            raise
        return [found]


def _coupons_of(found: SubscriptionSnapshot) -> set[str]:
    """Return the coupons on a subscription, by id and by code."""
    rows = found.payload["coupons"]
    return {str(row[name]) for row in rows for name in ("coupon_id", "coupon_code") if row.get(name)}


def _put_back(subscription_id: str, price: str, *, key: str) -> list[Snapshot]:
    """Schedule the change of the price again that a write took away. Raises Unconfirmed when it is not there then."""
    found = change_at_term_end(subscription_id, key=key, price=price)
    held = next(one for one in found if isinstance(one, SubscriptionSnapshot))
    if held.changing_to != price:
        raise Unconfirmed("the scheduled change was not put back")
    return found


def remove_scheduled_change(subscription_id: str, *, key: str) -> list[Snapshot]:
    """Take back a scheduled change of the price."""
    return changed(write(sdk().Subscription.remove_scheduled_changes, subscription_id, key=key))


def cancel_at_term_end(subscription_id: str, *, key: str) -> list[Snapshot]:
    """End a subscription when its term ends; a trial, when the trial does."""
    params = {"cancel_option": AT_TERM_END}
    return changed(write(sdk().Subscription.cancel_for_items, subscription_id, key=key, params=params))


def cancel_now(subscription_id: str, *, key: str) -> list[Snapshot]:
    """End a subscription at once; nothing is credited (a paused one has no term that is paid for)."""
    params = {"cancel_option": AT_ONCE, "credit_option_for_current_term_charges": "none"}
    return changed(write(sdk().Subscription.cancel_for_items, subscription_id, key=key, params=params))


def keep(subscription_id: str, *, key: str) -> list[Snapshot]:
    """Take back a scheduled cancellation."""
    return changed(
        write(sdk().Subscription.remove_scheduled_cancellation, subscription_id, key=key, params={})
    )


def _update(subscription_id: str, *, key: str, params: dict[str, Any]) -> list[Snapshot]:
    every = {**params, "reactivate": False}
    return changed(write(sdk().Subscription.update_for_items, subscription_id, key=key, params=every))


def _price(price: str) -> dict[str, Any]:
    return {"subscription_items": [{"item_price_id": price, "quantity": 1}]}


def _exactly(coupons: Sequence[str] | None) -> dict[str, Any]:
    return {} if coupons is None else {"coupon_ids": list(coupons), "replace_coupon_list": True}
