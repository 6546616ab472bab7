"""Payment sources of other types than cards and PayPal, and cards that cannot be edited (docs/rules.md, rule 19)."""

from __future__ import annotations

from typing import Any

import pytest

from billing.tests.api.browser import Browser, is_refusal
from billing.tests.api.payments.card_forms import (
    CHANGE,
    MASTERCARD,
    OWNER,
    authorize_card,
    change_source,
    primary_source_id,
    read_payment_methods,
    subscribe_in_euros,
)
from billing.tests.api.synced_provider import SyncedProvider
from billing.tests.support.live_provider import FAITH
from chargebee_sandbox.tests.support.hosted_fields import Payer

pytestmark = pytest.mark.django_db

WALLET_CARD = {"last4": "4242", "brand": "visa", "expiry_month": 4, "expiry_year": 2031}


@pytest.fixture
def ava(shop: SyncedProvider) -> Browser:
    """Return Ava's browser; she has a plan and a Visa card."""
    account = shop.customer("ava")
    shop.subscribe("ava", FAITH)
    return Browser(account)


def add_source(shop: SyncedProvider, source_type: str, **more: Any) -> str:
    """Add a source of a type to Ava's customer, as another checkout does; return its id."""
    details = {"customer_id": "ava", "type": source_type, "reference_id": f"ref-{source_type}", **more}
    added = shop.client.PaymentSource.create_using_permanent_token(details)
    shop.import_customer("ava")
    return str(added.payment_source.id)


@pytest.mark.shows("rule-19")
def test_sources_of_every_type_are_shown_with_their_names(ava: Browser, shop: SyncedProvider) -> None:
    add_source(shop, "apple_pay", card=WALLET_CARD)
    for source_type in ("amazon_payments", "venmo", "direct_debit", "bancontact"):
        add_source(shop, source_type)
    body = read_payment_methods(ava)
    assert len(body["card"]) == 1
    assert {(row["type"], row["typeName"], row["brand"], row["account"]) for row in body["other"]} == {
        ("APPLE_PAY", "Apple Pay", "VISA", None),
        ("AMAZON_PAYMENTS", "Amazon Pay", "OTHER", "ava@example.com"),
        ("VENMO", "Venmo", "OTHER", "@ava"),
        ("DIRECT_DEBIT", "Bank account", "OTHER", "ending in 6789"),
        ("BANCONTACT", "Bancontact", "OTHER", None),
    }
    [wallet] = [row for row in body["other"] if row["type"] == "APPLE_PAY"]
    assert (wallet["maskedNumber"][-4:], wallet["expiryMonth"], wallet["expiryYear"]) == ("4242", 4, 2031)


@pytest.mark.shows("rule-19", "rule-11")
def test_a_wallet_can_be_made_the_default_and_removed(ava: Browser, shop: SyncedProvider) -> None:
    [card] = read_payment_methods(ava)["card"]
    wallet = add_source(shop, "google_pay", card=WALLET_CARD)
    body = change_source(ava, "SETPRIMARY", wallet, paymentsource="OTHER").json()
    assert [(row["primaryPaymentSource"], row["deletable"]) for row in body["other"]] == [(True, False)]
    assert primary_source_id(shop, "ava") == wallet
    change_source(ava, "SETPRIMARY", card["paymentSourceId"], paymentsource="CARD")
    assert change_source(ava, "DELETE", wallet, paymentsource="OTHER").json()["other"] == []


@pytest.mark.shows("rule-19")
def test_a_card_replaces_a_wallet_in_its_role(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    wallet = add_source(shop, "venmo", replace_primary_payment_source=True)
    token = authorize_card(ava, payer, MASTERCARD)
    body = change_source(ava, "UPDATE", wallet, paymentsource="CARD", token=token, **OWNER).json()
    assert body["other"] == []
    assert [(card["brand"], card["primaryPaymentSource"]) for card in body["card"]] == [
        ("VISA", False),
        ("MASTERCARD", True),
    ]


@pytest.mark.shows("rule-19")
def test_a_wallet_cannot_be_entered_or_edited_here(ava: Browser, shop: SyncedProvider) -> None:
    wallet = add_source(shop, "venmo")
    added = ava.post(CHANGE, {"operationType": "ADD", "paymentsource": "OTHER", "token": "x"})
    edited = change_source(ava, "UPDATE", wallet, paymentsource="CARD", **OWNER)
    assert [response.status_code for response in (added, edited)] == [400, 400]
    assert read_payment_methods(ava)["other"][0]["paymentSourceId"] == wallet


@pytest.mark.shows("rule-19")
def test_an_invoice_names_the_wallet_that_paid_it(ava: Browser, shop: SyncedProvider) -> None:
    add_source(shop, "apple_pay", card=WALLET_CARD, replace_primary_payment_source=True)
    shop.subscribe("ava", "gospel-tv-plan")
    newest = ava.get("/api/invoice/list").json()[0]
    names = ("paymentSourceType", "paymentSourceName", "cardBrand", "last4")
    assert tuple(newest[name] for name in names) == ("APPLE_PAY", "Apple Pay", "VISA", "4242")


@pytest.mark.shows("error-36", "rule-11")
def test_a_card_that_its_gateway_cannot_edit_is_refused_with_what_to_do(ava: Browser, shop: SyncedProvider) -> None:
    before = read_payment_methods(ava)
    shop.provider.sandbox.refuse_requests("/payment_sources/*/update_card")
    response = change_source(ava, "UPDATE", before["card"][0]["paymentSourceId"], paymentsource="CARD", **OWNER)
    assert is_refusal(response, 409, "card_not_editable")
    assert "replace it" in response.json()["message"]
    assert read_payment_methods(ava) == before


@pytest.mark.shows("money-3", "rule-10")
def test_dues_in_two_currencies_are_paid_one_after_the_other(ava: Browser, shop: SyncedProvider) -> None:
    euros = subscribe_in_euros(shop, "ava")
    shop.provider.add_card("ava", "4005519200000004")
    shop.pass_term_end("ava", euros, days=1)
    visa = next(card for card in read_payment_methods(ava)["card"] if card["maskedNumber"].endswith("1111"))
    seen = []
    for _ in range(2):
        body = read_payment_methods(ava)
        seen.append((body["amountDue"], body["currencyCode"]))
        change_source(ava, "SETPRIMARY", visa["paymentSourceId"], quote=body["quote"])
    assert sorted(seen) == [(500, "EUR"), (699, "USD")]
    assert read_payment_methods(ava)["amountDue"] == 0
