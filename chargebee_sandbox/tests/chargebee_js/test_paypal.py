"""PayPal's button and page in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from chargebee_sandbox.tests.chargebee_js.merchant import Merchant
from chargebee_sandbox.tests.support.site_driver import SiteDriver, expect_refusal

Press = Callable[[], Page]


@pytest.fixture
def intent(shop: SiteDriver) -> str:
    shop.add_customer(card=None)
    params = {
        "customer_id": "ava",
        "amount": 699,
        "currency_code": "USD",
        "payment_method_type": "paypal_express_checkout",
    }
    return str(shop.client.PaymentIntent.create(params).payment_intent.id)


@pytest.fixture
def press(page: Page, merchant: Merchant, intent: str, complaints: list[str]) -> Press:
    page.goto(f"{merchant.origin}/on-host.js?paypal")
    page.wait_for_function("() => window.Chargebee?.getInstance")
    page.evaluate("(id) => window.mountPayPal(id)", intent)

    def press() -> Page:
        with page.context.expect_page() as opened:
            page.frame_locator("iframe[title=PayPal]").get_by_role("button", name="PayPal").click()
        return opened.value

    return press


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
    page.goto(f"{merchant.origin}/on-host.js?paypal")
    page.wait_for_function("() => window.Chargebee?.getInstance")
    page.evaluate("(id) => window.mountPayPal(id)", intent)

    expect(page.locator("output")).to_have_text(
        "invalid_state_for_request: The payment intent cannot be paid with PayPal now"
    )
    assert reported_types(page) == ["error"]
