"""Subscriptions at the provider: read, pause and resume them."""

from typing import Any

from billing.gateway.answers import changed_records
from billing.gateway.http.client import chargebee_sdk, read_from_provider, write_to_provider
from billing.gateway.scheduled import read_subscription_snapshot
from billing.gateway.snapshots import Snapshot, SubscriptionSnapshot


def retrieve_subscription(subscription_id: str) -> SubscriptionSnapshot:
    """Return a subscription. Raises Missing for an unknown one."""
    answer = read_from_provider(chargebee_sdk().Subscription.retrieve, subscription_id)
    return read_subscription_snapshot(answer.subscription.raw_data)


def pause_at_term_end(subscription_id: str, *, key: str, resume_date: int | None = None) -> list[Snapshot]:
    """Schedule a pause at the end of the current term, without an end: our jobs resume it (docs/rules.md, rule 1).

    With a `resume_date` (epoch seconds), which customer service had set, the provider resumes it.
    """
    params: dict[str, Any] = {"pause_option": "end_of_term"}
    if resume_date is not None:
        params["resume_date"] = resume_date
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
