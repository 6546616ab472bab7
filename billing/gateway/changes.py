"""Changes of subscriptions: start one, change its price or coupons, cancel it, undo what is scheduled.

Every update sends `reactivate=false`, because an update would otherwise revive a canceled subscription. Every update
deletes a scheduled change at the provider, so swapping coupons restores it (docs/rules.md, rule 6).
"""

from collections.abc import Sequence
from typing import Any

from billing.gateway import subscriptions
from billing.gateway.answers import changed_records
from billing.gateway.errors import Missing, NotSent, Refused, Unconfirmed
from billing.gateway.http.client import chargebee_sdk, write_to_provider
from billing.gateway.snapshots import Snapshot, SubscriptionSnapshot

AT_ONCE = "immediately"
AT_TERM_END = "end_of_term"


def start_subscription(
    subscription_id: str, *, key: str, customer_id: str, price: str, coupons: Sequence[str], intent: str = ""
) -> list[Snapshot]:
    """Start a subscription to a price, charged now (to `intent` if there is one), without a trial. We choose its id.

    Raises PaymentRefused when the charge failed and nothing was started.
    """
    params = {
        "id": subscription_id,
        **price_params(price),
        "coupon_ids": list(coupons),
        "trial_end": 0,
        "invoice_immediately": True,
        **subscriptions.intent_params(intent),
    }
    return changed_records(
        write_to_provider(chargebee_sdk().Subscription.create_with_items, customer_id, key=key, params=params)
    )


def change_price_now(
    subscription_id: str, *, key: str, price: str, coupons: Sequence[str] | None = None, intent: str = ""
) -> list[Snapshot]:
    """Change the price now, prorated and charged, with exactly these coupons (None keeps the current ones).

    It is charged to `intent` if there is one.

    Raises PaymentRefused when the charge failed and nothing was changed.
    """
    params = {
        **price_params(price),
        **coupon_params(coupons),
        "replace_items_list": True,
        "prorate": True,
        "invoice_immediately": True,
        "change_option": AT_ONCE,
        **subscriptions.intent_params(intent),
    }
    return _update_subscription(subscription_id, key=key, params=params)


def change_price_at_term_end(
    subscription_id: str, *, key: str, price: str, unit_price: int | None = None
) -> list[Snapshot]:
    """Schedule a change of the price for the end of the current term, at its list price or at `unit_price` (cents)."""
    params = {**price_params(price, unit_price), "replace_items_list": True, "change_option": AT_TERM_END}
    return _update_subscription(subscription_id, key=key, params=params)


def swap_coupons(
    subscription_id: str,
    *,
    key: str,
    add: Sequence[str],
    remove: Sequence[str],
    changing_to: str = "",
    unit_price: int | None = None,
) -> list[Snapshot]:
    """Add and remove coupons of a subscription, then restore its scheduled change of price, if it had one.

    `changing_to` is the id of the scheduled price, `unit_price` (cents) what was agreed in place of its list price.

    Idempotent: coupons already removed or added with another key are skipped. Raises Unconfirmed when it was
    interrupted or the scheduled change was not restored; calling it again with the same key finishes it.
    """
    snapshots: list[Snapshot] = []
    # First what may be refused, since a coupon can be gone: the subscription then keeps what it has.
    if add:
        snapshots = _add_coupons(subscription_id, add, key=f"{key}:on")
    try:
        if remove:
            snapshots = _remove_coupons(subscription_id, remove, key=f"{key}:off")
        if not changing_to:
            return snapshots
        return _restore_scheduled_change(subscription_id, changing_to, unit_price=unit_price, key=f"{key}:back")
    except NotSent as error:
        if snapshots:
            raise Unconfirmed("cut short between two writes") from error
        raise


def _remove_coupons(subscription_id: str, coupons: Sequence[str], *, key: str) -> list[Snapshot]:
    params = {"coupon_ids": list(coupons)}
    try:
        return changed_records(
            write_to_provider(chargebee_sdk().Subscription.remove_coupons, subscription_id, key=key, params=params)
        )
    except Missing as error:
        if error.param != "coupon_ids":
            raise
        return _remove_remaining_coupons(subscription_id, coupons, key=key)


