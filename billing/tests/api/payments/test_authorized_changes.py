"""Strong authentication of changes: a charge is paid with an intent that the card's bank has confirmed."""

from __future__ import annotations

from typing import Any

import pytest

from billing.models import Command
from billing.tests.api.browser import Browser, is_refusal
from billing.tests.api.payments.card_forms import (
    INTENT,
    MASTERCARD,
    add_card,
    authorize_card,
    change_source,
    read_payment_methods,
)
from billing.tests.api.plans.test_resumes import RESUME, make_partial_resume, make_two_paused_subscriptions
from billing.tests.api.synced_provider import SyncedProvider
from billing.tests.support.live_provider import FAITH, GOSPEL
from chargebee_sandbox.tests.support.hosted_fields import ALWAYS_AUTHENTICATED_CARD, Payer

pytestmark = pytest.mark.django_db

SERVICES = "/api/account/add-remove-service"
UPGRADE = "/api/account/upgrade"
FAITH_PLAN, GOSPEL_PLAN, KIDS_PLAN = "faith-family-plan", "gospel-tv-plan", "Minno-Plan"


def use_authenticated_card(browser: Browser, payer: Payer) -> str:
    """Add a card whose bank asks for every payment, make it the default, and return its id."""
    card = str(add_card(browser, authorize_card(browser, payer, ALWAYS_AUTHENTICATED_CARD)).json()["paymentSourceId"])
    assert change_source(browser, "SETPRIMARY", card).status_code == 200
    return card


@pytest.fixture
def nia(shop: SyncedProvider, payer: Payer) -> Browser:
    """Return Nia's browser; her card's bank asks for every payment, and she has no plan."""
    browser = Browser(shop.customer("nia", card=None))
    use_authenticated_card(browser, payer)
    return browser


def begin_charge(browser: Browser, payer: Payer, amount: int) -> dict[str, Any]:
    """Create an intent for a change's charge to the default card, and begin to authorize it."""
    [card] = [card for card in read_payment_methods(browser)["card"] if card["primaryPaymentSource"]]
    body = {"paymentsource": "CARD", "paymentSourceId": card["paymentSourceId"], "amount": amount}
    response = browser.post(INTENT, body)
    assert response.status_code == 200, response.content
    return payer.begin_stored_card(response.json()["id"])


def authorize_charge(browser: Browser, payer: Payer, amount: int) -> str:
    """Have the bank of the default card confirm an amount, and return the intent's id."""
    intent = begin_charge(browser, payer, amount)
    payer.decide_challenge(intent)
    return str(intent["id"])


def charges(shop: SyncedProvider, customer: str) -> list[int]:
    """Return the amounts of a customer's successful charges, newest first."""
    page = shop.client.Transaction.list({"customer_id": {"is": customer}, "limit": 100})
    return [entry.transaction.amount for entry in page.list if entry.transaction.status == "success"]


def intent_status(shop: SyncedProvider, intent: str) -> str:
    """Return the provider's status of a payment intent."""
    return str(shop.client.PaymentIntent.retrieve(intent).payment_intent.status)


@pytest.mark.shows("rule-20")
def test_a_service_is_started_once_after_the_bank_has_confirmed(
    nia: Browser, shop: SyncedProvider, payer: Payer
) -> None:
    wanted = {"planIds": [FAITH_PLAN]}
    shown = nia.post(f"{SERVICES}/estimate", wanted).json()
    confirmed = {**wanted, "quote": shown["quote"]}
    assert is_refusal(nia.post(SERVICES, confirmed), 402, "payment_processing_failed")
    assert charges(shop, "nia") == []

    intent = authorize_charge(nia, payer, shown["dueNow"])
    response = nia.post(SERVICES, {**confirmed, "paymentIntents": [intent]})

    assert response.status_code == 200, response.content
    assert [plan["status"] for plan in nia.get("/api/account").json()["plans"]] == ["ACTIVE"]
    assert charges(shop, "nia") == [shown["dueNow"]] == [699]
    assert intent_status(shop, intent) == "consumed"


@pytest.mark.shows("rule-20", "error-3")
def test_an_intent_that_cannot_be_used_changes_nothing(nia: Browser, shop: SyncedProvider, payer: Payer) -> None:
    bob = Browser(shop.customer("bob"))
    failed = begin_charge(nia, payer, 699)
    payer.decide_challenge(failed, "fail")
    intents = {
        "challenge failed": failed["id"],
        "challenge abandoned": begin_charge(nia, payer, 699)["id"],
        "another account's": authorize_card(bob, payer, MASTERCARD),
        "less than the charge": authorize_charge(nia, payer, 698),
        "unknown": "pi_no_such",
    }
    for reason, intent in intents.items():
        response = nia.post(SERVICES, {"planIds": [FAITH_PLAN], "paymentIntents": [intent]})
        assert is_refusal(response, 400, "payment_method_invalid"), reason
    two_charges = {"planIds": [FAITH_PLAN, GOSPEL_PLAN], "paymentIntents": [authorize_charge(nia, payer, 9999)]}
    assert is_refusal(nia.post(SERVICES, two_charges), 400, "payment_method_invalid")
    expired = authorize_charge(nia, payer, 699)
    shop.provider.travel(minutes=31)
    response = nia.post(SERVICES, {"planIds": [FAITH_PLAN], "paymentIntents": [expired]})
    assert is_refusal(response, 400, "payment_method_invalid")
    assert nia.get("/api/account").json()["plans"] == []
    assert charges(shop, "nia") == []
    assert not Command.objects.filter(state=Command.State.SUCCEEDED, kind="add_remove_service").exists()


