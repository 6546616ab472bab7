"""Subscriptions with a scheduled change of plan, which the provider shows through a separate operation."""

from typing import Any

from billing.gateway.errors import Refused
from billing.gateway.http.client import chargebee_sdk, read_from_provider
from billing.gateway.snapshots import Raw, SubscriptionSnapshot


def read_subscription_snapshot(raw: Raw) -> SubscriptionSnapshot:
    """Return the snapshot of a subscription, with the price of its scheduled change, if any. Raises NotSent."""
    if not raw.get("has_scheduled_changes"):
        return SubscriptionSnapshot.from_raw(raw)
    try:
        answer: Any = read_from_provider(chargebee_sdk().Subscription.retrieve_with_scheduled_changes, str(raw["id"]))
    except Refused:
        # The change was made or removed meanwhile; the event of that brings the newer version.
        return SubscriptionSnapshot.from_raw(raw)
    return SubscriptionSnapshot.from_raw(raw, changing_to=answer.subscription.raw_data)
