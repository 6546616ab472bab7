"""Operations that reactivate a subscription, move the end of its term, or bill terms ahead."""

from __future__ import annotations

from chargebee_sandbox import clock
from chargebee_sandbox.api import router
from chargebee_sandbox.api.errors import ApiError, invalid_state, wrong_value
from chargebee_sandbox.api.params import Params, require_value
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.subscriptions import immediate_changes, terms
from chargebee_sandbox.engine.subscriptions.scheduled_changes import SubscriptionContents
from chargebee_sandbox.models import Subscription
from chargebee_sandbox.operations.collection_errors import as_api_errors
from chargebee_sandbox.operations.lookup import find_resource
from chargebee_sandbox.operations.subscription_updates import collect_change
from chargebee_sandbox.operations.subscriptions import (
    SubscriptionWithCustomer,
    find_subscription,
    handle_requested_charges,
)

_RENEWING_STATUSES = ("active", "non_renewing")


@router.post(
    "subscription.reactivate", "/subscriptions/{handle}/reactivate", "trial_end billing_cycles invoice_immediately"
)
def reactivate_subscription(params: Params, handle: str) -> Body:
    """Begin a new term, or a trial, of a canceled subscription now.

    Raises: ApiError 409 unless it is canceled, 400 on a decline, which leaves it canceled.
    """
    target = find_subscription(handle)
    subscription = target.subscription
    if subscription["status"] != "cancelled":
        raise invalid_state("Only cancelled subscriptions can be reactivated")
    subscription.set_attributes(remaining_billing_cycles=params.integer("billing_cycles", least=1))
    change = immediate_changes.SubscriptionChange(
        _present_contents(subscription), trial_end=params.instant("trial_end"), reactivate=True
    )
    with handle_requested_charges(params):
        applied = immediate_changes.change_now(subscription, target.customer, change)
    with as_api_errors("Subscription cannot be reactivated", target.customer):
        charged = collect_change(applied, target)
    return target.record_and_answer("subscription_reactivated", charged)


@router.post("subscription.change_term_end", "/subscriptions/{handle}/change_term_end", "term_ends_at prorate")
def change_term_end(params: Params, handle: str) -> Body:
    """Move the end of the running term or trial, from which billing dates are counted, without charge or credit.

    Raises: ApiError 409 unless there is one, 400 for a time of the past.
    """
    target = find_subscription(handle)
    subscription = target.subscription
    ends_at = int(require_value(params.instant("term_ends_at"), "term_ends_at"))
    if params.boolean("prorate"):
        raise wrong_value("prorate", "is not supported by this site")
    if ends_at <= clock.now_seconds():
        raise wrong_value("term_ends_at", "should be in the future")
    _move_term_end(target, ends_at)
    terms.save_derived(subscription)
    return target.record_and_answer("subscription_changed")


@router.post(
    "subscription.charge_future_renewals",
    "/subscriptions/{handle}/charge_future_renewals",
    "terms_to_charge invoice_immediately schedule_type",
)
def charge_future_renewals(params: Params, handle: str) -> Body:
    """Refuse to bill terms ahead: advance invoices are a feature that this site has not enabled."""
    find_resource(Subscription, handle)
    raise ApiError(400, "configuration_incompatible", "Advance invoices are not enabled for this site")


@router.get("subscription.list_discounts", "/subscriptions/{handle}/discounts", "limit offset")
def list_discounts(params: Params, handle: str) -> Body:
    """Return the manual discounts of a subscription, of which this site has none; coupons are on the subscription."""
    find_resource(Subscription, handle)
    params.integer("limit", least=1, most=100)
    return {"list": []}


def _present_contents(subscription: Subscription) -> SubscriptionContents:
    return SubscriptionContents(
        subscription["subscription_items"],
        subscription["billing_period"],
        subscription["billing_period_unit"],
        subscription.get("item_tiers", []),
    )


def _move_term_end(target: SubscriptionWithCustomer, ends_at: int) -> None:
    subscription = target.subscription
    if subscription["status"] == "in_trial":
        present = _present_contents(subscription)
        change = immediate_changes.SubscriptionChange(present, trial_end=ends_at)
        immediate_changes.change_now(subscription, target.customer, change)
        return
    if subscription["status"] not in _RENEWING_STATUSES:
        raise invalid_state("The subscription has no running term")
    if subscription.get("cancelled_at") == subscription["current_term_end"]:
        subscription.set_attributes(cancelled_at=ends_at)
    subscription.anchor_at = ends_at
    subscription.set_attributes(current_term_end=ends_at)
