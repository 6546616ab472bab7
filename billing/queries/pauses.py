"""What the pause screens show: when a pause would start and end, and the pause offer (docs/rules.md, rule 1)."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from accounts.brands import site
from accounts.models import Account
from billing.models import PauseOfferContent, Plan
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
