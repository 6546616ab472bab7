"""3-D Secure with the scripts of the card's gateway, under the policy that names these gateways."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Page, Request, expect

from e2e.support.card_data_search import CardDataSearch
from e2e.support.demo_portal import DemoPortal, Visitor, free_port
from e2e.support.script_inventory import listed_sources
from portal.env import CARD_GATEWAYS, DEMO_API_KEY

FRICTIONLESS, CHALLENGED, REFUSED = "4000000000002701", "4000000000002503", "4000000000002925"
CODE = "061"
ADD_CARD = "/add-card-payment-method?operationType=ADD"
# What each gateway's scripts in the page are, and the account that adds cards there.
HOSTS = {
    "stripe": {"js.stripe.localhost"},
    "braintree": {"js.braintreegateway.localhost", "songbird.cardinalcommerce.localhost"},
}
NAMES = {"stripe": "ella", "braintree": "jo"}
GATEWAYS = pytest.mark.parametrize("gateway", ["stripe", "braintree"])


@pytest.fixture(scope="module")
def demo(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoPortal]:
    """Yield a portal of its own: the provider's frames open in the portal that its sandbox was started for."""
    folder = tmp_path_factory.mktemp("gateways") / "data"
    shutil.copytree(prepared, folder)
    settings = {"CHARGEBEE_CARD_GATEWAYS": ",".join(CARD_GATEWAYS)}
    running = DemoPortal(port=free_port(), sandbox_port=free_port(), folder=folder, settings=settings)
    running.start()
    yield running
    running.stop()


def choose_gateway(demo: DemoPortal, gateway: str) -> None:
    """Let the site store new cards with a gateway."""
    httpx.post(
        f"{demo.sandbox_url}/site_settings", data={"card_gateway": gateway}, auth=(DEMO_API_KEY, ""), trust_env=False
    ).raise_for_status()


def enter_card(page: Page, number: str) -> None:
    """Fill in the form for a new card."""
    page.goto(ADD_CARD)
    page.get_by_label("Name on card").fill("Ella Novak")
    for label, typed in (("Card number", number), ("Expiry date", "0834"), ("Security code", CODE)):
        field = page.get_by_role("group", name=label).frame_locator("iframe").locator("input")
        field.press_sequentially(typed)
    page.get_by_label("State").fill("Ohio")
    page.get_by_label("Zip code").fill("43004")


def add_card(page: Page) -> None:
    page.get_by_role("button", name="Add card").click()


def expect_added(page: Page, ending: str) -> None:
    expect(page.get_by_role("heading", name="Card Information Added")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text(ending)


@pytest.mark.shows("rule-20", "security-45")
@GATEWAYS
def test_a_gateways_scripts_authenticate_the_payer(visitor: Visitor, gateway: str) -> None:
    demo, page = visitor.demo, visitor.sign_in(NAMES[gateway])
    search = CardDataSearch(portal=demo.url, folder=demo.folder, context=page.context)
    choose_gateway(demo, gateway)
    requests: list[Request] = []
    page.on("request", lambda request: requests.append(request))  # noqa: PLW0108  (playwright marks it)
    bank = page.frame_locator('iframe[title="Bank authentication"]')

    enter_card(page, FRICTIONLESS)
    add_card(page)
    expect_added(page, "2701")

    enter_card(page, REFUSED)
    add_card(page)
    expect(page.get_by_role("main")).to_contain_text("Your bank couldn’t confirm that it’s you.")  # noqa: RUF001

    enter_card(page, CHALLENGED)
    for choice, message in (
        ("Fail the check", "Your bank couldn’t confirm that it’s you."),  # noqa: RUF001
        ("Cancel", "You left your bank’s confirmation before finishing."),  # noqa: RUF001
        ("Let the time run out", "Your bank’s confirmation took too long."),  # noqa: RUF001
    ):
        add_card(page)
        bank.get_by_role("button", name=choice).click()
        expect(page.get_by_role("main")).to_contain_text(f"{message} Nothing was added or charged.")
    # Leave the gateway's window itself.
    add_card(page)
    expect(bank.get_by_role("button", name="Confirm")).to_be_visible()
    page.locator("dialog[aria-label='Bank authentication']").evaluate("it => it.dispatchEvent(new Event('cancel'))")
    expect(page.get_by_role("main")).to_contain_text("You left your bank’s confirmation before finishing.")  # noqa: RUF001
    add_card(page)
    bank.get_by_role("button", name="Confirm").click()
    expect_added(page, "2503")

    scripts = [sent.url for sent in requests if sent.resource_type == "script" and sent.frame == page.main_frame]
    outside = {urlsplit(url).hostname for url in scripts} - {"127.0.0.1"}
    assert outside == HOSTS[gateway]
    rows = listed_sources("script", "card", cards=[gateway])
    where = {"portal": demo.url, "provider": demo.sandbox_url}
    assert [url for url in scripts if not any(row.covers(url, **where) for row in rows)] == []
    search.assert_no_card_data(codes=[CODE])
