"""Payment intents for cards, and the issuers that authenticate their payers (3-D Secure), without a browser."""

from __future__ import annotations

from typing import Any

import pytest

from chargebee_sandbox.tests.support.hosted_fields import (
    ALWAYS_AUTHENTICATED_CARD,
    CHALLENGE_CARD,
    FRICTIONLESS_CARD,
    GOOD_CARD,
    ISSUER_REFUSES_CARD,
    Payer,
)
from chargebee_sandbox.tests.support.site_driver import (
    DECLINING_CARD,
    REFUSED_CARD,
    SiteDriver,
    expect_refusal,
)


@pytest.fixture
def payer(shop: SiteDriver) -> Payer:
    return Payer(shop.sandbox.url)


@pytest.fixture
def ava(shop: SiteDriver) -> str:
    return shop.add_customer(card=None)


def create_intent(shop: SiteDriver, *, amount: int = 0, **more: Any) -> str:
    params = {"customer_id": "ava", "amount": amount, "currency_code": "USD", "payment_method_type": "card", **more}
    return str(shop.client.PaymentIntent.create(params).payment_intent.id)


def read_intent(shop: SiteDriver, intent: str) -> Any:
    return shop.client.PaymentIntent.retrieve(intent).payment_intent


def save_card(shop: SiteDriver, intent: str) -> Any:
    params = {"customer_id": "ava", "payment_intent": {"id": intent}}
    return shop.client.PaymentSource.create_using_payment_intent(params).payment_source


@pytest.mark.parametrize("number", [GOOD_CARD, FRICTIONLESS_CARD])
def test_an_issuer_that_asks_nothing_authorizes_at_once(shop: SiteDriver, payer: Payer, ava: str, number: str):
    intent = create_intent(shop)
    assert payer.begin_card(intent, number)["status"] == "authorized"
    source = save_card(shop, intent)
    assert (source.card.last4, source.card.billing_zip, source.status) == (number[-4:], "37203", "valid")
    assert read_intent(shop, intent).status == "consumed"


def test_a_challenge_that_is_passed_authorizes_the_intent(shop: SiteDriver, payer: Payer, ava: str):
    intent = create_intent(shop)
    begun = payer.begin_card(intent, CHALLENGE_CARD)
    assert (begun["status"], begun["active_payment_attempt"]["status"]) == ("in_progress", "requires_challenge")
    with expect_refusal(400, "payment_intent_invalid"):
        save_card(shop, intent)
    payer.decide_challenge(begun)
    assert read_intent(shop, intent).status == "authorized"
    assert save_card(shop, intent).card.last4 == CHALLENGE_CARD[-4:]


@pytest.mark.parametrize(
    ("decision", "code"),
    [
        ("fail", "authentication_failed"),
        ("cancel", "authentication_cancelled"),
        ("expire", "authentication_timeout"),
    ],
)
def test_after_a_challenge_that_is_not_passed_the_payer_can_try_again(
    shop: SiteDriver, payer: Payer, ava: str, decision: str, code: str
):
    intent = create_intent(shop)
    begun = payer.begin_card(intent, CHALLENGE_CARD)
    payer.decide_challenge(begun, decision)
    payer.decide_challenge(begun)
    refused = read_intent(shop, intent)
    attempt = refused.active_payment_attempt
    assert (refused.status, attempt.status, attempt.error_code) == ("in_progress", "refused", code)
    with expect_refusal(400, "payment_intent_invalid"):
        save_card(shop, intent)
    payer.authorize_card(intent, CHALLENGE_CARD)
    assert save_card(shop, intent).status == "valid"


def test_an_abandoned_challenge_ends_with_the_next_attempt(shop: SiteDriver, payer: Payer, ava: str):
    intent = create_intent(shop)
    abandoned = payer.begin_card(intent, CHALLENGE_CARD)
    payer.authorize_card(intent, GOOD_CARD)
    payer.decide_challenge(abandoned, "fail")
    assert [attempt.status for attempt in read_intent(shop, intent).payment_attempts] == ["refused", "authorized"]
    assert save_card(shop, intent).card.last4 == GOOD_CARD[-4:]


def test_an_unanswered_challenge_expires_with_its_intent(shop: SiteDriver, payer: Payer, ava: str):
    intent = create_intent(shop)
    begun = payer.begin_card(intent, CHALLENGE_CARD)
    shop.travel_past(read_intent(shop, intent).expires_at)
    payer.decide_challenge(begun)
    assert read_intent(shop, intent).status == "expired"
    with expect_refusal(400, "payment_intent_invalid"):
        save_card(shop, intent)


@pytest.mark.parametrize(
    ("number", "amount", "code"),
    [
        (ISSUER_REFUSES_CARD, 0, "authentication_failed"),
        (REFUSED_CARD, 0, "3009"),
        (DECLINING_CARD, 699, "3001"),
    ],
)
def test_a_card_declined_by_its_issuer_or_the_gateway_is_not_authorized(
    shop: SiteDriver, payer: Payer, ava: str, number: str, amount: int, code: str
):
    intent = create_intent(shop, amount=amount)
    refused = payer.begin_card(intent, number)
    attempt = refused["active_payment_attempt"]
    assert (refused["status"], attempt["status"], attempt["error_code"]) == ("in_progress", "refused", code)
    with expect_refusal(400, "payment_intent_invalid"):
        save_card(shop, intent)