def two_services(browser: Browser) -> dict[str, Any]:
    """Return the estimate of starting two services, each with a charge of its own."""
    shown: dict[str, Any] = browser.post(f"{SERVICES}/estimate", {"planIds": [FAITH_PLAN, GOSPEL_PLAN]}).json()
    assert shown["charges"] == [699, 799]
    assert shown["dueNow"] == 1498
    return {"planIds": [FAITH_PLAN, GOSPEL_PLAN], "quote": shown["quote"]}


@pytest.mark.shows("rule-20")
def test_each_charge_of_a_change_is_paid_once_after_the_bank_has_confirmed(
    nia: Browser, shop: SyncedProvider, payer: Payer
) -> None:
    confirmed = two_services(nia)
    assert is_refusal(nia.post(SERVICES, confirmed), 402, "payment_processing_failed")

    intents = [authorize_charge(nia, payer, amount) for amount in (699, 799)]
    response = nia.post(SERVICES, {**confirmed, "paymentIntents": intents})

    assert response.status_code == 200, response.content
    assert [plan["status"] for plan in nia.get("/api/account").json()["plans"]] == ["ACTIVE", "ACTIVE"]
    assert sorted(charges(shop, "nia")) == [699, 799]
    assert [intent_status(shop, intent) for intent in intents] == ["consumed", "consumed"]
    command = Command.objects.get(kind="add_remove_service", state=Command.State.SUCCEEDED)
    assert [step.arguments["intent"] for step in command.steps if step.invoice_id] == intents


@pytest.mark.shows("rule-20", "error-3")
def test_intents_that_do_not_match_the_charges_change_nothing(nia: Browser, shop: SyncedProvider, payer: Payer) -> None:
    bob = Browser(shop.customer("bob"))
    confirmed = two_services(nia)
    faith, gospel = (authorize_charge(nia, payer, amount) for amount in (699, 799))
    unfinished, refused = (begin_charge(nia, payer, 799) for _ in range(2))
    payer.decide_challenge(refused, "fail")
    for reason, intents in {
        "too few": [faith],
        "too many": [faith, gospel, unfinished["id"]],
        "in another order": [gospel, faith],
        "one twice": [faith, faith],
        "one not confirmed": [faith, unfinished["id"]],
        "one refused by the bank": [faith, refused["id"]],
        "one of another customer": [faith, begin_charge(bob, payer, 799)["id"]],
    }.items():
        response = nia.post(SERVICES, {**confirmed, "paymentIntents": intents})
        assert is_refusal(response, 400, "payment_method_invalid"), reason
    too_long = nia.post(SERVICES, {**confirmed, "paymentIntents": [faith] * 1000})
    assert is_refusal(too_long, 400, "validation_error")
    assert nia.get("/api/account").json()["plans"] == []
    assert charges(shop, "nia") == []
    assert not Command.objects.filter(kind="add_remove_service").exists()
    # What the bank has confirmed can still be used.
    assert nia.post(SERVICES, {**confirmed, "paymentIntents": [faith, gospel]}).status_code == 200


def start_one_of_two_services(nia: Browser, shop: SyncedProvider, payer: Payer) -> tuple[dict[str, Any], list[str]]:
    """Start and charge the first of two services only; return the confirmed request and both intents."""
    confirmed = two_services(nia)
    intents = [authorize_charge(nia, payer, amount) for amount in (699, 799)]
    shop.provider.sandbox.order_fault("error", "/customers/*/subscription_for_items", status=429, skip=1)
    assert is_refusal(nia.post(SERVICES, {**confirmed, "paymentIntents": intents}), 502, "billing_partial")
    assert charges(shop, "nia") == [699]
    assert [intent_status(shop, intent) for intent in intents] == ["consumed", "authorized"]
    return confirmed, intents


