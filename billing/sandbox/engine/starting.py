"""A subscription begins: with its trial, or with the first term that is charged."""

from __future__ import annotations

from billing.sandbox import clock
from billing.sandbox.engine import billing
from billing.sandbox.models import Customer, Subscription


def begin(
    subscription: Subscription, customer: Customer, *, use_balances: bool = True
) -> billing.Drawn | None:
    """Let a subscription begin now: with its trial if it has one, else with a term whose invoice is drawn up."""
    now = clock.now()
    subscription.change(started_at=now, start_date=None)
    if now < subscription.get("trial_end", now):
        begin_trial(subscription)
        return None
    return activate(subscription, customer, use_balances=use_balances)


def begin_trial(subscription: Subscription) -> None:
    """Let its trial run from now until the ``trial_end`` it has."""
    now = clock.now()
    trial = {"trial_start": now, "current_term_start": now, "current_term_end": subscription["trial_end"]}
    subscription.change(status="in_trial", **trial)


def activate(subscription: Subscription, customer: Customer, *, use_balances: bool = True) -> billing.Drawn:
    """Let the first paid term begin now, with its invoice drawn up; billing dates are counted from here."""
    now = clock.now()
    subscription.anchor_at = now
    subscription.change(status="active", activated_at=now)
    return billing.draw_up_term(subscription, customer, now, use_balances=use_balances)
