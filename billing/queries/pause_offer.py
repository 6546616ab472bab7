"""The pause offer: recommended and upcoming titles of each subscribed service."""

from dataclasses import dataclass

from accounts.brands import site
from accounts.models import Account
from billing.catalog import PLANS, Plan
from billing.models import PauseOfferContent
from billing.queries.ownership import live_holdings


@dataclass(frozen=True)
class PauseOffer:
    """The offer of one plan: its content, None if operators entered none, and where its service is watched."""

    plan: Plan
    browse_url: str | None
    content: PauseOfferContent | None


def pause_offers(account: Account) -> list[PauseOffer]:
    """Return the offer of each service the account subscribes to, in catalog order."""
    live_plan_ids = {holding.plan.id for holding in live_holdings(account)}
    contents = {content.plan_id: content for content in PauseOfferContent.objects.all()}
    browse_links = {service.code.casefold(): service.browse_link for service in site.streaming_services()}
    return [
        PauseOffer(plan, browse_links.get(plan.service.casefold()) or None, contents.get(plan.id))
        for plan in PLANS
        if plan.id in live_plan_ids
    ]
