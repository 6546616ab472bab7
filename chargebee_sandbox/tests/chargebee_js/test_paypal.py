"""PayPal's button and page in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Request, expect

from chargebee_sandbox.tests.chargebee_js.merchant import Merchant
from chargebee_sandbox.tests.support.site_driver import SiteDriver, expect_refusal

HOSTS = (
    *("www.paypal.localhost", "www.paypalobjects.localhost", "js.braintreegateway.localhost"),
    *("js.stripe.localhost", "hooks.stripe.localhost", "api.stripe.localhost"),
    *("songbird.cardinalcommerce.localhost", "centinelapi.cardinalcommerce.localhost"),
)

Press = Callable[[], Page]


def create_intent(shop: SiteDriver, **more: str) -> str:
    """Create an intent for a PayPal payment of a new customer, and return its id."""
    shop.add_customer(card=None)
    owner = {"customer_id": "ava", "payment_method_type": "paypal_express_checkout"}
    params = {**owner, "amount": 699, "currency_code": "USD", **more}
    return str(shop.client.PaymentIntent.create(params).payment_intent.id)


def mount_button(page: Page, merchant: Merchant, intent: str, flags: str = "paypal") -> None:
    """Open the merchant's page, whose policy depends on the flags, and mount PayPal's button."""
    page.goto(f"{merchant.origin}/on-host.js?{flags}")
    page.wait_for_function("() => window.Chargebee?.getInstance")
    page.evaluate("(id) => window.mountPayPal(id)", intent)


def press_button(page: Page) -> Page:
    """Click PayPal's button and return PayPal's window."""
    with page.context.expect_page() as opened:
        page.frame_locator("iframe[title=PayPal]").get_by_role("button", name="PayPal").click()
    return opened.value


@pytest.fixture
def intent(shop: SiteDriver) -> str:
    return create_intent(shop)


@pytest.fixture
def press(page: Page, merchant: Merchant, intent: str, complaints: list[str]) -> Press:
    mount_button(page, merchant, intent)

    return lambda: press_button(page)


def reported_types(page: Page) -> list[str]:
    types: list[str] = page.evaluate("() => window.told.map(({ type }) => type)")
    return types


def test_agreeing_authorizes_the_intent(
    press: Press, page: Page, intent: str, shop: SiteDriver, complaints: list[str]
) -> None:
    window = press()
    expect(window.get_by_text("6.99 USD")).to_be_visible()
    window.get_by_label("PayPal e-mail address").fill("ava@paypal.example")
    window.get_by_role("button", name="Agree and continue").click()

    expect(page.locator("output")).to_have_text("authorized")
    assert reported_types(page) == ["click", "success"]
    assert shop.client.PaymentIntent.retrieve(intent).payment_intent.status == "authorized"
    added = {"customer_id": "ava", "payment_intent": {"id": intent}}
    source = shop.client.PaymentSource.create_using_payment_intent(added).payment_source
    assert (source.type, source.paypal.email) == ("paypal_express_checkout", "ava@paypal.example")
    assert source.paypal.agreement_id.startswith("B-")
    assert complaints == []


def test_a_canceled_payment_can_be_tried_again(press: Press, page: Page, intent: str, shop: SiteDriver) -> None:
    press().get_by_role("button", name="Cancel and return").click()
    expect(page.locator("output")).to_have_text("paymentCancelled: The payer cancelled.")
    assert shop.client.PaymentIntent.retrieve(intent).payment_intent.status == "inited"

    page.evaluate("() => window.payAgain()")
    press().get_by_role("button", name="Agree and continue").click()
    expect(page.locator("output")).to_have_text("authorized")
    assert reported_types(page) == ["click", "cancel", "click", "success"]


def test_closing_the_window_cancels_the_payment(press: Press, page: Page) -> None:
    window = press()
    window.get_by_role("heading", name="Pay with PayPal").wait_for()
    window.close(run_before_unload=True)

    expect(page.locator("output")).to_have_text("paymentCancelled: The payer cancelled.")


def test_a_failed_payment_is_reported_and_adds_nothing(press: Press, page: Page, intent: str, shop: SiteDriver) -> None:
    press().get_by_role("button", name="Let the payment fail").click()

    words = "PayPal could not take a payment from this account"
    expect(page.locator("output")).to_have_text(f"paymentFailed: {words}")
    failed = shop.client.PaymentIntent.retrieve(intent).payment_intent
    assert (failed.status, failed.active_payment_attempt.status) == ("in_progress", "refused")
    with expect_refusal(400, "payment_intent_invalid"):
        added = {"customer_id": "ava", "payment_intent": {"id": intent}}
        shop.client.PaymentSource.create_using_payment_intent(added)


def test_a_used_intent_cannot_be_started(page: Page, merchant: Merchant, intent: str, shop: SiteDriver) -> None:
    shop.travel_to(2026, 3, 11)
    mount_button(page, merchant, intent)

    expect(page.locator("output")).to_have_text(
        "invalid_state_for_request: The payment intent cannot be paid with PayPal now"
    )
    assert reported_types(page) == ["error"]


PAYPAL_SDK = "http://www.paypal.localhost/sdk/js"
BRAINTREE = "http://js.braintreegateway.localhost/web/3.136.0/js"


@pytest.mark.parametrize(
    ("account", "gateway", "flags", "scripts"),
    [
        ("gw_paypal", "paypal", "paypal", [PAYPAL_SDK]),
        (
            "gw_paypal_express",
            "paypal_express_checkout",
            "paypal",
            ["http://www.paypalobjects.localhost/api/checkout.min.js"],
        ),
        (
            "gw_braintree",
            "braintree",
            "paypal-braintree",
            [f"{BRAINTREE}/client.min.js", f"{BRAINTREE}/paypal-checkout.min.js", PAYPAL_SDK],
        ),
    ],
)
def test_each_gateway_adds_its_own_scripts_to_the_page(
    page: Page,
    merchant: Merchant,
    shop: SiteDriver,
    complaints: list[str],
    account: str,
    gateway: str,
    flags: str,
    scripts: list[str],
) -> None:
    intent = create_intent(shop, gateway_account_id=account)
    requests: list[Request] = []
    page.on("request", lambda request: requests.append(request))  # noqa: PLW0108  (playwright marks it)
    mount_button(page, merchant, intent, flags)
    press_button(page).get_by_role("button", name="Agree and continue").click()

    expect(page.locator("output")).to_have_text("authorized")
    own = [request for request in requests if request.resource_type == "script" and request.frame == page.main_frame]
    added = [url for url in map(without_port, own) if "localhost/" in url]
    assert added == scripts
    source = shop.client.PaymentSource.create_using_payment_intent(
        {"customer_id": "ava", "payment_intent": {"id": intent}}
    ).payment_source
    assert (source.gateway, source.gateway_account_id) == (gateway, account)
    assert complaints == []


def without_port(request: Request) -> str:
    """Return the URL of a request without its port and query."""
    url = urlsplit(request.url)
    return f"{url.scheme}://{url.hostname}{url.path}"


def test_a_page_whose_policy_allows_the_provider_alone_gets_no_button(
    page: Page, merchant: Merchant, intent: str, complaints: list[str]
) -> None:
    mount_button(page, merchant, intent, "paypal-blocked")

    words = "A script of the payment service could not be loaded."
    expect(page.locator("output")).to_have_text(f"scriptNotLoaded: {words}")
    expect(page.locator("iframe[title=PayPal]")).to_have_count(0)
    assert "script-src" in complaints[0]


def test_the_buttons_style_has_the_pages_nonce(page: Page, merchant: Merchant, intent: str) -> None:
    mount_button(page, merchant, intent)
    frame = page.locator("iframe[title=PayPal]")
    expect(frame).to_have_css("height", "44px")

    mount_button(page, merchant, intent, "paypal-without-nonce")
    expect(frame).to_be_visible()
    expect(frame).not_to_have_css("height", "44px")


def test_a_page_that_severs_its_windows_cannot_use_paypal(page: Page, merchant: Merchant, intent: str) -> None:
    mount_button(page, merchant, intent, "paypal-isolated")
    page.frame_locator("iframe[title=PayPal]").get_by_role("button", name="PayPal").click()

    expect(page.locator("output")).to_have_text("paymentFailed: PayPal could not open its window.")


def test_the_hosts_of_payment_services_serve_nothing_else(page: Page, provider: Any) -> None:
    """The inbox and the API must not be readable under a name that pages allow scripts from."""
    port = provider.url.rpartition(":")[2]
    for name in HOSTS:
        for path in ("", "inbox", "v2/chargebee.js", "api/v2/customers"):
            answer = page.goto(f"http://{name}:{port}/{path}")
            assert answer is not None
            assert answer.status == 404
    elsewhere = page.goto(f"{provider.url}/sdk/js?client-id=x")
    assert elsewhere is not None
    assert elsewhere.status == 404
