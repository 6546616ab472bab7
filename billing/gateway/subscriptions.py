"""Subscriptions at the provider: read, pause and resume them, and estimate charges."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from billing.gateway.answers import changed_records
from billing.gateway.http.client import chargebee_sdk, read_from_provider, write_to_provider
from billing.gateway.scheduled import read_subscription_snapshot
from billing.gateway.snapshots import Snapshot, SubscriptionSnapshot, parse_instant


@dataclass(frozen=True)
class Charge:
    """An estimated charge in cents, tax included, and the time of the next bill (UTC)."""

    amount_due: int
    next_billing_at: datetime | None


def retrieve_subscription(subscription_id: str) -> SubscriptionSnapshot:
    """Return a subscription. Raises Missing for an unknown one."""
    answer = read_from_provider(chargebee_sdk().Subscription.retrieve, subscription_id)
    return read_subscription_snapshot(answer.subscription.raw_data)


def pause_at_term_end(subscription_id: str, *, key: str) -> list[Snapshot]:
    """Schedule a pause at the end of the current term, without an end: our jobs resume it (docs/rules.md, rule 1)."""
    params = {"pause_option": "end_of_term"}
    return changed_records(
        write_to_provider(chargebee_sdk().Subscription.pause, subscription_id, key=key, params=params)
    )


def remove_scheduled_pause(subscription_id: str, *, key: str) -> list[Snapshot]:
    """Remove a scheduled pause."""
    return changed_records(
        write_to_provider(chargebee_sdk().Subscription.remove_scheduled_pause, subscription_id, key=key)
    )


def resume_now(subscription_id: str, *, key: str) -> list[Snapshot]:
    """Resume a paused subscription, charged now when the paid term is over.

    Raises PaymentRefused when the charge failed and it is still paused.
    """
    params = {"resume_option": "immediately", "charges_handling": "invoice_immediately"}
    return changed_records(
        write_to_provider(chargebee_sdk().Subscription.resume, subscription_id, key=key, params=params)
    )


def estimate_resume(subscription_id: str, *, at: datetime | None = None) -> Charge:
    """Estimate the charge of resuming a paused subscription, now or at a future time (UTC)."""
    params: dict[str, Any] = {"resume_option": "immediately", "charges_handling": "invoice_immediately"}
    if at is not None:
        params["resume_option"] = "specific_date"
        params["subscription"] = {"resume_date": int(at.timestamp())}
    return _parse_charge(
        read_from_provider(chargebee_sdk().Estimate.resume_subscription, subscription_id, params=params)
    )


def estimate_renewal(subscription_id: str) -> Charge:
    """Estimate the charge of the next renewal."""
    return _parse_charge(read_from_provider(chargebee_sdk().Estimate.renewal_estimate, subscription_id))


def _parse_charge(answer: Any) -> Charge:
    estimate = answer.estimate.raw_data
    # For a future date, the charge is the next invoice.
    invoice = estimate.get("invoice_estimate") or estimate.get("next_invoice_estimate") or {}
    billing = (estimate.get("subscription_estimate") or {}).get("next_billing_at")
    return Charge(
        amount_due=int(invoice.get("amount_due") or 0),
        next_billing_at=None if billing is None else parse_instant(billing),
    )
