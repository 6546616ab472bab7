"""The five main tasks with nothing but a keyboard: the focus can always be seen, and is where one expects it."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from e2e.support.accessibility import open_settled

MOST_TABS = 60
HOSTED = ("Card number", "Expiry date", "Security code")
# In the next frame: the focus enters a frame of another origin a moment after the key.
HAS_FOCUS = """(element) => new Promise(
  (done) => requestAnimationFrame(() => done(element === document.activeElement)))"""
# A control that is drawn by its neighbour, its label or the group around a frame has its ring there.
HAS_RING = """(element) => {
  const drawn = [element, element.nextElementSibling, element.parentElement, element.closest('label, [role="group"]')];
  const rings = drawn.filter(Boolean).map((one) => getComputedStyle(one));
  return rings.some((style) => style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2);
}"""
# Between the last control and the first the focus is with the browser itself, never with the page behind.
IS_KEPT = "(element) => [document.body, ...element.querySelectorAll('*')].includes(document.activeElement)"


def tab_to(target: Locator) -> None:
    """Press Tab until the focus is there, and see that it can be seen."""
    for _ in range(MOST_TABS):
        target.page.keyboard.press("Tab")
        if target.evaluate(HAS_FOCUS):
            target.page.wait_for_function(HAS_RING, arg=target.element_handle())
            return
    raise AssertionError(f"the keyboard does not lead to {target}")


def tab_to_and_press(target: Locator, key: str = "Enter") -> None:
    """Go there by Tab and press a key."""
    tab_to(target)
    target.page.keyboard.press(key)


def expect_new_screen(page: Page, path: str) -> None:
    """Wait for a screen whose heading has taken the focus."""
    page.wait_for_url(f"**{path}")
    expect(page.get_by_role("heading", level=1)).to_be_focused()


def button_named(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name)


def test_signing_in_and_going_where_one_was_going(visitor):
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
    page.keyboard.press("Enter")
    expect_new_screen(page, "/billingHistory")

    tab_to_and_press(button_named(page, "Your profile"))
    tab_to_and_press(page.get_by_role("link", name="Payment Methods").first)
    expect_new_screen(page, "/manage-payment-method")


def test_pausing_and_taking_it_back(signed_in):
    page = open_settled(signed_in("ava"), "/dashboard")
    tab_to_and_press(page.get_by_role("article", name="Gospel TV").get_by_role("link", name="Pause"))
    expect_new_screen(page, "/pause-offer?*")
    tab_to_and_press(button_named(page, "PAUSE MY SUBSCRIPTION"))
    expect_new_screen(page, "/pause-summary")
    tab_to_and_press(button_named(page, "Cancel Pause"))
    expect_new_screen(page, "/dashboard")
    expect(page.get_by_role("article", name="Gospel TV")).to_contain_text("Active")


def test_changing_to_yearly_billing(signed_in):
    page = open_settled(signed_in("jo"), "/manage-subscription/upgrade")
    save = button_named(page, "SAVE CHANGES")
    tab_to_and_press(save)
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Due today")).to_be_visible()
    for _ in range(6):
        assert dialog.evaluate(IS_KEPT)
        page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(save).to_be_focused()

    page.keyboard.press("Enter")
    expect(dialog.get_by_text("Due today")).to_be_visible()
    tab_to_and_press(dialog.get_by_role("button").last)
    expect_new_screen(page, "/summary?*")


def test_cancelling_with_a_reason(signed_in):
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


def test_adding_a_card(signed_in):
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
    name = page.get_by_label("Name on card")
    expect(name).to_be_focused()
    expect(name).to_have_attribute("aria-invalid", "true")

    page.keyboard.type("Ben Carter")
    for field, typed in ((number, "5555555555554444"), (expiry, "0834"), (code, "061")):
        tab_to(field)
        page.keyboard.type(typed)
    for label, typed in (("State", "OH"), ("Zip code", "43004")):
        tab_to(page.get_by_label(label))
        page.keyboard.type(typed)
    tab_to_and_press(button_named(page, "Add card"))
    page.wait_for_url("**/add-payment-method-success*")
    expect(page.get_by_role("main")).to_contain_text("ending in 4444")
