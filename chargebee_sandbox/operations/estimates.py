"""Estimates of operations: each one runs the operation, and the API's view rolls it back.

As documented, ``next_invoice_estimate`` is there only where nothing is invoiced at once and there is a next bill.
"""

from __future__ import annotations

from typing import Any

from chargebee_sandbox import clock
from chargebee_sandbox.api import router
from chargebee_sandbox.api.errors import invalid_state
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing import charging, invoicing, unbilled_charges
from chargebee_sandbox.engine.subscriptions import activation, pauses, scheduled_changes, terms
from chargebee_sandbox.models import CreditNote, Customer, Subscription
from chargebee_sandbox.operations.cancellations import apply_cancellation
from chargebee_sandbox.operations.lookup import find_resource
from chargebee_sandbox.operations.pauses import read_charges_handling, read_requested_pause, read_requested_resumption
from chargebee_sandbox.operations.subscription_updates import CHANGE_PARAMETERS, read_requested_change
from chargebee_sandbox.operations.subscriptions import draft_subscription, find_subscription, handle_requested_charges

_CREDIT_NOTE_FIELDS = (
    *("reference_invoice_id", "type", "price_type", "currency_code", "sub_total", "total"),
    *("amount_allocated", "amount_available", "line_items", "taxes", "round_off_amount", "customer_id"),
)
_DAY_SECONDS = 86_400
_UNNAMED_CUSTOMER: Body = {"auto_collection": "on", "refundable_credits": 0, "promotional_credits": 0}


@router.post(
    "estimate.create_sub_item_estimate",
    "/estimates/create_subscription_for_items",
    "subscription_items item_tiers coupon_ids",
    estimate=True,
)
def estimate_creation(params: Params) -> Body:
    """Estimate a new subscription for a customer who does not exist yet."""
    customer = Customer(handle="", body=dict(_UNNAMED_CUSTOMER))
    subscription = draft_subscription(params, Params({}), customer)
    return _creation_estimate(subscription, customer, use_balances=False)


@router.post(
    "estimate.create_sub_item_for_customer_estimate",
    "/customers/{handle}/create_subscription_for_items_estimate",
    "subscription_items item_tiers coupon_ids billing_cycles subscription use_existing_balances invoice_immediately",
    estimate=True,
)
def estimate_creation_for_customer(params: Params, handle: str) -> Body:
    """Estimate a new subscription for a customer and the customer's credits; no payment source is needed."""
    customer = find_resource(Customer, handle)
    dates = params.object("subscription")
    dates.allow_only(("id", "start_date", "trial_end"))
    use_balances = params.boolean("use_existing_balances", default=True)
    subscription = draft_subscription(params, dates, customer)
    with handle_requested_charges(params):
        return _creation_estimate(subscription, customer, use_balances=use_balances)


@router.post(
    "estimate.update_subscription_for_items",
    "/estimates/update_subscription_for_items",
    f"{CHANGE_PARAMETERS} subscription use_existing_balances include_delayed_charges",
    estimate=True,
)
def estimate_update(params: Params) -> Body:
    """Estimate a change: its invoice, or else the next renewal after it, and its credits.

    The charges that waited before it are on the renewal only by request, as on the estimate of the renewal itself.
    """
    details = params.object("subscription")
    details.allow_only(("id", "trial_end", "auto_collection"))
    target = find_subscription(details.required_text("id"))
    if not params.boolean("include_delayed_charges"):
        _leave_out_waiting(target.subscription, target.customer)
    use_balances = params.boolean("use_existing_balances", default=True)
    with handle_requested_charges(params):
        applied = read_requested_change(params, details, target, use_balances=use_balances).apply_to(target)
    return _estimate_body(
        target.subscription,
        credit_note_estimates=[_credit_note_estimate(note) for note in applied.issued_credit_notes],
        **_invoice_estimates(applied.draft_invoice, target.subscription, target.customer, use_balances=use_balances),
    )


