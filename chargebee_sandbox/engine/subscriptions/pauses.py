"""Pausing and resuming a subscription.

``pause_date`` is when a pause begins or began, ``resume_date`` when it ends automatically. The running term is not
credited, and resuming within it costs nothing.
"""

from __future__ import annotations

from chargebee_sandbox import clock
from chargebee_sandbox.engine.billing import charging
from chargebee_sandbox.engine.subscriptions import ramps, terms
from chargebee_sandbox.models import Customer, Subscription


def schedule_pause(subscription: Subscription, pause_at: int, resume_at: int | None) -> None:
    """Schedule a pause, unsaved; ramps that would come after its beginning are deleted."""
    ramps.delete_ramps_from(subscription, pause_at)
    subscription.set_attributes(pause_date=pause_at, resume_date=resume_at)


def begin_pause(subscription: Subscription, resume_at: int | None) -> None:
    """Pause now, unsaved; the term stays as it is, and ramps are deleted."""
    ramps.delete_ramps_from(subscription, clock.now_seconds())
    subscription.set_attributes(status="paused", pause_date=clock.now_seconds(), resume_date=resume_at)


def remove_scheduled_pause(subscription: Subscription) -> None:
    """Remove a pause that has not begun, unsaved."""
    subscription.set_attributes(pause_date=None, resume_date=None)


def resume_subscription(
    subscription: Subscription, customer: Customer, *, must_pay: bool
) -> charging.ChargeResult | None:
    """Resume now, and save.

    Within the paid term nothing is charged. After it a new term begins now and is charged; with ``must_pay`` a failed
    collection raises, and the caller rolls back.
    """
    if not end_pause(subscription):
        terms.save_derived(subscription)
        return None
    return charging.charge_term(subscription, customer, subscription.anchor_at, must_pay=must_pay)


def end_pause(subscription: Subscription) -> bool:
    """End the pause, unsaved; return True if a new term, counted from now, has to be charged."""
    now = clock.now_seconds()
    in_term = now < subscription["current_term_end"]
    status = "non_renewing" if "cancelled_at" in subscription.body else "active"
    subscription.set_attributes(status=status, pause_date=None, resume_date=None)
    if not in_term:
        subscription.anchor_at = now
        subscription.set_attributes(activated_at=now)
    return not in_term
