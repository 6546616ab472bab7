"""Estimates: what an operation would lead to. Each does what it estimates; the wire undoes all that was written."""

from __future__ import annotations

from billing.sandbox import clock
from billing.sandbox.body import Body
from billing.sandbox.engine import billing, invoicing, pausing, scheduling, starting, terms
from billing.sandbox.models import CreditNote, Customer, Subscription
from billing.sandbox.operations.cancellations import cancel
from billing.sandbox.operations.changes import CHANGING, wished
from billing.sandbox.operations.lookup import found
from billing.sandbox.operations.pauses import planned_pause, planned_resumption
from billing.sandbox.operations.subscriptions import draft, owned
from billing.sandbox.wire import router
from billing.sandbox.wire.errors import invalid_state
from billing.sandbox.wire.params import Params

_NOTE = (
    *(
        "reference_invoice_id",
        "type",
        "price_type",
        "currency_code",
        "sub_total",
        "total",
        "amount_allocated",
    ),
    *("amount_available", "line_items", "taxes", "round_off_amount", "customer_id"),
)
_NOBODY: Body = {"auto_collection": "on", "refundable_credits": 0, "promotional_credits": 0}


@router.post(
    "estimate.create_sub_item_estimate",
    "/estimates/create_subscription_for_items",
    "subscription_items coupon_ids",
    estimate=True,
)
def create_estimate(params: Params) -> Body:
    """What a subscription to these items would cost a customer who is not named, and when it would bill next."""
    nobody = Customer(handle="", body=dict(_NOBODY))
    return _created(draft(params, Params({}), nobody), nobody, use_balances=False)


@router.post(
    "estimate.create_sub_item_for_customer_estimate",
    "/customers/{handle}/create_subscription_for_items_estimate",
    "subscription_items coupon_ids billing_cycles subscription use_existing_balances invoice_immediately",
    estimate=True,
)
def create_for_customer_estimate(params: Params, handle: str) -> Body:
    """What a subscription to these items would cost a customer, whose credits pay a part; no means to pay is needed."""
    customer = found(Customer, handle)
    dates = params.object("subscription")
    dates.allow_only(("id", "start_date", "trial_end"))
    params.choice("invoice_immediately", ("true",), "true")
    use_balances = params.boolean("use_existing_balances", default=True)
    return _created(draft(params, dates, customer), customer, use_balances=use_balances)


@router.post(
    "estimate.update_subscription_for_items",
    "/estimates/update_subscription_for_items",
    f"{CHANGING} subscription use_existing_balances include_delayed_charges",
    estimate=True,
)
def update_estimate(params: Params) -> Body:
    """What a change would cost now and give back, and the next renewal after it."""
    details = params.object("subscription")
    details.allow_only(("id", "trial_end", "auto_collection"))
    own = owned(details.needed("id"))
    params.boolean("include_delayed_charges")
    use_balances = params.boolean("use_existing_balances", default=True)
    changed = wished(params, details, own, use_balances=use_balances).apply(own)
    return _estimate(
        own.subscription,
        invoice_estimate=_drawn(changed.drawn),
        credit_note_estimates=[_note(note) for note in changed.issued],
        next_invoice_estimate=_renewal(own.subscription, own.customer, use_balances=use_balances),
    )


@router.post(
    "estimate.cancel_subscription_for_items",
    "/subscriptions/{handle}/cancel_subscription_for_items_estimate",
    "cancel_option end_of_term cancel_at cancel_reason_code credit_option_for_current_term_charges "
    "unbilled_charges_option account_receivables_handling refundable_credits_handling",
    estimate=True,
)
def cancel_estimate(params: Params, handle: str) -> Body:
    """The subscription as a cancellation would leave it, and what it would give back."""
    own = owned(handle)
    issued, _scheduled = cancel(params, own)
    return _estimate(own.subscription, credit_note_estimates=[_note(note) for note in issued])


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
    own = owned(handle)
    dates = params.object("subscription")
    dates.allow_only(("resume_date",))
    resume_at = planned_resumption(params, dates, own.subscription)
    params.choice("charges_handling", ("invoice_immediately",), "invoice_immediately")
    if resume_at is None:
        invoice = _resumed(own.subscription, own.customer)
        return _estimate(own.subscription, invoice_estimate=invoice)
    own.subscription.change(resume_date=resume_at)
    with clock.at(resume_at):
        invoice = _resumed(found(Subscription, handle), own.customer)
    return _estimate(own.subscription, next_invoice_estimate=invoice)