@router.post(
    "estimate.cancel_subscription_for_items",
    "/subscriptions/{handle}/cancel_subscription_for_items_estimate",
    "cancel_option contract_term_cancel_option end_of_term cancel_at cancel_reason_code "
    "credit_option_for_current_term_charges unbilled_charges_option account_receivables_handling "
    "refundable_credits_handling",
    estimate=True,
)
def estimate_cancellation(params: Params, handle: str) -> Body:
    """Estimate a cancellation: the subscription after it, and its credits."""
    target = find_subscription(handle)
    applied = apply_cancellation(params, target)
    return _estimate_body(
        target.subscription,
        credit_note_estimates=[_credit_note_estimate(note) for note in applied.issued_credit_notes],
        invoice_estimate=applied.draft_invoice and _draft_estimate(applied.draft_invoice),
    )


@router.post(
    "estimate.pause_subscription",
    "/subscriptions/{handle}/pause_subscription_estimate",
    "pause_option subscription unbilled_charges_handling",
    estimate=True,
)
def estimate_pause(params: Params, handle: str) -> Body:
    """Estimate a pause: the subscription after it."""
    subscription = find_resource(Subscription, handle)
    params.choice("unbilled_charges_handling", ("no_action", "invoice"), "no_action")
    dates = params.object("subscription")
    dates.allow_only(("pause_date", "resume_date", "skip_billing_cycles"))
    read_requested_pause(params, dates, subscription).apply_to(subscription)
    return _estimate_body(subscription)


@router.post(
    "estimate.resume_subscription",
    "/subscriptions/{handle}/resume_subscription_estimate",
    "resume_option subscription charges_handling",
    estimate=True,
)
def estimate_resumption(params: Params, handle: str) -> Body:
    """Estimate a resumption: the subscription after it, and the invoice if a new term would be charged.

    Within the term the next invoice is the renewal. For a later date the subscription stays paused; the next invoice is
    that day's, or the renewal if the term is not over by then.
    """
    target = find_subscription(handle)
    dates = params.object("subscription")
    dates.allow_only(("resume_date",))
    resume_at = read_requested_resumption(params, dates, target.subscription)
    if resume_at is None:
        with read_charges_handling(params):
            estimates = _resumption_estimates(target.subscription, target.customer)
        return _estimate_body(target.subscription, **estimates)
    target.subscription.set_attributes(resume_date=resume_at)
    with clock.hold_time(resume_at):
        invoices = _resumption_estimates(find_resource(Subscription, handle), target.customer)
    return _estimate_body(
        target.subscription,
        next_invoice_estimate=invoices.get("invoice_estimate") or invoices.get("next_invoice_estimate"),
    )


@router.get(
    "estimate.renewal_estimate",
    "/subscriptions/{handle}/renewal_estimate",
    "use_existing_balances include_delayed_charges ignore_scheduled_cancellation ignore_scheduled_changes",
    estimate=True,
)
def estimate_renewal(params: Params, handle: str) -> Body:
    """Estimate the next renewal's invoice with the scheduled change applied; a scheduled pause is ignored.

    Unbilled charges are on it only by request, as documented.

    Raises: ApiError 409 for a subscription that does not renew.
    """
    target = find_subscription(handle)
    if not params.boolean("include_delayed_charges"):
        _leave_out_waiting(target.subscription, target.customer)
    if params.boolean("ignore_scheduled_changes"):
        scheduled_changes.drop_scheduled_change(target.subscription)
    invoice = _renewal_invoice(
        target.subscription,
        target.customer,
        use_balances=params.boolean("use_existing_balances", default=True),
        ignoring_end=params.boolean("ignore_scheduled_cancellation"),
    )
    if invoice is None:
        raise invalid_state("The subscription does not renew")
    return _estimate_body(find_resource(Subscription, handle), invoice_estimate=invoice)


@router.get("estimate.upcoming_invoices_estimate", "/customers/{handle}/upcoming_invoices_estimate", estimate=True)
def estimate_upcoming_invoices(params: Params, handle: str) -> Body:
    """Estimate the invoices of the next day on which any subscription of the customer is billed."""
    customer = find_resource(Customer, handle)
    subscriptions = list(Subscription.objects.filter(customer_id=handle, deleted=False).order_by("seq"))
    days = {
        row.handle: row["next_billing_at"] // _DAY_SECONDS for row in subscriptions if "next_billing_at" in row.body
    }
    first = min(days.values(), default=None)
    invoices = [
        _renewal_invoice(row, customer, use_balances=True) for row in subscriptions if days.get(row.handle, -1) == first
    ]
    estimate = {"created_at": clock.now_seconds(), "invoice_estimates": invoices, "object": "estimate"}
    return {"estimate": estimate}


