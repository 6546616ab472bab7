"""A subscription's terms: their boundaries, the next billing date, and when the engine has to act next.

``save_derived`` derives next_billing_at, mrr, and due_at from the state and saves; every change of a subscription ends
with it, so that the derived attributes always agree with the state.
"""

from __future__ import annotations

from decimal import Decimal

from chargebee_sandbox.body import Body
from chargebee_sandbox.engine import billing_dates
from chargebee_sandbox.engine.billing import invoicing
from chargebee_sandbox.engine.billing.pricing import round_half_up
from chargebee_sandbox.engine.subscriptions import contracts
from chargebee_sandbox.models import Subscription
from chargebee_sandbox.site_settings import load_settings

_MONTHS_PER_UNIT = {
    "month": Decimal(1),
    "year": Decimal(12),
    "week": Decimal(12) / 52,
    "day": Decimal(12) / 365,
}
_CALENDAR_UNITS = ("month", "year")
_MRR_STATUSES = ("active", "non_renewing")


def begin_term(subscription: Subscription, start: int) -> None:
    """Begin a term at ``start`` (seconds UTC); it ends a billing period later, on the anchor's day.

    With calendar billing, a term of months or years that begins on another day than the site's billing day ends on the
    next one.
    """
    period, unit = subscription["billing_period"], subscription["billing_period_unit"]
    day = load_settings().billing_day
    is_by_calendar = bool(day) and unit in _CALENDAR_UNITS
    if is_by_calendar:
        subscription.anchor_at = billing_dates.anchor_on_day(start, day)
    end = billing_dates.add_periods(start, period, unit, anchor=subscription.anchor_at)
    billing_day = billing_dates.next_anchored(start, subscription.anchor_at) if is_by_calendar else start
    subscription.whole_term_end = None
    if billing_day > start:
        end, subscription.whole_term_end = billing_day, billing_dates.add_periods(start, period, unit)
    subscription.set_attributes(current_term_start=start, current_term_end=end)
    contracts.count_term(subscription)
    _count_cycle(subscription)
    stop_renewing_if_last(subscription)


def period_end(subscription: Subscription) -> int | None:
    """Return when the running term ends, or the trial; None without either."""
    end = subscription.get("trial_end" if subscription["status"] == "in_trial" else "current_term_end")
    return None if end is None else int(end)


def stop_renewing_if_last(subscription: Subscription) -> None:
    """Make an active subscription non-renewing in its last term; a trial and a paused one keep their status."""
    end = period_end(subscription)
    if end is None or subscription.get("cancelled_at", end + 1) > end:
        return
    subscription.set_attributes(remaining_billing_cycles=0)
    if subscription["status"] == "active":
        subscription.set_attributes(status="non_renewing")


def save_derived(subscription: Subscription) -> None:
    """Derive attributes from the state and save."""
    derive_attributes(subscription)
    subscription.save()


def derive_attributes(subscription: Subscription) -> None:
    """Derive attributes from the state, unsaved (for estimates)."""
    body = subscription.body
    mrr = _monthly_revenue(subscription) if body["status"] in _MRR_STATUSES else 0
    subscription.has_new_mrr = subscription.has_new_mrr or mrr != subscription.get("mrr", 0)
    subscription.set_attributes(next_billing_at=_next_billing_at(body), mrr=mrr)
    subscription.due_at = _next_due_at(body)


def _count_cycle(subscription: Subscription) -> None:
    remaining = subscription.get("remaining_billing_cycles")
    if remaining is None:
        return
    subscription.set_attributes(remaining_billing_cycles=max(remaining - 1, 0))
    if remaining <= 1:
        subscription.set_attributes(cancelled_at=subscription["current_term_end"])


def _next_billing_at(body: Body) -> int | None:
    match body["status"]:
        case "future":
            boundary = body["start_date"]
        case "in_trial":
            boundary = body["trial_end"]
        case "active":
            boundary = body["current_term_end"]
        case _:
            return None
    ends = [body[name] for name in ("pause_date", "cancelled_at") if name in body]
    return None if any(end <= boundary for end in ends) else int(boundary)


def _next_due_at(body: Body) -> int | None:
    names = {
        "future": ("start_date",),
        "in_trial": ("trial_end", "cancelled_at"),
        "active": ("current_term_end", "pause_date", "cancelled_at"),
        "non_renewing": ("pause_date", "cancelled_at"),
        "paused": ("resume_date", "cancelled_at"),
    }.get(body["status"], ())
    return min((body[name] for name in names if name in body), default=None)


def _monthly_revenue(subscription: Subscription) -> int:
    """Return what the subscription brings a month: its items less the coupons that recur, before tax."""
    total = invoicing.recurring_price(subscription)
    months = subscription["billing_period"] * _MONTHS_PER_UNIT[subscription["billing_period_unit"]]
    return round_half_up(total / months)
