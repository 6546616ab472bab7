"""Every screen holds for those who do not see it: in light and in dark, wide and narrow, and in every state."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from e2e.barriers import IS_SETTLED, NARROW, WIDE, settled, violations, violations_in

SCREENS = [
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
PAYMENT_SCREENS = [
    "/manage-payment-method",
    "/add-payment-method",
    "/add-card-payment-method",
    "/add-paypal-payment-method",
]
# What these show of themselves is nothing that is loaded.
WITHOUT_READS = ["/coupon", "/add-payment-method"]
LIGHT, DARK = ("light", WIDE), ("dark", WIDE)
LOOKS = [LIGHT, DARK, ("light", NARROW), ("dark", NARROW)]
TRANSPARENT = "rgba(0, 0, 0, 0)"
OTHER_BRANDS = ["gospel", "kids"]
# What goes on moving although the device asks for less of it.
MOVING = """() => document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().duration > 0).map(({ animationName }) => animationName)"""
# As where somebody has set the browser's text to that size.
WIDTH_AT = """(size) => {
  document.documentElement.style.fontSize = size;
  return document.documentElement.scrollWidth;
}"""


def barriers(page: Page, paths: list[str], *looks: tuple[str, dict[str, int]]) -> dict[str, list[str]]:
    """What axe finds on these screens, by screen; screens without any left out."""
    found = {path: violations_in(settled(page, path), *looks) for path in paths}
    return {path: what for path, what in found.items() if what}


def is_frame(route: Route) -> bool:
    """Whether it is about what stands around every screen."""
    return route.request.url.endswith(("/api/site", "/api/account/check-payment-failure"))


def about_a_card(page: Page) -> list[str]:
    """The screens that are about a card of one's own: to correct it, and that it was added."""
    edit = settled(page, "/manage-payment-method").get_by_role("link", name=re.compile("^Edit .* ending in"))
    address = edit.first.get_attribute("href") or ""
    return [address, address.replace("/update-card-payment-method", "/add-payment-method-success")]


class Held:
    """Answers that take their time, until they are let go."""

    def __init__(self) -> None:
        self._routes: list[Route] | None = []

    def take(self, route: Route) -> None:
        """Keep what a screen asks for waiting."""
        if self._routes is None or is_frame(route):
            route.continue_()
        else:
            self._routes.append(route)

    def let_go(self) -> None:
        """Let everything through, now and from now on."""
        waiting, self._routes = self._routes or [], None
        for route in waiting:
            route.continue_()


def refuse(route: Route) -> None:
    """Answer that it cannot be done, to all that a screen itself asks for."""
    if is_frame(route):
        route.continue_()
    else:
        route.fulfill(status=409, json={"code": "refused", "message": "Not now.", "fields": None})


def test_a_stranger_finds_no_barrier(page):
    assert barriers(page, ["/"], *LOOKS) == {}


def test_a_subscriber_finds_no_barrier(signed_in):
    page = signed_in("jo")
    assert barriers(page, [*SCREENS, *PAYMENT_SCREENS, *about_a_card(page)], *LOOKS) == {}


@pytest.mark.parametrize("brand", OTHER_BRANDS)
def test_no_brand_is_a_barrier(signed_in, brand):
    page = signed_in("jo", brand)
    assert barriers(page, [*SCREENS, *PAYMENT_SCREENS, *about_a_card(page)], LIGHT, DARK) == {}


def test_what_cannot_be_loaded_is_said_and_no_barrier(signed_in):
    page = signed_in("jo")
    page.route("**/api/**", refuse)
    found = {}
    for path in [*SCREENS, *PAYMENT_SCREENS]:
        found[path] = violations_in(settled(page, path), LIGHT, DARK)
        shown = page.get_by_role("alert").get_by_role("button", name="Try again")
        expect(shown).to_have_count(0) if path in WITHOUT_READS else expect(shown.first).to_be_visible()
    assert {path: what for path, what in found.items() if what} == {}


def test_what_is_slow_to_come_is_awaited_without_a_barrier_and_then_shown(signed_in):
    page = signed_in("jo")
    held = Held()
    page.route("**/api/**", held.take)
    page.goto("/dashboard")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_role("status", name="Loading")).to_be_visible()
    assert violations_in(page, LIGHT, DARK) == []
    assert page.evaluate(MOVING) == []

    held.let_go()
    page.wait_for_function(IS_SETTLED)
    expect(page.get_by_role("article")).to_have_count(3)


def test_where_the_system_forces_its_colours_every_control_and_state_keeps_a_shape(signed_in):
    page = signed_in("jo")
    page.emulate_media(forced_colors="active")
    settled(page, "/dashboard")
    state = page.get_by_role("article", name="Kids").get_by_text("Active", exact=True)
    expect(state).to_have_css("border-top-style", "solid")
    for path, control in (
        ("/cancelAll", page.get_by_role("checkbox", name="Kids")),
        ("/manage-payment-method", page.get_by_role("radio", name="PayPal")),
    ):
        settled(page, path)
        expect(control).to_be_checked()
        expect(control).to_have_css("appearance", "auto")
        assert violations(page) == []
    settled(page, "/coupon")
    apply = page.get_by_role("button", name="APPLY")
    page.get_by_label("Code").focus()
    page.keyboard.press("Tab")
    expect(apply).to_be_focused()
    expect(apply).to_have_css("outline-style", "solid")
    expect(apply).not_to_have_css("border-top-color", TRANSPARENT)


def test_no_screen_is_wider_than_a_small_telephone_at_any_size_of_text(signed_in):
    page = signed_in("ben")
    page.set_viewport_size(NARROW)
    widths: dict[tuple[str, str], int] = {}
    for path in ["/", *SCREENS, *PAYMENT_SCREENS, *about_a_card(page)]:
        settled(page, path)
        widths |= {(path, size): page.evaluate(WIDTH_AT, size) for size in ("100%", "200%")}
    assert {where: width for where, width in widths.items() if width > NARROW["width"]} == {}
