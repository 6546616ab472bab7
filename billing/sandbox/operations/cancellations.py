"""Cancelling subscriptions and taking a cancellation back."""

from __future__ import annotations

from billing.sandbox import clock
from billing.sandbox.body import Body
from billing.sandbox.engine import billing, cancelling, collection, crediting, invoicing, terms
from billing.sandbox.models import CreditNote, Subscription
from billing.sandbox.operations.subscriptions import Owned, owned
from billing.sandbox.wire import router
from billing.sandbox.wire.errors import invalid_state, wrong_value
from billing.sandbox.wire.params import Params

_RECEIVABLES = ("no_action", "schedule_payment_collection")


@router.post(
    "subscription.cancel_for_items",
    "/subscriptions/{handle}/cancel_for_items",
    "cancel_option end_of_term cancel_at cancel_reason_code credit_option_for_current_term_charges "
    "unbilled_charges_option account_receivables_handling refundable_credits_handling",
)
def cancel_for_items(params: Params, handle: str) -> Body:
    """End a subscription now (crediting the rest of its term, all of it, or nothing), at its term's end or later."""
    own = owned(handle)
    issued, scheduled = cancel(params, own)
    terms.settle(own.subscription)
    if not scheduled:
        return own.done("subscription_cancelled", issued=issued)
    return own.done("subscription_cancellation_scheduled")


def cancel(params: Params, own: Owned) -> tuple[list[CreditNote], bool]:
    """Do what is asked for but save nothing of the subscription: the credits given, and whether the end is ahead.

    A change that was scheduled for an instant the subscription will not live through is dropped, and told.
    """
    subscription = own.subscription
    if subscription["status"] == "cancelled":
        raise invalid_state("The subscription is already cancelled")
    # There are no unbilled charges on this site; write-offs and refunds are not offered.
    params.choice("unbilled_charges_option", ("invoice", "delete"), "invoice")
    params.choice("refundable_credits_handling", ("no_action",), "no_action")
    collects = params.choice("account_receivables_handling", _RECEIVABLES, "no_action") != "no_action"
    subscription.change(cancel_reason_code=params.text("cancel_reason_code"))
    cancel_at = _cancel_at(params, subscription)
    issued = _credit(params, own, at_once=cancel_at is None)
    if collects:
        collection.schedule(subscription)
    had_changes = subscription.scheduled_change is not None
    if cancel_at is None:
        cancelling.cancel_now(subscription)
    else:
        cancelling.schedule(subscription, cancel_at)
    if had_changes and subscription.scheduled_change is None:
        billing.tell("subscription_scheduled_changes_removed", subscription, own.customer, None)
    return issued, cancel_at is not None


@router.post(
    "subscription.remove_scheduled_cancellation",
    "/subscriptions/{handle}/remove_scheduled_cancellation",
    "billing_cycles",
)
def remove_scheduled_cancellation(params: Params, handle: str) -> Body:
    """Let a subscription that was to end go on."""
    own = owned(handle)
    if own.subscription["status"] == "cancelled" or "cancelled_at" not in own.subscription.body:
        raise invalid_state("There is no scheduled cancellation for this subscription")
    cancelling.unschedule(own.subscription, params.integer("billing_cycles", least=1))
    terms.settle(own.subscription)
    return own.done("subscription_scheduled_cancellation_removed")


def _credit(params: Params, own: Owned, *, at_once: bool) -> list[CreditNote]:
    option = params.choice("credit_option_for_current_term_charges", ("none", "prorate", "full"), "none")
    if option == "none":
        return []
    if not at_once:
        raise wrong_value("credit_option_for_current_term_charges", "is for cancelling immediately")
    issued = crediting.credit_term(own.subscription, own.customer, whole=option == "full")
    invoicing.note_dues(own.subscription)
    return issued


def _cancel_at(params: Params, subscription: Subscription) -> int | None:
    """The instant of the end, None for at once."""
    fallback = "end_of_term" if params.boolean("end_of_term") else "immediately"
    options = ("immediately", "end_of_term", "specific_date", "end_of_billing_term")
    option = params.choice("cancel_option", options, fallback)
    if option == "immediately":
        return None
    cancel_at = (
        params.instant("cancel_at") if option == "specific_date" else subscription.get("current_term_end")
    )
    if cancel_at is None or cancel_at <= clock.now():
        if option == "specific_date":
            raise wrong_value("cancel_at", "should be in the future")
        raise invalid_state("The subscription has no running term to be cancelled at the end of")
    return int(cancel_at)
