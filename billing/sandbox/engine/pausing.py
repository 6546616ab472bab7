"""Pausing and resuming a subscription.

``pause_date`` is when a pause is to begin, and once it has, when it began; ``resume_date`` when it is to end by itself.
Nothing of the running term is credited, and resuming within it is free.
"""

from __future__ import annotations

from billing.sandbox import clock
from billing.sandbox.engine import billing, terms
from billing.sandbox.models import Customer, Subscription


def schedule_pause(subscription: Subscription, pause_at: int, resume_at: int | None) -> None:
    """Let a pause begin later."""
    subscription.change(pause_date=pause_at, resume_date=resume_at)


def begin_pause(subscription: Subscription, resume_at: int | None) -> None:
    """Pause at this moment; the term stays as it is."""
    subscription.change(status="paused", pause_date=clock.now(), resume_date=resume_at)


def unschedule_pause(subscription: Subscription) -> None:
    """Forget a pause that has not begun."""
    subscription.change(pause_date=None, resume_date=None)


def resume(subscription: Subscription, customer: Customer, *, must_pay: bool) -> billing.Charged | None:
    """Resume at this moment, and save.

    Within the paid term nothing is charged. After it a new term begins now, is counted from now, and is charged; with
    ``must_pay`` a failed collection raises and the caller undoes everything.
    """
    if not end_pause(subscription):
        terms.settle(subscription)
        return None
    return billing.charge_term(subscription, customer, subscription.anchor_at, must_pay=must_pay)


def end_pause(subscription: Subscription) -> bool:
    """Leave the paused state without saving; True says that a new term, anchored now, has to be charged."""
    now = clock.now()
    in_term = now < subscription["current_term_end"]
    status = "non_renewing" if "cancelled_at" in subscription.body else "active"
    subscription.change(status=status, pause_date=None, resume_date=None)
    if not in_term:
        subscription.anchor_at = now
        subscription.change(activated_at=now)
    return not in_term
