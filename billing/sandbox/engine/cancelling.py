"""Ending a subscription, now or later, and taking a scheduled end back."""

from __future__ import annotations

from billing.sandbox import clock
from billing.sandbox.engine import scheduling, terms
from billing.sandbox.models import Subscription


def cancel_now(subscription: Subscription, reason: str | None = None) -> None:
    """End it at this moment; ``reason`` is the provider's own (no_card, ...)."""
    now = clock.now()
    term_end = subscription.get("current_term_end")
    subscription.change(
        status="cancelled",
        cancelled_at=now,
        cancel_reason=reason,
        current_term_end=None if term_end is None else min(term_end, now),
        pause_date=None,
        resume_date=None,
        remaining_billing_cycles=None,
    )
    scheduling.drop(subscription)


def schedule(subscription: Subscription, cancel_at: int) -> None:
    """Let it end later: in the running term it stops renewing at once, a trial stays a trial.

    A scheduled pause that would begin no earlier than the end is dropped with it, and so is a scheduled change.
    """
    subscription.change(cancelled_at=cancel_at, cancel_schedule_created_at=clock.now())
    if subscription["status"] != "paused" and subscription.get("pause_date", cancel_at - 1) >= cancel_at:
        subscription.change(pause_date=None, resume_date=None)
    if cancel_at <= subscription.get("current_term_end", cancel_at - 1):
        scheduling.drop(subscription)
    terms.stop_renewing_if_last(subscription)


def unschedule(subscription: Subscription, billing_cycles: int | None) -> None:
    """Take a scheduled end back; from now on it renews ``billing_cycles`` times, by default for ever."""
    subscription.change(
        cancelled_at=None,
        cancel_schedule_created_at=None,
        cancel_reason_code=None,
        remaining_billing_cycles=billing_cycles,
    )
    if subscription["status"] == "non_renewing":
        subscription.change(status="active")
