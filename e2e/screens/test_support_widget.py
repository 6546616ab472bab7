"""The support widget loads on the app's screens, but not on the profile and card screens."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

WIDGET = "https://widget.example.com/v1/widget.js"


@pytest.fixture(scope="module")
def demo_settings() -> dict[str, str]:
    """Turn on the support widget for the tests of this file."""
    return {"SUPPORT_WIDGET_URL": WIDGET}


@pytest.fixture
def requesting_pages(page) -> list[str]:
    """Return the URLs of pages that requested the widget's script, as they are recorded."""
    pages: list[str] = []

    def answer(route):
        pages.append(page.url)
        route.fulfill(content_type="text/javascript", body="window.widgets = (window.widgets ?? 0) + 1;")

    page.route(WIDGET, answer)
    return pages


def count_widgets(page) -> int | None:
    """Return how many widgets have run in the document once the network is idle, or None."""
    page.wait_for_load_state("networkidle")
    found: int | None = page.evaluate("window.widgets")
    return found


@pytest.mark.shows("routes-8")
def test_it_does_not_load_on_profile_and_card_screens_however_they_are_reached(visitor, requesting_pages):
    page = visitor.sign_in("ivy")
    page.wait_for_function("() => window.widgets === 1")
    expect(page.get_by_role("banner").get_by_role("link", name="Help")).to_have_count(0)

    page.get_by_role("link", name="Profile", exact=True).click()
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

    # The sandbox allows its card fields only on pages of the shared web server.
    page.route("**/v2/chargebee.js", lambda route: route.abort())
    page.goto("/add-card-payment-method?operationType=ADD")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert count_widgets(page) is None
    assert [url for url in requesting_pages if "profile" in url or "card" in url] == []
