"""Strong authentication: cards are added, and due invoices paid, with intents that the payer has authorized."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from accounts.models import OutgoingMail
from billing.models import Command
from billing.tests.api.browser import Browser, is_refusal
from billing.tests.api.payments.card_forms import (
    CHANGE,
    INTENT,
    MASTERCARD,
    REFUSED_WHEN_ADDED,
    add_card,
    authorize_card,
    authorize_intent,
    change_source,
    create_card_intent,
    primary_source_id,
    provider_sources,
    read_payment_methods,
    subscribe_in_euros,
)
from billing.tests.api.synced_provider import SyncedProvider
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.live_provider import FAITH
from chargebee_sandbox.tests.support.hosted_fields import (
    ALWAYS_AUTHENTICATED_CARD,
    CHALLENGE_CARD,
    FRICTIONLESS_CARD,
    ISSUER_REFUSES_CARD,
    Payer,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def mia(shop: SyncedProvider, payer: Payer) -> Browser:
    """Return Mia's browser; her card's bank asks for every payment, and a renewal of $6.99 is due."""
    account = shop.customer("mia")
    subscription = shop.subscribe("mia", FAITH)
    browser = Browser(account)
    card = add_card(browser, authorize_card(browser, payer, ALWAYS_AUTHENTICATED_CARD)).json()["paymentSourceId"]
    assert change_source(browser, "SETPRIMARY", card).status_code == 200
    shop.pass_term_end("mia", subscription, days=1)
    return browser


def stored_card(browser: Browser, *, is_default: bool = True) -> str:
    """Return the id of the default card, or of the other one."""
    cards = read_payment_methods(browser)["card"]
    [found] = [card["paymentSourceId"] for card in cards if card["primaryPaymentSource"] == is_default]
    return str(found)


def begin_payment(browser: Browser, payer: Payer, source: str, **more: Any) -> dict[str, Any]:
    """Create an intent that pays what is due with a stored card, and begin to authorize it."""
    response = browser.post(INTENT, {"paymentsource": "CARD", "paymentSourceId": source, **more})
    assert response.status_code == 200, response.content
    return payer.begin_stored_card(response.json()["id"])


def authorize_payment(browser: Browser, payer: Payer, source: str) -> str:
    """Create an intent that pays what is due with a stored card, have its bank confirm it, and return its id."""
    intent = begin_payment(browser, payer, source)
    payer.decide_challenge(intent)
    return str(intent["id"])


def successful_charges(shop: SyncedProvider, customer: str) -> list[Any]:
    """Return a customer's successful charges at the provider, newest first."""
    page = shop.client.Transaction.list({"customer_id": {"is": customer}, "limit": 100})
    return [entry.transaction for entry in page.list if entry.transaction.status == "success"]


