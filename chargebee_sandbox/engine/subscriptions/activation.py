"""The beginning of a subscription: with a trial, or with the first paid term."""

from __future__ import annotations

from chargebee_sandbox import clock
from chargebee_sandbox.engine.billing import charging
from chargebee_sandbox.models import Customer, Subscription


def begin_subscription(
    subscription: Subscription, customer: Customer, *, use_balances: bool = True
) -> charging.DraftInvoice | None:
    """Begin a subscription now, with its trial or else with a paid term, whose draft invoice is returned."""
    now = clock.now_seconds()
    subscription.set_attributes(started_at=now, start_date=None)
    if now < subscription.get("trial_end", now):
        begin_trial(subscription)
        return None
    return activate_subscription(subscription, customer, use_balances=use_balances)


def begin_trial(subscription: Subscription) -> None:
    """Begin the trial now; it ends at the subscription's ``trial_end``."""
    now = clock.now_seconds()
    # As published, a trial is not a term.
    subscription.set_attributes(status="in_trial", trial_start=now, current_term_start=None, current_term_end=None)


def activate_subscription(
    subscription: Subscription, customer: Customer, *, use_balances: bool = True
) -> charging.DraftInvoice:
    """Begin the first paid term now and draft its invoice; billing dates are counted from now."""
    now = clock.now_seconds()
    subscription.anchor_at = now
    subscription.set_attributes(status="active", activated_at=now)
    return charging.draft_term_invoice(subscription, customer, now, use_balances=use_balances)
