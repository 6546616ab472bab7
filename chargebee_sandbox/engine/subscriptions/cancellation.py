"""Cancellation of a subscription, now or later, and removal of a scheduled one."""

from __future__ import annotations

from chargebee_sandbox import clock
from chargebee_sandbox.engine.subscriptions import contracts, ramps, scheduled_changes, terms
from chargebee_sandbox.models import Subscription


def cancel_now(subscription: Subscription, reason: str | None = None) -> None:
    """Cancel a subscription now, unsaved; ``reason`` is the provider's (no_card, ...)."""
    now = clock.now_seconds()
    term_end = subscription.get("current_term_end")
    subscription.set_attributes(
        status="cancelled",
        cancelled_at=now,
        cancel_reason=reason,
        current_term_end=None if term_end is None else min(term_end, now),
        pause_date=None,
        resume_date=None,
        remaining_billing_cycles=None,
    )
    contracts.close_contract(subscription)
    ramps.delete_ramps_from(subscription, now)
    scheduled_changes.drop_scheduled_change(subscription)


def schedule_cancellation(subscription: Subscription, cancel_at: int) -> None:
    """Schedule a cancellation, unsaved; a subscription that ends in the running term is non-renewing, except a trial.

    Drops a scheduled pause that would not begin before the end, a scheduled change that would not apply, and ramps.
    """
    ramps.delete_ramps_from(subscription, cancel_at)
    subscription.set_attributes(cancelled_at=cancel_at, cancel_schedule_created_at=clock.now_seconds())
    if subscription["status"] != "paused" and subscription.get("pause_date", cancel_at - 1) >= cancel_at:
        subscription.set_attributes(pause_date=None, resume_date=None)
    end = terms.period_end(subscription)
    if end is not None and cancel_at <= end:
        scheduled_changes.drop_scheduled_change(subscription)
    terms.stop_renewing_if_last(subscription)


def remove_scheduled_cancellation(subscription: Subscription, billing_cycles: int | None) -> None:
    """Remove a scheduled cancellation, unsaved; the subscription renews ``billing_cycles`` times, or forever."""
    subscription.set_attributes(
        cancelled_at=None,
        cancel_schedule_created_at=None,
        cancel_reason_code=None,
        remaining_billing_cycles=billing_cycles,
    )
    if subscription["status"] == "non_renewing":
        subscription.set_attributes(status="active")
    contracts.keep_contract(subscription)
