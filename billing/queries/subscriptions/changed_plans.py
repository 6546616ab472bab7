"""The plans after a change."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from accounts.models import Account
from billing.models import CancellationFeedback
from billing.queries.subscriptions.holdings import CANCELLED, NON_RENEWING, holdings_of
from billing.queries.subscriptions.ownership import live_holdings
from billing.queries.subscriptions.plans import PlanRow, held_plan


@dataclass(frozen=True)
class ChangedPlans:
    """All plans of an account after a change, and the `changed` ones among them."""

    plans: Sequence[PlanRow]
    changed: Sequence[PlanRow]

    @property
    def cancelled(self) -> list[PlanRow]:
        """The changed plans that end or have ended."""
        return [plan for plan in self.changed if plan.status in (NON_RENEWING, CANCELLED)]

    @property
    def pause_date(self) -> datetime | None:
        """When the first of the scheduled pauses starts."""
        return _earliest(plan.pause_date for plan in self.changed if plan.has_scheduled_pause)

    @property
    def resume_date(self) -> datetime | None:
        """When the first of the scheduled pauses ends."""
        return _earliest(plan.resume_date for plan in self.changed if plan.has_scheduled_pause)


def _earliest(dates: Iterable[datetime | None]) -> datetime | None:
    return min((date for date in dates if date is not None), default=None)


def changed_plans(account: Account, subscription_ids: Collection[str] | None = None) -> ChangedPlans:
    """Return all plans after a change of these subscriptions; None means of all."""
    plans = [held_plan(holding) for holding in holdings_of(account)]
    changed = [plan for plan in plans if subscription_ids is None or plan.sub_id in subscription_ids]
    return ChangedPlans(plans, changed)


def cancelled_plans(account: Account, key: str) -> ChangedPlans:
    """Return all plans after the cancellation that was requested with this idempotency key."""
    feedback = CancellationFeedback.objects.filter(account=account, key=key).first()
    return changed_plans(account, feedback.subscription_ids if feedback else [])


def switched_plans(account: Account, *, period_unit: str) -> list[PlanRow]:
    """Return the live plans; those scheduled to change to a period (`month` or `year`) as they will be then."""
    plans = [held_plan(holding) for holding in live_holdings(account)]
    return [
        replace(plan, amount=scheduled.amount, terms=scheduled.terms, amount_today=scheduled.amount)
        if (scheduled := plan.scheduled_plan) and scheduled.terms.period_unit == period_unit
        else plan
        for plan in plans
    ]
