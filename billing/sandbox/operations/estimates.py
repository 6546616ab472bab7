"""Estimates: what an operation would lead to; the wire undoes whatever working it out has written."""

from __future__ import annotations

from billing.sandbox import clock
from billing.sandbox.body import Body
from billing.sandbox.engine import calendar, invoicing, pausing, terms
from billing.sandbox.models import Customer, Subscription
from billing.sandbox.operations.lookup import found
from billing.sandbox.operations.pauses import planned_pause, planned_resumption
from billing.sandbox.operations.subscriptions import draft
from billing.sandbox.wire import router
from billing.sandbox.wire.errors import invalid_state
from billing.sandbox.wire.params import Params


@router.post(
    "estimate.create_sub_item_estimate",
    "/estimates/create_subscription_for_items",
    "subscription_items coupon_ids",
    estimate=True,
)
def create_estimate(params: Params) -> Body:
    """What a subscription to these items would cost a customer who is not named, and when it would bill next."""
    subscription = draft(params, Customer(handle="", body={}))
    if "trial_end" in subscription.body:
        subscription.change(status="in_trial", current_term_end=subscription["trial_end"])
        return _estimate(subscription)
    subscription.change(status="active")
    terms.begin(subscription, clock.now())
    start, end = subscription["current_term_start"], subscription["current_term_end"]
    return _estimate(
        subscription,
        invoice_estimate=invoicing.estimate(invoicing.term_bill(subscription, start, end), subscription),
    )


@router.post(
    "estimate.pause_subscription",
    "/subscriptions/{handle}/pause_subscription_estimate",
    "pause_option subscription unbilled_charges_handling",
    estimate=True,
)
def pause_estimate(params: Params, handle: str) -> Body:
    """The subscription as a pause would leave it."""
    subscription = found(Subscription, handle)
    params.choice("unbilled_charges_handling", ("no_action", "invoice"), "no_action")
    dates = params.object("subscription")
    dates.allow_only(("pause_date", "resume_date", "skip_billing_cycles"))
    planned_pause(params, dates, subscription).apply(subscription)
    return _estimate(subscription)


@router.post(
    "estimate.resume_subscription",
    "/subscriptions/{handle}/resume_subscription_estimate",
    "resume_option subscription charges_handling",
    estimate=True,
)
def resume_estimate(params: Params, handle: str) -> Body:
    """The subscription as resuming would leave it, and the invoice if a new term would be charged.

    For a date ahead the subscription is estimated as scheduled, and what that day would bring is the next invoice.
    """
    subscription = found(Subscription, handle)
    dates = params.object("subscription")
    dates.allow_only(("resume_date",))
    resume_at = planned_resumption(params, dates, subscription)
    params.choice("charges_handling", ("invoice_immediately",), "invoice_immediately")
    if resume_at is None:
        invoice = _resumed(subscription)
        return _estimate(subscription, invoice_estimate=invoice)
    subscription.change(resume_date=resume_at)
    with clock.at(resume_at):
        invoice = _resumed(found(Subscription, handle))
    return _estimate(subscription, next_invoice_estimate=invoice)


@router.get(
    "estimate.renewal_estimate",
    "/subscriptions/{handle}/renewal_estimate",
    "use_existing_balances include_delayed_charges ignore_scheduled_cancellation ignore_scheduled_changes",
)
def renewal_estimate(params: Params, handle: str) -> Body:
    """The next renewal's invoice; a scheduled pause is left out of account."""
    subscription = found(Subscription, handle)
    for name in ("include_delayed_charges", "ignore_scheduled_changes"):
        params.boolean(name)
    boundary = _renews_at(subscription, ignoring_end=params.boolean("ignore_scheduled_cancellation"))
    end = calendar.add(
        boundary,
        subscription["billing_period"],
        subscription["billing_period_unit"],
        anchor=_anchor(subscription),
    )
    credit = _credit(subscription) if params.boolean("use_existing_balances", default=True) else 0
    invoice = invoicing.estimate(
        invoicing.term_bill(subscription, boundary, end), subscription, credit=credit
    )
    return _estimate(subscription, invoice_estimate=invoice)


def _resumed(subscription: Subscription) -> Body | None:
    charged = pausing.end_pause(subscription)
    if charged:
        terms.begin(subscription, clock.now())
    terms.derive(subscription)
    if not charged:
        return None
    start, end = subscription["current_term_start"], subscription["current_term_end"]
    bill = invoicing.term_bill(subscription, start, end)
    return invoicing.estimate(bill, subscription, credit=_credit(subscription))


def _credit(subscription: Subscription) -> int:
    return int(Customer.objects.get(handle=subscription.customer_id)["refundable_credits"])


def _renews_at(subscription: Subscription, *, ignoring_end: bool) -> int:
    renewing = {"active", "in_trial", "future"} | ({"non_renewing"} if ignoring_end else set())
    ends = "cancelled_at" in subscription.body and not ignoring_end
    if subscription["status"] not in renewing or ends:
        raise invalid_state("The subscription does not renew")
    names = {"in_trial": "trial_end", "future": "start_date"}
    return int(subscription[names.get(subscription["status"], "current_term_end")])


def _anchor(subscription: Subscription) -> int | None:
    """A subscription that has not been charged yet counts its billing dates from its first charge."""
    return None if subscription["status"] in ("in_trial", "future") else subscription.anchor_at


def _estimate(subscription: Subscription, **invoices: Body | None) -> Body:
    terms.derive(subscription)
    names = ("id", "currency_code", "status", "next_billing_at", "pause_date", "resume_date")
    shown = {name: subscription[name] for name in names if name in subscription.body}
    estimate: Body = {
        "created_at": clock.now(),
        "subscription_estimate": {**shown, "object": "subscription_estimate"},
        **{name: body for name, body in invoices.items() if body is not None},
        "object": "estimate",
    }
    return {"estimate": estimate}
