"""3-D Secure in a real browser: the issuer's page in a frame of its own origin, under the portal's policy."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import FrameLocator, Page, Request, expect

from chargebee_sandbox.tests.chargebee_js.card_form import CardForm
from chargebee_sandbox.tests.chargebee_js.merchant import Merchant
from chargebee_sandbox.tests.support.hosted_fields import (
    ALWAYS_AUTHENTICATED_CARD,
    CHALLENGE_CARD,
    FRICTIONLESS_CARD,
    ISSUER_REFUSES_CARD,
    Payer,
)
from chargebee_sandbox.tests.support.site_driver import SiteDriver


@pytest.fixture
def form(page: Page, merchant: Merchant, shop: SiteDriver) -> CardForm:
    page.clock.install()
    shop.add_customer(card=None)
    return CardForm(page, merchant.origin).open_page()


def create_intent(shop: SiteDriver, *, amount: int = 0, **more: Any) -> str:
    params = {"customer_id": "ava", "amount": amount, "currency_code": "USD", **more}
    return str(shop.client.PaymentIntent.create(params).payment_intent.id)


def begin_authorization(form: CardForm, intent: str, number: str) -> None:
    """Type a card and let the page authorize an intent with it."""
    form.type_card(number)
    form.page.evaluate("(id) => { window.authorizeCard(id); }", intent)


# The scripts that a gateway adds to the merchant's page, and the host that sends its frame to the issuer.
STRIPE = (["http://js.stripe.localhost/v3/"], "hooks.stripe.localhost")
BRAINTREE = (
    [
        *(
            f"http://js.braintreegateway.localhost/web/3.136.0/js/{name}.min.js"
            for name in ("client", "three-d-secure")
        ),
        "http://songbird.cardinalcommerce.localhost/edge/v1/songbird.js",
    ],
    "centinelapi.cardinalcommerce.localhost",
)
GATEWAYS = pytest.mark.parametrize("gateway", ["stripe", "braintree"])


def issuer_page(page: Page) -> FrameLocator:
    """Return the issuer's page once it is shown."""
    expect(page.locator('iframe[title="Bank authentication"]')).to_be_visible()
    return page.frame_locator('iframe[title="Bank authentication"]')


def reported_types(page: Page) -> list[str]:
    """Return the callbacks that were called."""
    kinds: list[str] = page.evaluate("() => window.told.filter((event) => event.status).map(({ type }) => type)")
    return kinds


def test_an_issuer_that_asks_nothing_shows_no_frame(form: CardForm, shop: SiteDriver, complaints: list[str]) -> None:
    intent = create_intent(shop)
    begin_authorization(form, intent, FRICTIONLESS_CARD)

    expect(form.page.locator("output")).to_have_text("authorized")
    assert reported_types(form.page) == ["success"]
    assert complaints == []


def test_a_passed_challenge_authorizes_the_intent(form: CardForm, shop: SiteDriver, complaints: list[str]) -> None:
    intent = create_intent(shop)
    begin_authorization(form, intent, CHALLENGE_CARD)
    issuer = issuer_page(form.page)
    expect(issuer.get_by_text("save your card ending in 2503")).to_be_visible()
    frames = [frame.url for frame in form.page.frames]
    assert any(re.match(r"http://issuer\.localhost:\d+/", url) for url in frames)
    issuer.get_by_role("button", name="Confirm").click()

    expect(form.page.locator("output")).to_have_text("authorized")
    expect(form.page.locator("dialog")).to_have_count(0)
    assert reported_types(form.page) == ["challenge", "success"]
    assert shop.client.PaymentIntent.retrieve(intent).payment_intent.status == "authorized"
    assert complaints == []


@pytest.mark.parametrize(
    ("choice", "name"),
    [
        ("Fail the check", "authentication_failed"),
        ("Cancel", "authentication_cancelled"),
        ("Let the time run out", "authentication_timeout"),
    ],
)
def test_a_challenge_that_is_not_passed_is_reported_and_can_be_repeated(
    form: CardForm, shop: SiteDriver, choice: str, name: str
) -> None:
    intent = create_intent(shop)
    begin_authorization(form, intent, CHALLENGE_CARD)
    issuer_page(form.page).get_by_role("button", name=choice).click()
    expect(form.page.locator("output")).to_have_text(re.compile(rf"^{name}: "))
    assert reported_types(form.page) == ["challenge", "error"]

    form.page.evaluate("(id) => { window.authorizeCard(id); }", intent)
    issuer_page(form.page).get_by_role("button", name="Confirm").click()
    expect(form.page.locator("output")).to_have_text("authorized")


def test_a_payer_can_close_the_issuers_page(form: CardForm, shop: SiteDriver) -> None:
    begin_authorization(form, create_intent(shop), CHALLENGE_CARD)
    expect(issuer_page(form.page).get_by_role("button", name="Confirm")).to_be_visible()
    form.page.locator("dialog").evaluate("(dialog) => dialog.dispatchEvent(new Event('cancel'))")

    expect(form.page.locator("output")).to_have_text(re.compile("^authentication_cancelled: "))
    expect(form.page.locator("dialog")).to_have_count(0)


def test_a_challenge_times_out_after_five_minutes(form: CardForm, shop: SiteDriver) -> None:
    begin_authorization(form, create_intent(shop), CHALLENGE_CARD)
    expect(issuer_page(form.page).get_by_role("button", name="Confirm")).to_be_visible()
    form.page.clock.fast_forward("04:50")
    expect(form.page.locator("dialog")).to_be_visible()
    form.page.clock.fast_forward("00:11")

    expect(form.page.locator("output")).to_have_text(re.compile("^authentication_timeout: "))


