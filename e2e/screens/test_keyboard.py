"""The six main tasks with the keyboard alone: the focus is always visible and where it is expected."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from e2e.support.accessibility import open_settled
from e2e.support.keyboard import (
    MOST_TABS,
    begin_first_purchase,
    button_named,
    expect_new_screen,
    tab_to,
    tab_to_and_press,
    tab_within_frame,
)

HOSTED = ("Card number", "Expiry date", "Security code")
# Its bank asks when it is added, and not at later payments.
CHALLENGED = "4000000000002503"
# The heading and the top of the section that has the focus; an empty heading outside all sections.
FOCUSED_SECTION = """() => {
  const section = document.activeElement.closest('main section');
  return [
    section?.querySelector('h2').textContent ?? '',
    section ? section.getBoundingClientRect().top + scrollY : 0,
  ];
}"""
# Between the last control and the first the browser itself has the focus, and the active element is the body.
HOLDS_FOCUS = "(element) => [document.body, ...element.querySelectorAll('*')].includes(document.activeElement)"


def test_a_subscriber_can_sign_in_and_reach_the_requested_screen(visitor):
    page = visitor.page
    page.goto("/billingHistory")
    address = page.get_by_label("Email address")
    expect(address).to_be_visible()
    tab_to_and_press(button_named(page, "Send code"))
    expect(address).to_be_focused()
    expect(address).to_have_accessible_description(re.compile("Please enter your email address."))
    page.keyboard.type("hugo@example.com")
    page.keyboard.press("Enter")
    code = page.get_by_label("Six-digit code")
    expect(code).to_be_focused()
    page.keyboard.press("Enter")
    expect(code).to_have_attribute("aria-invalid", "true")
    expect(code).to_be_focused()
    page.keyboard.type(visitor.demo.wait_for_code("hugo@example.com"))
    expect_new_screen(page, "/billingHistory")
    page.reload()
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_be_visible()
    # The browser announces a page that it loads.
    expect(heading).not_to_be_focused()

    tab_to_and_press(button_named(page, "Your profile"))
    tab_to_and_press(page.get_by_role("link", name="Payment Methods").first)
    expect_new_screen(page, "/manage-payment-method")


def test_the_keyboard_follows_what_the_account_home_shows_on_a_phone(signed_in):
    page = signed_in("jo")
    page.set_viewport_size({"width": 360, "height": 740})
    open_settled(page, "/dashboard")
    tops: dict[str, float] = {}
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        heading, top = page.evaluate(FOCUSED_SECTION)
        tops.setdefault(heading, top)
    tops.pop("")
    assert list(tops) == sorted(tops, key=lambda heading: tops[heading])
    assert {"Your Subscriptions", "Latest invoices", "Make a change"} <= set(tops)


def test_a_subscriber_can_pause_and_undo_it(signed_in):
    page = open_settled(signed_in("ava"), "/dashboard")
    tab_to_and_press(page.get_by_role("article", name="Gospel TV").get_by_role("link", name="Pause"))
    expect_new_screen(page, "/pause-offer?*")
    tab_to_and_press(button_named(page, "PAUSE MY SUBSCRIPTION"))
    expect_new_screen(page, "/pause-summary")
    tab_to_and_press(button_named(page, "Cancel Pause"))
    expect_new_screen(page, "/dashboard")
    expect(page.get_by_role("article", name="Gospel TV")).to_contain_text("Active")


def test_a_subscriber_can_switch_to_yearly_billing(signed_in):
    page = open_settled(signed_in("jo"), "/manage-subscription/upgrade")
    save = button_named(page, "SAVE CHANGES")
    tab_to_and_press(save)
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Due today")).to_be_visible()
    for _ in range(6):
        assert dialog.evaluate(HOLDS_FOCUS)
        page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(save).to_be_focused()

    page.keyboard.press("Enter")
    expect(dialog.get_by_text("Due today")).to_be_visible()
    tab_to_and_press(dialog.get_by_role("button").last)
    expect_new_screen(page, "/summary?*")


def test_a_subscriber_can_cancel_with_a_reason(signed_in):
    page = open_settled(signed_in("carla"), "/dashboard")
    tab_to_and_press(page.get_by_role("article", name="Kids").get_by_role("link", name="Cancel"))
    expect_new_screen(page, "/cancelAll?*")
    reason = page.get_by_label("Why are you leaving?")
    tab_to(reason)
    page.keyboard.type("Too")
    expect(reason).to_have_value("Too expensive")
    tab_to_and_press(button_named(page, "CANCEL SUBSCRIPTION(S)"))
    expect_new_screen(page, "/dashboard")
    expect(page.get_by_role("article", name="Kids")).to_contain_text("Access ends")


def test_a_subscriber_can_add_a_card(signed_in):
    page = open_settled(signed_in("ben"), "/manage-payment-method")
    tab_to_and_press(page.get_by_role("link", name="ADD NEW PAYMENT METHOD"))
    expect_new_screen(page, "/add-payment-method")
    tab_to_and_press(button_named(page, "Continue"))
    card = page.get_by_role("radio", name="Card")
    expect(card).to_be_focused()
    page.keyboard.press("Space")
    expect(card).to_be_checked()
    tab_to_and_press(button_named(page, "Continue"))
    page.wait_for_url("**/add-card-payment-method*")
    number, expiry, code = (page.locator(f"iframe[title='{title}']") for title in HOSTED)
    for field in (number, expiry, code):
        expect(field.content_frame.locator("input")).to_be_visible()
    tab_to_and_press(button_named(page, "Add card"))
    # The name is filled in, so this is the first error.
    expect(number).to_be_focused()
    expect(page.get_by_label("State")).to_have_attribute("aria-invalid", "true")
    tab_to(page.get_by_label("Name on card"))

    for field, typed in ((number, "5555555555554444"), (expiry, "0834"), (code, "061")):
        tab_to(field)
        page.keyboard.type(typed)
    for label, typed in (("State", "OH"), ("Zip code", "43004")):
        tab_to(page.get_by_label(label))
        page.keyboard.type(typed)
    tab_to_and_press(button_named(page, "Add card"))
    page.wait_for_url("**/add-payment-method-success*")
    expect(page.get_by_role("main")).to_contain_text("ending in 4444")


@pytest.mark.shows("dashboard-21", "rule-20")
def test_a_visitor_can_sign_in_and_start_kids_without_a_card(visitor):
    page = visitor.page
    begin_first_purchase(page, visitor.demo)

    number = page.locator("iframe[title='Card number']")
    expect(number.content_frame.locator("input")).to_be_visible()
    tab_to(number)
    for typed in (CHALLENGED, "0834", "061", "OH", "43004"):
        page.keyboard.type(typed)
        page.keyboard.press("Tab")
    expect(button_named(page, "Add card")).to_be_focused()
    page.keyboard.press("Enter")
    bank = page.locator("iframe[title='Bank authentication']")
    expect(bank).to_be_focused()
    # Around the dialog, which would cut off a ring of the frame.
    expect(page.get_by_role("dialog", name="Bank authentication")).to_have_css("outline-style", "solid")
    tab_within_frame(bank.content_frame.get_by_role("button", name="Confirm"))
    page.keyboard.press("Enter")
    expect_new_screen(page, "/add-payment-method-success?*")

    tab_to_and_press(page.get_by_role("link", name="Continue to start Kids"))
    page.wait_for_url("**/manage-subscription?*")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="No, cancel")).to_be_focused()
    page.keyboard.press("Escape")
    expect_new_screen(page, "/manage-subscription?*")
    save = button_named(page, "SAVE CHANGES")
    tab_to_and_press(save)
    expect(dialog.get_by_text("Due today")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(save).to_be_focused()

    page.keyboard.press("Enter")
    tab_to_and_press(dialog.get_by_role("button", name=re.compile(r"Yes, add Kids and pay \$8\.99")))
    expect_new_screen(page, "/summary?*")
    expect(page.get_by_role("main")).to_contain_text("You added Kids.")
