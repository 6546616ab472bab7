"""The pause offer: titles worth staying for, per subscribed service."""

from typing import Any

from accounts import site
from accounts.models import Account
from accounts.models.site import picture_url
from billing.catalog import PLANS, Plan
from billing.models import RetentionContent
from billing.queries.owned import live_holdings

_PICTURES = (
    "recommended_title_image1",
    "recommended_title_image2",
    "recommended_title_image3",
    "recommended_title_image4",
    "upcoming_title_image1",
    "upcoming_title_image2",
    "upcoming_title_image3",
)
_TEXTS = (
    "recommended_title_text1",
    "recommended_title_text2",
    "recommended_title_text3",
    "recommended_title_text4",
    "upcoming_image_text1",
    "upcoming_image_text2",
    "upcoming_image_text3",
)


def pause_offer(account: Account) -> list[dict[str, Any]]:
    """Return the retention content of each service the account has, in catalogue order; None where unset.

    Keys are in snake_case, pictures are addresses.
    """
    held = {holding.plan.id for holding in live_holdings(account)}
    contents = {content.plan_id: content for content in RetentionContent.objects.all()}
    browse = {service.code.casefold(): service.browse_link for service in site.streaming_services()}
    return [
        _service_offer(plan, contents.get(plan.id), browse.get(plan.service.casefold()))
        for plan in PLANS
        if plan.id in held
    ]


def _service_offer(plan: Plan, content: RetentionContent | None, browse_url: str | None) -> dict[str, Any]:
    pictures = {name: picture_url(getattr(content, name, "")) or None for name in _PICTURES}
    texts = {name: getattr(content, name, "") or None for name in _TEXTS}
    return {"id": plan.id, "name": plan.name, "browse_url": browse_url or None, **pictures, **texts}
