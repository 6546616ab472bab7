"""The provider's card fields look like our own: the same box, the same size of type, the same baseline."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import FloatRect, Locator, Page, Route, expect

from e2e.support.demo_portal import Visitor

ADD_CARD = "/add-card-payment-method?operationType=ADD"
HOSTED = {"Card number": "4111111111111111", "Expiry date": "1134", "Security code": "111"}
# The first two digits stand on the baseline, and their ink is as high as the font's digits.
DIGITS = "111"
INK = 96


def open_form(visitor: Visitor, *, width: int, scheme: str) -> Page:
    """Open the form for a card and fill every field with digits."""
    page = visitor.sign_in("ben")
    page.set_viewport_size({"width": width, "height": 1200})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(ADD_CARD)
    for label in ("Name on card", "State", "Zip code"):
        page.get_by_label(label).fill(DIGITS)
    for label, typed in HOSTED.items():
        page.get_by_role("group", name=label).frame_locator("iframe").locator("input").press_sequentially(typed)
    page.get_by_role("heading", level=1).click()
    return page


def box_of(control: Locator) -> FloatRect:
    """Return the bounding box of a control."""
    box = control.bounding_box()
    assert box is not None
    return box


def ink_rows(page: Page, control: Locator) -> tuple[int, int]:
    """Return where the digits of a control begin and end, in pixels below the top of its box, from a screenshot."""
    box = box_of(control)
    # Inside the border, and only as wide as two digits.
    clip: FloatRect = {"x": box["x"] + 8, "y": box["y"] + 4, "width": 28, "height": box["height"] - 8}
    picture = Image.open(BytesIO(page.screenshot(clip=clip))).convert("L")
    pixels, width = picture.tobytes(), picture.width
    lines = [pixels[start : start + width] for start in range(0, len(pixels), width)]
    rows = [row for row, line in enumerate(lines) if any(abs(pixel - pixels[0]) > INK for pixel in line)]
    return rows[0] + 4, rows[-1] + 4


@pytest.mark.shows("payment-11")
@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1280, "dark")])
def test_the_providers_fields_have_our_box_type_and_baseline(visitor: Visitor, width: int, scheme: str) -> None:
    page = open_form(visitor, width=width, scheme=scheme)
    own = page.get_by_label("Zip code")
    expected = ink_rows(page, own)

    for label in HOSTED:
        control = page.get_by_role("group", name=label)
        expect(control).not_to_have_attribute("aria-busy", "true")
        assert box_of(control)["height"] == pytest.approx(box_of(own)["height"], abs=0.5)
        assert ink_rows(page, control) == pytest.approx(expected, abs=1)
        typed = control.frame_locator("iframe").locator("input")
        for name in ("font-size", "font-family", "font-weight", "color"):
            value = own.evaluate("(input, name) => getComputedStyle(input).getPropertyValue(name)", name)
            expect(typed).to_have_css(name, value)


def test_the_number_shows_the_mark_of_its_brand_as_it_is_typed(visitor: Visitor) -> None:
    page = visitor.sign_in("ben")
    page.goto(ADD_CARD)
    number = page.get_by_role("group", name="Card number")
    typed = number.frame_locator("iframe").locator("input")
    expect(number.get_by_role("img")).to_have_count(0)
    typed.press_sequentially("37")
    expect(number.get_by_role("img", name="Amex")).to_be_visible()
    typed.fill("")
    expect(number.get_by_role("img")).to_have_count(0)
    typed.press_sequentially("5555")
    expect(number.get_by_role("img", name="Mastercard")).to_be_visible()


def test_a_click_anywhere_in_a_box_focuses_its_field(visitor: Visitor) -> None:
    page = visitor.sign_in("ben")
    page.goto(ADD_CARD)
    for label in HOSTED:
        control = page.get_by_role("group", name=label)
        typed = control.frame_locator("iframe").locator("input")
        expect(control).to_have_attribute("aria-busy", "false")
        control.click(position={"x": 20, "y": 5})
        expect(typed).to_be_focused()
        expect(control).to_have_css("outline-style", "solid")


def test_a_click_in_a_box_that_is_still_loading_focuses_its_field_once_it_is_ready(visitor: Visitor) -> None:
    page = visitor.sign_in("ben")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/card-field.js*", hold)
    page.goto(ADD_CARD)
    control = page.get_by_role("group", name="Expiry date")
    expect(control.frame_locator("iframe").locator("input")).to_be_visible()
    control.click(position={"x": 20, "y": 5})
    page.route("**/card-field.js*", lambda route: route.continue_())
    for route in held:
        route.continue_()
    expect(control.frame_locator("iframe").locator("input")).to_be_focused()


def test_fields_follow_the_size_of_text_that_the_subscriber_has_chosen(visitor: Visitor) -> None:
    page = visitor.sign_in("ben")
    page.add_init_script("addEventListener('DOMContentLoaded', () => document.documentElement.style.fontSize = '32px')")
    page.goto(ADD_CARD)
    own = page.get_by_label("Zip code")
    control = page.get_by_role("group", name="Card number")
    expect(control.frame_locator("iframe").locator("input")).to_have_css("font-size", "36px")
    expect(own).to_have_css("font-size", "36px")
    assert box_of(control)["height"] == pytest.approx(box_of(own)["height"], abs=0.5)
