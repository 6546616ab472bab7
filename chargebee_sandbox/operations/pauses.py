"""Operations that pause and resume subscriptions."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass

from chargebee_sandbox import clock
from chargebee_sandbox.api import router
from chargebee_sandbox.api.errors import ApiError, invalid_state, wrong_value
from chargebee_sandbox.api.params import Params, require_value
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine import billing_dates
from chargebee_sandbox.engine.billing import charging, unbilled_charges
from chargebee_sandbox.engine.payments import collection
from chargebee_sandbox.engine.subscriptions import contracts, pauses, terms
from chargebee_sandbox.models import Subscription
from chargebee_sandbox.operations.collection_errors import as_api_errors
from chargebee_sandbox.operations.payments.authorized_intents import charge_requested_intent
from chargebee_sandbox.operations.subscriptions import find_subscription
from chargebee_sandbox.site_settings import load_settings


@dataclass(frozen=True)
class RequestedPause:
    """When a pause begins (None: now) and when it ends automatically (None: never)."""

    pause_at: int | None
    resume_at: int | None

    def apply_to(self, subscription: Subscription) -> str:
        """Pause the subscription, unsaved; return the type of the event."""
        if self.pause_at is None:
            pauses.begin_pause(subscription, self.resume_at)
            return "subscription_paused"
        pauses.schedule_pause(subscription, self.pause_at, self.resume_at)
        return "subscription_pause_scheduled"


def read_requested_pause(option_source: Params, dates: Params, subscription: Subscription) -> RequestedPause:
    """Return the requested pause.

    Raises: ApiError invalid_state_for_pause unless the subscription is active or non-renewing, and while it has a
    contract; 409 if changes are scheduled, 400 for invalid dates.
    """
    if subscription["status"] not in ("active", "non_renewing"):
        raise invalid_state("Only active and non-renewing subscriptions can be paused", "invalid_state_for_pause")
    if contracts.active_contract(subscription) is not None:
        raise invalid_state("A subscription with a contract term can't be paused", "invalid_state_for_pause")
    if subscription.scheduled_change is not None:
        message = "The subscription has scheduled changes; remove them first"
        raise ApiError(409, "operation_failed", message, kind="operation_failed")
    options = ("immediately", "end_of_term", "specific_date", "billing_cycles")
    option = option_source.choice("pause_option", options, "immediately")
    pause = RequestedPause(_pause_at(option, dates, subscription), _resume_at(option, dates, subscription))
    if pause.resume_at is not None and pause.resume_at <= (pause.pause_at or clock.now_seconds()):
        raise wrong_value("resume_date", "should be after the pause begins")
    return pause


@router.post(
    "subscription.pause",
    "/subscriptions/{handle}/pause",
    "pause_option pause_date resume_date skip_billing_cycles unbilled_charges_handling invoice_dunning_handling",
)
def pause_subscription(params: Params, handle: str) -> Body:
    """Pause a subscription now or later; this replaces a scheduled pause."""
    target = find_subscription(handle)
    pause = read_requested_pause(params, params, target.subscription)
    invoices_unbilled = params.choice("unbilled_charges_handling", ("no_action", "invoice"), "no_action") == "invoice"
    if params.choice("invoice_dunning_handling", ("continue", "stop"), "continue") == "stop":
        collection.stop_dunning(target.subscription)
    event_type = pause.apply_to(target.subscription)
    terms.save_derived(target.subscription)
    charged = None
    if invoices_unbilled and pause.pause_at is None:
        charged = charging.invoice_unbilled_charges(target.subscription, target.customer)
    return target.record_and_answer(event_type, charged)


@router.post("subscription.remove_scheduled_pause", "/subscriptions/{handle}/remove_scheduled_pause")
def remove_scheduled_pause(params: Params, handle: str) -> Body:
    """Remove a scheduled pause."""
    target = find_subscription(handle)
    body = target.subscription.body
    if body["status"] not in ("active", "non_renewing") or "pause_date" not in body:
        raise invalid_state("There is no scheduled pause for this subscription")
    pauses.remove_scheduled_pause(target.subscription)
    terms.save_derived(target.subscription)
    return target.record_and_answer("subscription_scheduled_pause_removed")


@router.post(
    "subscription.resume",
    "/subscriptions/{handle}/resume",
    "resume_option resume_date charges_handling unpaid_invoices_handling payment_intent payment_initiator",
)
def resume_subscription(params: Params, handle: str) -> Body:
    """Resume a subscription now, charging a new term if the old one is over, or schedule the resumption.

    Raises: ApiError 400 payment_processing_failed on a decline, which leaves the subscription paused.
    """
    target = find_subscription(handle)
    subscription = target.subscription
    resume_at = read_requested_resumption(params, params, subscription)
    handles_charges = read_charges_handling(params)
    handling = ("no_action", "schedule_payment_collection")
    if params.choice("unpaid_invoices_handling", handling, "no_action") != "no_action":
        collection.schedule_payment_collection(subscription, target.customer)
    if resume_at is not None:
        subscription.set_attributes(resume_date=resume_at)
        terms.save_derived(subscription)
        return target.record_and_answer("subscription_resumption_scheduled")
    intent = charge_requested_intent(params, target.customer)
    with as_api_errors("Subscription cannot be resumed", target.customer), intent, handles_charges:
        charged = pauses.resume_subscription(subscription, target.customer, must_pay=True)
    return target.record_and_answer("subscription_resumed", charged)


@router.post("subscription.remove_scheduled_resumption", "/subscriptions/{handle}/remove_scheduled_resumption")
def remove_scheduled_resumption(params: Params, handle: str) -> Body:
    """Remove the scheduled resumption of a paused subscription."""
    target = find_subscription(handle)
    if target.subscription["status"] != "paused" or "resume_date" not in target.subscription.body:
        raise invalid_state("There is no scheduled resumption for this subscription")
    target.subscription.set_attributes(resume_date=None)
    terms.save_derived(target.subscription)
    return target.record_and_answer("subscription_scheduled_resumption_removed")


def read_charges_handling(params: Params) -> AbstractContextManager[None]:
    """Invoice charges at once or let them wait, as ``charges_handling`` says, or else the site's settings."""
    default = "add_to_unbilled_charges" if load_settings().unbilled_charges else "invoice_immediately"
    handling = params.choice("charges_handling", ("invoice_immediately", "add_to_unbilled_charges"), default)
    return unbilled_charges.handle_charges(invoices_at_once=handling == "invoice_immediately")


