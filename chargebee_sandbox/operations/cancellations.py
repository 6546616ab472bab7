"""Operations that cancel subscriptions and remove scheduled cancellations."""

from __future__ import annotations

from dataclasses import dataclass

from chargebee_sandbox import clock, event_log
from chargebee_sandbox.api import router
from chargebee_sandbox.api.errors import invalid_state, wrong_value
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing import charging, credit_notes, invoicing, unbilled_charges
from chargebee_sandbox.engine.payments import collection, refunds
from chargebee_sandbox.engine.subscriptions import cancellation, contracts, terms
from chargebee_sandbox.models import CreditNote, Subscription
from chargebee_sandbox.operations.subscriptions import SubscriptionWithCustomer, find_subscription

_RECEIVABLES_OPTIONS = ("no_action", "schedule_payment_collection")
_CONTRACT_OPTIONS = {
    "terminate_immediately": "immediately",
    "end_of_contract_term": "end_of_contract",
    "specific_date": "specific_date",
    "end_of_subscription_billing_term": "end_of_term",
}


@router.post(
    "subscription.cancel_for_items",
    "/subscriptions/{handle}/cancel_for_items",
    "cancel_option contract_term_cancel_option end_of_term cancel_at cancel_reason_code "
    "credit_option_for_current_term_charges unbilled_charges_option account_receivables_handling "
    "refundable_credits_handling",
)
def cancel_for_items(params: Params, handle: str) -> Body:
    """Cancel a subscription now (with a prorated, a full, or no credit), at the end of its term, or later."""
    target = find_subscription(handle)
    applied = apply_cancellation(params, target)
    terms.save_derived(target.subscription)
    if applied.is_scheduled:
        return target.record_and_answer("subscription_cancellation_scheduled")
    charged = None
    if applied.draft_invoice is not None:
        charged = charging.collect_invoice(applied.draft_invoice, target.subscription, target.customer, must_pay=False)
    answer = target.record_and_answer("subscription_cancelled", charged, applied.issued_credit_notes)
    if applied.refunds_credits:
        refunds.refund_credits(target.customer)
        answer["customer"] = target.customer.render_resource()
    return answer


@dataclass(frozen=True)
class AppliedCancellation:
    """The result of a cancellation: credits issued, the draft of an invoice of the unbilled charges, what follows."""

    is_scheduled: bool
    issued_credit_notes: list[CreditNote]
    draft_invoice: charging.DraftInvoice | None = None
    refunds_credits: bool = False


def apply_cancellation(params: Params, target: SubscriptionWithCustomer) -> AppliedCancellation:
    """Apply the requested cancellation, the subscription unsaved.

    A scheduled change that would not apply any more is dropped, and its event recorded.
    """
    subscription = target.subscription
    if subscription["status"] == "cancelled":
        raise invalid_state("The subscription is already cancelled")
    # This site does not write off what is due.
    unbilled_option = params.choice("unbilled_charges_option", ("invoice", "delete"), "invoice")
    refund_option = params.choice("refundable_credits_handling", ("no_action", "schedule_refund"), "no_action")
    collects = params.choice("account_receivables_handling", _RECEIVABLES_OPTIONS, "no_action") != "no_action"
    subscription.set_attributes(cancel_reason_code=params.text("cancel_reason_code"))
    cancel_at = _cancel_at(params, subscription)
    issued = _credit_term(params, target, at_once=cancel_at is None)
    if collects:
        collection.schedule_payment_collection(subscription, target.customer)
    had_changes = subscription.scheduled_change is not None
    if cancel_at is None:
        cancellation.cancel_now(subscription)
    else:
        cancellation.schedule_cancellation(subscription, cancel_at)
    if had_changes and subscription.scheduled_change is None:
        charging.record_subscription_events(
            "subscription_scheduled_changes_removed", subscription, target.customer, None
        )
    if cancel_at is not None:
        return AppliedCancellation(is_scheduled=True, issued_credit_notes=issued)
    return AppliedCancellation(
        is_scheduled=False,
        issued_credit_notes=issued,
        draft_invoice=_close_unbilled_charges(target, unbilled_option),
        refunds_credits=refund_option == "schedule_refund",
    )


@router.post(
    "subscription.remove_scheduled_cancellation",
    "/subscriptions/{handle}/remove_scheduled_cancellation",
    "billing_cycles",
)
def remove_scheduled_cancellation(params: Params, handle: str) -> Body:
    """Remove a scheduled cancellation."""
    target = find_subscription(handle)
    if target.subscription["status"] == "cancelled" or "cancelled_at" not in target.subscription.body:
        raise invalid_state("There is no scheduled cancellation for this subscription")
    cancellation.remove_scheduled_cancellation(target.subscription, params.integer("billing_cycles", least=1))
    terms.save_derived(target.subscription)
    return target.record_and_answer("subscription_scheduled_cancellation_removed")


def _credit_term(params: Params, target: SubscriptionWithCustomer, *, at_once: bool) -> list[CreditNote]:
    option = params.choice("credit_option_for_current_term_charges", ("none", "prorate", "full"), "none")
    if option == "none":
        return []
    if not at_once:
        raise wrong_value("credit_option_for_current_term_charges", "is for cancelling immediately")
    issued = credit_notes.credit_term(target.subscription, target.customer, whole=option == "full")
    invoicing.update_dues(target.subscription)
    return issued


def _close_unbilled_charges(target: SubscriptionWithCustomer, option: str) -> charging.DraftInvoice | None:
    """Draft the invoice of the unbilled charges, or void them."""
    if option == "invoice":
        return charging.draft_unbilled_charges(target.subscription, target.customer)
    if pending := unbilled_charges.pending_charges(target.subscription):
        unbilled_charges.void_charges(pending, target.customer)
        event_log.record_event("unbilled_charges_voided", unbilled_charge=pending)
    return None


def _cancel_at(params: Params, subscription: Subscription) -> int | None:
    """Return the instant of the cancellation, or None to cancel immediately."""
    fallback = "end_of_term" if params.boolean("end_of_term") else "immediately"
    options = ("immediately", "end_of_term", "specific_date", "end_of_billing_term")
    option = _contract_option(params, subscription) or params.choice("cancel_option", options, fallback)
    if option == "immediately":
        return None
    if option == "end_of_contract":
        return contracts.cancel_with_contract(subscription)
    cancel_at = params.instant("cancel_at") if option == "specific_date" else terms.period_end(subscription)
    if cancel_at is None or cancel_at <= clock.now_seconds():
        if option == "specific_date":
            raise wrong_value("cancel_at", "should be in the future")
        raise invalid_state("The subscription has no running term to be cancelled at the end of")
    return int(cancel_at)


def _contract_option(params: Params, subscription: Subscription) -> str | None:
    """Return how a subscription with a contract ends; None without a contract.

    Raises: ApiError 400 where the request does not ask for the end of its contract, or for that of none.
    """
    name = "contract_term_cancel_option"
    if contracts.active_contract(subscription) is None:
        if name in params:
            raise wrong_value(name, "is for a subscription with a contract term")
        return None
    if name not in params:
        raise wrong_value(name, "should be given: the subscription has a contract term")
    return _CONTRACT_OPTIONS[params.choice(name, tuple(_CONTRACT_OPTIONS), "")]
