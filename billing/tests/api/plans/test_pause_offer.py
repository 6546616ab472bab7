"""The content of the pause offer for each subscribed service."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import StreamingService
from billing.models import PauseOfferContent
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import FAITH, GOSPEL, KIDS, LEGACY, make_subscription, open_account

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog", "no_provider")]

FIELDS = (
    *(f"recommended_title_image{number}" for number in range(1, 5)),
    *(f"recommended_title_text{number}" for number in range(1, 5)),
    *(f"upcoming_title_image{number}" for number in range(1, 4)),
    *(f"upcoming_image_text{number}" for number in range(1, 4)),
)


@pytest.fixture(autouse=True)
def content(db: None) -> None:
    """Create the content of every plan except gospel's, and the browse page of every service."""
    for plan in (FAITH, KIDS, LEGACY):
        PauseOfferContent.objects.create(plan_id=plan, **{field: f"{plan}/{field}" for field in FIELDS})
    for code in ("faith-family", "gospel-TV", "kids"):
        base_url = f"https://{code.lower()}.example.com/"
        StreamingService.objects.create(
            code=code, name=code, stream_url=f"{base_url}watch", browse_url=f"{base_url}browse"
        )


def read_pause_offer(*subscriptions: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the pause offers of an account with these subscriptions."""
    offers: list[dict[str, Any]] = Browser(open_account("alice", *subscriptions)).get("/api/account/pause-offer").json()
    return offers


@pytest.mark.shows("pause-7", "data-10", "api-30")
def test_it_shows_four_recommended_and_three_upcoming_titles() -> None:
    [offer] = read_pause_offer(make_subscription("a", FAITH))
    assert offer == {
        "id": FAITH,
        "name": "Faith & Family",
        "browseUrl": "https://faith-family.example.com/browse",
        **{
            f"recommendedTitleImage{number}": f"/static/{FAITH}/recommended_title_image{number}"
            for number in range(1, 5)
        },
        **{f"recommendedTitleText{number}": f"{FAITH}/recommended_title_text{number}" for number in range(1, 5)},
        **{f"upcomingTitleImage{number}": f"/static/{FAITH}/upcoming_title_image{number}" for number in range(1, 4)},
        **{f"upcomingImageText{number}": f"{FAITH}/upcoming_image_text{number}" for number in range(1, 4)},
    }


def test_it_shows_each_subscribed_service_in_catalog_order() -> None:
    offers = read_pause_offer(
        make_subscription("c", LEGACY), make_subscription("b", GOSPEL), make_subscription("a", FAITH)
    )
    assert [offer["id"] for offer in offers] == [FAITH, GOSPEL, LEGACY]


@pytest.mark.shows("request-3")
def test_unset_fields_are_null() -> None:
    [offer] = read_pause_offer(make_subscription("b", GOSPEL))
    assert offer["browseUrl"] == "https://gospel-tv.example.com/browse"
    unset = ("recommendedTitleImage1", "recommendedTitleText4", "upcomingImageText3")
    assert [offer[name] for name in unset] == [None, None, None]


def test_a_canceled_service_is_not_shown() -> None:
    assert read_pause_offer(make_subscription("a", FAITH, status="cancelled")) == []
