"""Use a page with the keyboard alone."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from e2e.support.demo_portal import DemoPortal

MOST_TABS = 60
# Checks in the next animation frame: the focus enters a cross-origin iframe shortly after the key press.
HAS_FOCUS = """(element) => new Promise(
  (done) => requestAnimationFrame(() => done(element === document.activeElement)))"""
# The focus ring may be on the sibling, the label or the group that draws the control.
HAS_RING = """(element) => {
  const drawn = [element, element.nextElementSibling, element.parentElement, element.closest('label, [role="group"]')];
  const rings = drawn.filter(Boolean).map((part) => getComputedStyle(part));
  return rings.some((style) => style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2);
}"""


def tab_to(target: Locator) -> None:
    """Press Tab until a control has the focus, and wait until its focus ring shows. Raises AssertionError."""
    for _ in range(MOST_TABS):
        target.page.keyboard.press("Tab")
        if target.evaluate(HAS_FOCUS):
            target.page.wait_for_function(HAS_RING, arg=target.element_handle())
            return
    raise AssertionError(f"the keyboard does not lead to {target}")


def tab_to_and_press(target: Locator, key: str = "Enter") -> None:
    """Move the focus to a control with Tab, and press a key."""
    tab_to(target)
    target.page.keyboard.press(key)


def expect_new_screen(page: Page, path: str) -> None:
    """Wait for a screen and assert that its heading has the focus."""
    page.wait_for_url(f"**{path}")
    expect(page.get_by_role("heading", level=1)).to_be_focused()


def tab_within_frame(target: Locator) -> None:
    """Press Tab until a control in a frame of the page has the focus. Raises AssertionError."""
    for _ in range(MOST_TABS):
        if target.evaluate(HAS_FOCUS):
            return
        target.page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not lead to {target}")


def button_named(page: Page, name: str) -> Locator:
    """Return a button of the page."""
    return page.get_by_role("button", name=name)


def begin_first_purchase(page: Page, demo: DemoPortal) -> None:
    """Sign in as a visitor without a plan and a card, and open the card form for Kids."""
    page.goto(demo.url_at("kids"))
    expect(page.get_by_label("Email address")).to_be_focused()
    page.keyboard.type("ivy@example.com")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Six-digit code")).to_be_focused()
    page.keyboard.type(demo.wait_for_code("ivy@example.com"))
    expect_new_screen(page, "/dashboard")
    # The card form and what follows it are pages of their own, and yet screens that were gone to.
    tab_to_and_press(page.get_by_role("link", name="Add a card and start Kids"))
    expect_new_screen(page, "/add-card-payment-method?*")
