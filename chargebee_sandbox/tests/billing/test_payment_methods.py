"""Payment sources through the SDK, without a browser: adding, changing, roles, and deletion."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import httpx
import pytest

from chargebee_sandbox.tests.support.hosted_fields import SITE, Payer
from chargebee_sandbox.tests.support.site_driver import (
    DECLINING_CARD,
    GOOD_CARD,
    REFUSED_CARD,
    SiteDriver,
    attribute_values,
    expect_refusal,
)

DAY = 86_400
PAYPAL = {"amount": 699, "currency_code": "USD", "payment_method_type": "paypal_express_checkout"}


@pytest.fixture
def payer(shop: SiteDriver) -> Payer:
    return Payer(shop.sandbox.url)


@pytest.fixture
def ava(shop: SiteDriver) -> str:
    return shop.add_customer(card=None)


@pytest.fixture
def intent(shop: SiteDriver, ava: str) -> str:
    return str(shop.client.PaymentIntent.create({"customer_id": ava, **PAYPAL}).payment_intent.id)


def add_card_by_token(shop: SiteDriver, token: str, **more: Any) -> Any:
    return shop.client.PaymentSource.create_using_token({"customer_id": "ava", "token_id": token, **more})


def add_paypal_by_intent(shop: SiteDriver, intent: str, customer: str = "ava") -> Any:
    params = {"customer_id": customer, "payment_intent": {"id": intent}}
    return shop.client.PaymentSource.create_using_payment_intent(params)


def list_sources(shop: SiteDriver) -> list[Any]:
    return [entry.payment_source for entry in shop.client.PaymentSource.list({}).list]


def event_types(shop: SiteDriver) -> list[str]:
    return [event.event_type for event in shop.list_events()]


def test_the_first_card_added_by_token_is_the_primary_one(shop: SiteDriver, payer: Payer, ava: str):
    added = add_card_by_token(shop, payer.create_token())
    assert added.customer.primary_payment_source_id == added.payment_source.id
    assert added.payment_source.card.masked_number == "************1111"
    assert event_types(shop)[-4:] == [
        "token_created",
        "token_consumed",
        "payment_source_added",
        "card_added",
    ]


def test_another_card_becomes_primary_only_if_requested(shop: SiteDriver, payer: Payer, ava: str):
    first = add_card_by_token(shop, payer.create_token()).payment_source.id
    assert add_card_by_token(shop, payer.create_token()).customer.primary_payment_source_id == first
    third = add_card_by_token(shop, payer.create_token(), replace_primary_payment_source=True)
    assert third.customer.primary_payment_source_id == third.payment_source.id


def test_a_token_can_be_used_once(shop: SiteDriver, payer: Payer, ava: str):
    token = payer.create_token()
    add_card_by_token(shop, token)
    with expect_refusal(400, "param_wrong_value") as caught:
        add_card_by_token(shop, token)
    assert caught.value.param == "token_id"
    assert len(list_sources(shop)) == 1


def test_a_token_expires_after_half_an_hour_of_the_sites_clock(shop: SiteDriver, payer: Payer, ava: str):
    token = payer.create_token()
    shop.travel_past(shop.list_events()[-1].occurred_at, 30 * 60)
    with expect_refusal(400, "param_wrong_value"):
        add_card_by_token(shop, token)
    assert list_sources(shop) == []
    assert event_types(shop)[-1] == "token_expired"


def test_a_token_of_another_site_is_not_found(shop: SiteDriver, ava: str):
    with expect_refusal(404, "resource_not_found") as caught:
        add_card_by_token(shop, "cb_token_of_another_site")
    assert caught.value.param == "token_id"


def test_a_card_that_fails_verification_is_not_added(shop: SiteDriver, payer: Payer, ava: str):
    with expect_refusal(400, "payment_method_verification_failed") as caught:
        add_card_by_token(shop, payer.create_token(REFUSED_CARD))
    assert "(3009) Do not honour" in str(caught.value)
    assert list_sources(shop) == []


def test_a_declining_card_is_added_and_declines_later(shop: SiteDriver, payer: Payer, ava: str):
    assert add_card_by_token(shop, payer.create_token(DECLINING_CARD)).payment_source.status == "valid"
    with expect_refusal(400, "payment_processing_failed"):
        shop.start_subscription(ava)


@pytest.mark.parametrize(
    ("card", "code"),
    [
        ({"number": "4111111111111112"}, "cardNumberInvalid"),
        ({"number": "41111111"}, "cardNumberInvalid"),
        ({"expiry_year": "2020"}, "cardExpiryPast"),
        ({"cvv": "12"}, "cardCvvInvalid"),
        ({"number": "378282246310005"}, "cardCvvInvalid"),
        ({"expiry_month": "13"}, "param_wrong_value"),
    ],
)
def test_an_invalid_card_gets_no_token(payer: Payer, card: dict[str, str], code: str):
    answer = payer.send_card("tokens", **card)
    assert (answer.status_code, answer.json()["error_code"]) == (400, code)
    assert card.get("number", GOOD_CARD) not in answer.text


@pytest.mark.parametrize(
    ("site", "headers", "status"),
    [
        ({**SITE, "key": "another"}, {}, 401),
        ({**SITE, "site": "another"}, {}, 404),
        (SITE, {"Origin": "https://evil.example"}, 403),
    ],
)
def test_only_the_sites_own_frames_get_tokens(payer: Payer, site: dict[str, str], headers: dict[str, str], status: int):
    card = {"number": GOOD_CARD, "cvv": "123", "expiry_month": "8", "expiry_year": "2034"}
    answer = httpx.post(f"{payer.url}/v2/tokens", json={**site, "card": card}, headers=headers)
    assert answer.status_code == status


def test_no_card_number_or_code_is_stored(shop: SiteDriver, payer: Payer, ava: str):
    add_card_by_token(shop, payer.create_token(cvv="987"))
    folder = Path(shop.sandbox.log).parent
    with sqlite3.connect(folder / "sandbox.sqlite3") as database:
        rows = "\n".join(database.iterdump())
    assert "************1111" in rows
    assert [GOOD_CARD in rows, '"987"' in rows, "cvv" in rows] == [False] * 3
    assert GOOD_CARD not in Path(shop.sandbox.log).read_text()


def test_a_card_can_change_its_name_and_expiry_but_not_its_number(shop: SiteDriver, payer: Payer, ava: str):
    source = add_card_by_token(shop, payer.create_token()).payment_source
    card = {"first_name": "Eva", "billing_state_code": "MA", "billing_zip": "", "expiry_year": 2035}
    changed = shop.client.PaymentSource.update_card(source.id, {"card": card}).payment_source
    assert attribute_values(changed.card, ("first_name", "last_name", "billing_state_code", "billing_zip")) == {
        "first_name": "Eva",
        "last_name": "Thompson",
        "billing_state_code": "MA",
        "billing_zip": None,
    }
    assert (changed.card.expiry_month, changed.card.expiry_year, changed.card.last4) == (8, 2035, "1111")
    assert event_types(shop)[-2:] == ["payment_source_updated", "card_updated"]
    with expect_refusal(400, "param_wrong_value"):
        shop.client.PaymentSource.update_card(source.id, {"card": {"number": GOOD_CARD}})


def test_paypal_has_no_card_to_update(shop: SiteDriver, payer: Payer, intent: str):
    payer.decide_paypal(payer.begin_paypal(intent), "agree")
    source = add_paypal_by_intent(shop, intent).payment_source
    with expect_refusal(400, "invalid_request"):
        shop.client.PaymentSource.update_card(source.id, {"card": {"first_name": "Eva"}})


def test_a_new_primary_source_replaces_the_old_and_keeps_the_backup(shop: SiteDriver, payer: Payer, ava: str):
    first, second, third = (add_card_by_token(shop, payer.create_token()).payment_source.id for _time in range(3))
    assign = shop.client.Customer.assign_payment_role
    assign(ava, {"payment_source_id": second, "role": "backup"})
    customer = assign(ava, {"payment_source_id": third, "role": "primary"}).customer
    assert (customer.primary_payment_source_id, customer.backup_payment_source_id) == (third, second)
    assert event_types(shop)[-1] == "customer_changed"
    customer = assign(ava, {"payment_source_id": second, "role": "none"}).customer
    assert customer.backup_payment_source_id is None
    assign(ava, {"payment_source_id": first, "role": "backup"})
    customer = assign(ava, {"payment_source_id": first, "role": "primary"}).customer
    assert (customer.primary_payment_source_id, customer.backup_payment_source_id) == (first, None)


@pytest.mark.parametrize("role", ["primary", "backup", "none"])
def test_the_primary_source_cannot_have_another_role(shop: SiteDriver, payer: Payer, ava: str, role: str):
    source = add_card_by_token(shop, payer.create_token()).payment_source.id
    with expect_refusal(409, "invalid_state_for_request"):
        shop.client.Customer.assign_payment_role(ava, {"payment_source_id": source, "role": role})


def test_only_the_customers_own_sources_can_have_roles(shop: SiteDriver, payer: Payer, ava: str):
    shop.add_customer("ben", card=None)
    _first, gone = (add_card_by_token(shop, payer.create_token()).payment_source.id for _time in range(2))
    with expect_refusal(404, "resource_not_found"):
        shop.client.Customer.assign_payment_role("ben", {"payment_source_id": gone, "role": "primary"})
    shop.client.PaymentSource.delete(gone)
    with expect_refusal(404, "resource_not_found"):
        shop.client.Customer.assign_payment_role(ava, {"payment_source_id": gone, "role": "primary"})


def test_a_dunning_retry_charges_the_current_primary_source(shop: SiteDriver, payer: Payer, ava: str):
    bad = add_card_by_token(shop, payer.create_token()).payment_source.id
    subscription = shop.start_subscription(ava)
    worse, good = (
        add_card_by_token(shop, payer.create_token(number)).payment_source.id for number in (DECLINING_CARD, GOOD_CARD)
    )
    shop.client.PaymentSource.delete(bad)
    assign = shop.client.Customer.assign_payment_role
    assign(ava, {"payment_source_id": worse, "role": "primary"})
    shop.travel_past(subscription.current_term_end)
    assert shop.list_invoices(subscription.id)[-1].status == "payment_due"
    assign(ava, {"payment_source_id": good, "role": "primary"})
    shop.travel_past(subscription.current_term_end, DAY + 60)
    invoice = shop.list_invoices(subscription.id)[-1]
    payment = shop.client.Transaction.retrieve(invoice.linked_payments[-1].txn_id).transaction
    assert (invoice.status, invoice.dunning_status, payment.payment_source_id) == ("paid", "success", good)


def test_a_subscription_is_charged_to_its_own_source_until_it_is_removed(shop: SiteDriver, payer: Payer, ava: str):
    first, second = (add_card_by_token(shop, payer.create_token()).payment_source.id for _time in range(2))
    subscription = shop.start_subscription(ava)
    override = shop.client.Subscription.override_billing_profile

    answer = override(subscription.id, {"payment_source_id": second})
    assert answer.subscription.payment_source_id == answer.payment_source.id == second
    assert event_types(shop)[-1] == "subscription_changed"
    shop.travel_past(subscription.current_term_end)
    renewed = override(subscription.id, {"auto_collection": "on"}).subscription
    assert (renewed.payment_source_id, renewed.auto_collection) == (None, "on")
    shop.travel_past(renewed.current_term_end)
    override(subscription.id, {"payment_source_id": second, "auto_collection": "off"})
    plain = override(subscription.id, {}).subscription
    assert (plain.payment_source_id, plain.auto_collection) == (None, None)

    payments = [invoice.linked_payments[-1].txn_id for invoice in shop.list_invoices(subscription.id)]
    paid_by = [shop.client.Transaction.retrieve(source).transaction.payment_source_id for source in payments]
    assert paid_by == [first, second, first]


def test_a_subscription_cannot_use_the_source_of_another_customer(shop: SiteDriver, payer: Payer, ava: str):
    shop.add_customer("ben")
    bens = shop.start_subscription("ben").id
    avas, gone = (add_card_by_token(shop, payer.create_token()).payment_source.id for _time in range(2))
    shop.client.PaymentSource.delete(gone)
    for stranger in (avas, gone, "pm_nobody"):
        with expect_refusal(404, "resource_not_found"):
            shop.client.Subscription.override_billing_profile(bens, {"payment_source_id": stranger})


def test_the_backup_then_the_newest_source_replaces_a_deleted_primary(shop: SiteDriver, payer: Payer, ava: str):
    first, second, third = (add_card_by_token(shop, payer.create_token()).payment_source.id for _time in range(3))
    shop.client.Customer.assign_payment_role(ava, {"payment_source_id": second, "role": "backup"})
    followed = [shop.client.PaymentSource.delete(gone).customer for gone in (first, second, third)]
    assert [customer.primary_payment_source_id for customer in followed] == [second, third, None]
    assert [customer.backup_payment_source_id for customer in followed] == [None] * 3
    assert (followed[-1].auto_collection, followed[-1].card_status) == ("off", "no_card")
    assert add_card_by_token(shop, payer.create_token()).customer.auto_collection == "on"


def test_an_intent_is_authorized_by_its_payer_and_used_once(shop: SiteDriver, payer: Payer, intent: str):
    with expect_refusal(400, "payment_intent_invalid"):
        add_paypal_by_intent(shop, intent)
    attempt = payer.begin_paypal(intent)
    assert shop.client.PaymentIntent.retrieve(intent).payment_intent.status == "in_progress"
    assert payer.decide_paypal(attempt, "agree") == "authorized"
    assert payer.decide_paypal(attempt, "cancel") == "authorized"
    source = add_paypal_by_intent(shop, intent).payment_source
    assert (source.type, source.paypal.email) == ("paypal_express_checkout", "ava@paypal.example")
    assert shop.client.PaymentIntent.retrieve(intent).payment_intent.status == "consumed"
    with expect_refusal(400, "payment_intent_invalid"):
        add_paypal_by_intent(shop, intent)
    assert len(list_sources(shop)) == 1


def test_an_intent_of_another_customer_is_refused(shop: SiteDriver, payer: Payer, intent: str):
    shop.add_customer("ben", card=None)
    payer.decide_paypal(payer.begin_paypal(intent), "agree")
    with expect_refusal(400, "payment_intent_invalid"):
        add_paypal_by_intent(shop, intent, "ben")
    assert list_sources(shop) == []


@pytest.mark.parametrize("decision", ["agree", ""])
def test_an_intent_expires_after_half_an_hour(shop: SiteDriver, payer: Payer, intent: str, decision: str):
    attempt = payer.begin_paypal(intent)
    payer.decide_paypal(attempt, decision)
    shop.travel_past(shop.client.PaymentIntent.retrieve(intent).payment_intent.expires_at)
    assert shop.client.PaymentIntent.retrieve(intent).payment_intent.status == "expired"
    assert payer.decide_paypal(attempt, "agree") == "over"
    with expect_refusal(400, "payment_intent_invalid"):
        add_paypal_by_intent(shop, intent)


def test_an_intent_can_be_changed_until_it_is_authorized(shop: SiteDriver, payer: Payer, intent: str):
    changed = shop.client.PaymentIntent.update(intent, {"amount": 0}).payment_intent
    assert (changed.amount, changed.expires_at - changed.created_at) == (0, 1800)
    assert event_types(shop)[-2:] == ["payment_intent_created", "payment_intent_updated"]
    payer.decide_paypal(payer.begin_paypal(intent), "agree")
    with expect_refusal(409, "invalid_state_for_request"):
        shop.client.PaymentIntent.update(intent, {"amount": 100})


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"amount": -1}, "payment_intent_invalid_amount"),
        ({"currency_code": "XXX"}, "param_wrong_value"),
        ({"payment_method_type": "ideal"}, "param_wrong_value"),
        ({"gateway_account_id": "gw_elsewhere"}, "param_wrong_value"),
    ],
)
def test_an_unsupported_intent_is_refused(shop: SiteDriver, ava: str, params: dict[str, Any], code: str):
    with expect_refusal(400, code):
        shop.client.PaymentIntent.create({"customer_id": ava, **PAYPAL, **params})


def test_a_second_attempt_replaces_the_first(shop: SiteDriver, payer: Payer, intent: str):
    first, second = payer.begin_paypal(intent), payer.begin_paypal(intent)
    assert [payer.decide_paypal(attempt, "agree") for attempt in (first, second)] == ["over", "authorized"]
    attempts = shop.client.PaymentIntent.retrieve(intent).payment_intent.payment_attempts
    assert [attempt.status for attempt in attempts] == ["refused", "authorized"]


@pytest.mark.parametrize(("gateway", "can_update"), [("stripe", True), ("adyen", False)])
def test_only_some_gateways_can_change_a_card(shop: SiteDriver, gateway: str, can_update: bool):
    shop.sandbox.configure_site(card_gateway=gateway)
    source = shop.add_card(shop.add_customer(), GOOD_CARD)
    assert (source.gateway, shop.client.Card.retrieve(source.id).card.gateway) == (gateway, gateway)
    change = {"card": {"first_name": "Eva"}}
    if can_update:
        assert shop.client.PaymentSource.update_card(source.id, change).payment_source.card.first_name == "Eva"
        return
    with expect_refusal(400, "invalid_request"):
        shop.client.PaymentSource.update_card(source.id, change)


def test_a_gateways_temporary_token_adds_its_card(shop: SiteDriver, ava: str):
    token = {"customer_id": ava, "type": "card", "tmp_token": "tok_mastercard"}
    source = shop.client.PaymentSource.create_using_temp_token(token).payment_source
    assert (source.card.brand, source.card.last4) == ("mastercard", "4444")
    for tmp_token, code in (
        ("tok_none", "param_wrong_value"),
        ("tok_chargeDeclined", "payment_method_verification_failed"),
    ):
        with expect_refusal(400, code):
            shop.client.PaymentSource.create_using_temp_token({**token, "tmp_token": tmp_token})
