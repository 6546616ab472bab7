"""Pausing and resuming subscriptions."""

from __future__ import annotations

from dataclasses import dataclass

from billing.sandbox import clock
from billing.sandbox.body import Body
from billing.sandbox.engine import calendar, collection, pausing, terms
from billing.sandbox.models import Subscription
from billing.sandbox.operations.refusals import as_api_errors
from billing.sandbox.operations.subscriptions import owned
from billing.sandbox.wire import router
from billing.sandbox.wire.errors import ApiError, invalid_state, wrong_value
from billing.sandbox.wire.params import Params, required


@dataclass(frozen=True)
class PausePlan:
    """When a pause begins (None: now) and when it ends by itself (None: it does not)."""

    pause_at: int | None
    resume_at: int | None

    def apply(self, subscription: Subscription) -> str:
        """Put it on the subscription, unsaved; returns the event it amounts to."""
        if self.pause_at is None:
            pausing.begin_pause(subscription, self.resume_at)
            return "subscription_paused"
        pausing.schedule_pause(subscription, self.pause_at, self.resume_at)
        return "subscription_pause_scheduled"


def planned_pause(option_source: Params, dates: Params, subscription: Subscription) -> PausePlan:
    """The pause that is asked for.

    Raises: ApiError invalid_state_for_pause unless the subscription is active or non-renewing, 409 while changes are
    scheduled, 400 for dates that do not fit.
    """
    if subscription["status"] not in ("active", "non_renewing"):
        raise invalid_state(
            "Only active and non-renewing subscriptions can be paused", "invalid_state_for_pause"
        )
    if subscription["has_scheduled_changes"]:
        message = "The subscription has scheduled changes; remove them first"
        raise ApiError(409, "operation_failed", message, kind="operation_failed")
    options = ("immediately", "end_of_term", "specific_date", "billing_cycles")
    option = option_source.choice("pause_option", options, "immediately")
    plan = PausePlan(_pause_at(option, dates, subscription), _resume_at(option, dates, subscription))
    if plan.resume_at is not None and plan.resume_at <= (plan.pause_at or clock.now()):
        raise wrong_value("resume_date", "should be after the pause begins")
    return plan


@router.post(
    "subscription.pause",
    "/subscriptions/{handle}/pause",
    "pause_option pause_date resume_date skip_billing_cycles unbilled_charges_handling invoice_dunning_handling",
)
def pause(params: Params, handle: str) -> Body:
    """Pause now or later; a pause that was scheduled before is replaced."""
    own = owned(handle)
    plan = planned_pause(params, params, own.subscription)
    # There are no unbilled charges on this site, so either handling of them is met.
    params.choice("unbilled_charges_handling", ("no_action", "invoice"), "no_action")
    if params.choice("invoice_dunning_handling", ("continue", "stop"), "continue") == "stop":
        collection.stop_dunning(own.subscription)
    event_type = plan.apply(own.subscription)
    terms.settle(own.subscription)
    return own.done(event_type)


@router.post("subscription.remove_scheduled_pause", "/subscriptions/{handle}/remove_scheduled_pause")
def remove_scheduled_pause(params: Params, handle: str) -> Body:
    """Forget a pause that has not begun."""
    own = owned(handle)
    body = own.subscription.body
    if body["status"] not in ("active", "non_renewing") or "pause_date" not in body:
        raise invalid_state("There is no scheduled pause for this subscription")
    pausing.unschedule_pause(own.subscription)
    terms.settle(own.subscription)
    return own.done("subscription_scheduled_pause_removed")


@router.post(
    "subscription.resume",
    "/subscriptions/{handle}/resume",
    "resume_option resume_date charges_handling unpaid_invoices_handling",
)
def resume(params: Params, handle: str) -> Body:
    """Resume now, charging a new term if the old one is over (a decline leaves it paused), or schedule it."""
    own = owned(handle)
    subscription = own.subscription
    resume_at = planned_resumption(params, params, subscription)
    # Charges are always invoiced at once: this site keeps no unbilled charges.
    params.choice("charges_handling", ("invoice_immediately",), "invoice_immediately")
    handling = ("no_action", "schedule_payment_collection")
    if params.choice("unpaid_invoices_handling", handling, "no_action") != "no_action":
        collection.schedule(subscription)
    if resume_at is not None:
        subscription.change(resume_date=resume_at)
        terms.settle(subscription)
        return own.done("subscription_resumption_scheduled")
    with as_api_errors("Subscription cannot be resumed", own.customer):
        charged = pausing.resume(subscription, own.customer, must_pay=True)
    return own.done("subscription_resumed", charged)


@router.post(
    "subscription.remove_scheduled_resumption", "/subscriptions/{handle}/remove_scheduled_resumption"
)
def remove_scheduled_resumption(params: Params, handle: str) -> Body:
    """Let a paused subscription stay paused."""
    own = owned(handle)
    if own.subscription["status"] != "paused" or "resume_date" not in own.subscription.body:
        raise invalid_state("There is no scheduled resumption for this subscription")
    own.subscription.change(resume_date=None)
    terms.settle(own.subscription)
    return own.done("subscription_scheduled_resumption_removed")


def planned_resumption(option_source: Params, dates: Params, subscription: Subscription) -> int | None:
    """When to resume, None for now. Raises: ApiError 409 unless paused, 400 for a date that is over."""
    if subscription["status"] != "paused":
        raise invalid_state("Only paused subscriptions can be resumed")
    if (
        option_source.choice("resume_option", ("immediately", "specific_date"), "immediately")
        == "immediately"
    ):
        return None
    resume_at = int(required(dates.instant("resume_date"), "resume_date"))
    if resume_at <= clock.now():
        raise wrong_value("resume_date", "should be in the future")
    return resume_at


def _pause_at(option: str, dates: Params, subscription: Subscription) -> int | None:
    if option == "immediately":
        return None
    if option != "specific_date":
        pause_at = int(subscription["current_term_end"])
    else:
        pause_at = int(required(dates.instant("pause_date"), "pause_date"))
        if pause_at <= clock.now():
            raise wrong_value("pause_date", "should be in the future")
    if pause_at >= subscription.get("cancelled_at", pause_at + 1):
        raise invalid_state("The subscription ends before the pause would begin", "invalid_state_for_pause")
    return pause_at


def _resume_at(option: str, dates: Params, subscription: Subscription) -> int | None:
    if option != "billing_cycles":
        return dates.instant("resume_date")
    cycles = int(required(dates.integer("skip_billing_cycles", least=1), "skip_billing_cycles"))
    return calendar.add(
        subscription["current_term_end"],
        cycles * subscription["billing_period"],
        subscription["billing_period_unit"],
        anchor=subscription.anchor_at,
    )