def test_a_card_that_was_not_authorized_changes_nothing(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    before = read_payment_methods(ava)
    challenged = payer.begin_card(create_card_intent(ava), CHALLENGE_CARD)
    payer.decide_challenge(challenged, "fail")
    intents = {
        "not begun": create_card_intent(ava),
        "declined": payer.begin_card(create_card_intent(ava), REFUSED_WHEN_ADDED)["id"],
        "refused by the issuer": payer.begin_card(create_card_intent(ava), ISSUER_REFUSES_CARD)["id"],
        "challenge failed": challenged["id"],
        "challenge abandoned": payer.begin_card(create_card_intent(ava), CHALLENGE_CARD)["id"],
        "for PayPal": authorize_intent(ava, payer),
        "unknown": "pi_no_such",
    }
    for reason, intent in intents.items():
        assert is_refusal(add_card(ava, intent), 400, "payment_method_invalid"), reason
    assert read_payment_methods(ava) == before
    assert list(provider_sources(shop, "ava")) == ["1111"]
    assert Command.objects.count() == 0


@pytest.mark.shows("rule-20")
@pytest.mark.parametrize("number", [FRICTIONLESS_CARD, CHALLENGE_CARD])
def test_a_card_that_its_bank_has_authenticated_is_added(
    ava: Browser, shop: SyncedProvider, payer: Payer, number: str
) -> None:
    assert add_card(ava, authorize_card(ava, payer, number)).status_code == 200
    assert sorted(provider_sources(shop, "ava")) == ["1111", number[-4:]]


@pytest.mark.shows("error-3", "rule-20")
def test_an_intent_works_once(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    intent = authorize_card(ava, payer, MASTERCARD)
    bob = Browser(shop.customer("bob"))
    assert is_refusal(add_card(bob, intent), 400, "payment_method_invalid")
    assert add_card(ava, intent).status_code == 200
    for browser in (ava, bob):
        assert is_refusal(add_card(browser, intent), 400, "payment_method_invalid")
    assert sorted(provider_sources(shop, "ava")) == ["1111", "4444"]
    assert list(provider_sources(shop, "bob")) == ["1111"]


@pytest.mark.shows("rule-20")
def test_an_intent_expires(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    intent = authorize_card(ava, payer, MASTERCARD)
    shop.provider.travel(minutes=31)
    assert is_refusal(add_card(ava, intent), 400, "payment_method_invalid")
    assert list(provider_sources(shop, "ava")) == ["1111"]


@pytest.mark.shows("rule-20")
def test_what_is_due_is_paid_once_after_the_bank_has_confirmed(
    mia: Browser, shop: SyncedProvider, payer: Payer
) -> None:
    card, before = stored_card(mia), len(successful_charges(shop, "mia"))
    declined = change_source(mia, "SETPRIMARY", card).json()
    assert (declined["collected"], declined["amountDue"]) == (0, 699)

    intent = authorize_payment(mia, payer, card)
    quote = read_payment_methods(mia)["quote"]
    body = change_source(mia, "SETPRIMARY", card, token=intent, quote=quote).json()

    assert (body["collected"], body["amountDue"]) == (699, 0)
    titles = [mail.context["title"] for mail in OutgoingMail.objects.order_by("-pk")[:2]]
    assert titles == ["Visa ending in 3184 paid what you owed", "Visa ending in 3184 was declined"]
    assert mia.get("/api/account").json()["hasPaymentFailure"] is False
    assert mia.get("/api/invoice/list").json()[0]["status"] == "PAID"
    charges = successful_charges(shop, "mia")
    assert (len(charges), charges[0].amount, charges[0].three_d_secure) == (before + 1, 699, True)
    assert shop.client.PaymentIntent.retrieve(intent).payment_intent.status == "consumed"
    assert is_refusal(change_source(mia, "SETPRIMARY", card, token=intent), 400, "payment_method_invalid")
    assert len(successful_charges(shop, "mia")) == before + 1


@pytest.mark.shows("rule-20", "money-3")
def test_what_is_due_in_euros_is_authorized_and_paid_in_euros(shop: SyncedProvider, payer: Payer) -> None:
    browser = Browser(shop.customer("ida"))
    card = add_card(browser, authorize_card(browser, payer, ALWAYS_AUTHENTICATED_CARD)).json()["paymentSourceId"]
    euros = subscribe_in_euros(shop, "ida")
    assert change_source(browser, "SETPRIMARY", card).status_code == 200
    shop.pass_term_end("ida", euros, days=1)

    intent = authorize_payment(browser, payer, card)
    body = change_source(browser, "SETPRIMARY", card, token=intent).json()

    assert (body["collected"], body["amountDue"]) == (500, 0)
    assert successful_charges(shop, "ida")[0].currency_code == "EUR"
    assert shop.client.PaymentIntent.retrieve(intent).payment_intent.currency_code == "EUR"


@pytest.mark.shows("rule-20")
def test_another_card_that_pays_with_an_authorized_intent_becomes_the_default(
    mia: Browser, shop: SyncedProvider, payer: Payer
) -> None:
    visa = stored_card(mia, is_default=False)
    intent = begin_payment(mia, payer, visa)
    assert intent["status"] == "authorized"
    assert change_source(mia, "SETPRIMARY", visa, token=intent["id"]).json()["collected"] == 699
    assert primary_source_id(shop, "mia") == visa


@pytest.mark.shows("error-3", "rule-20")
def test_a_payment_that_was_not_authorized_charges_nothing(mia: Browser, shop: SyncedProvider, payer: Payer) -> None:
    bob = Browser(shop.customer("bob"))
    card = stored_card(mia)
    visa = stored_card(mia, is_default=False)
    before = len(successful_charges(shop, "mia"))
    failed = begin_payment(mia, payer, card)
    payer.decide_challenge(failed, "fail")
    params = {"customer_id": "mia", "amount": 1, "currency_code": "USD"}
    smaller = shop.client.PaymentIntent.create(params).payment_intent.id
    intents = {
        "challenge failed": failed["id"],
        "challenge abandoned": begin_payment(mia, payer, card)["id"],
        "another card": begin_payment(mia, payer, visa)["id"],
        "another account's": authorize_card(bob, payer, MASTERCARD),
        "for saving a card": authorize_card(mia, payer, MASTERCARD),
        "another amount": payer.authorize_card(smaller, MASTERCARD),
        "unknown": "pi_no_such",
    }
    for reason, intent in intents.items():
        response = change_source(mia, "SETPRIMARY", card, token=intent)
        assert is_refusal(response, 400, "payment_method_invalid"), reason
    expired = authorize_payment(mia, payer, card)
    shop.provider.travel(minutes=31)
    assert is_refusal(change_source(mia, "SETPRIMARY", card, token=expired), 400, "payment_method_invalid")
    assert len(successful_charges(shop, "mia")) == before
    assert read_payment_methods(mia)["amountDue"] == 699


@pytest.mark.shows("rule-20", "error-18")
def test_an_intent_for_an_outdated_amount_is_not_created_and_charges_nothing(
    mia: Browser, shop: SyncedProvider, payer: Payer
) -> None:
    card = stored_card(mia)
    body = {"paymentsource": "CARD", "paymentSourceId": card, "quote": "an old one"}
    response = mia.post(INTENT, body)
    assert is_refusal(response, 409, "quote_changed")
    assert response.json()["amountDue"] == 699
    intent = authorize_payment(mia, payer, card)
    stale = change_source(mia, "SETPRIMARY", card, token=intent, quote="an old one")
    assert is_refusal(stale, 409, "quote_changed")
    assert shop.client.PaymentIntent.retrieve(intent).payment_intent.status == "authorized"


def test_an_intent_pays_only_with_a_card_of_the_account_and_what_is_due(
    ava: Browser, mia: Browser, shop: SyncedProvider, payer: Payer
) -> None:
    foreign = {"paymentsource": "CARD", "paymentSourceId": stored_card(mia)}
    assert is_refusal(ava.post(INTENT, foreign), 404, "not_found")
    nothing_due = {"paymentsource": "CARD", "paymentSourceId": stored_card(ava)}
    assert is_refusal(ava.post(INTENT, nothing_due), 409, "no_change")
    agreement = {"operationType": "ADD", "paymentsource": "PAYPAL", "token": authorize_intent(mia, payer)}
    paypal = mia.post("/api/payments/updatePaymentSources", agreement).json()["paymentSourceId"]
    refused = mia.post(INTENT, {"paymentsource": "PAYPAL", "paymentSourceId": paypal})
    assert is_refusal(refused, 400, "validation_error")


@pytest.mark.shows("rule-20", "error-33")
def test_a_retry_after_a_lost_response_charges_once(
    mia: Browser, shop: SyncedProvider, payer: Payer, faulty_proxy: FaultyProxy
) -> None:
    card, before = stored_card(mia), len(successful_charges(shop, "mia"))
    payment = {"operationType": "SETPRIMARY", "paymentSourceId": card, "token": authorize_payment(mia, payer, card)}
    headers = {"Idempotency-Key": "one"}
    faulty_proxy.lose_write(1)
    unconfirmed = mia.post(CHANGE, payment, headers=headers)
    assert is_refusal(unconfirmed, 503, "billing_unconfirmed")
    faulty_proxy.restore()
    Command.objects.update(next_attempt_at=timezone.now())
    confirmed = mia.post(CHANGE, payment, headers=headers)
    assert (confirmed.status_code, confirmed.json()["collected"], confirmed.json()["amountDue"]) == (200, 699, 0)
    assert len(successful_charges(shop, "mia")) == before + 1
