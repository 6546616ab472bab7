"""Subscriptions at the provider: read them, pause them, take it back, resume them, and what that would cost."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from billing.gateway.answers import changed
from billing.gateway.client import read, sdk, write
from billing.gateway.scheduled import subscription_of
from billing.gateway.snapshots import Snapshot, SubscriptionSnapshot, instant


@dataclass(frozen=True)
class Charge:
    """What the provider would charge, tax included, in cents, and when it would bill next (UTC)."""

    amount_due: int
    next_billing_at: datetime | None


def retrieve(subscription_id: str) -> SubscriptionSnapshot:
    """Return a subscription as it is now. Raises Missing when the provider does not know it."""
    answer = read(sdk().Subscription.retrieve, subscription_id)
    return subscription_of(answer.subscription.raw_data)


def pause_at_term_end(subscription_id: str, *, key: str) -> list[Snapshot]:
    """Schedule a pause at the end of the running term, with no resumption: Celery owns that (contract, rule 1)."""
    params = {"pause_option": "end_of_term"}
    return changed(write(sdk().Subscription.pause, subscription_id, key=key, params=params))


def remove_scheduled_pause(subscription_id: str, *, key: str) -> list[Snapshot]:
    """Take back a pause that has not begun."""
    return changed(write(sdk().Subscription.remove_scheduled_pause, subscription_id, key=key))


def resume_now(subscription_id: str, *, key: str) -> list[Snapshot]:
    """Resume a paused subscription, charging at once when the paid term is over.

    Raises PaymentRefused when the charge failed; it is then still paused.
    """
    params = {"resume_option": "immediately", "charges_handling": "invoice_immediately"}
    return changed(write(sdk().Subscription.resume, subscription_id, key=key, params=params))


def estimate_resume(subscription_id: str, *, at: datetime | None = None) -> Charge:
    """Return what resuming a paused subscription would charge: now, or at an instant to come (UTC)."""
    params: dict[str, Any] = {"resume_option": "immediately", "charges_handling": "invoice_immediately"}
    if at is not None:
        params["resume_option"] = "specific_date"
        params["subscription"] = {"resume_date": int(at.timestamp())}
    return _charge(read(sdk().Estimate.resume_subscription, subscription_id, params=params))


def estimate_renewal(subscription_id: str) -> Charge:
    """Return what the next renewal of a running subscription would charge."""
    return _charge(read(sdk().Estimate.renewal_estimate, subscription_id))


def _charge(answer: Any) -> Charge:
    estimate = answer.estimate.raw_data
    # What a day to come would bring is the next invoice.
    invoice = estimate.get("invoice_estimate") or estimate.get("next_invoice_estimate") or {}
    billing = (estimate.get("subscription_estimate") or {}).get("next_billing_at")
    return Charge(
        amount_due=int(invoice.get("amount_due") or 0),
        next_billing_at=None if billing is None else instant(billing),
    )
