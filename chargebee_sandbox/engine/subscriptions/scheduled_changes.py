"""Changes scheduled for the end of the term: scheduling, previewing, dropping, and applying them.

A scheduled change holds the subscription's future items, billing period, and added coupons. Until then the subscription
itself changes only in ``has_scheduled_changes``, which ramps set too.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing import coupons
from chargebee_sandbox.models import Ramp, Subscription


@dataclass(frozen=True)
class SubscriptionContents:
    """The contents of a subscription after a change: all its items and their tiers, its billing period, and coupons."""

    subscription_items: list[Body]
    billing_period: int
    billing_period_unit: str
    item_tiers: list[Body] = field(default_factory=list)
    added_coupons: list[Body] = field(default_factory=list)
    kept_coupons: list[str] | None = None
    """Ids of the present coupons that it keeps; None keeps all."""

    def apply_to(self, subscription: Subscription) -> None:
        """Set these contents on the subscription, unsaved."""
        remaining = [
            entry
            for entry in subscription.get("coupons", [])
            if self.kept_coupons is None or entry["coupon_id"] in self.kept_coupons
        ]
        subscription.set_attributes(
            subscription_items=self.subscription_items,
            item_tiers=self.item_tiers or None,
            billing_period=self.billing_period,
            billing_period_unit=self.billing_period_unit,
            coupons=[*remaining, *self.added_coupons] or None,
        )


def schedule_change(subscription: Subscription, contents: SubscriptionContents) -> None:
    """Schedule a change for the end of the term, unsaved."""
    subscription.scheduled_change = asdict(contents)
    flag_scheduled_changes(subscription)


def flag_scheduled_changes(subscription: Subscription) -> None:
    """Set, unsaved, whether a change or a ramp is scheduled."""
    ramps = Ramp.objects.filter(subscription_id=subscription.handle, deleted=False, body__status="scheduled")
    subscription.set_attributes(has_scheduled_changes=subscription.scheduled_change is not None or ramps.exists())


def preview_change(subscription: Subscription) -> None:
    """Set the contents of the scheduled change on the subscription, which must not be saved then."""
    if subscription.scheduled_change is not None:
        SubscriptionContents(**subscription.scheduled_change).apply_to(subscription)


def apply_scheduled_change(subscription: Subscription) -> bool:
    """Apply the scheduled change, unsaved; return False if there is none."""
    if subscription.scheduled_change is None:
        return False
    preview_change(subscription)
    _clear_scheduled_change(subscription)
    return True


def drop_scheduled_change(subscription: Subscription) -> bool:
    """Drop the scheduled change, unsaved, and release its coupons; return False if there is none."""
    if subscription.scheduled_change is None:
        return False
    coupons.release_coupons(SubscriptionContents(**subscription.scheduled_change).added_coupons)
    _clear_scheduled_change(subscription)
    return True


def _clear_scheduled_change(subscription: Subscription) -> None:
    subscription.scheduled_change = None
    flag_scheduled_changes(subscription)
