"""What the answer to a change says: the account's plans as they are after it."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing.queries.holdings import Holding, holdings_of
from billing.queries.instants import iso
from billing.queries.plans import held_plan


def plans_now(account: Account) -> dict[str, Any]:
    """Return `{plans}`, the same list that GET /api/account shows."""
    return {"plans": [held_plan(holding) for holding in holdings_of(account)]}


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
