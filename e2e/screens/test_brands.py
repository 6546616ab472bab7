"""Each brand at its host name: its name, colors and links, accessible in light and dark."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from e2e.support.accessibility import IS_SETTLED, axe_violations_in_all_looks, open_settled
from e2e.support.demo_portal import Visitor

# Host label, name, the primary and accent colors in each color scheme, account.
BRANDS = [
    ("faith", "Faith & Family", {"light": ("#23418f", "#b34a14"), "dark": ("#a9c1ff", "#ffb38a")}, "ava"),
    ("gospel", "Gospel TV", {"light": ("#6a1f6d", "#8f5a00"), "dark": ("#e6b0ea", "#f5c76b")}, "dan"),
    ("kids", "Kids", {"light": ("#0b6b5f", "#b0352c"), "dark": ("#7fdccb", "#ffa69e")}, "ella"),
]
LINKS = ("Contact Customer Service", "Terms of Service", "Privacy Policy")


@pytest.fixture
def page_at(browser, browser_context_args, demo) -> Iterator[object]:
    """Yield a function that opens a page at a brand's host name under localhost."""
    contexts = []

    def open_page(label: str) -> Page:
        context = browser.new_context(**{**browser_context_args, "base_url": demo.url_at(label)})
        contexts.append(context)
        page: Page = context.new_page()
        return page

    yield open_page
    for context in contexts:
        context.close()


def wait_until_settled(page: Page) -> None:
    page.wait_for_function(IS_SETTLED)


@pytest.mark.shows("rule-14", "landing-2")
@pytest.mark.parametrize(("label", "name", "colors", "account"), BRANDS)
def test_a_brand_has_its_own_name_colors_and_links(page_at, demo, label, name, colors, account):
    page = page_at(label)
    page.goto("/")
    wait_until_settled(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Your {name} account")
    footer = page.get_by_role("contentinfo")
    for link in LINKS:
        expect(footer.get_by_role("link", name=link)).to_have_attribute(
            "href",
            f"https://{'help.' if 'Contact' in link else ''}{label}.example.com/"
            + {"C": "requests/new", "T": "terms-of-service", "P": "privacy-policy"}[link[0]],
        )
    for scheme, (color, edge) in colors.items():
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(
            "(color) => getComputedStyle(document.documentElement).getPropertyValue('--color-primary') === color",
            arg=color,
        )
        drawn = f"rgb({', '.join(str(part) for part in bytes.fromhex(edge[1:]))}) 0px 3px 0px 0px inset"
        expect(page.get_by_role("banner")).to_have_css("box-shadow", drawn)
        logo = page.get_by_role("banner").locator("img").first
        page.wait_for_function(
            "([image, dark]) => image.currentSrc.endsWith('-dark.svg') === dark",
            arg=[logo.element_handle(), scheme == "dark"],
        )
    assert axe_violations_in_all_looks(page) == []
    Visitor(demo, page, {}).sign_in_by_code(account)
    wait_until_settled(page)
    assert axe_violations_in_all_looks(page) == []


def test_an_unknown_brand_has_no_links(page_at):
    page = page_at("sports")
    page.goto("/")
    wait_until_settled(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Your Sports account")
    expect(page.get_by_role("link", name="Home")).to_be_visible()
    for link in (*LINKS, "Help"):
        expect(page.get_by_role("link", name=link)).to_have_count(0)
    expect(page.get_by_role("list", name="Our services")).to_have_count(0)
    assert axe_violations_in_all_looks(page) == []


@pytest.mark.shows("dashboard-21")
@pytest.mark.parametrize(
    ("label", "names"),
    [("faith", ["Faith & Family", "Gospel TV", "Kids"]), ("kids", ["Kids", "Faith & Family", "Gospel TV"])],
)
def test_a_brands_own_service_is_offered_first(signed_in, label, names):
    page = open_settled(signed_in("ivy", label), "/dashboard")
    services = page.get_by_role("list", name="Services you can start")
    expect(services.get_by_role("heading")).to_have_text(names)


def test_a_brands_card_screen_accepts_a_card_number(page_at, demo):
    page = page_at("kids")
    Visitor(demo, page, {}).sign_in_by_code("jo")
    page.goto("/add-card-payment-method?operationType=ADD")
    number = page.frame_locator("iframe[src*='kind=number']").get_by_role("textbox")
    number.fill("4111111111111111")
    expect(number).to_have_value("4111 1111 1111 1111")
