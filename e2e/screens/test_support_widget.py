"""A support widget runs beside the app, and neither on the profile nor where card details are entered."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

WIDGET = "https://widget.example.com/v1/widget.js"


@pytest.fixture(scope="module")
def demo_settings() -> dict[str, str]:
    """The web server of these journeys has a support widget."""
    return {"SUPPORT_WIDGET_URL": WIDGET}


@pytest.fixture
def asked(page) -> list[str]:
    """The pages on which the widget's script was asked for."""
    pages: list[str] = []

    def answer(route):
        pages.append(page.url)
        route.fulfill(content_type="text/javascript", body="window.widgets = (window.widgets ?? 0) + 1;")

    page.route(WIDGET, answer)
    return pages


def count_widgets(page) -> int | None:
    """How many widgets have run in this document, once it has nothing more to load."""
    page.wait_for_load_state("networkidle")
    found: int | None = page.evaluate("window.widgets")
    return found


@pytest.mark.shows("routes-8")
def test_it_is_off_where_details_are_typed_however_one_comes_there(visitor, asked):
    page = visitor.sign_in("ivy")
    page.wait_for_function("() => window.widgets === 1")
    expect(page.get_by_role("banner").get_by_role("link", name="Help")).to_have_count(0)

    page.get_by_role("link", name="Your Profile").click()
    page.wait_for_url("**/edit-profile")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert count_widgets(page) is None
    expect(page.get_by_role("banner").get_by_role("link", name="Help")).to_be_visible()

    page.get_by_role("link", name="Manage Your Account").click()
    page.wait_for_url("**/dashboard")
    page.wait_for_function("() => window.widgets === 1")

    page.go_back()
    page.wait_for_url("**/edit-profile")
    expect(page.get_by_label("First name")).to_be_visible()
    assert count_widgets(page) is None

    # The sandbox's card fields stand in the pages of the first web server alone.
    page.route("**/v2/chargebee.js", lambda route: route.abort())
    page.goto("/add-card-payment-method?operationType=ADD")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert count_widgets(page) is None
    assert [url for url in asked if "profile" in url or "card" in url] == []