def _remove_remaining_coupons(subscription_id: str, coupons: Sequence[str], *, key: str) -> list[Snapshot]:
    """Remove those of these coupons that the subscription still has."""
    subscription = subscriptions.retrieve_subscription(subscription_id)
    remaining = [coupon for coupon in coupons if coupon in _coupon_ids(subscription)]
    return _remove_coupons(subscription_id, remaining, key=f"{key}:left") if remaining else [subscription]


def _add_coupons(subscription_id: str, coupons: Sequence[str], *, key: str) -> list[Snapshot]:
    params = {"coupon_ids": list(coupons), "change_option": AT_ONCE}
    try:
        return _update_subscription(subscription_id, key=key, params=params)
    except Refused as error:
        subscription = subscriptions.retrieve_subscription(subscription_id)
        if error.code != "duplicate_entry" or not _coupon_ids(subscription).issuperset(coupons):
            raise
        return [subscription]


def _coupon_ids(subscription: SubscriptionSnapshot) -> set[str]:
    """Return the ids and the codes of the coupons on a subscription."""
    rows = subscription.payload["coupons"]
    return {str(row[name]) for row in rows for name in ("coupon_id", "coupon_code") if row.get(name)}


def _restore_scheduled_change(subscription_id: str, price: str, *, unit_price: int | None, key: str) -> list[Snapshot]:
    """Schedule the change of price again that a write deleted. Raises Unconfirmed when it is missing afterwards."""
    snapshots = change_price_at_term_end(subscription_id, key=key, price=price, unit_price=unit_price)
    subscription = next(row for row in snapshots if isinstance(row, SubscriptionSnapshot))
    if subscription.changing_to != price:
        raise Unconfirmed("the scheduled change was not put back")
    return snapshots


def remove_scheduled_change(subscription_id: str, *, key: str) -> list[Snapshot]:
    """Remove a scheduled change of the price."""
    return changed_records(
        write_to_provider(chargebee_sdk().Subscription.remove_scheduled_changes, subscription_id, key=key)
    )


def cancel_at_term_end(subscription_id: str, *, key: str, has_contract: bool = False) -> list[Snapshot]:
    """Cancel a subscription at the end of its contract, if it is bound to one, or else of its term or its trial."""
    params = {"contract_term_cancel_option": "end_of_contract_term"} if has_contract else {"cancel_option": AT_TERM_END}
    return changed_records(
        write_to_provider(chargebee_sdk().Subscription.cancel_for_items, subscription_id, key=key, params=params)
    )


def cancel_now(subscription_id: str, *, key: str, has_contract: bool = False) -> list[Snapshot]:
    """Cancel a subscription now, with its contract. Nothing is credited: a paused one has no paid term left."""
    option = {"contract_term_cancel_option": "terminate_immediately"} if has_contract else {"cancel_option": AT_ONCE}
    params = {**option, "credit_option_for_current_term_charges": "none"}
    return changed_records(
        write_to_provider(chargebee_sdk().Subscription.cancel_for_items, subscription_id, key=key, params=params)
    )


def remove_scheduled_cancellation(
    subscription_id: str, *, key: str, billing_cycles: int | None = None
) -> list[Snapshot]:
    """Remove a scheduled cancellation; the subscription renews so often, or without an end."""
    params = {} if billing_cycles is None else {"billing_cycles": billing_cycles}
    return changed_records(
        write_to_provider(
            chargebee_sdk().Subscription.remove_scheduled_cancellation, subscription_id, key=key, params=params
        )
    )


def _update_subscription(subscription_id: str, *, key: str, params: dict[str, Any]) -> list[Snapshot]:
    params = {**params, "reactivate": False}
    return changed_records(
        write_to_provider(chargebee_sdk().Subscription.update_for_items, subscription_id, key=key, params=params)
    )


def price_params(price: str, unit_price: int | None = None) -> dict[str, Any]:
    """Return the parameters of a subscription to a price, at its list price or at `unit_price` (cents)."""
    agreed = {} if unit_price is None else {"unit_price": unit_price}
    return {"subscription_items": [{"item_price_id": price, "quantity": 1, **agreed}]}


def coupon_params(coupons: Sequence[str] | None) -> dict[str, Any]:
    """Return the parameters that leave a subscription exactly these coupons; None keeps its present ones."""
    return {} if coupons is None else {"coupon_ids": list(coupons), "replace_coupon_list": True}