def read_requested_resumption(option_source: Params, dates: Params, subscription: Subscription) -> int | None:
    """Return when to resume, None for immediately. Raises: ApiError 409 unless paused, 400 for a date in the past."""
    if subscription["status"] != "paused":
        raise invalid_state("Only paused subscriptions can be resumed")
    option = option_source.choice("resume_option", ("immediately", "specific_date"), "immediately")
    if option == "immediately":
        return None
    resume_at = int(require_value(dates.instant("resume_date"), "resume_date"))
    if resume_at <= clock.now_seconds():
        raise wrong_value("resume_date", "should be in the future")
    return resume_at


def _pause_at(option: str, dates: Params, subscription: Subscription) -> int | None:
    if option == "immediately":
        return None
    if option != "specific_date":
        pause_at = int(subscription["current_term_end"])
    else:
        pause_at = int(require_value(dates.instant("pause_date"), "pause_date"))
        if pause_at <= clock.now_seconds():
            raise wrong_value("pause_date", "should be in the future")
    if pause_at >= subscription.get("cancelled_at", pause_at + 1):
        raise invalid_state("The subscription ends before the pause would begin", "invalid_state_for_pause")
    return pause_at


def _resume_at(option: str, dates: Params, subscription: Subscription) -> int | None:
    if option != "billing_cycles":
        return dates.instant("resume_date")
    cycles = int(require_value(dates.integer("skip_billing_cycles", least=1), "skip_billing_cycles"))
    return billing_dates.add_periods(
        subscription["current_term_end"],
        cycles * subscription["billing_period"],
        subscription["billing_period_unit"],
        anchor=subscription.anchor_at,
    )
