"""A subscription whose change of plan waits for the term's end: the provider shows the change by another operation."""

from typing import Any

from billing.gateway.client import read, sdk
from billing.gateway.errors import Refused
from billing.gateway.snapshots import Raw, SubscriptionSnapshot


def subscription_of(raw: Raw) -> SubscriptionSnapshot:
    """Return the snapshot of a subscription, with the price it is scheduled to change to, if it is. Raises NotSent."""
    if not raw.get("has_scheduled_changes"):
        return SubscriptionSnapshot.of(raw)
    try:
        answer: Any = read(sdk().Subscription.retrieve_with_scheduled_changes, str(raw["id"]))
    except Refused:
        # It was made or taken back since: that moved the version, and its event brings what is there now.
        return SubscriptionSnapshot.of(raw)
    return SubscriptionSnapshot.of(raw, changing_to=answer.subscription.raw_data)