def test_a_card_whose_issuer_always_asks_declines_charges_without_its_payer(shop: SiteDriver, payer: Payer, ava: str):
    intent = payer.authorize_card(create_intent(shop), ALWAYS_AUTHENTICATED_CARD)
    assert save_card(shop, intent).status == "valid"
    with expect_refusal(400, "payment_processing_failed") as caught:
        shop.start_subscription(ava)
    assert "(2099) Cardholder Authentication Required" in str(caught.value)


def test_an_intent_of_a_stored_card_is_authorized_without_its_number(shop: SiteDriver, payer: Payer, ava: str):
    source = save_card(shop, payer.authorize_card(create_intent(shop), ALWAYS_AUTHENTICATED_CARD))
    intent = create_intent(shop, amount=699, reference_id=source.reference_id)
    begun = payer.begin_stored_card(intent)
    assert begun["active_payment_attempt"]["status"] == "requires_challenge"
    payer.decide_challenge(begun)
    assert read_intent(shop, intent).status == "authorized"


def test_an_intent_without_a_stored_card_of_its_customer_cannot_use_one(shop: SiteDriver, payer: Payer, ava: str):
    bens = shop.add_customer("ben")
    [source] = [entry.payment_source for entry in shop.client.PaymentSource.list({"customer_id": {"is": bens}}).list]
    intent = create_intent(shop, amount=699, reference_id=source.reference_id)
    with pytest.raises(AssertionError, match="resource_not_found"):
        payer.begin_stored_card(intent)
    assert read_intent(shop, intent).status == "inited"


def save_authenticated_card(shop: SiteDriver, payer: Payer) -> Any:
    """Save a card whose issuer declines every charge that its payer has not authenticated."""
    return save_card(shop, payer.authorize_card(create_intent(shop), ALWAYS_AUTHENTICATED_CARD))


def authorize_stored_card(shop: SiteDriver, payer: Payer, source: Any, amount: int) -> dict[str, str]:
    """Authorize an amount with a stored card, and return the intent as the operations that charge take it."""
    intent = create_intent(shop, amount=amount, reference_id=source.reference_id)
    payer.decide_challenge(payer.begin_stored_card(intent))
    return {"id": intent}


def list_charges(shop: SiteDriver) -> list[Any]:
    return [entry.transaction for entry in shop.client.Transaction.list({"customer_id": {"is": "ava"}}).list]


def test_an_authorized_intent_pays_all_due_invoices_in_one_charge(shop: SiteDriver, payer: Payer, ava: str):
    shop.add_card(ava, GOOD_CARD)
    subscriptions = [shop.start_subscription(ava) for _ in range(2)]
    source = save_authenticated_card(shop, payer)
    shop.client.Customer.assign_payment_role(ava, {"payment_source_id": source.id, "role": "primary"})
    shop.travel_past(subscriptions[0].current_term_end)
    due = [shop.list_invoices(subscription.id)[-1] for subscription in subscriptions]
    assert [invoice.status for invoice in due] == ["payment_due"] * 2
    charges = len(list_charges(shop))
    shares = [{"invoice_id": invoice.id, "allocation_amount": invoice.amount_due} for invoice in due]
    intent = authorize_stored_card(shop, payer, source, sum(share["allocation_amount"] for share in shares))

    answer = shop.client.Customer.collect_payment(ava, {"payment_intent": intent, "invoice_allocations": shares})

    payment = answer.transaction
    assert (payment.status, payment.three_d_secure, payment.payment_source_id) == ("success", True, source.id)
    assert [shop.client.Invoice.retrieve(invoice.id).invoice.status for invoice in due] == ["paid"] * 2
    assert len(list_charges(shop)) == charges + 1
    assert read_intent(shop, intent["id"]).status == "consumed"
    with expect_refusal(400, "payment_intent_invalid"):
        shop.start_subscription(ava, payment_intent=intent)


def test_a_charge_above_the_authorized_amount_is_refused(shop: SiteDriver, payer: Payer, ava: str):
    source = save_authenticated_card(shop, payer)
    intent = authorize_stored_card(shop, payer, source, 1)
    with expect_refusal(400, "payment_intent_invalid_amount"):
        shop.start_subscription(ava, payment_intent=intent)
    assert list_charges(shop) == []
    assert read_intent(shop, intent["id"]).status == "authorized"


def test_an_authorized_intent_pays_for_starting_changing_and_resuming(shop: SiteDriver, payer: Payer, ava: str):
    source = save_authenticated_card(shop, payer)
    begin = authorize_stored_card(shop, payer, source, 100_000)
    subscription = shop.start_subscription(ava, payment_intent=begin)
    assert subscription.status == "active"
    shop.client.Subscription.pause(subscription.id, {"pause_option": "immediately"})
    shop.travel_past(subscription.current_term_end)
    with expect_refusal(400, "payment_processing_failed"):
        shop.client.Subscription.resume(subscription.id, {"resume_option": "immediately"})
    again = authorize_stored_card(shop, payer, source, 100_000)
    resumed = shop.client.Subscription.resume(
        subscription.id, {"resume_option": "immediately", "payment_intent": again}
    ).subscription
    assert resumed.status == "active"
    assert [charge.three_d_secure for charge in list_charges(shop) if charge.status == "success"] == [True, True]
