"""What the answer to a change says: the account's plans, and what they cost, as they are after it."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing.models import CancellationFeedback
from billing.queries.documents import plans_document
from billing.queries.dues import has_payment_failure
from billing.queries.holdings import CANCELLED, NON_RENEWING, Holding, holdings_of
from billing.queries.instants import iso
from billing.queries.owned import live_holdings
from billing.queries.plans import held_plan, plan_after_change


def plans_now(account: Account) -> dict[str, Any]:
    """Return `{plans}`, the same list that GET /api/account shows."""
    return {"plans": [held_plan(holding) for holding in holdings_of(account)]}


def cancelled_now(account: Account, key: str) -> dict[str, Any]:
    """Return `{plans, cancelled}`: all plans, and of those that this intent was to end, each that ends or has ended.

    The keys are in camelCase.
    """
    kept = CancellationFeedback.objects.filter(account=account, key=key).first()
    named = kept.subscription_ids if kept else []
    holdings = holdings_of(account)
    return {
        "plans": [held_plan(holding) for holding in holdings],
        "cancelled": [_ending(one) for one in holdings if _is_ending(one, named)],
    }


def _is_ending(holding: Holding, named: Sequence[str]) -> bool:
    return holding.subscription.provider_id in named and holding.status in (NON_RENEWING, CANCELLED)


def _ending(holding: Holding) -> dict[str, Any]:
    return {
        "subId": holding.subscription.provider_id,
        "name": holding.plan.name,
        "endsAt": iso(holding.cancel_at),
        "atOnce": holding.is_cancelled,
    }


def state_now(account: Account) -> dict[str, Any]:
    """Return what GET /api/account/manage-plans shows, and whether something is due that could not be collected.

    The outer keys are in snake_case, as those of a change's figures, which it is put over.
    """
    held = plans_document(account)
    return {
        "existing_plans": held["existingPlans"],
        "plans": held["plans"],
        "total": held["total"],
        "bundle_savings": held["bundleSavings"],
        "coupon_discount": held["couponDiscount"],
        "period_unit": held["periodUnit"],
        "other_total": held["otherTotal"],
        "has_payment_failure": has_payment_failure(account),
    }


def preview_now(account: Account) -> dict[str, Any]:
    """Return the part of `Preview` that is state: as `state_now`, without the plans that may be added."""
    state = state_now(account)
    del state["plans"]
    return state


def switching_now(account: Account, *, period_unit: str) -> dict[str, Any]:
    """Return the live plans, those that are scheduled to change to a period (`month` or `year`) as they will be.

    With it goes whether something is due that could not be collected.
    """
    plans = [held_plan(holding) for holding in live_holdings(account)]
    return {
        "existing_plans": [plan_after_change(plan, period_unit=period_unit) for plan in plans],
        "has_payment_failure": has_payment_failure(account),
    }


def pause_now(account: Account, subscription_ids: Sequence[str] | None) -> dict[str, Any]:
    """Return `{plans, pauseDate, resumeDate}`, the dates being the earliest of the named pauses, or of all."""
    holdings = holdings_of(account)
    concerned = [
        holding
        for holding in holdings
        if subscription_ids is None or holding.subscription.provider_id in subscription_ids
    ]
    return {
        "plans": [held_plan(holding) for holding in holdings],
        "pauseDate": _earliest(_scheduled(concerned, "pause_date")),
        "resumeDate": _earliest(_scheduled(concerned, "resume_date")),
    }


def _scheduled(holdings: Iterable[Holding], date: str) -> list[datetime]:
    dates = [getattr(holding, date) for holding in holdings if holding.has_scheduled_pause]
    return [one for one in dates if one is not None]


def _earliest(dates: Sequence[datetime]) -> str | None:
    return iso(min(dates, default=None))