@pytest.mark.shows("rule-20", "rule-2")
def test_a_change_done_in_part_is_finished_with_the_intents_that_are_left(
    nia: Browser, shop: SyncedProvider, payer: Payer
) -> None:
    confirmed, (faith, gospel) = start_one_of_two_services(nia, shop, payer)
    for reason, intents in {"a spent one, too": [faith, gospel], "a spent one": [faith]}.items():
        response = nia.post(SERVICES, {**confirmed, "paymentIntents": intents})
        assert is_refusal(response, 400, "payment_method_invalid"), reason

    response = nia.post(SERVICES, {**confirmed, "paymentIntents": [gospel]})

    assert response.status_code == 200, response.content
    assert [plan["status"] for plan in nia.get("/api/account").json()["plans"]] == ["ACTIVE", "ACTIVE"]
    assert sorted(charges(shop, "nia")) == [699, 799]
    assert [intent_status(shop, intent) for intent in (faith, gospel)] == ["consumed", "consumed"]


@pytest.mark.shows("rule-20", "rule-2")
def test_a_change_done_in_part_is_finished_without_an_intent_that_has_expired(
    nia: Browser, shop: SyncedProvider, payer: Payer
) -> None:
    confirmed, (_, gospel) = start_one_of_two_services(nia, shop, payer)
    shop.provider.travel(minutes=31)
    shop.provider.add_card("nia", MASTERCARD)

    response = nia.post(SERVICES, confirmed)

    assert response.status_code == 200, response.content
    assert sorted(charges(shop, "nia")) == [699, 799]
    assert intent_status(shop, gospel) == "expired"


@pytest.mark.shows("rule-20")
def test_an_upgrade_is_paid_once_after_the_bank_has_confirmed(shop: SyncedProvider, payer: Payer) -> None:
    account = shop.customer("uma")
    for plan in (FAITH, GOSPEL):
        shop.subscribe("uma", plan)
    uma = Browser(account)
    use_authenticated_card(uma, payer)
    before = charges(shop, "uma")
    shown = uma.get(f"{UPGRADE}/estimate").json()
    confirmed = {"quote": shown["quote"]}
    assert is_refusal(uma.post(UPGRADE, confirmed), 402, "payment_processing_failed")

    intents = [authorize_charge(uma, payer, amount) for amount in shown["charges"]]
    response = uma.post(UPGRADE, {**confirmed, "paymentIntents": intents})

    assert response.status_code == 200, response.content
    assert [plan["periodUnit"] for plan in uma.get("/api/account").json()["plans"]] == ["year", "year"]
    assert sorted(charges(shop, "uma")) == sorted([*shown["charges"], *before])
    assert sum(shown["charges"]) == shown["dueNow"]
    assert [intent_status(shop, intent) for intent in intents] == ["consumed", "consumed"]
    assert is_refusal(
        uma.post(SERVICES, {"planIds": [FAITH_PLAN, GOSPEL_PLAN, KIDS_PLAN], "paymentIntents": intents[:1]}),
        400,
        "payment_method_invalid",
    )


@pytest.mark.parametrize("is_quoted", [True, False])
@pytest.mark.shows("rule-20", "rule-3")
def test_a_resume_is_paid_once_after_the_bank_has_confirmed(
    shop: SyncedProvider, payer: Payer, *, is_quoted: bool
) -> None:
    alice, ids = make_two_paused_subscriptions(shop)
    shop.pass_term_end("alice", ids[1], days=1)
    use_authenticated_card(alice, payer)
    before = charges(shop, "alice")
    shown = alice.get(f"{RESUME}/estimate").json()
    assert shown["charges"] == [699, 799]
    confirmed = {"subscriptionId": ids, **({"quote": shown["quote"]} if is_quoted else {})}
    assert is_refusal(alice.post(RESUME, confirmed), 402, "payment_processing_failed")

    intents = [authorize_charge(alice, payer, amount) for amount in shown["charges"]]
    response = alice.post(RESUME, {**confirmed, "paymentIntents": intents})

    assert response.status_code == 200, response.content
    assert [plan["status"] for plan in response.json()["plans"]] == ["ACTIVE", "ACTIVE"]
    assert sorted(charges(shop, "alice")) == sorted([*shown["charges"], *before])
    assert [intent_status(shop, intent) for intent in intents] == ["consumed", "consumed"]


@pytest.mark.shows("rule-20", "rule-2")
def test_a_resume_done_in_part_is_paid_at_the_charge_confirmed_later(shop: SyncedProvider, payer: Payer) -> None:
    alice, body = make_partial_resume(shop)
    gospel = body["subscriptionId"][1]  # type: ignore[index]  # it is a list
    shop.pass_term_end("alice", gospel, days=1)
    shown = alice.post(RESUME, body).json()
    assert shown["charges"] == [799]  # it was free within the paid term

    intent = begin_charge(alice, payer, 799)["id"]
    response = alice.post(RESUME, {**body, "quote": shown["quote"], "paymentIntents": [intent]})

    assert response.status_code == 200, response.content
    assert charges(shop, "alice")[0] == 799
    assert intent_status(shop, intent) == "consumed"