def test_an_issuer_can_refuse_without_a_challenge(form: CardForm, shop: SiteDriver) -> None:
    begin_authorization(form, create_intent(shop), ISSUER_REFUSES_CARD)

    expect(form.page.locator("output")).to_have_text(re.compile("^authentication_failed: "))
    assert reported_types(form.page) == ["error"]


def test_a_stored_card_is_authenticated_without_its_number(
    form: CardForm, shop: SiteDriver, complaints: list[str]
) -> None:
    payer = Payer(shop.sandbox.url)
    saved = payer.authorize_card(create_intent(shop), ALWAYS_AUTHENTICATED_CARD)
    added = {"customer_id": "ava", "payment_intent": {"id": saved}}
    source = shop.client.PaymentSource.create_using_payment_intent(added).payment_source
    intent = create_intent(shop, amount=699, reference_id=source.reference_id)
    form.page.evaluate("(id) => { window.authorizeStoredCard(id); }", intent)
    issuer = issuer_page(form.page)
    expect(issuer.get_by_text("charge 6.99 USD to your card ending in 3184")).to_be_visible()
    issuer.get_by_role("button", name="Confirm").click()

    expect(form.page.locator("output")).to_have_text("authorized")
    assert complaints == []


def open_form_with(gateway: str, form: CardForm, shop: SiteDriver, flags: str | None = None) -> list[Request]:
    """Open the form at a site with this gateway; return the page's requests, which grow."""
    shop.sandbox.configure_site(card_gateway=gateway)
    requests: list[Request] = []
    form.page.on("request", lambda request: requests.append(request))  # noqa: PLW0108  (playwright marks it)
    form.open_page(gateway if flags is None else flags)
    return requests


def without_port(request: Request) -> str:
    """Return the URL of a request without its port and query."""
    url = urlsplit(request.url)
    return f"{url.scheme}://{url.hostname}{url.path}"


@pytest.mark.parametrize(("gateway", "expected"), [("stripe", STRIPE), ("braintree", BRAINTREE)])
def test_a_gateway_authenticates_with_scripts_of_its_own(
    form: CardForm, shop: SiteDriver, complaints: list[str], gateway: str, expected: tuple[list[str], str]
) -> None:
    requests = open_form_with(gateway, form, shop)
    intent = create_intent(shop)
    begin_authorization(form, intent, CHALLENGE_CARD)
    issuer_page(form.page).get_by_role("button", name="Confirm").click()
    expect(form.page.locator("output")).to_have_text("authorized")

    scripts, opener = expected
    in_page = [request for request in requests if request.frame == form.page.main_frame]
    own = [without_port(request) for request in in_page if request.resource_type == "script"]
    assert [url for url in own if ".localhost/" in url] == scripts
    hosts = {urlsplit(request.url).hostname for request in requests if request.frame != form.page.main_frame}
    assert opener in hosts
    assert reported_types(form.page) == ["challenge", "success"]
    assert shop.client.PaymentIntent.retrieve(intent).payment_intent.gateway == gateway
    assert complaints == []


@GATEWAYS
def test_a_gateway_asks_nothing_if_the_issuer_does_not(
    form: CardForm, shop: SiteDriver, complaints: list[str], gateway: str
) -> None:
    open_form_with(gateway, form, shop)
    begin_authorization(form, create_intent(shop), FRICTIONLESS_CARD)

    expect(form.page.locator("output")).to_have_text("authorized")
    assert reported_types(form.page) == ["success"]
    assert complaints == []


@GATEWAYS
def test_a_gateways_challenge_can_fail_be_left_or_time_out(form: CardForm, shop: SiteDriver, gateway: str) -> None:
    open_form_with(gateway, form, shop)
    intent = create_intent(shop)
    output = form.page.locator("output")
    begin_authorization(form, intent, CHALLENGE_CARD)
    issuer_page(form.page).get_by_role("button", name="Fail the check").click()
    expect(output).to_have_text(re.compile("^authentication_failed: "))

    form.page.evaluate("(id) => { window.authorizeCard(id); }", intent)
    expect(issuer_page(form.page).get_by_role("button", name="Confirm")).to_be_visible()
    form.page.locator("dialog").evaluate("(dialog) => dialog.dispatchEvent(new Event('cancel'))")
    expect(output).to_have_text(re.compile("^authentication_cancelled: "))

    form.page.evaluate("(id) => { window.authorizeCard(id); }", intent)
    expect(issuer_page(form.page).get_by_role("button", name="Confirm")).to_be_visible()
    form.page.clock.fast_forward("05:01")
    expect(output).to_have_text(re.compile("^authentication_timeout: "))
    expect(form.page.locator("dialog")).to_have_count(0)


@GATEWAYS
def test_a_page_that_allows_the_provider_alone_cannot_authenticate_with_a_gateway(
    form: CardForm, shop: SiteDriver, complaints: list[str], gateway: str
) -> None:
    open_form_with(gateway, form, shop, flags="blocked")
    intent = create_intent(shop)
    begin_authorization(form, intent, FRICTIONLESS_CARD)

    expect(form.page.locator("output")).to_have_text(re.compile("A script of the payment service could not be loaded"))
    assert shop.client.PaymentIntent.retrieve(intent).payment_intent.status == "inited"
    assert "script-src" in complaints[0]
    complaints.clear()
