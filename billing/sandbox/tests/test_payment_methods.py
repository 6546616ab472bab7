"""Adding, changing, ranking and removing payment methods, through the SDK; the payer's part without a browser."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import httpx
import pytest

from billing.sandbox.tests.shop import DECLINES, GOOD, REFUSED, Shop, refused, shown
from billing.tests.payer import SITE, Payer

DAY = 86_400
PAYPAL = {"amount": 699, "currency_code": "USD", "payment_method_type": "paypal_express_checkout"}


@pytest.fixture
def payer(shop: Shop) -> Payer:
    return Payer(shop.sandbox.url)


@pytest.fixture
def ava(shop: Shop) -> str:
    return shop.customer(card=None)


@pytest.fixture
def intent(shop: Shop, ava: str) -> str:
    return str(shop.client.PaymentIntent.create({"customer_id": ava, **PAYPAL}).payment_intent.id)


def add(shop: Shop, token: str, **more: Any) -> Any:
    return shop.client.PaymentSource.create_using_token({"customer_id": "ava", "token_id": token, **more})


def add_by_intent(shop: Shop, intent: str, customer: str = "ava") -> Any:
    asked = {"customer_id": customer, "payment_intent": {"id": intent}}
    return shop.client.PaymentSource.create_using_payment_intent(asked)


def sources(shop: Shop) -> list[Any]:
    return [entry.payment_source for entry in shop.client.PaymentSource.list({}).list]


def types_of_events(shop: Shop) -> list[str]:
    return [event.event_type for event in shop.events()]


def test_the_first_card_added_by_token_is_the_primary_one(shop: Shop, payer: Payer, ava: str):
    added = add(shop, payer.token())
    assert added.customer.primary_payment_source_id == added.payment_source.id
    assert added.payment_source.card.masked_number == "************1111"
    assert types_of_events(shop)[-4:] == [
        "token_created",
        "token_consumed",
        "payment_source_added",
        "card_added",
    ]


def test_another_card_takes_its_place_only_where_it_is_told_to(shop: Shop, payer: Payer, ava: str):
    first = add(shop, payer.token()).payment_source.id
    assert add(shop, payer.token()).customer.primary_payment_source_id == first
    third = add(shop, payer.token(), replace_primary_payment_source=True)
    assert third.customer.primary_payment_source_id == third.payment_source.id


def test_a_token_is_good_for_one_use(shop: Shop, payer: Payer, ava: str):
    token = payer.token()
    add(shop, token)
    with refused(400, "param_wrong_value") as caught:
        add(shop, token)
    assert caught.value.param == "token_id"
    assert len(sources(shop)) == 1


def test_a_token_expires_after_half_an_hour_of_the_sites_clock(shop: Shop, payer: Payer, ava: str):
    token = payer.token()
    shop.travel_past(shop.events()[-1].occurred_at, 30 * 60)
    with refused(400, "param_wrong_value"):
        add(shop, token)
    assert sources(shop) == []
    assert types_of_events(shop)[-1] == "token_expired"


def test_a_token_of_another_site_is_not_found(shop: Shop, ava: str):
    with refused(404, "resource_not_found") as caught:
        add(shop, "cb_token_of_another_site")
    assert caught.value.param == "token_id"


def test_a_card_that_is_refused_when_added_adds_nothing(shop: Shop, payer: Payer, ava: str):
    with refused(400, "payment_method_verification_failed") as caught:
        add(shop, payer.token(REFUSED))
    assert "(3009) Do not honour" in str(caught.value)
    assert sources(shop) == []


def test_a_card_that_declines_is_added_and_declines_later(shop: Shop, payer: Payer, ava: str):
    assert add(shop, payer.token(DECLINES)).payment_source.status == "valid"
    with refused(400, "payment_processing_failed"):
        shop.subscribe(ava)


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
def test_a_card_that_cannot_be_right_gets_no_token(payer: Payer, card: dict[str, str], code: str):
    answer = payer.sends_card("tokens", **card)
    assert (answer.status_code, answer.json()["error_code"]) == (400, code)
    assert card.get("number", GOOD) not in answer.text


@pytest.mark.parametrize(
    ("site", "headers", "status"),
    [
        ({**SITE, "key": "another"}, {}, 401),
        ({**SITE, "site": "another"}, {}, 404),
        (SITE, {"Origin": "https://evil.example"}, 403),
    ],
)
def test_only_the_sites_own_frames_get_tokens(
    payer: Payer, site: dict[str, str], headers: dict[str, str], status: int
):
    card = {"number": GOOD, "cvv": "123", "expiry_month": "8", "expiry_year": "2034"}
    answer = httpx.post(f"{payer.url}/v2/tokens", json={**site, "card": card}, headers=headers)
    assert answer.status_code == status


def test_no_number_and_no_code_is_kept_anywhere(shop: Shop, payer: Payer, ava: str):
    add(shop, payer.token(cvv="987"))
    folder = Path(shop.sandbox.log).parent
    with sqlite3.connect(folder / "sandbox.sqlite3") as database:
        rows = "\n".join(database.iterdump())
    assert "************1111" in rows
    assert [GOOD in rows, '"987"' in rows, "cvv" in rows] == [False] * 3
    assert GOOD not in Path(shop.sandbox.log).read_text()


def test_a_cards_owner_and_expiry_change_and_its_number_does_not(shop: Shop, payer: Payer, ava: str):
    source = add(shop, payer.token()).payment_source
    wanted = {"first_name": "Eva", "billing_state_code": "MA", "billing_zip": "", "expiry_year": 2035}
    changed = shop.client.PaymentSource.update_card(source.id, {"card": wanted}).payment_source
    assert shown(changed.card, ("first_name", "last_name", "billing_state_code", "billing_zip")) == {
        "first_name": "Eva",
        "last_name": "Thompson",
        "billing_state_code": "MA",
        "billing_zip": None,
    }
    assert (changed.card.expiry_month, changed.card.expiry_year, changed.card.last4) == (8, 2035, "1111")
    assert types_of_events(shop)[-2:] == ["payment_source_updated", "card_updated"]
    with refused(400, "param_wrong_value"):
        shop.client.PaymentSource.update_card(source.id, {"card": {"number": GOOD}})


def test_paypal_has_no_card_to_update(shop: Shop, payer: Payer, intent: str):
    payer.decides(payer.begins_paypal(intent), "agree")
    source = add_by_intent(shop, intent).payment_source
    with refused(400, "invalid_request"):
        shop.client.PaymentSource.update_card(source.id, {"card": {"first_name": "Eva"}})


def test_a_new_primary_displaces_the_old_and_leaves_the_backup(shop: Shop, payer: Payer, ava: str):
    first, second, third = (add(shop, payer.token()).payment_source.id for _time in range(3))
    assign = shop.client.Customer.assign_payment_role
    assign(ava, {"payment_source_id": second, "role": "backup"})
    customer = assign(ava, {"payment_source_id": third, "role": "primary"}).customer
    assert (customer.primary_payment_source_id, customer.backup_payment_source_id) == (third, second)
    assert types_of_events(shop)[-1] == "customer_changed"
    customer = assign(ava, {"payment_source_id": second, "role": "none"}).customer
    assert customer.backup_payment_source_id is None
    assign(ava, {"payment_source_id": first, "role": "backup"})
    customer = assign(ava, {"payment_source_id": first, "role": "primary"}).customer
    assert (customer.primary_payment_source_id, customer.backup_payment_source_id) == (first, None)


@pytest.mark.parametrize("role", ["primary", "backup", "none"])
def test_the_primary_source_takes_no_other_role(shop: Shop, payer: Payer, ava: str, role: str):
    source = add(shop, payer.token()).payment_source.id
    with refused(409, "invalid_state_for_request"):
        shop.client.Customer.assign_payment_role(ava, {"payment_source_id": source, "role": role})


def test_roles_go_to_the_customers_own_sources_only(shop: Shop, payer: Payer, ava: str):
    shop.customer("ben", card=None)
    _first, gone = (add(shop, payer.token()).payment_source.id for _time in range(2))
    with refused(404, "resource_not_found"):
        shop.client.Customer.assign_payment_role("ben", {"payment_source_id": gone, "role": "primary"})
    shop.client.PaymentSource.delete(gone)
    with refused(404, "resource_not_found"):
        shop.client.Customer.assign_payment_role(ava, {"payment_source_id": gone, "role": "primary"})


def test_dunning_charges_the_new_primary_and_the_backup_after_it(shop: Shop, payer: Payer, ava: str):
    bad = add(shop, payer.token()).payment_source.id
    subscription = shop.subscribe(ava)
    worse, good = (add(shop, payer.token(number)).payment_source.id for number in (DECLINES, GOOD))
    shop.client.PaymentSource.delete(bad)
    assign = shop.client.Customer.assign_payment_role
    assign(ava, {"payment_source_id": worse, "role": "primary"})
    shop.travel_past(subscription.current_term_end)
    assert shop.invoices(subscription.id)[-1].status == "payment_due"
    assign(ava, {"payment_source_id": good, "role": "primary"})
    shop.travel_past(subscription.current_term_end, DAY + 60)
    invoice = shop.invoices(subscription.id)[-1]
    payment = shop.client.Transaction.retrieve(invoice.linked_payments[-1].txn_id).transaction
    assert (invoice.status, invoice.dunning_status, payment.payment_source_id) == ("paid", "success", good)


def test_a_subscription_with_a_source_of_its_own_is_charged_to_that_until_it_is_said_no_more(
    shop: Shop, payer: Payer, ava: str
):
    first, second = (add(shop, payer.token()).payment_source.id for _time in range(2))
    subscription = shop.subscribe(ava)
    override = shop.client.Subscription.override_billing_profile

    answer = override(subscription.id, {"payment_source_id": second})
    assert answer.subscription.payment_source_id == answer.payment_source.id == second
    assert types_of_events(shop)[-1] == "subscription_changed"
    shop.travel_past(subscription.current_term_end)
    renewed = override(subscription.id, {"auto_collection": "on"}).subscription
    assert (renewed.payment_source_id, renewed.auto_collection) == (None, "on")
    shop.travel_past(renewed.current_term_end)
    override(subscription.id, {"payment_source_id": second, "auto_collection": "off"})
    plain = override(subscription.id, {}).subscription
    assert (plain.payment_source_id, plain.auto_collection) == (None, None)

    payments = [invoice.linked_payments[-1].txn_id for invoice in shop.invoices(subscription.id)]
    paid_by = [shop.client.Transaction.retrieve(one).transaction.payment_source_id for one in payments]
    assert paid_by == [first, second, first]


def test_a_subscription_is_charged_to_its_own_customers_sources_only(shop: Shop, payer: Payer, ava: str):
    shop.customer("ben")
    bens = shop.subscribe("ben").id
    avas, gone = (add(shop, payer.token()).payment_source.id for _time in range(2))
    shop.client.PaymentSource.delete(gone)
    for stranger in (avas, gone, "pm_nobody"):
        with refused(404, "resource_not_found"):
            shop.client.Subscription.override_billing_profile(bens, {"payment_source_id": stranger})


def test_a_deleted_primary_is_followed_by_the_backup_then_by_the_newest(shop: Shop, payer: Payer, ava: str):
    first, second, third = (add(shop, payer.token()).payment_source.id for _time in range(3))
    shop.client.Customer.assign_payment_role(ava, {"payment_source_id": second, "role": "backup"})
    followed = [shop.client.PaymentSource.delete(gone).customer for gone in (first, second, third)]
    assert [customer.primary_payment_source_id for customer in followed] == [second, third, None]
    assert [customer.backup_payment_source_id for customer in followed] == [None] * 3
    assert (followed[-1].auto_collection, followed[-1].card_status) == ("off", "no_card")
    assert add(shop, payer.token()).customer.auto_collection == "on"


def test_an_intent_is_authorised_by_its_payer_and_used_up_once(shop: Shop, payer: Payer, intent: str):
    with refused(400, "payment_intent_invalid"):
        add_by_intent(shop, intent)
    attempt = payer.begins_paypal(intent)
    assert shop.client.PaymentIntent.retrieve(intent).payment_intent.status == "in_progress"
    assert payer.decides(attempt, "agree") == "authorized"
    assert payer.decides(attempt, "cancel") == "authorized"
    source = add_by_intent(shop, intent).payment_source
    assert (source.type, source.paypal.email) == ("paypal_express_checkout", "ava@paypal.example")
    assert shop.client.PaymentIntent.retrieve(intent).payment_intent.status == "consumed"
    with refused(400, "payment_intent_invalid"):
        add_by_intent(shop, intent)
    assert len(sources(shop)) == 1


def test_an_intent_of_another_customer_adds_nothing(shop: Shop, payer: Payer, intent: str):
    shop.customer("ben", card=None)
    payer.decides(payer.begins_paypal(intent), "agree")
    with refused(400, "payment_intent_invalid"):
        add_by_intent(shop, intent, "ben")
    assert sources(shop) == []


@pytest.mark.parametrize("decision", ["agree", ""])
def test_an_intent_expires_after_half_an_hour(shop: Shop, payer: Payer, intent: str, decision: str):
    attempt = payer.begins_paypal(intent)
    payer.decides(attempt, decision)
    shop.travel_past(shop.client.PaymentIntent.retrieve(intent).payment_intent.expires_at)
    assert shop.client.PaymentIntent.retrieve(intent).payment_intent.status == "expired"
    assert payer.decides(attempt, "agree") == "over"
    with refused(400, "payment_intent_invalid"):
        add_by_intent(shop, intent)


def test_an_intent_is_changed_until_somebody_has_agreed_to_it(shop: Shop, payer: Payer, intent: str):
    changed = shop.client.PaymentIntent.update(intent, {"amount": 0}).payment_intent
    assert (changed.amount, changed.expires_at - changed.created_at) == (0, 1800)
    assert types_of_events(shop)[-2:] == ["payment_intent_created", "payment_intent_updated"]
    payer.decides(payer.begins_paypal(intent), "agree")
    with refused(409, "invalid_state_for_request"):
        shop.client.PaymentIntent.update(intent, {"amount": 100})


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"amount": -1}, "payment_intent_invalid_amount"),
        ({"currency_code": "XXX"}, "param_wrong_value"),
        ({"payment_method_type": "ideal"}, "param_wrong_value"),
        ({"gateway_account_id": "gw_elsewhere"}, "param_wrong_value"),
    ],
)
def test_an_intent_this_site_cannot_be_paid_by_is_refused(
    shop: Shop, ava: str, asked: dict[str, Any], code: str
):
    with refused(400, code):
        shop.client.PaymentIntent.create({"customer_id": ava, **PAYPAL, **asked})


def test_a_second_attempt_takes_the_place_of_the_first(shop: Shop, payer: Payer, intent: str):
    first, second = payer.begins_paypal(intent), payer.begins_paypal(intent)
    assert [payer.decides(attempt, "agree") for attempt in (first, second)] == ["over", "authorized"]
    attempts = shop.client.PaymentIntent.retrieve(intent).payment_intent.payment_attempts
    assert [attempt.status for attempt in attempts] == ["refused", "authorized"]
