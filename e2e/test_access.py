"""Every screen holds for those who do not see it, in light and in dark, wide and narrow."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

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
PAYMENT_SCREENS = ["/manage-payment-method", "/add-payment-method", "/add-card-payment-method"]
# As where somebody has set the browser's text to that size.
WIDTH_AT = """(size) => {
  document.documentElement.style.fontSize = size;
  return document.documentElement.scrollWidth;
}"""
NARROW = {"width": 320, "height": 720}
WIDE = {"width": 1280, "height": 900}
LOOKS = [("light", WIDE), ("dark", WIDE), ("light", NARROW), ("dark", NARROW)]


def violations(page):
    """What axe finds, as lines one can read."""
    results = Axe().run(page)
    found = results.response["violations"]
    return [f"{one['id']}: {node['target']}" for one in found for node in one["nodes"]]


def settled(page, path):
    """Open a screen and wait until it shows what it has to show."""
    page.goto(path)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.wait_for_load_state("networkidle")
    return page


@pytest.mark.parametrize(("scheme", "size"), LOOKS)
def test_a_stranger_finds_no_barrier(page, scheme, size):
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size(size)
    assert violations(settled(page, "/")) == []


def test_a_subscriber_finds_no_barrier(visitor):
    page = visitor.sign_in("jo")
    found: dict[tuple[str, str, int], list[str]] = {}
    for scheme, size in LOOKS:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_viewport_size(size)
        found |= {(path, scheme, size["width"]): violations(settled(page, path)) for path in SCREENS}
    assert {where: what for where, what in found.items() if what} == {}


def test_no_screen_is_wider_than_a_small_telephone_at_any_size_of_text(visitor):
    page = visitor.sign_in("ben")
    page.set_viewport_size(NARROW)
    widths: dict[tuple[str, str], int] = {}
    for path in ["/", *SCREENS, *PAYMENT_SCREENS]:
        settled(page, path)
        widths |= {(path, size): page.evaluate(WIDTH_AT, size) for size in ("100%", "200%")}
    assert {where: width for where, width in widths.items() if width > NARROW["width"]} == {}
