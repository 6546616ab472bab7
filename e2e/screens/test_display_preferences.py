"""Loading and failed screens, forced colors, reduced motion, and large text on a small phone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from e2e.support.accessibility import IS_SETTLED, NARROW, is_empty, open_settled, read_until
from e2e.support.dialog_catalog import DIALOGS
from e2e.support.page_actions import is_frame_request
from e2e.support.screen_state import enter_state, violations_by_state
from e2e.support.state_catalog import FAILED, LOADING, SCREENS

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
# Forced colors make all backgrounds alike, so borders show the grouping: by state, the element that needs one.
BORDERED_PARTS = {
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
HAS_BORDER = """(part) => {
  const { borderTopStyle, borderTopWidth, borderTopColor, backgroundColor } = getComputedStyle(part);
  return borderTopStyle === 'solid' && parseFloat(borderTopWidth) >= 1
    && ![backgroundColor, 'rgba(0, 0, 0, 0)'].includes(borderTopColor);
}"""
# The animations that run despite the reduced motion preference.
RUNNING_ANIMATIONS = """() => document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().duration > 0).map(({ animationName }) => animationName)"""
# Like the browser's own text size setting.
WIDTH_AT = """(size) => {
  document.documentElement.style.fontSize = size;
  return document.documentElement.scrollWidth;
}"""


def card_screen_paths(page: Page) -> list[str]:
    """Return the paths of the screens about the account's own card: editing it, and after adding it."""
    edit = open_settled(page, "/manage-payment-method").get_by_role("link", name=re.compile("^Edit .* ending in"))
    address = edit.first.get_attribute("href") or ""
    return [address, address.replace("/update-card-payment-method", "/add-payment-method-success")]


def has_border(part: Locator) -> bool:
    """Return whether an element has, or soon gets, a border that differs from its background."""
    return read_until(part.page, lambda: bool(part.evaluate(HAS_BORDER)), bool)


def width_at(page: Page, size: str) -> int:
    """Return the page's width at a text size, once its layout has settled."""
    return read_until(page, lambda: int(page.evaluate(WIDTH_AT, size)), lambda width: width <= NARROW["width"])


class HeldRequests:
    """Requests that are held until they are released."""

    def __init__(self) -> None:
        self._routes: list[Route] | None = []

    def hold_route(self, route: Route) -> None:
        """Hold a request, unless it is for the frame around every screen."""
        if self._routes is None or is_frame_request(route):
            route.continue_()
        else:
            self._routes.append(route)

    def release_routes(self) -> None:
        """Release the held requests, and hold no more."""
        held, self._routes = self._routes or [], None
        for route in held:
            route.continue_()


@pytest.mark.parametrize("states", [LOADING, FAILED], ids=["loading", "failed"])
def test_a_loading_or_failed_screen_is_accessible(signed_in, states):
    assert violations_by_state(signed_in("jo"), states) == {}


@pytest.mark.shows("routes-5")
def test_a_slow_screen_loads_without_animation_and_then_shows_its_data(signed_in):
    page = signed_in("jo")
    held = HeldRequests()
    page.route("**/api/**", held.hold_route)
    page.goto("/dashboard")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_role("status", name="Loading")).to_be_visible()
    assert read_until(page, lambda: page.evaluate(RUNNING_ANIMATIONS), is_empty) == []

    held.release_routes()
    page.wait_for_function(IS_SETTLED)
    expect(page.get_by_role("article")).to_have_count(3)


def test_a_notice_keeps_its_border_in_forced_colors(signed_in):
    page = signed_in("jo")
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    states = {state.name: state for state in (*SCREENS, *DIALOGS, *LOADING)}
    borders = {}
    for name, part in BORDERED_PARTS.items():
        assert enter_state(page, states[name]), name
        shown = page.locator(part).filter(visible=True).first
        borders[name] = has_border(shown)
    assert borders == dict.fromkeys(BORDERED_PARTS, True)


def test_a_control_shows_its_state_in_forced_colors(signed_in):
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
    assert has_border(apply)


def test_a_screen_fits_a_small_phone_at_any_text_size(signed_in):
    page = signed_in("ben")
    page.set_viewport_size(NARROW)
    widths: dict[tuple[str, str], int] = {}
    for path in ["/", *PATHS, *PAYMENT_PATHS, *card_screen_paths(page)]:
        open_settled(page, path)
        widths |= {(path, size): width_at(page, size) for size in ("100%", "200%")}
    assert {screen: width for screen, width in widths.items() if width > NARROW["width"]} == {}