@router.get(
    "estimate.renewal_estimate",
    "/subscriptions/{handle}/renewal_estimate",
    "use_existing_balances include_delayed_charges ignore_scheduled_cancellation ignore_scheduled_changes",
    estimate=True,
)
def renewal_estimate(params: Params, handle: str) -> Body:
    """The next renewal's invoice, after the change that is scheduled; a scheduled pause is left out of account.

    Raises: ApiError 409 for a subscription that does not renew.
    """
    own = owned(handle)
    params.boolean("include_delayed_charges")
    if params.boolean("ignore_scheduled_changes"):
        scheduling.drop(own.subscription)
    invoice = _renewal(
        own.subscription,
        own.customer,
        use_balances=params.boolean("use_existing_balances", default=True),
        ignoring_end=params.boolean("ignore_scheduled_cancellation"),
    )
    if invoice is None:
        raise invalid_state("The subscription does not renew")
    return _estimate(found(Subscription, handle), invoice_estimate=invoice)


def _created(subscription: Subscription, customer: Customer, *, use_balances: bool) -> Body:
    drawn = None
    if "start_date" not in subscription.body:
        drawn = starting.begin(subscription, customer, use_balances=use_balances)
    return _estimate(
        subscription,
        invoice_estimate=_drawn(drawn),
        next_invoice_estimate=_renewal(subscription, customer, use_balances=use_balances),
    )


def _drawn(drawn: billing.Drawn | None) -> Body | None:
    return None if drawn is None else invoicing.as_estimate(drawn.invoice)


def _resumed(subscription: Subscription, customer: Customer) -> Body | None:
    if not pausing.end_pause(subscription):
        return None
    return _drawn(billing.draw_up_term(subscription, customer, subscription.anchor_at))


def _renewal(
    subscription: Subscription, customer: Customer, *, use_balances: bool, ignoring_end: bool = False
) -> Body | None:
    """The invoice of the term after this one, drawn up on a copy at that instant; None where there is none."""
    boundary = _renews_at(subscription, ignoring_end=ignoring_end)
    if boundary is None:
        return None
    with clock.at(boundary):
        ahead = _copy(subscription)
        scheduling.take_effect(ahead)
        if ahead["status"] in ("in_trial", "future"):
            return _drawn(starting.activate(ahead, customer, use_balances=use_balances))
        return _drawn(billing.draw_up_term(ahead, customer, boundary, use_balances=use_balances))


def _copy(subscription: Subscription) -> Subscription:
    return Subscription(
        handle=subscription.handle,
        body={**subscription.body},
        customer_id=subscription.customer_id,
        anchor_at=subscription.anchor_at,
        scheduled_change=subscription.scheduled_change,
    )


def _renews_at(subscription: Subscription, *, ignoring_end: bool) -> int | None:
    renewing = {"active", "in_trial", "future"} | ({"non_renewing"} if ignoring_end else set())
    ends = "cancelled_at" in subscription.body and not ignoring_end
    if subscription["status"] not in renewing or ends:
        return None
    names = {"in_trial": "trial_end", "future": "start_date"}
    return int(subscription[names.get(subscription["status"], "current_term_end")])


def _note(note: CreditNote) -> Body:
    shown = {name: note[name] for name in _NOTE if name in note.body}
    return {**shown, "object": "credit_note_estimate"}


def _estimate(
    subscription: Subscription, *, credit_note_estimates: list[Body] | None = None, **invoices: Body | None
) -> Body:
    terms.derive(subscription)
    names = ("id", "currency_code", "status", "next_billing_at", "pause_date", "resume_date")
    shown = {name: subscription[name] for name in names if name in subscription.body}
    estimate: Body = {
        "created_at": clock.now(),
        "subscription_estimate": {**shown, "object": "subscription_estimate"},
        **{name: body for name, body in invoices.items() if body is not None},
        "object": "estimate",
    }
    if credit_note_estimates:
        estimate["credit_note_estimates"] = credit_note_estimates
    return {"estimate": estimate}
