"""Invoices that are due and whose collection failed (docs/rules.md, rule 10)."""

from collections.abc import Iterable

from django.db.models import QuerySet

from accounts.models import Account
from billing.models import Customer, Invoice, Subscription

DUE_STATUSES = ("payment_due", "not_paid")
_FAILED_DUNNING_STATUSES = ("in_progress", "exhausted")
NOT_PAID = "not_paid"


def past_due_invoices(account: Account) -> QuerySet[Invoice]:
    """Return the invoices of an account that were not paid when they were due."""
    return Invoice.objects.filter(customer__account=account, deleted=False, status__in=DUE_STATUSES)


def has_payment_failure(account: Account) -> bool:
    """Return whether the account has a due invoice whose collection failed. One query."""
    return has_any_failed_collection(past_due_invoices(account))


def unpaid_subscription_ids(account: Account) -> set[str]:
    """Return the provider's ids of the subscriptions of due invoices whose collection failed. One query."""
    failed = (invoice for invoice in past_due_invoices(account) if has_failed_collection(invoice))
    return {subscription_id for invoice in failed for subscription_id in invoice.billed_subscription_ids}


def owing_subscription_ids(account: Account) -> set[str]:
    """Return the provider's ids of the subscriptions that may still be charged once they have ended. Three queries.

    Those are the unpaid ones, and all of them while charges wait for a bill: the provider tells that of the customer.
    """
    waiting = Customer.objects.filter(account=account, payload__unbilled_charges__gt=0)
    subscriptions = Subscription.objects.filter(customer__in=waiting, deleted=False)
    return unpaid_subscription_ids(account).union(subscriptions.values_list("provider_id", flat=True))


def has_any_failed_collection(invoices: Iterable[Invoice]) -> bool:
    """Return whether one of these invoices is due and its collection failed."""
    return any(invoice.status in DUE_STATUSES and has_failed_collection(invoice) for invoice in invoices)


def has_failed_collection(invoice: Invoice) -> bool:
    """Return whether collecting a due invoice failed: it is in dunning, exhausted, or has a failed payment."""
    attempts = [
        *(invoice.payload.get("linked_payments") or ()),
        *(invoice.payload.get("dunning_attempts") or ()),
    ]
    return invoice.text("dunning_status") in _FAILED_DUNNING_STATUSES or any(
        attempt.get("txn_status") == "failure" for attempt in attempts
    )
