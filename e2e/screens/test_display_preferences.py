"""What is on its way or does not come, forced colours, less motion, and text of any size on a small telephone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from e2e.support.accessibility import IS_SETTLED, NARROW, is_empty, open_settled, read_until
from e2e.support.page_actions import is_frame_request
from e2e.support.screen_state import enter_state, violations_by_state
from e2e.support.state_catalog import DIALOGS, FAILED, LOADING, SCREENS

PATHS = [
    "/dashboard",
    "/manage-subscription",
    "/manage-subscription/upgrade",
    "/manage-subscription/downgrade",
    "/summary",
    "/coupon",
    "/pause-offer",
    "/pause-summary",
    "/cancelAll",
    "/billingHistory",
    "/edit-profile",
    "/emailPreferences",
    "/emailConfirm",
    "/emailConfirm?state=unsubscribeAll",
]
PAYMENT_PATHS = [
    "/manage-payment-method",
    "/add-payment-method",
    "/add-card-payment-method",
    "/add-paypal-payment-method",
]
# Where every ground is the same, an edge tells what belongs together: by state, the part that has one.
EDGED = {
    "dashboard": "main [class*='pill']",
    "dashboard-loading": "[class*='skeleton']",
    "dashboard-offline": "main [class*='alert']",
    "profile-menu": ":popover-open",
    "manage-nothing-chosen": "[class*='snackbar']",
    "manage-dialog-removing": "dialog[open] [class*='warning']",
    "upgrade-dialog": "dialog[open]",
    "coupon-empty": "input[aria-invalid='true']",
    "add-method-chosen": "label:has(:checked)",
}
HAS_EDGE = """(part) => {
  const { borderTopStyle, borderTopWidth, borderTopColor, backgroundColor } = getComputedStyle(part);
  return borderTopStyle === 'solid' && parseFloat(borderTopWidth) >= 1
    && ![backgroundColor, 'rgba(0, 0, 0, 0)'].includes(borderTopColor);
}"""
# What goes on moving although the device asks for less of it.
MOVING = """() => document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().duration > 0).map(({ animationName }) => animationName)"""
# As where somebody has set the browser's text to that size.
WIDTH_AT = """(size) => {
  document.documentElement.style.fontSize = size;
  return document.documentElement.scrollWidth;
}"""


def card_screen_paths(page: Page) -> list[str]:
    """The screens that are about a card of one's own: to correct it, and that it was added."""
    edit = open_settled(page, "/manage-payment-method").get_by_role(
        "link", name=re.compile("^Edit .* ending in")
    )
    address = edit.first.get_attribute("href") or ""
    return [address, address.replace("/update-card-payment-method", "/add-payment-method-success")]


def has_edge(part: Locator) -> bool:
    """Whether a part of the page has an edge of another colour than its ground, or gets one."""
    return read_until(part.page, lambda: bool(part.evaluate(HAS_EDGE)), bool)


def width_at(page: Page, size: str) -> int:
    """How wide the page is with text of a size, once what does not fit at first has found its place."""
    return read_until(
        page, lambda: int(page.evaluate(WIDTH_AT, size)), lambda width: width <= NARROW["width"]
    )


class HeldAnswers:
    """Answers that take their time, until they are let go."""

    def __init__(self) -> None:
        self._routes: list[Route] | None = []

    def take(self, route: Route) -> None:
        """Keep what a screen asks for waiting."""
        if self._routes is None or is_frame_request(route):
            route.continue_()
        else:
            self._routes.append(route)

    def let_go(self) -> None:
        """Let everything through, now and from now on."""
        waiting, self._routes = self._routes or [], None
        for route in waiting:
            route.continue_()


@pytest.mark.parametrize("states", [LOADING, FAILED], ids=["on its way", "not to be had"])
def test_what_is_loaded_is_no_barrier_before_it_is_there(signed_in, states):
    assert violations_by_state(signed_in("jo"), states) == {}


@pytest.mark.shows("routes-5")
def test_what_is_slow_to_come_is_awaited_without_a_movement_and_then_shown(signed_in):
    page = signed_in("jo")
    held = HeldAnswers()
    page.route("**/api/**", held.take)
    page.goto("/dashboard")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_role("status", name="Loading")).to_be_visible()
    assert read_until(page, lambda: page.evaluate(MOVING), is_empty) == []

    held.let_go()
    page.wait_for_function(IS_SETTLED)
    expect(page.get_by_role("article")).to_have_count(3)


def test_where_the_system_forces_its_colours_every_notice_keeps_an_edge(signed_in):
    page = signed_in("jo")
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    states = {state.name: state for state in (*SCREENS, *DIALOGS, *LOADING)}
    edges = {}
    for name, part in EDGED.items():
        assert enter_state(page, states[name]), name
        shown = page.locator(part).filter(visible=True).first
        edges[name] = has_edge(shown)
    assert edges == dict.fromkeys(EDGED, True)


def test_where_the_system_forces_its_colours_every_control_shows_how_it_stands(signed_in):
    page = signed_in("jo")
    page.emulate_media(forced_colors="active")
    for path, control in (
        ("/cancelAll", page.get_by_role("checkbox", name="Kids")),
        ("/manage-payment-method", page.get_by_role("radio", name="PayPal")),
    ):
        open_settled(page, path)
        expect(control).to_be_checked()
        expect(control).to_have_css("appearance", "auto")
    buttons = [page.get_by_role("button", name=name) for name in ("Delete Visa", "Delete PayPal")]
    colors = read_until(
        page,
        lambda: {button.evaluate("(button) => getComputedStyle(button).color") for button in buttons},
        lambda found: len(found) == 2,
    )
    assert len(colors) == 2
    open_settled(page, "/coupon")
    apply = page.get_by_role("button", name="APPLY")
    page.get_by_label("Code").focus()
    page.keyboard.press("Tab")
    expect(apply).to_be_focused()
    expect(apply).to_have_css("outline-style", "solid")
    assert has_edge(apply)


def test_no_screen_is_wider_than_a_small_telephone_at_any_size_of_text(signed_in):
    page = signed_in("ben")
    page.set_viewport_size(NARROW)
    widths: dict[tuple[str, str], int] = {}
    for path in ["/", *PATHS, *PAYMENT_PATHS, *card_screen_paths(page)]:
        open_settled(page, path)
        widths |= {(path, size): width_at(page, size) for size in ("100%", "200%")}
    assert {where: width for where, width in widths.items() if width > NARROW["width"]} == {}
