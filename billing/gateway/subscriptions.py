"""Subscriptions at the provider: read, pause and resume them, and estimate charges."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from billing.gateway.answers import changed_records
from billing.gateway.http.client import chargebee_sdk, read_from_provider, write_to_provider
from billing.gateway.scheduled import read_subscription_snapshot
from billing.gateway.snapshots import EPOCH, Raw, Snapshot, SubscriptionSnapshot, parse_instant


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


def intent_params(intent: str) -> dict[str, Any]:
    """Return the parameters that pay a charge with an intent, which its payer has authorized; none without one."""
    return {"payment_intent": {"id": intent}, "payment_initiator": "customer"} if intent else {}


def resume_now(subscription_id: str, *, key: str, intent: str = "") -> list[Snapshot]:
    """Resume a paused subscription, charged now when the paid term is over, to `intent` if there is one.

    Raises PaymentRefused when the charge failed and it is still paused.
    """
    params = {
        "resume_option": "immediately",
        "charges_handling": "invoice_immediately",
        **intent_params(intent),
    }
    return changed_records(
        write_to_provider(chargebee_sdk().Subscription.resume, subscription_id, key=key, params=params)
    )


def estimate_resume(subscription_id: str, *, at: datetime | None = None) -> Charge:
    """Estimate the charge of resuming a paused subscription, now or at a future time (UTC).

    Within a term that is paid, resuming charges nothing; what the provider estimates then is the later renewal.
    """
    params: dict[str, Any] = {"resume_option": "immediately", "charges_handling": "invoice_immediately"}
    if at is not None:
        params["resume_option"] = "specific_date"
        params["subscription"] = {"resume_date": int(at.timestamp())}
    answer = read_from_provider(chargebee_sdk().Estimate.resume_subscription, subscription_id, params=params)
    estimate = answer.estimate.raw_data
    invoice = estimate.get("invoice_estimate")
    # The bill of a future day is the next invoice; one that begins later than the resume is a renewal.
    later = estimate.get("next_invoice_estimate") or {}
    if invoice is None and at is not None and _first_day(later) <= at:
        invoice = later
    return _parse_charge(estimate, invoice or {})


def estimate_renewal(subscription_id: str) -> Charge:
    """Estimate the charge of the next renewal."""
    answer = read_from_provider(chargebee_sdk().Estimate.renewal_estimate, subscription_id)
    estimate = answer.estimate.raw_data
    return _parse_charge(estimate, estimate.get("invoice_estimate") or {})


def _first_day(invoice: Raw) -> datetime:
    """Return when the time that an invoice bills begins (UTC)."""
    return min((parse_instant(line["date_from"]) for line in invoice.get("line_items") or ()), default=EPOCH)


def _parse_charge(estimate: Raw, invoice: Raw) -> Charge:
    billing = (estimate.get("subscription_estimate") or {}).get("next_billing_at")
    return Charge(
        amount_due=int(invoice.get("amount_due") or 0),
        next_billing_at=None if billing is None else parse_instant(billing),
    )
