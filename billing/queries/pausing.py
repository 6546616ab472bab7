"""When a pause would start and end (contract, rule 1)."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from accounts.models import Account
from billing.queries.owned import live_holdings


@dataclass(frozen=True)
class PausePeriod:
    """From when to when one subscription would be paused (UTC)."""

    sub_id: str
    pause_date: datetime
    resume_date: datetime


def pause_periods(account: Account, *, days: int) -> list[PausePeriod]:
    """Return when each subscription that can be paused would be, for `days` days; earliest first."""
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
