"""What the pause screens show: when a pause would start and end, and the pause offer (docs/rules.md, rule 1)."""

from collections.abc import Collection, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from accounts.brands import site
from accounts.models import Account
from billing.models import PauseOfferContent, PauseSchedule, Plan
from billing.queries.subscriptions.holdings import Holding
from billing.queries.subscriptions.ownership import live_holdings


@dataclass(frozen=True)
class PausePeriod:
    """The start and end (UTC) of a subscription's pause."""

    sub_id: str
    pause_date: datetime
    resume_date: datetime


def pause_periods(
    holdings: Iterable[Holding], *, subscription_ids: Collection[str] | None, days: int
) -> dict[str, PausePeriod]:
    """Return the pause of each holding that can be paused, by its subscription's id; of all if None is named."""
    return {
        holding.subscription.provider_id: PausePeriod(
            sub_id=holding.subscription.provider_id,
            pause_date=term_end,
            resume_date=term_end + timedelta(days=days),
        )
        for holding in holdings
        if (subscription_ids is None or holding.subscription.provider_id in subscription_ids)
        and holding.can_be_paused
        and (term_end := holding.subscription.current_term_end) is not None
    }


def with_pauses(holdings: Iterable[Holding], periods: Mapping[str, PausePeriod]) -> list[Holding]:
    """Return the holdings as they would be with these pauses scheduled."""
    return [_schedule_pause(holding, periods.get(holding.subscription.provider_id)) for holding in holdings]


def without_pause(holding: Holding) -> Holding:
    """Return a holding as it would be without its scheduled pause."""
    subscription = copy(holding.subscription)
    subscription.payload = {
        **subscription.payload,
        "pause_date": None,
        "next_billing_at": subscription.payload.get("current_term_end"),
    }
    return replace(holding, subscription=subscription, schedule=None)


def _schedule_pause(holding: Holding, period: PausePeriod | None) -> Holding:
    """Return a holding as it would be with this pause scheduled; as it is without one."""
    if period is None:
        return holding
    subscription = copy(holding.subscription)
    subscription.payload = {**subscription.payload, "pause_date": int(period.pause_date.timestamp())}
    schedule = PauseSchedule(pause_date=period.pause_date, resume_date=period.resume_date)
    return replace(holding, subscription=subscription, schedule=schedule)


@dataclass(frozen=True)
class PauseOffer:
    """The offer of one plan: its content, None if operators entered none, and where its service is watched."""

    plan: Plan
    browse_url: str | None
    content: PauseOfferContent | None


def pause_offers(account: Account) -> list[PauseOffer]:
    """Return the offer of each plan of the catalog that the account subscribes to, in catalog order."""
    plans = {holding.plan.id: holding.plan for holding in live_holdings(account) if holding.plan.is_arranged}
    contents = {content.plan_id: content for content in PauseOfferContent.objects.all()}
    browse_links = {service.code.casefold(): service.browse_link for service in site.streaming_services()}
    return [
        PauseOffer(plan, browse_links.get(plan.service.casefold()) or None, contents.get(plan.id))
        for plan in plans.values()
    ]
