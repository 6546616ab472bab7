"""A subscription's terms: where one begins and ends, when it bills next, and when it next needs the engine.

``settle`` derives what follows from the state (next_billing_at, mrr, due_at) and saves; every change of a subscription
ends in it, so that the derived attributes cannot disagree with the state.
"""

from __future__ import annotations

from decimal import Decimal

from billing.sandbox.body import Body
from billing.sandbox.engine import calendar
from billing.sandbox.engine.pricing import half_up
from billing.sandbox.models import Subscription

_MONTHS = {"month": Decimal(1), "year": Decimal(12), "week": Decimal(12) / 52, "day": Decimal(12) / 365}
_EARNING = ("active", "non_renewing")


def begin(subscription: Subscription, start: int) -> None:
    """Let a term begin at ``start``; it ends a billing period later, on the anchor's day."""
    end = calendar.add(
        start,
        subscription["billing_period"],
        subscription["billing_period_unit"],
        anchor=subscription.anchor_at,
    )
    subscription.change(current_term_start=start, current_term_end=end)
    _count_cycle(subscription)
    stop_renewing_if_last(subscription)


def stop_renewing_if_last(subscription: Subscription) -> None:
    """In its last term an active subscription is non-renewing; a trial and a pause keep their names."""
    term_end = subscription["current_term_end"]
    if subscription.get("cancelled_at", term_end + 1) > term_end:
        return
    subscription.change(remaining_billing_cycles=0)
    if subscription["status"] == "active":
        subscription.change(status="non_renewing")


def settle(subscription: Subscription) -> None:
    """Bring the derived attributes into line with the state and save."""
    derive(subscription)
    subscription.save()


def derive(subscription: Subscription) -> None:
    """Bring the derived attributes into line with the state, without saving (estimates stop here)."""
    body = subscription.body
    subscription.change(
        next_billing_at=_next_billing(body),
        mrr=_monthly(body) if body["status"] in _EARNING else 0,
    )
    subscription.due_at = _next_due(body)


def _count_cycle(subscription: Subscription) -> None:
    remaining = subscription.get("remaining_billing_cycles")
    if remaining is None:
        return
    subscription.change(remaining_billing_cycles=max(remaining - 1, 0))
    if remaining <= 1:
        subscription.change(cancelled_at=subscription["current_term_end"])


def _next_billing(body: Body) -> int | None:
    match body["status"]:
        case "future":
            boundary = body["start_date"]
        case "in_trial":
            boundary = body["trial_end"]
        case "active":
            boundary = body["current_term_end"]
        case _:
            return None
    stops = [body[name] for name in ("pause_date", "cancelled_at") if name in body]
    return None if any(stop <= boundary for stop in stops) else int(boundary)


def _next_due(body: Body) -> int | None:
    watched = {
        "future": ("start_date",),
        "in_trial": ("trial_end", "cancelled_at"),
        "active": ("current_term_end", "pause_date", "cancelled_at"),
        "non_renewing": ("pause_date", "cancelled_at"),
        "paused": ("resume_date", "cancelled_at"),
    }.get(body["status"], ())
    return min((body[name] for name in watched if name in body), default=None)


def _monthly(body: Body) -> int:
    whole = sum(item["amount"] for item in body["subscription_items"])
    return half_up(whole / (body["billing_period"] * _MONTHS[body["billing_period_unit"]]))
