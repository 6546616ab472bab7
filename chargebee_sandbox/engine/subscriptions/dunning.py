"""Dunning: retries of an unpaid invoice, and what becomes of its subscriptions when the last one fails."""

from __future__ import annotations

from chargebee_sandbox.engine.billing import charging
from chargebee_sandbox.engine.payments import collection
from chargebee_sandbox.engine.subscriptions import cancellation, pauses, scheduled_changes, terms
from chargebee_sandbox.models import Customer, Invoice, Subscription
from chargebee_sandbox.site_settings import DunningEnd, load_settings

_PAUSABLE_STATUSES = ("active", "non_renewing")


def retry_invoice(invoice: Invoice) -> None:
    """Retry an invoice; if that exhausts its dunning, end its subscriptions as the site's settings say."""
    subscriptions, customer = collection.invoice_owners(invoice)
    was_exhausted = _is_exhausted(invoice)
    collection.retry_collection(invoice, subscriptions, customer)
    if _is_exhausted(invoice) and not was_exhausted:
        for subscription in subscriptions:
            _apply_dunning_end(subscription, customer)


def _is_exhausted(invoice: Invoice) -> bool:
    return bool(invoice.get("dunning_status") == "exhausted")


def _apply_dunning_end(subscription: Subscription, customer: Customer) -> None:
    match load_settings().dunning_end:
        case DunningEnd.CANCEL if subscription["status"] != "cancelled":
            cancellation.cancel_now(subscription, reason="not_paid")
            event_type = "subscription_cancelled"
        case DunningEnd.PAUSE if subscription["status"] in _PAUSABLE_STATUSES:
            scheduled_changes.drop_scheduled_change(subscription)
            pauses.begin_pause(subscription, None)
            event_type = "subscription_paused"
        case _:
            return
    terms.save_derived(subscription)
    charging.record_subscription_events(event_type, subscription, customer, None)
