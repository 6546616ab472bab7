"""Changes that wait for the end of the term: placed, looked at, taken back, and put into effect.

A scheduled change holds the items the subscription will have, its billing period, and the coupons it gains. The
subscription itself stays as it is and only says ``has_scheduled_changes``.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from billing.sandbox.body import Body
from billing.sandbox.engine import coupons
from billing.sandbox.models import Subscription


@dataclass(frozen=True)
class Contents:
    """What a change makes of a subscription: all its items, its period, and its coupons as they stand on it."""

    subscription_items: list[Body]
    billing_period: int
    billing_period_unit: str
    added_coupons: list[Body] = field(default_factory=list)
    kept_coupons: list[str] | None = None
    """Ids of the coupons it had that it keeps; None keeps all."""

    def put_on(self, subscription: Subscription) -> None:
        """Make the subscription so, unsaved."""
        held = subscription.get("coupons", [])
        kept = [one for one in held if self.kept_coupons is None or one["coupon_id"] in self.kept_coupons]
        subscription.change(
            subscription_items=self.subscription_items,
            billing_period=self.billing_period,
            billing_period_unit=self.billing_period_unit,
            coupons=[*kept, *self.added_coupons] or None,
        )


def place(subscription: Subscription, contents: Contents) -> None:
    """Let a change wait for the end of the term, unsaved."""
    subscription.scheduled_change = asdict(contents)
    subscription.change(has_scheduled_changes=True)


def preview(subscription: Subscription) -> None:
    """Show the subscription with its scheduled change in effect, not to be saved."""
    if subscription.scheduled_change is not None:
        Contents(**subscription.scheduled_change).put_on(subscription)


def take_effect(subscription: Subscription) -> bool:
    """Put a scheduled change into effect, unsaved; False where there is none."""
    if subscription.scheduled_change is None:
        return False
    preview(subscription)
    _forget(subscription)
    return True


def drop(subscription: Subscription) -> bool:
    """Take a scheduled change back, unsaved, and release the coupons taken for it; False where there is none."""
    if subscription.scheduled_change is None:
        return False
    coupons.release(Contents(**subscription.scheduled_change).added_coupons)
    _forget(subscription)
    return True


def _forget(subscription: Subscription) -> None:
    subscription.scheduled_change = None
    subscription.change(has_scheduled_changes=False)
