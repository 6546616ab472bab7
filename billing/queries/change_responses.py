"""Bodies of responses to changes: the account's plans and totals after the change."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing.models import CancellationFeedback
from billing.queries.documents import plans_document
from billing.queries.holdings import CANCELLED, NON_RENEWING, Holding, holdings_of
from billing.queries.ownership import live_holdings
from billing.queries.past_due import has_payment_failure
from billing.queries.plans import held_plan, plan_after_change
from billing.queries.time_format import format_iso_utc


def plans_response(account: Account) -> dict[str, Any]:
    """Return `{plans}`, the list of GET /api/account."""
    return {"plans": [held_plan(holding) for holding in holdings_of(account)]}


def cancellation_response(account: Account, key: str) -> dict[str, Any]:
    """Return `{plans, cancelled}`: all plans, and the plans of this request that end or have ended.

    The request is identified by its idempotency key. Keys of the body are camelCase.
    """
    feedback = CancellationFeedback.objects.filter(account=account, key=key).first()
    requested_ids = feedback.subscription_ids if feedback else []
    holdings = holdings_of(account)
    return {
        "plans": [held_plan(holding) for holding in holdings],
        "cancelled": [_ending_row(holding) for holding in holdings if _is_ending(holding, requested_ids)],
    }


def _is_ending(holding: Holding, requested_ids: Sequence[str]) -> bool:
    return holding.subscription.provider_id in requested_ids and holding.status in (NON_RENEWING, CANCELLED)


def _ending_row(holding: Holding) -> dict[str, Any]:
    return {
        "subId": holding.subscription.provider_id,
        "name": holding.plan.name,
        "endsAt": format_iso_utc(holding.cancel_at),
        "atOnce": holding.is_cancelled,
    }


def manage_plans_response(account: Account) -> dict[str, Any]:
    """Return the body of GET /api/account/manage-plans, and whether a payment failed.

    The outer keys are snake_case, like those of a change's figures, with which the result is merged.
    """
    document = plans_document(account)
    return {
        "existing_plans": document["existingPlans"],
        "plans": document["plans"],
        "total": document["total"],
        "bundle_savings": document["bundleSavings"],
        "coupon_discount": document["couponDiscount"],
        "period_unit": document["periodUnit"],
        "other_total": document["otherTotal"],
        "has_payment_failure": has_payment_failure(account),
    }


def preview_response(account: Account) -> dict[str, Any]:
    """Return `manage_plans_response` without the plans that may be added: the state part of `Preview`."""
    state = manage_plans_response(account)
    del state["plans"]
    return state


def period_switch_response(account: Account, *, period_unit: str) -> dict[str, Any]:
    """Return the live plans, and whether a payment failed.

    Plans scheduled to change to `period_unit` (`month` or `year`) are shown as they will be after the change.
    """
    plans = [held_plan(holding) for holding in live_holdings(account)]
    return {
        "existing_plans": [plan_after_change(plan, period_unit=period_unit) for plan in plans],
        "has_payment_failure": has_payment_failure(account),
    }


def pause_response(account: Account, subscription_ids: Sequence[str] | None) -> dict[str, Any]:
    """Return `{plans, pauseDate, resumeDate}`, with the earliest dates of the named pauses, or of all of them."""
    holdings = holdings_of(account)
    paused = [
        holding
        for holding in holdings
        if subscription_ids is None or holding.subscription.provider_id in subscription_ids
    ]
    return {
        "plans": [held_plan(holding) for holding in holdings],
        "pauseDate": _earliest_date(_scheduled_dates(paused, "pause_date")),
        "resumeDate": _earliest_date(_scheduled_dates(paused, "resume_date")),
    }


def _scheduled_dates(holdings: Iterable[Holding], date: str) -> list[datetime]:
    dates = [getattr(holding, date) for holding in holdings if holding.has_scheduled_pause]
    return [value for value in dates if value is not None]


def _earliest_date(dates: Sequence[datetime]) -> str | None:
    return format_iso_utc(min(dates, default=None))
