"""What the pause offer shows of each subscribed service."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import StreamingService
from billing.models import PauseOfferContent
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import FAITH, GOSPEL, KIDS, LEGACY, make_subscription, open_account

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalogue", "no_provider")]

FIELDS = (
    *(f"recommended_title_image{number}" for number in range(1, 5)),
    *(f"recommended_title_text{number}" for number in range(1, 5)),
    *(f"upcoming_title_image{number}" for number in range(1, 4)),
    *(f"upcoming_image_text{number}" for number in range(1, 4)),
)


@pytest.fixture(autouse=True)
def content(db: None) -> None:
    """Every plan but gospel's has its content, and every service its browse page."""
    for plan in (FAITH, KIDS, LEGACY):
        PauseOfferContent.objects.create(plan_id=plan, **{field: f"{plan}/{field}" for field in FIELDS})
    for code in ("faith-family", "gospel-TV", "kids"):
        address = f"https://{code.lower()}.example.com/"
        StreamingService.objects.create(
            code=code, name=code, stream_url=f"{address}watch", browse_url=f"{address}browse"
        )


def read_pause_offer(*subscriptions: dict[str, Any]) -> list[dict[str, Any]]:
    """What is offered to an account with these subscriptions."""
    answer: list[dict[str, Any]] = Browser(open_account("alice", *subscriptions)).get("/api/account/pause-offer").json()
    return answer


@pytest.mark.shows("pause-7", "data-10", "api-30")
def test_it_shows_four_titles_and_three_to_come() -> None:
    [shown] = read_pause_offer(make_subscription("a", FAITH))
    assert shown == {
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


def test_it_shows_each_subscribed_service_in_catalogue_order() -> None:
    held = read_pause_offer(
        make_subscription("c", LEGACY), make_subscription("b", GOSPEL), make_subscription("a", FAITH)
    )
    assert [shown["id"] for shown in held] == [FAITH, GOSPEL, LEGACY]


@pytest.mark.shows("request-3")
def test_what_operators_have_not_set_is_null() -> None:
    [shown] = read_pause_offer(make_subscription("b", GOSPEL))
    assert shown["browseUrl"] == "https://gospel-tv.example.com/browse"
    unset = ("recommendedTitleImage1", "recommendedTitleText4", "upcomingImageText3")
    assert [shown[name] for name in unset] == [None, None, None]


def test_a_cancelled_service_is_not_shown() -> None:
    assert read_pause_offer(make_subscription("a", FAITH, status="cancelled")) == []
