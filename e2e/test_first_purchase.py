"""A first purchase: from the account home over the card form and the bank's question to a started service."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from e2e.support.demo_portal import Visitor

# Its bank asks when it is added, and not at later payments.
CHALLENGED = "4000000000002503"
MOST_CLICKS = 6
# In every page of the app, but not in the bank's.
COUNT_CLICKS = """addEventListener('click', ({ isTrusted, detail }) => {
  if (isTrusted && detail > 0 && window === top) window.countClick();
}, true)"""


def expect_choice_in_url(page: Page, path: str) -> None:
    """Expect a screen whose URL still names the chosen plan."""
    page.wait_for_url(f"**{path}?*")
    assert parse_qs(urlsplit(page.url).query)["add"] == ["Minno-Plan"]


@pytest.mark.shows("dashboard-21", "rule-20")
def test_ivy_starts_kids_without_a_card_on_one_road(visitor: Visitor) -> None:
    page = visitor.sign_in("ivy")
    clicks: list[None] = []
    page.expose_function("countClick", lambda: clicks.append(None))
    page.add_init_script(COUNT_CLICKS)
    page.reload()

    page.get_by_role("link", name="Add a card and start Kids").click()
    expect_choice_in_url(page, "/add-card-payment-method")
    page.reload()
    expect(page.get_by_role("region", name="Your order")).to_contain_text("$8.99 / month")
    expect(page.get_by_label("Name on card")).to_have_value("Ivy Chen")

    page.get_by_role("group", name="Card number").frame_locator("iframe").locator("input").click()
    for words in (CHALLENGED, "0834", "061", "OH", "43004"):
        page.keyboard.type(words)
        page.keyboard.press("Tab")
    page.get_by_role("button", name="Add card").click()
    page.frame_locator('iframe[title="Bank authentication"]').get_by_role("button", name="Confirm").click()

    expect_choice_in_url(page, "/add-payment-method-success")
    expect(page.get_by_role("heading", name="Card Information Added")).to_be_visible()
    page.get_by_role("link", name="Continue to start Kids").click()
    expect_choice_in_url(page, "/manage-subscription")
    page.get_by_role("dialog").get_by_role("button", name=re.compile(r"Yes, add Kids and pay \$8\.99")).click()
    page.wait_for_url("**/summary**")
    expect(page.get_by_role("main")).to_contain_text("You added Kids.")
    # The field of the card number is the provider's page, as the bank's is.
    assert 0 < len(clicks) + 1 <= MOST_CLICKS

    page.go_back()
    expect(page.get_by_role("checkbox", name="Kids")).to_be_checked()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.goto("/dashboard")
    expect(page.get_by_role("article", name="Kids")).to_contain_text("Active")
    visitor.demo.assert_mirror_matches()
