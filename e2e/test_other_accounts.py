"""What real sites have beside tidy accounts: two customers of one address, an unknown item, and a wallet."""

import pytest
from playwright.sync_api import expect


def subscription_card(page, name):
    """Return the card of a subscription on the account home."""
    return page.get_by_role("article", name=name)


@pytest.mark.shows("rule-13", "rule-18", "dashboard-20")
def test_kim_signs_in_with_an_address_in_lower_case_and_switches_between_her_accounts(visitor):
    page = visitor.sign_in_by_code("kim")
    others = page.get_by_role("region", name="Your other accounts")
    expect(subscription_card(page, "Faith & Family")).to_be_visible()
    expect(others).to_contain_text("Gospel TV")
    expect(subscription_card(page, "Gospel TV")).to_have_count(0)

    others.get_by_role("button", name="Switch to Gospel TV").click()

    expect(subscription_card(page, "Gospel TV")).to_be_visible()
    expect(others).to_contain_text("Sermon Library")
    others.get_by_role("button", name="Switch to Sermon Library and Faith & Family").click()
    expect(subscription_card(page, "Sermon Library")).to_be_visible()


@pytest.mark.shows("rule-19")
def test_kim_cancels_a_subscription_outside_the_catalog_and_keeps_it(visitor):
    page = visitor.sign_in("kim")
    card = subscription_card(page, "Sermon Library")
    expect(card).to_contain_text("$11.97 / 3 months")
    card.get_by_role("link", name="Cancel").click()
    page.get_by_role("button", name="CANCEL SUBSCRIPTION(S)").click()
    page.wait_for_url("**/dashboard")
    expect(card).to_contain_text("Not renewing")

    card.get_by_role("button", name="Keep my subscription").click()

    expect(card).to_contain_text("Active")


@pytest.mark.shows("rule-19")
def test_the_notes_below_a_wallet_do_not_cover_each_other(visitor):
    page = visitor.sign_in("kim")
    page.goto("/manage-payment-method")
    notes = [page.get_by_text("be edited here"), page.get_by_text("be deleted because")]
    first, second = [note.bounding_box() for note in notes]
    assert first["y"] + first["height"] <= second["y"]


@pytest.mark.shows("history-6")
def test_the_mark_of_a_wallet_stands_beside_its_name_on_a_tablet(visitor):
    page = visitor.sign_in("kim")
    page.set_viewport_size({"width": 768, "height": 1024})
    page.goto("/billingHistory")
    row = page.get_by_role("row").filter(has_text="Sermon Library").first
    mark, digits = row.locator("svg").last, row.get_by_text("•••• 4242")
    expect(digits).to_be_visible()
    left, right = mark.bounding_box(), digits.bounding_box()
    assert left["x"] + left["width"] <= right["x"]
    assert page.get_by_role("table").evaluate("(table) => table.offsetWidth - table.parentElement.clientWidth") <= 0


@pytest.mark.shows("rule-18", "rule-19")
def test_system_health_shows_operators_the_shared_address_and_the_item(page):
    page.goto("/admin/")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill("admin")
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/admin/")
    page.goto("/admin/billing/systemhealth/")
    expect(page.get_by_text("Sermon Library (sermon-library) with 1 subscription")).to_be_visible()
    expect(page.get_by_text("1 address, 1 with several paying customers")).to_be_visible()
