"""Payment methods over HTTP (docs/rules.md, rules 10 and 11)."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import OutgoingMail
from billing.models import Command
from billing.tests.api.browser import Browser, is_refusal
from billing.tests.api.synced_provider import DECLINING_CARD, SyncedProvider
from billing.tests.support.live_provider import FAITH, VISA_CARD
from chargebee_sandbox.tests.support.hosted_fields import Payer
from core.models import IdempotentRequest

pytestmark = pytest.mark.django_db

PAYMENTS = "/api/payments/"
CHANGE = "/api/payments/updatePaymentSources"
INTENT = "/api/payments/paymentToken"
MASTERCARD = "5555555555554444"
AMEX = "378282246310005"
REFUSED_WHEN_ADDED = "4119862760338320"
OWNER = {"firstName": "Grace", "lastName": "Van Dyke", "billingState": "Ohio", "billingZip": "43004"}


@pytest.fixture
def payer(shop: SyncedProvider) -> Payer:
    """Somebody who types into the provider's card fields."""
    return Payer(shop.provider.sandbox.url)


@pytest.fixture
def ava(shop: SyncedProvider) -> Browser:
    """Ava, signed in, with a plan and a Visa card."""
    account = shop.customer("ava")
    shop.subscribe("ava", FAITH)
    return Browser(account)


@pytest.fixture
def finn(shop: SyncedProvider) -> Browser:
    """Finn, signed in, whose card declined a renewal: $6.99 is due."""
    account = shop.customer("finn")
    subscription = shop.subscribe("finn", FAITH)
    shop.provider.add_card("finn", DECLINING_CARD)
    shop.pass_term_end("finn", subscription, days=1)
    return Browser(account)


def payment_lists(browser: Browser) -> dict[str, Any]:
    """What the account pays with."""
    answer = browser.get(PAYMENTS)
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def add_card(browser: Browser, token: str, **more: Any) -> Any:
    """Add a card by its token."""
    return browser.post(CHANGE, {"operationType": "ADD", "paymentsource": "CARD", "token": token, **OWNER, **more})


def change_source(browser: Browser, operation: str, source: str, **more: Any) -> Any:
    """Change one of the account's sources."""
    return browser.post(CHANGE, {"operationType": operation, "paymentSourceId": source, **more})


def provider_sources(shop: SyncedProvider, customer: str) -> dict[str, Any]:
    """The sources that the provider holds for a customer, by last four digits or PayPal's address."""
    page = shop.client.PaymentSource.list({"customer_id": {"is": customer}, "limit": 100})
    rows = [entry.payment_source.raw_data for entry in page.list]
    return {(row.get("card") or {}).get("last4") or row["paypal"]["email"]: row for row in rows}


def primary_source(shop: SyncedProvider, customer: str) -> str | None:
    """The source that the provider charges first."""
    found = shop.client.Customer.retrieve(customer).customer.raw_data
    handle: str | None = found.get("primary_payment_source_id")
    return handle


def authorized_intent(browser: Browser, payer: Payer, decision: str = "agree") -> str:
    """The id of an intent that the payer decided on at PayPal."""
    answer = browser.post(INTENT, {})
    assert answer.status_code == 200, answer.content
    intent = str(answer.json()["id"])
    payer.decide_paypal(payer.begin_paypal(intent), decision)
    return intent