def _leave_out_waiting(subscription: Subscription, customer: Customer) -> None:
    unbilled_charges.void_charges(unbilled_charges.pending_charges(subscription), customer)


def _creation_estimate(subscription: Subscription, customer: Customer, *, use_balances: bool) -> Body:
    draft = None
    if "start_date" not in subscription.body:
        draft = activation.begin_subscription(subscription, customer, use_balances=use_balances)
    return _estimate_body(subscription, **_invoice_estimates(draft, subscription, customer, use_balances=use_balances))


def _invoice_estimates(
    draft: charging.DraftInvoice | None, subscription: Subscription, customer: Customer, *, use_balances: bool = True
) -> dict[str, Any]:
    """Return the estimate of the immediate invoice, or else of the next one."""
    if draft is not None and draft.invoice is not None:
        return {"invoice_estimate": invoicing.render_invoice_estimate(draft.invoice)}
    with unbilled_charges.handle_charges(invoices_at_once=True):
        renewal = _renewal_invoice(subscription, customer, use_balances=use_balances)
    waiting = [charge.render_resource() for charge in draft.unbilled] if draft else []
    return {"next_invoice_estimate": renewal, "unbilled_charge_estimates": waiting or None}


def _draft_estimate(draft: charging.DraftInvoice) -> Body | None:
    return None if draft.invoice is None else invoicing.render_invoice_estimate(draft.invoice)


def _resumption_estimates(subscription: Subscription, customer: Customer) -> dict[str, Any]:
    draft = None
    if pauses.end_pause(subscription):
        draft = charging.draft_term_invoice(subscription, customer, subscription.anchor_at)
    return _invoice_estimates(draft, subscription, customer)


def _renewal_invoice(
    subscription: Subscription, customer: Customer, *, use_balances: bool, ignoring_end: bool = False
) -> Body | None:
    """Return the invoice of the next term, drafted for a copy at that instant; None if there is no next term."""
    boundary = _renewal_instant(subscription, ignoring_end=ignoring_end)
    if boundary is None:
        return None
    with clock.hold_time(boundary):
        renewed = _copy_subscription(subscription)
        scheduled_changes.apply_scheduled_change(renewed)
        if renewed["status"] in ("in_trial", "future"):
            return _draft_estimate(activation.activate_subscription(renewed, customer, use_balances=use_balances))
        return _draft_estimate(charging.draft_term_invoice(renewed, customer, boundary, use_balances=use_balances))


def _copy_subscription(subscription: Subscription) -> Subscription:
    return Subscription(
        handle=subscription.handle,
        body={**subscription.body},
        customer_id=subscription.customer_id,
        anchor_at=subscription.anchor_at,
        scheduled_change=subscription.scheduled_change,
    )


def _renewal_instant(subscription: Subscription, *, ignoring_end: bool) -> int | None:
    renewing_statuses = {"active", "in_trial", "future"} | ({"non_renewing"} if ignoring_end else set())
    if subscription["status"] not in renewing_statuses:
        return None
    names = {"in_trial": "trial_end", "future": "start_date"}
    boundary = int(subscription[names.get(subscription["status"], "current_term_end")])
    ends = subscription.get("cancelled_at", boundary + 1) <= boundary
    return None if ends and not ignoring_end else boundary


def _credit_note_estimate(note: CreditNote) -> Body:
    attributes = {name: note[name] for name in _CREDIT_NOTE_FIELDS if name in note.body}
    return {**attributes, "object": "credit_note_estimate"}


def _estimate_body(
    subscription: Subscription, *, credit_note_estimates: list[Body] | None = None, **invoices: Any
) -> Body:
    terms.derive_attributes(subscription)
    names = ("id", "currency_code", "status", "next_billing_at", "pause_date", "resume_date")
    attributes = {name: subscription[name] for name in names if name in subscription.body}
    estimate: Body = {
        "created_at": clock.now_seconds(),
        "subscription_estimate": {**attributes, "object": "subscription_estimate"},
        **{name: body for name, body in invoices.items() if body is not None},
        "object": "estimate",
    }
    if credit_note_estimates:
        estimate["credit_note_estimates"] = credit_note_estimates
    return {"estimate": estimate}
