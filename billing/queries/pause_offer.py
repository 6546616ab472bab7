"""The pause offer: recommended and upcoming titles of each subscribed service."""

from typing import Any

from accounts.brands import site
from accounts.models import Account
from accounts.models.site import picture_url
from billing.catalog import PLANS, Plan
from billing.models import PauseOfferContent
from billing.queries.ownership import live_holdings

_PICTURE_FIELDS = (
    "recommended_title_image1",
    "recommended_title_image2",
    "recommended_title_image3",
    "recommended_title_image4",
    "upcoming_title_image1",
    "upcoming_title_image2",
    "upcoming_title_image3",
)
_TEXT_FIELDS = (
    "recommended_title_text1",
    "recommended_title_text2",
    "recommended_title_text3",
    "recommended_title_text4",
    "upcoming_image_text1",
    "upcoming_image_text2",
    "upcoming_image_text3",
)


def pause_offer(account: Account) -> list[dict[str, Any]]:
    """Return the offer of each service the account subscribes to, in catalog order; unset values are None.

    Keys are snake_case, pictures are URLs.
    """
    live_plan_ids = {holding.plan.id for holding in live_holdings(account)}
    contents = {content.plan_id: content for content in PauseOfferContent.objects.all()}
    browse_links = {service.code.casefold(): service.browse_link for service in site.streaming_services()}
    return [
        _service_offer(plan, contents.get(plan.id), browse_links.get(plan.service.casefold()))
        for plan in PLANS
        if plan.id in live_plan_ids
    ]


def _service_offer(plan: Plan, content: PauseOfferContent | None, browse_url: str | None) -> dict[str, Any]:
    pictures = {name: picture_url(getattr(content, name, "")) or None for name in _PICTURE_FIELDS}
    texts = {name: getattr(content, name, "") or None for name in _TEXT_FIELDS}
    return {"id": plan.id, "name": plan.name, "browse_url": browse_url or None, **pictures, **texts}