@pytest.mark.shows("data-3", "api-40")
def test_it_lists_what_the_provider_masks(ava: Browser) -> None:
    found = payment_lists(ava)
    assert (found["paypal"], found["amountDue"]) == ([], 0)
    [card] = found["card"]
    assert set(card) == {
        "paymentSourceId",
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
    assert VISA_CARD not in str(found)
    assert (card["primaryPaymentSource"], card["deletable"], card["status"]) == (True, False, "VALID")


@pytest.mark.shows("api-41")
def test_it_adds_a_card_that_is_not_the_default(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    before = primary_source(shop, "ava")
    answer = add_card(ava, payer.create_token(MASTERCARD))
    assert answer.status_code == 200, answer.content
    body = answer.json()
    [_, added] = body["card"]
    assert (body["paymentSourceId"], body["collected"]) == (added["paymentSourceId"], 0)
    assert {name: added[name] for name in OWNER} == OWNER
    assert (added["brand"], added["primaryPaymentSource"], added["deletable"]) == ("MASTERCARD", False, True)
    assert primary_source(shop, "ava") == before
    assert provider_sources(shop, "ava")["4444"]["card"]["last_name"] == "Van Dyke"
    assert OutgoingMail.objects.filter(account__email="ava@example.com", kind="receipt").count() == 1


def test_the_first_method_becomes_the_default(shop: SyncedProvider, payer: Payer) -> None:
    ivy = Browser(shop.customer("ivy", card=None))
    body = add_card(ivy, payer.create_token(AMEX, cvv="1234")).json()
    [card] = body["card"]
    assert (card["brand"], card["primaryPaymentSource"], card["deletable"]) == (
        "AMERICAN_EXPRESS",
        True,
        True,
    )
    assert primary_source(shop, "ivy") == card["paymentSourceId"]


def test_a_card_that_is_refused_changes_nothing(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    before, token = payment_lists(ava), payer.create_token(REFUSED_WHEN_ADDED)
    assert is_refusal(add_card(ava, token), 402, "payment_processing_failed")
    assert payment_lists(ava) == before
    assert list(provider_sources(shop, "ava")) == ["1111"]


@pytest.mark.shows("error-3")
def test_a_token_is_good_once(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    token = payer.create_token(MASTERCARD)
    assert add_card(ava, token).status_code == 200
    bob = Browser(shop.customer("bob"))
    for browser in (ava, bob):
        assert is_refusal(add_card(browser, token), 400, "payment_method_invalid")
    assert is_refusal(add_card(ava, "cb_no_such_token"), 400, "payment_method_invalid")
    assert sorted(provider_sources(shop, "ava")) == ["1111", "4444"]


def test_a_token_expires(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    token = payer.create_token(MASTERCARD)
    shop.provider.travel(minutes=31)
    assert is_refusal(add_card(ava, token), 400, "payment_method_invalid")
    assert list(provider_sources(shop, "ava")) == ["1111"]


@pytest.mark.shows("rule-11", "api-41")
def test_a_new_number_takes_the_old_cards_place(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    [old] = payment_lists(ava)["card"]
    body = change_source(
        ava,
        "UPDATE",
        old["paymentSourceId"],
        paymentsource="CARD",
        token=payer.create_token(MASTERCARD),
        **OWNER,
    ).json()
    [new] = body["card"]
    assert (new["brand"], new["primaryPaymentSource"]) == ("MASTERCARD", True)
    assert body["paymentSourceId"] == new["paymentSourceId"] != old["paymentSourceId"]
    assert list(provider_sources(shop, "ava")) == ["4444"]
    assert primary_source(shop, "ava") == new["paymentSourceId"]


def test_an_update_that_fails_leaves_the_old_card(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    before = payment_lists(ava)
    [old] = before["card"]
    for token, status in ((payer.create_token(REFUSED_WHEN_ADDED), 402), ("cb_spent", 400)):
        answer = change_source(ava, "UPDATE", old["paymentSourceId"], paymentsource="CARD", token=token, **OWNER)
        assert answer.status_code == status
    assert payment_lists(ava) == before
    assert primary_source(shop, "ava") == old["paymentSourceId"]


@pytest.mark.shows("rule-11")
def test_name_state_and_zip_change_without_the_number(ava: Browser, shop: SyncedProvider) -> None:
    [old] = payment_lists(ava)["card"]
    body = change_source(ava, "UPDATE", old["paymentSourceId"], paymentsource="CARD", **OWNER).json()
    [card] = body["card"]
    assert {name: card[name] for name in OWNER} == OWNER
    assert (card["paymentSourceId"], card["maskedNumber"]) == (old["paymentSourceId"], old["maskedNumber"])
    assert provider_sources(shop, "ava")["1111"]["card"]["billing_zip"] == "43004"


@pytest.mark.shows("payment-4", "api-41")
def test_the_default_changes_at_once(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    added = add_card(ava, payer.create_token(MASTERCARD)).json()["paymentSourceId"]
    body = change_source(ava, "SETPRIMARY", added, paymentsource="CARD").json()
    assert [card["primaryPaymentSource"] for card in body["card"]] == [False, True]
    assert [card["deletable"] for card in body["card"]] == [True, False]
    assert primary_source(shop, "ava") == added
    commands = Command.objects.count()
    assert change_source(ava, "SETPRIMARY", added).json()["card"] == body["card"]
    assert Command.objects.count() == commands


@pytest.mark.shows("error-16", "rule-11", "api-41")
def test_another_method_is_removed_and_the_default_is_not(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    added = add_card(ava, payer.create_token(MASTERCARD)).json()["paymentSourceId"]
    [default, _] = payment_lists(ava)["card"]
    answer = change_source(ava, "DELETE", default["paymentSourceId"])
    assert is_refusal(answer, 409, "payment_method_in_use")
    body = change_source(ava, "DELETE", added).json()
    assert [card["paymentSourceId"] for card in body["card"]] == [default["paymentSourceId"]]
    assert body["paymentSourceId"] is None
    assert list(provider_sources(shop, "ava")) == ["1111"]
    assert change_source(ava, "DELETE", added).status_code == 404


def test_the_only_method_is_removed_where_no_plan_is_live(shop: SyncedProvider) -> None:
    hugo = Browser(shop.customer("hugo"))
    [only] = payment_lists(hugo)["card"]
    assert only["deletable"] is True
    assert change_source(hugo, "DELETE", only["paymentSourceId"]).json()["card"] == []
    assert provider_sources(shop, "hugo") == {}


def test_it_adds_paypal_by_an_authorised_intent(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    intent = authorized_intent(ava, payer)
    answer = ava.post(CHANGE, {"operationType": "ADD", "paymentsource": "PAYPAL", "token": intent})
    assert answer.status_code == 200, answer.content
    [paypal] = answer.json()["paypal"]
    assert (paypal["brand"], paypal["email"], paypal["maskedNumber"]) == (
        "PAYPAL",
        "ava@paypal.example",
        None,
    )
    assert "ava@paypal.example" in provider_sources(shop, "ava")
    again = ava.post(CHANGE, {"operationType": "ADD", "paymentsource": "PAYPAL", "token": intent})
    assert is_refusal(again, 400, "payment_method_invalid")


@pytest.mark.shows("request-1", "api-42")
def test_the_intent_goes_out_as_the_provider_made_it(ava: Browser, shop: SyncedProvider) -> None:
    headers = {"Idempotency-Key": "one-intent"}
    first, second = (ava.post(INTENT, {}, headers=headers).json() for _ in range(2))
    assert first == second == shop.client.PaymentIntent.retrieve(first["id"]).payment_intent.raw_data
    assert (first["payment_method_type"], first["amount"]) == ("paypal_express_checkout", 0)


def test_it_looks_whether_an_intent_is_authorised(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    bob = Browser(shop.customer("bob"))
    costly = {"customer_id": "ava", "amount": 500, "currency_code": "USD"}
    dear = shop.client.PaymentIntent.create({**costly, "payment_method_type": "paypal_express_checkout"})
    payer.decide_paypal(payer.begin_paypal(dear.payment_intent.id), "agree")
    intents = {
        "not decided": str(ava.post(INTENT, {}).json()["id"]),
        "cancelled": authorized_intent(ava, payer, "cancel"),
        "another account's": authorized_intent(bob, payer),
        "of another amount": str(dear.payment_intent.id),
        "unknown": "pi_no_such",
    }
    for why, intent in intents.items():
        answer = ava.post(CHANGE, {"operationType": "ADD", "paymentsource": "PAYPAL", "token": intent})
        assert is_refusal(answer, 400, "payment_method_invalid"), why
    assert list(provider_sources(shop, "ava")) == ["1111"]


@pytest.mark.shows("rule-10")
def test_a_working_card_collects_what_is_due(finn: Browser, shop: SyncedProvider, payer: Payer) -> None:
    before = payment_lists(finn)
    assert before["amountDue"] == 699
    assert finn.get("/api/account").json()["hasPaymentFailure"] is True
    body = add_card(finn, payer.create_token(MASTERCARD), quote=before["quote"]).json()
    assert (body["collected"], body["amountDue"]) == (699, 0)
    assert primary_source(shop, "finn") == body["paymentSourceId"]
    assert [card["primaryPaymentSource"] for card in body["card"]].index(True) == len(body["card"]) - 1
    assert finn.get("/api/account").json()["hasPaymentFailure"] is False
    assert finn.get("/api/invoice/list").json()[0]["status"] == "PAID"
    assert shop.invoices("finn")[0]["status"] == "paid"


@pytest.mark.shows("rule-10")
def test_a_card_that_declines_is_kept_and_says_what_is_still_due(
    finn: Browser, shop: SyncedProvider, payer: Payer
) -> None:
    before = primary_source(shop, "finn")
    body = add_card(finn, payer.create_token(DECLINING_CARD)).json()
    assert (body["collected"], body["amountDue"]) == (0, 699)
    kept = next(card for card in body["card"] if card["paymentSourceId"] == body["paymentSourceId"])
    assert (kept["maskedNumber"][-4:], kept["primaryPaymentSource"]) == ("0004", False)
    assert primary_source(shop, "finn") == before
    assert finn.get("/api/account").json()["hasPaymentFailure"] is True


@pytest.mark.shows("rule-10", "reliability-31")
def test_another_amount_than_was_shown_is_not_collected(finn: Browser, shop: SyncedProvider, payer: Payer) -> None:
    answer = add_card(finn, payer.create_token(MASTERCARD), quote="an old one")
    assert is_refusal(answer, 409, "quote_changed")
    assert answer.json()["amountDue"] == 699
    assert shop.invoices("finn")[0]["status"] == "payment_due"


def test_mending_the_default_card_pays_what_is_due(finn: Browser, shop: SyncedProvider, payer: Payer) -> None:
    [default] = [card for card in payment_lists(finn)["card"] if card["primaryPaymentSource"]]
    body = change_source(
        finn,
        "UPDATE",
        default["paymentSourceId"],
        paymentsource="CARD",
        token=payer.create_token(MASTERCARD),
        **OWNER,
    ).json()
    assert (body["collected"], body["amountDue"]) == (699, 0)
    assert primary_source(shop, "finn") == body["paymentSourceId"]
    assert default["paymentSourceId"] not in [card["paymentSourceId"] for card in body["card"]]


def test_what_is_due_is_paid_by_a_method_made_default(finn: Browser, shop: SyncedProvider) -> None:
    visa = next(card for card in payment_lists(finn)["card"] if card["maskedNumber"].endswith("1111"))
    body = change_source(finn, "SETPRIMARY", visa["paymentSourceId"]).json()
    assert (body["collected"], body["amountDue"]) == (699, 0)
    assert shop.invoices("finn")[0]["status"] == "paid"


def test_a_method_of_another_account_is_not_found(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    bob = Browser(shop.customer("bob"))
    [foreign] = payment_lists(ava)["card"]
    token = payer.create_token(MASTERCARD)
    calls = len(shop.provider.events("payment_source_added"))
    for operation in ("UPDATE", "DELETE", "SETPRIMARY"):
        answer = change_source(bob, operation, foreign["paymentSourceId"], paymentsource="CARD", token=token, **OWNER)
        assert is_refusal(answer, 404, "not_found")
        nonsense = change_source(bob, operation, foreign["paymentSourceId"], paymentsource="BARTER")
        assert is_refusal(nonsense, 404, "not_found")
    assert len(shop.provider.events("payment_source_added")) == calls
    assert payment_lists(ava)["card"] == [foreign]


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
def test_it_says_what_is_missing(ava: Browser, body: dict[str, Any], field: str) -> None:
    answer = ava.post(CHANGE, body)
    assert is_refusal(answer, 400, "validation_error")
    assert field in answer.json()["fields"]
    assert Command.objects.count() == 0


def test_what_is_not_asked_for_is_ignored_and_kept_nowhere(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    before = primary_source(shop, "ava")
    more = {
        "amount": 1,
        "customerId": "bob",
        "replacePrimaryPaymentSource": True,
        "number": VISA_CARD,
        "cvv": "737",
        "isStaff": True,
    }
    answer = ava.post(
        CHANGE,
        {
            "operationType": "ADD",
            "paymentsource": "CARD",
            "token": payer.create_token(MASTERCARD),
            **OWNER,
            **more,
        },
        headers={"Idempotency-Key": "one"},
    )
    assert answer.status_code == 200, answer.content
    assert primary_source(shop, "ava") == before
    kept = [*Command.objects.values(), *IdempotentRequest.objects.values(), *OutgoingMail.objects.values()]
    # As values: three digits may stand anywhere within an id.
    assert [secret in str(kept) for secret in (VISA_CARD, MASTERCARD, "'737'", "'bob'")] == [False] * 4


@pytest.mark.shows("error-3")
@pytest.mark.parametrize("intent", ["pi/../../customers/ava", "..", "a b?c#d", "\u202e", "%2e%2e", "x" * 100])
def test_what_is_no_intent_is_invalid(ava: Browser, intent: str) -> None:
    answer = ava.post(CHANGE, {"operationType": "ADD", "paymentsource": "PAYPAL", "token": intent})
    assert is_refusal(answer, 400, "payment_method_invalid")
    assert Command.objects.count() == 0


def test_paypal_takes_the_place_of_paypal(ava: Browser, shop: SyncedProvider, payer: Payer) -> None:
    intent = authorized_intent(ava, payer)
    old = ava.post(CHANGE, {"operationType": "ADD", "paymentsource": "PAYPAL", "token": intent}).json()
    change_source(ava, "SETPRIMARY", old["paymentSourceId"])
    spent = change_source(ava, "UPDATE", old["paymentSourceId"], paymentsource="PAYPAL", token=intent)
    assert is_refusal(spent, 400, "payment_method_invalid")
    renewed = {"paymentsource": "PAYPAL", "token": authorized_intent(ava, payer)}
    body = change_source(ava, "UPDATE", old["paymentSourceId"], **renewed).json()
    [paypal] = body["paypal"]
    assert paypal["paymentSourceId"] == body["paymentSourceId"] == primary_source(shop, "ava")
    assert paypal["paymentSourceId"] != old["paymentSourceId"]
    assert (paypal["primaryPaymentSource"], paypal["deletable"]) == (True, False)


def test_a_card_and_paypal_are_not_mistaken_for_each_other(ava: Browser) -> None:
    [card] = payment_lists(ava)["card"]
    for operation in ("UPDATE", "DELETE", "SETPRIMARY"):
        answer = change_source(ava, operation, card["paymentSourceId"], paymentsource="PAYPAL", token="x")
        assert is_refusal(answer, 400, "validation_error")
        assert list(answer.json()["fields"]) == ["paymentsource"]
    assert payment_lists(ava)["card"] == [card]


def test_a_new_name_while_something_is_due_neither_collects_nor_tells_of_a_decline(
    finn: Browser, shop: SyncedProvider
) -> None:
    [visa, _] = payment_lists(finn)["card"]
    body = change_source(finn, "UPDATE", visa["paymentSourceId"], paymentsource="CARD", **OWNER).json()
    assert (body["collected"], body["amountDue"]) == (0, 699)
    mail = OutgoingMail.objects.get(kind="receipt")
    assert mail.context["lines"] == ["You weren't charged."]


def test_an_update_done_in_part_shows_what_there_is_and_the_same_call_finishes_it(
    ava: Browser, shop: SyncedProvider, payer: Payer
) -> None:
    [old] = payment_lists(ava)["card"]
    ask = {"operationType": "UPDATE", "paymentSourceId": old["paymentSourceId"], "paymentsource": "CARD"}
    whole = {**ask, "token": payer.create_token(MASTERCARD), **OWNER}
    shop.provider.sandbox.refuse_requests("/payment_sources/*/delete")
    half, rest = (ava.post(CHANGE, whole, headers={"Idempotency-Key": "one"}) for _ in range(2))
    assert is_refusal(half, 502, "billing_partial")
    assert [card["maskedNumber"][-4:] for card in half.json()["card"]] == ["1111", "4444"]
    assert "subscription" not in half.json()["message"]
    assert rest.status_code == 200
    assert [card["primaryPaymentSource"] for card in rest.json()["card"]] == [True]
    assert list(provider_sources(shop, "ava")) == ["4444"]


def test_trying_out_cards_is_slowed_down(ava: Browser) -> None:
    answers = [add_card(ava, "") for _ in range(40)]
    assert {answer.status_code for answer in answers} == {400}
    for path in (CHANGE, INTENT):
        slowed = ava.post(path, {})
        assert is_refusal(slowed, 429, "throttled")
        assert int(slowed.headers["Retry-After"]) > 0
    assert payment_lists(ava)["amountDue"] == 0
