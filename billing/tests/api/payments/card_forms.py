"""Requests of the payment screens, and the provider's state after them."""

from __future__ import annotations

from typing import Any

from billing.tests.api.browser import Browser
from billing.tests.api.synced_provider import SyncedProvider
from billing.tests.support.live_provider import FAITH
from chargebee_sandbox.tests.support.hosted_fields import Payer

PAYMENTS = "/api/payments/"
CHANGE = "/api/payments/updatePaymentSources"
INTENT = "/api/payments/paymentToken"
MASTERCARD = "5555555555554444"
AMEX = "378282246310005"
REFUSED_WHEN_ADDED = "4119862760338320"
OWNER = {"firstName": "Grace", "lastName": "Van Dyke", "billingState": "Ohio", "billingZip": "43004"}


def subscribe_in_euros(shop: SyncedProvider, customer: str) -> str:
    """Subscribe a customer to Faith & Family for 5 euros a month, as another checkout does; return the id."""
    price = {"id": "faith-eur", "name": "faith-eur", "item_id": FAITH, "pricing_model": "flat_fee", "price": 500}
    shop.client.ItemPrice.create({**price, "currency_code": "EUR", "period": 1, "period_unit": "month"})
    items = [{"item_price_id": "faith-eur", "quantity": 1}]
    return str(shop.client.Subscription.create_with_items(customer, {"subscription_items": items}).subscription.id)


def read_payment_methods(browser: Browser) -> dict[str, Any]:
    """Return the account's payment methods and amount due."""
    response = browser.get(PAYMENTS)
    assert response.status_code == 200, response.content
    body: dict[str, Any] = response.json()
    return body


def create_card_intent(browser: Browser) -> str:
    """Create an intent for saving a card, and return its id."""
    response = browser.post(INTENT, {"paymentsource": "CARD"})
    assert response.status_code == 200, response.content
    return str(response.json()["id"])


def authorize_card(browser: Browser, payer: Payer, number: str, **card: str) -> str:
    """Create an intent, have the payer authorize it with a card, and return its id."""
    return payer.authorize_card(create_card_intent(browser), number, **card)


def add_card(browser: Browser, intent: str, **more: Any) -> Any:
    """Add the card of an authorized intent."""
    return browser.post(CHANGE, {"operationType": "ADD", "paymentsource": "CARD", "token": intent, **OWNER, **more})


def change_source(browser: Browser, operation: str, source: str, **more: Any) -> Any:
    """Change one of the account's sources."""
    return browser.post(CHANGE, {"operationType": operation, "paymentSourceId": source, **more})


def provider_sources(shop: SyncedProvider, customer: str) -> dict[str, Any]:
    """Return a customer's sources at the provider, by last four digits or PayPal email."""
    page = shop.client.PaymentSource.list({"customer_id": {"is": customer}, "limit": 100})
    rows = [entry.payment_source.raw_data for entry in page.list]
    return {(row.get("card") or {}).get("last4") or row["paypal"]["email"]: row for row in rows}


def primary_source_id(shop: SyncedProvider, customer: str) -> str | None:
    """Return the id of the source that the provider charges first."""
    raw = shop.client.Customer.retrieve(customer).customer.raw_data
    handle: str | None = raw.get("primary_payment_source_id")
    return handle


def authorize_intent(browser: Browser, payer: Payer, decision: str = "agree") -> str:
    """Create an intent, have the payer decide on it at PayPal, and return its id."""
    response = browser.post(INTENT, {})
    assert response.status_code == 200, response.content
    intent = str(response.json()["id"])
    payer.decide_paypal(payer.begin_paypal(intent), decision)
    return intent
