"""Payment methods over HTTP (docs/rules.md, rules 10 and 11)."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import OutgoingMail
from billing.models import Command
from billing.tests.api.browser import Browser, is_refusal
from billing.tests.api.payments.card_forms import (
    AMEX,
    CHANGE,
    INTENT,
    MASTERCARD,
    OWNER,
    REFUSED_WHEN_ADDED,
    add_card,
    authorize_card,
    authorize_intent,
    change_source,
    create_card_intent,
    primary_source_id,
    provider_sources,
    read_payment_methods,
)
from billing.tests.api.synced_provider import DECLINING_CARD, SyncedProvider
from billing.tests.support.live_provider import VISA_CARD
from chargebee_sandbox.tests.support.hosted_fields import Payer
from core.models import IdempotentRequest

pytestmark = pytest.mark.django_db


@pytest.mark.shows("data-3", "api-40")
def test_it_lists_masked_payment_methods(ava: Browser) -> None:
    body = read_payment_methods(ava)
    assert (body["paypal"], body["amountDue"]) == ([], 0)
    [card] = body["card"]
    assert set(card) == {
        "paymentSourceId",
        "type",
        "typeName",
        "account",
        "primaryPaymentSource",
        "deletable",
        "status",
        "brand",
        "maskedNumber",
        "firstName",
        "lastName",
        "expiryMonth",
        "expiryYear",
        "billingZip",
        "billingState",
        "email",
    }
    assert card["brand"] == "VISA"
    assert card["maskedNumber"].endswith("1111")
    assert VISA_CARD not in str(body)
    assert (card["primaryPaymentSource"], card["deletable"], card["status"]) == (True, False, "VALID")


@pytest.mark.shows("api-41")
def test_it_adds_a_card_that_is_not_the_default(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    before = primary_source_id(shop, "ava")
    response = add_card(ava, authorize_card(ava, payer, MASTERCARD))
    assert response.status_code == 200, response.content
    body = response.json()
    [_, added] = body["card"]
    assert (body["paymentSourceId"], body["collected"]) == (added["paymentSourceId"], 0)
    assert {name: added[name] for name in OWNER} == OWNER
    assert (added["brand"], added["primaryPaymentSource"], added["deletable"]) == ("MASTERCARD", False, True)
    assert primary_source_id(shop, "ava") == before
    assert provider_sources(shop, "ava")["4444"]["card"]["last_name"] == "Van Dyke"
    assert OutgoingMail.objects.filter(account__email="ava@example.com", kind="receipt").count() == 1


def test_the_first_method_becomes_the_default(shop: SyncedProvider, payer: Payer) -> None:
    ivy = Browser(shop.customer("ivy", card=None))
    body = add_card(ivy, authorize_card(ivy, payer, AMEX, cvv="1234")).json()
    [card] = body["card"]
    assert (card["brand"], card["primaryPaymentSource"], card["deletable"]) == (
        "AMERICAN_EXPRESS",
        True,
        True,
    )
    assert primary_source_id(shop, "ivy") == card["paymentSourceId"]


def test_a_card_that_the_provider_refuses_changes_nothing(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    before, intent = read_payment_methods(ava), authorize_card(ava, payer, MASTERCARD)
    path, code = "/payment_sources/create_using_payment_intent", "payment_processing_failed"
    shop.provider.sandbox.order_fault("error", path, status=400, api_error_code=code)
    assert is_refusal(add_card(ava, intent), 402, "payment_processing_failed")
    assert read_payment_methods(ava) == before


@pytest.mark.shows("rule-11", "api-41")
def test_a_new_number_replaces_the_old_card(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    [old] = read_payment_methods(ava)["card"]
    body = change_source(
        ava,
        "UPDATE",
        old["paymentSourceId"],
        paymentsource="CARD",
        token=authorize_card(ava, payer, MASTERCARD),
        **OWNER,
    ).json()
    [new] = body["card"]
    assert (new["brand"], new["primaryPaymentSource"]) == ("MASTERCARD", True)
    assert body["paymentSourceId"] == new["paymentSourceId"] != old["paymentSourceId"]
    assert list(provider_sources(shop, "ava")) == ["4444"]
    assert primary_source_id(shop, "ava") == new["paymentSourceId"]


def test_a_failed_update_keeps_the_old_card(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    before = read_payment_methods(ava)
    [old] = before["card"]
    for intent in (payer.begin_card(create_card_intent(ava), REFUSED_WHEN_ADDED)["id"], "pi_spent"):
        response = change_source(ava, "UPDATE", old["paymentSourceId"], paymentsource="CARD", token=intent, **OWNER)
        assert is_refusal(response, 400, "payment_method_invalid")
    assert read_payment_methods(ava) == before
    assert primary_source_id(shop, "ava") == old["paymentSourceId"]


@pytest.mark.shows("rule-11")
def test_name_state_and_zip_change_without_the_number(ava: Browser, shop: SyncedProvider) -> None:
    [old] = read_payment_methods(ava)["card"]
    body = change_source(ava, "UPDATE", old["paymentSourceId"], paymentsource="CARD", **OWNER).json()
    [card] = body["card"]
    assert {name: card[name] for name in OWNER} == OWNER
    assert (card["paymentSourceId"], card["maskedNumber"]) == (old["paymentSourceId"], old["maskedNumber"])
    assert provider_sources(shop, "ava")["1111"]["card"]["billing_zip"] == "43004"


@pytest.mark.shows("payment-4", "api-41")
def test_the_default_changes_at_once(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    added = add_card(ava, authorize_card(ava, payer, MASTERCARD)).json()["paymentSourceId"]
    body = change_source(ava, "SETPRIMARY", added, paymentsource="CARD").json()
    assert [card["primaryPaymentSource"] for card in body["card"]] == [False, True]
    assert [card["deletable"] for card in body["card"]] == [True, False]
    assert primary_source_id(shop, "ava") == added
    commands = Command.objects.count()
    assert change_source(ava, "SETPRIMARY", added).json()["card"] == body["card"]
    assert Command.objects.count() == commands


@pytest.mark.shows("error-16", "rule-11", "api-41")
def test_only_a_method_that_is_not_the_default_can_be_removed(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    added = add_card(ava, authorize_card(ava, payer, MASTERCARD)).json()["paymentSourceId"]
    [default, _] = read_payment_methods(ava)["card"]
    response = change_source(ava, "DELETE", default["paymentSourceId"])
    assert is_refusal(response, 409, "payment_method_in_use")
    body = change_source(ava, "DELETE", added).json()
    assert [card["paymentSourceId"] for card in body["card"]] == [default["paymentSourceId"]]
    assert body["paymentSourceId"] is None
    assert list(provider_sources(shop, "ava")) == ["1111"]
    assert change_source(ava, "DELETE", added).status_code == 404


def test_the_only_method_can_be_removed_without_an_active_plan(shop: SyncedProvider) -> None:
    hugo = Browser(shop.customer("hugo"))
    [only] = read_payment_methods(hugo)["card"]
    assert only["deletable"] is True
    assert change_source(hugo, "DELETE", only["paymentSourceId"]).json()["card"] == []
    assert provider_sources(shop, "hugo") == {}


def test_it_adds_paypal_with_an_authorized_intent(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    intent = authorize_intent(ava, payer)
    response = ava.post(CHANGE, {"operationType": "ADD", "paymentsource": "PAYPAL", "token": intent})
    assert response.status_code == 200, response.content
    [paypal] = response.json()["paypal"]
    assert (paypal["brand"], paypal["email"], paypal["maskedNumber"]) == (
        "PAYPAL",
        "ava@paypal.example",
        None,
    )
    assert "ava@paypal.example" in provider_sources(shop, "ava")
    again = ava.post(CHANGE, {"operationType": "ADD", "paymentsource": "PAYPAL", "token": intent})
    assert is_refusal(again, 400, "payment_method_invalid")


@pytest.mark.shows("request-1", "api-42")
def test_the_intent_is_returned_unchanged(ava: Browser, shop: SyncedProvider) -> None:
    for body, method in (({}, "paypal_express_checkout"), ({"paymentsource": "CARD"}, "card")):
        headers = {"Idempotency-Key": f"one-intent-{method}"}
        first, second = (ava.post(INTENT, body, headers=headers).json() for _ in range(2))
        assert first == second == shop.client.PaymentIntent.retrieve(first["id"]).payment_intent.raw_data
        assert (first["payment_method_type"], first["amount"], first["customer_id"]) == (method, 0, "ava")
    assert is_refusal(ava.post(INTENT, {"paymentsource": "BARTER"}), 400, "validation_error")


def test_it_refuses_an_intent_that_is_not_authorized(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    bob = Browser(shop.customer("bob"))
    intent_params = {"customer_id": "ava", "amount": 500, "currency_code": "USD"}
    nonzero_intent = shop.client.PaymentIntent.create(
        {**intent_params, "payment_method_type": "paypal_express_checkout"}
    )
    payer.decide_paypal(payer.begin_paypal(nonzero_intent.payment_intent.id), "agree")
    intents = {
        "not decided": str(ava.post(INTENT, {}).json()["id"]),
        "cancelled": authorize_intent(ava, payer, "cancel"),
        "another account's": authorize_intent(bob, payer),
        "of another amount": str(nonzero_intent.payment_intent.id),
        "unknown": "pi_no_such",
    }
    for reason, intent in intents.items():
        response = ava.post(CHANGE, {"operationType": "ADD", "paymentsource": "PAYPAL", "token": intent})
        assert is_refusal(response, 400, "payment_method_invalid"), reason
    assert list(provider_sources(shop, "ava")) == ["1111"]


@pytest.mark.shows("rule-10")
def test_a_working_card_collects_the_amount_due(finn: Browser, shop: SyncedProvider, payer: Payer) -> None:
    before = read_payment_methods(finn)
    assert before["amountDue"] == 699
    assert finn.get("/api/account").json()["hasPaymentFailure"] is True
    body = add_card(finn, authorize_card(finn, payer, MASTERCARD), quote=before["quote"]).json()
    assert (body["collected"], body["amountDue"]) == (699, 0)
    assert primary_source_id(shop, "finn") == body["paymentSourceId"]
    assert [card["primaryPaymentSource"] for card in body["card"]].index(True) == len(body["card"]) - 1
    assert finn.get("/api/account").json()["hasPaymentFailure"] is False
    assert finn.get("/api/invoice/list").json()[0]["status"] == "PAID"
    assert shop.invoices("finn")[0]["status"] == "paid"


@pytest.mark.shows("rule-10")
def test_a_declined_card_is_kept_and_the_amount_stays_due(finn: Browser, shop: SyncedProvider, payer: Payer) -> None:
    before = primary_source_id(shop, "finn")
    body = add_card(finn, authorize_card(finn, payer, DECLINING_CARD)).json()
    assert (body["collected"], body["amountDue"]) == (0, 699)
    kept = next(card for card in body["card"] if card["paymentSourceId"] == body["paymentSourceId"])
    assert (kept["maskedNumber"][-4:], kept["primaryPaymentSource"]) == ("0004", False)
    assert primary_source_id(shop, "finn") == before
    assert finn.get("/api/account").json()["hasPaymentFailure"] is True


@pytest.mark.shows("rule-10", "reliability-31")
def test_an_outdated_quote_collects_nothing(finn: Browser, shop: SyncedProvider, payer: Payer) -> None:
    response = add_card(finn, authorize_card(finn, payer, MASTERCARD), quote="an old one")
    assert is_refusal(response, 409, "quote_changed")
    assert response.json()["amountDue"] == 699
    assert shop.invoices("finn")[0]["status"] == "payment_due"


def test_updating_the_default_card_pays_the_amount_due(finn: Browser, shop: SyncedProvider, payer: Payer) -> None:
    [default] = [card for card in read_payment_methods(finn)["card"] if card["primaryPaymentSource"]]
    body = change_source(
        finn,
        "UPDATE",
        default["paymentSourceId"],
        paymentsource="CARD",
        token=authorize_card(finn, payer, MASTERCARD),
        **OWNER,
    ).json()
    assert (body["collected"], body["amountDue"]) == (699, 0)
    assert primary_source_id(shop, "finn") == body["paymentSourceId"]
    assert default["paymentSourceId"] not in [card["paymentSourceId"] for card in body["card"]]


def test_setting_the_default_method_pays_the_amount_due(finn: Browser, shop: SyncedProvider) -> None:
    visa = next(card for card in read_payment_methods(finn)["card"] if card["maskedNumber"].endswith("1111"))
    body = change_source(finn, "SETPRIMARY", visa["paymentSourceId"]).json()
    assert (body["collected"], body["amountDue"]) == (699, 0)
    assert shop.invoices("finn")[0]["status"] == "paid"


def test_the_receipt_of_a_payment_with_the_default_method_names_no_new_default(finn: Browser) -> None:
    [default] = [card for card in read_payment_methods(finn)["card"] if card["primaryPaymentSource"]]
    assert change_source(finn, "SETPRIMARY", default["paymentSourceId"]).json()["amountDue"] == 699
    declined = OutgoingMail.objects.latest("pk").context
    assert declined["title"] == "Visa ending in 0004 was declined"
    assert declined["lines"] == ["$6.99 is still due. We couldn't collect it."]


def test_a_method_of_another_account_is_not_found(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    bob = Browser(shop.customer("bob"))
    [foreign] = read_payment_methods(ava)["card"]
    token = authorize_card(bob, payer, MASTERCARD)
    calls = len(shop.provider.events("payment_source_added"))
    for operation in ("UPDATE", "DELETE", "SETPRIMARY"):
        response = change_source(bob, operation, foreign["paymentSourceId"], paymentsource="CARD", token=token, **OWNER)
        assert is_refusal(response, 404, "not_found")
        nonsense = change_source(bob, operation, foreign["paymentSourceId"], paymentsource="BARTER")
        assert is_refusal(nonsense, 404, "not_found")
    assert len(shop.provider.events("payment_source_added")) == calls
    assert read_payment_methods(ava)["card"] == [foreign]


@pytest.mark.shows("payment-13")
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "operationType"),
        ({"operationType": "PAY"}, "operationType"),
        ({"operationType": "ADD"}, "paymentsource"),
        ({"operationType": "ADD", "paymentsource": "PAYPAL"}, "token"),
        ({"operationType": "ADD", "paymentsource": "CARD", "token": "x"}, "billingZip"),
        ({"operationType": "ADD", "paymentsource": "CARD", **OWNER}, "token"),
        ({"operationType": "ADD", "paymentsource": "CARD", "token": "x" * 101, **OWNER}, "token"),
        (
            {"operationType": "ADD", "paymentsource": "CARD", "token": "x", **OWNER, "firstName": ""},
            "firstName",
        ),
        ({"operationType": "DELETE"}, "paymentSourceId"),
        ({"operationType": "SETPRIMARY", "paymentSourceId": None}, "paymentSourceId"),
    ],
)
def test_it_names_the_missing_or_invalid_field(ava: Browser, body: dict[str, Any], field: str) -> None:
    response = ava.post(CHANGE, body)
    assert is_refusal(response, 400, "validation_error")
    assert field in response.json()["fields"]
    assert Command.objects.count() == 0


def test_unknown_fields_are_ignored_and_not_stored(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    before = primary_source_id(shop, "ava")
    unknown_fields = {
        "amount": 1,
        "customerId": "bob",
        "replacePrimaryPaymentSource": True,
        "number": VISA_CARD,
        "cvv": "737",
        "isStaff": True,
    }
    response = ava.post(
        CHANGE,
        {
            "operationType": "ADD",
            "paymentsource": "CARD",
            "token": authorize_card(ava, payer, MASTERCARD),
            **OWNER,
            **unknown_fields,
        },
        headers={"Idempotency-Key": "one"},
    )
    assert response.status_code == 200, response.content
    assert primary_source_id(shop, "ava") == before
    rows = [*Command.objects.values(), *IdempotentRequest.objects.values(), *OutgoingMail.objects.values()]
    # The quotes match whole values: an id may contain the same three digits.
    assert [secret in str(rows) for secret in (VISA_CARD, MASTERCARD, "'737'", "'bob'")] == [False] * 4


@pytest.mark.shows("error-3")
@pytest.mark.parametrize("intent", ["pi/../../customers/ava", "..", "a b?c#d", "\u202e", "%2e%2e", "x" * 100])
def test_a_malformed_intent_is_refused(ava: Browser, intent: str) -> None:
    response = ava.post(CHANGE, {"operationType": "ADD", "paymentsource": "PAYPAL", "token": intent})
    assert is_refusal(response, 400, "payment_method_invalid")
    assert Command.objects.count() == 0


def test_a_new_paypal_agreement_replaces_the_old_one(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    intent = authorize_intent(ava, payer)
    old = ava.post(CHANGE, {"operationType": "ADD", "paymentsource": "PAYPAL", "token": intent}).json()
    change_source(ava, "SETPRIMARY", old["paymentSourceId"])
    spent = change_source(ava, "UPDATE", old["paymentSourceId"], paymentsource="PAYPAL", token=intent)
    assert is_refusal(spent, 400, "payment_method_invalid")
    new_agreement = {"paymentsource": "PAYPAL", "token": authorize_intent(ava, payer)}
    body = change_source(ava, "UPDATE", old["paymentSourceId"], **new_agreement).json()
    [paypal] = body["paypal"]
    assert paypal["paymentSourceId"] == body["paymentSourceId"] == primary_source_id(shop, "ava")
    assert paypal["paymentSourceId"] != old["paymentSourceId"]
    assert (paypal["primaryPaymentSource"], paypal["deletable"]) == (True, False)


def test_a_card_cannot_be_changed_as_paypal(ava: Browser) -> None:
    [card] = read_payment_methods(ava)["card"]
    for operation in ("UPDATE", "DELETE", "SETPRIMARY"):
        response = change_source(ava, operation, card["paymentSourceId"], paymentsource="PAYPAL", token="x")
        assert is_refusal(response, 400, "validation_error")
        assert list(response.json()["fields"]) == ["paymentsource"]
    assert read_payment_methods(ava)["card"] == [card]


def test_a_name_change_with_an_amount_due_collects_nothing(finn: Browser, shop: SyncedProvider) -> None:
    [visa, _] = read_payment_methods(finn)["card"]
    body = change_source(finn, "UPDATE", visa["paymentSourceId"], paymentsource="CARD", **OWNER).json()
    assert (body["collected"], body["amountDue"]) == (0, 699)
    mail = OutgoingMail.objects.get(kind="receipt")
    assert mail.context["lines"] == ["You weren't charged."]


def test_a_partial_update_shows_both_cards_and_a_retry_finishes_it(
    ava: Browser, shop: SyncedProvider, payer: Payer
) -> None:
    [old] = read_payment_methods(ava)["card"]
    update = {"operationType": "UPDATE", "paymentSourceId": old["paymentSourceId"], "paymentsource": "CARD"}
    body = {**update, "token": authorize_card(ava, payer, MASTERCARD), **OWNER}
    shop.provider.sandbox.refuse_requests("/payment_sources/*/delete")
    partial, retried = (ava.post(CHANGE, body, headers={"Idempotency-Key": "one"}) for _ in range(2))
    assert is_refusal(partial, 502, "billing_partial")
    assert [card["maskedNumber"][-4:] for card in partial.json()["card"]] == ["1111", "4444"]
    assert "subscription" not in partial.json()["message"]
    assert retried.status_code == 200
    assert [card["primaryPaymentSource"] for card in retried.json()["card"]] == [True]
    assert list(provider_sources(shop, "ava")) == ["4444"]


def test_trying_cards_is_throttled(ava: Browser) -> None:
    responses = [add_card(ava, "") for _ in range(40)]
    assert {response.status_code for response in responses} == {400}
    for path in (CHANGE, INTENT):
        throttled = ava.post(path, {})
        assert is_refusal(throttled, 429, "throttled")
        assert int(throttled.headers["Retry-After"]) > 0
    assert read_payment_methods(ava)["amountDue"] == 0
