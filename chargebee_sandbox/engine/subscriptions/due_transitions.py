"""The transitions of a subscription that fall due; the clock is held at the due instant."""

from __future__ import annotations

from chargebee_sandbox import clock
from chargebee_sandbox.engine import billing_dates
from chargebee_sandbox.engine.billing import charging, customer_balances, invoicing
from chargebee_sandbox.engine.payments import collection
from chargebee_sandbox.engine.subscriptions import activation, cancellation, pauses, scheduled_changes, terms
from chargebee_sandbox.models import Customer, Subscription
from chargebee_sandbox.site_settings import load_settings


def run_due_transition(subscription: Subscription) -> None:
    """Run the transition that is due; a cancellation goes before a pause, a pause before a renewal."""
    customer = Customer.objects.get(handle=subscription.customer_id)
    if _is_due(subscription, "cancelled_at"):
        _cancel_subscription(subscription, customer)
        return
    match subscription["status"]:
        case "future":
            _start_subscription(subscription, customer)
        case "in_trial":
            _end_trial(subscription, customer)
        case "paused":
            charged = pauses.resume_subscription(subscription, customer, must_pay=False)
            charging.record_subscription_events("subscription_resumed", subscription, customer, charged)
        case _ if _is_due(subscription, "pause_date"):
            _begin_pause(subscription, customer)
        case _:
            _renew_term(subscription, customer)


def _is_due(subscription: Subscription, name: str) -> bool:
    return int(subscription.get(name, clock.now_seconds() + 1)) <= clock.now_seconds()


def _cancel_subscription(subscription: Subscription, customer: Customer) -> None:
    cancellation.cancel_now(subscription)
    terms.save_derived(subscription)
    charged = charging.invoice_unbilled_charges(subscription, customer)
    charging.record_subscription_events("subscription_cancelled", subscription, customer, charged)


def _start_subscription(subscription: Subscription, customer: Customer) -> None:
    draft = activation.begin_subscription(subscription, customer)
    charging.record_subscription_events(
        "subscription_started", subscription, customer, _collect_draft(draft, subscription, customer)
    )


def _end_trial(subscription: Subscription, customer: Customer) -> None:
    _apply_scheduled_change(subscription, customer)
    if _is_unable_to_pay(subscription, customer):
        cancellation.cancel_now(subscription, reason="no_card")
        terms.save_derived(subscription)
        charging.record_subscription_events("subscription_cancelled", subscription, customer, None)
        return
    draft = activation.activate_subscription(subscription, customer)
    charging.record_subscription_events(
        "subscription_activated", subscription, customer, _collect_draft(draft, subscription, customer)
    )


def _collect_draft(
    draft: charging.DraftInvoice | None, subscription: Subscription, customer: Customer
) -> charging.ChargeResult | None:
    if draft is None:
        terms.save_derived(subscription)
        return None
    return charging.collect_invoice(draft, subscription, customer, must_pay=False)


def _apply_scheduled_change(subscription: Subscription, customer: Customer) -> None:
    """Apply the change scheduled for the end of the term; its event comes before those of the new term."""
    if scheduled_changes.apply_scheduled_change(subscription):
        charging.record_subscription_events("subscription_changed", subscription, customer, None)


def _is_unable_to_pay(subscription: Subscription, customer: Customer) -> bool:
    if not collection.collects_automatically(subscription, customer) or collection.chargeable_sources(
        subscription, customer
    ):
        return False
    now = clock.now_seconds()
    bill = invoicing.compute_bill(subscription, invoicing.term_lines(subscription, now, now), now)
    return bill.total > customer_balances.available_balance(customer)


def _begin_pause(subscription: Subscription, customer: Customer) -> None:
    pauses.begin_pause(subscription, subscription.get("resume_date"))
    terms.save_derived(subscription)
    charging.record_subscription_events("subscription_paused", subscription, customer, None)


def _renew_term(subscription: Subscription, customer: Customer) -> None:
    renewed = [subscription, *_renewed_together(subscription, customer)]
    for row in renewed:
        _apply_scheduled_change(row, customer)
    draft = charging.draft_renewal_invoice(renewed, customer)
    charged = charging.collect_invoice(draft, subscription, customer, must_pay=False)
    charging.record_subscription_events("subscription_renewed", subscription, customer, charged)


def _renewed_together(subscription: Subscription, customer: Customer) -> list[Subscription]:
    """Return the subscriptions that renew with one, as documented of consolidated invoices.

    They are due on the same day of the site, in the same currency, and are collected from the same payment source.
    """
    settings = load_settings()
    if not settings.consolidated_invoices:
        return []
    day_end = billing_dates.end_of_day(clock.now_seconds(), settings.zone)
    due = Subscription.objects.filter(customer_id=customer.handle, body__status="active", due_at__lt=day_end)
    return [
        row
        for row in due.exclude(pk=subscription.pk).order_by("due_at", "seq")
        if row.due_at == row.get("next_billing_at") and _billed_by(row, customer) == _billed_by(subscription, customer)
    ]


def _billed_by(subscription: Subscription, customer: Customer) -> tuple[str, bool, list[str]]:
    sources = collection.chargeable_sources(subscription, customer)
    is_collected = collection.collects_automatically(subscription, customer)
    return subscription["currency_code"], is_collected, [source.handle for source in sources]
