"""When a pause would start and end (docs/rules.md, rule 1)."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from accounts.models import Account
from billing.queries.ownership import live_holdings


@dataclass(frozen=True)
class PausePeriod:
    """The start and end (UTC) of a subscription's pause."""

    sub_id: str
    pause_date: datetime
    resume_date: datetime


def pause_periods(account: Account, *, days: int) -> list[PausePeriod]:
    """Return the pause of `days` days that each subscription that can be paused would have, earliest first."""
    periods = [
        PausePeriod(
            sub_id=holding.subscription.provider_id,
            pause_date=term_end,
            resume_date=term_end + timedelta(days=days),
        )
        for holding in live_holdings(account)
        if holding.can_be_paused and (term_end := holding.subscription.current_term_end) is not None
    ]
    return sorted(periods, key=lambda period: period.pause_date)
