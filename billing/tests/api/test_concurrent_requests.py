"""Twenty concurrent requests have one effect, on PostgreSQL as in production."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from accounts.models import Account
from billing.models import Command, PauseSchedule
from billing.queries.payment_methods import wallet_of
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import FAITH, KIDS
from billing.tests.api.synced_provider import DECLINING_CARD, SyncedProvider
from billing.tests.support.subscriber_wallet import MASTERCARD, SubscriberWallet
from core.models import LimitCounter

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

TIMES = 20
PAUSE = "/api/account/pause?days=30"


def send_concurrently(
    account: Account, headers: Callable[[int], dict[str, str]], path: str = PAUSE, body: Any = None
) -> list[Any]:
    """Ask for the same change twenty times at the same moment, a pause if no other is named; the answers.

    A `body` that is called with the number of the request makes them differ.
    """
    browsers = [Browser(account) for _ in range(TIMES)]
    start = Barrier(TIMES)

    def ask(number: int) -> Any:
        start.wait()
        try:
            sent = body(number) if callable(body) else body
            return browsers[number].post(path, sent, headers=headers(number))
        finally:
            connection.close()

    with ThreadPoolExecutor(TIMES) as pool:
        return list(pool.map(ask, range(TIMES)))


@pytest.mark.shows("reliability-28")
def test_twenty_with_one_key_get_one_answer(shop: SyncedProvider) -> None:
    account = shop.customer("alice")
    shop.subscribe("alice", FAITH)
    answers = send_concurrently(account, lambda _: {"Idempotency-Key": "one"})
    assert Counter(answer.status_code for answer in answers) == {200: TIMES}
    assert [answer.json() for answer in answers] == [answers[0].json()] * TIMES
    assert shop.count_events("subscription_pause_scheduled") == 1
    assert (Command.objects.count(), PauseSchedule.objects.count()) == (1, 1)


@pytest.mark.shows("reliability-29")
def test_twenty_with_keys_of_their_own_act_once(shop: SyncedProvider) -> None:
    account = shop.customer("alice")
    shop.subscribe("alice", FAITH)
    answers = send_concurrently(account, lambda number: {"Idempotency-Key": f"key {number}"})
    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: TIMES - 1}
    codes = {answer.json()["code"] for answer in answers if answer.status_code == 409}
    assert codes <= {"already_paused", "change_in_progress"}
    assert shop.count_events("subscription_pause_scheduled") == 1
    assert PauseSchedule.objects.count() == 1


# What each change may be refused with while another is made, or after it.
CHANGES: dict[str, tuple[str, dict[str, Any], set[str]]] = {
    "an addition": ("/api/account/add-remove-service", {"planIds": [FAITH, KIDS]}, {"no_change"}),
    "an upgrade": ("/api/account/upgrade", {}, {"no_change"}),
    "a code": ("/api/account/add-coupon/SAVE20", {}, {"coupon_already_applied"}),
    "a cancellation": ("/api/account/cancel", {"reason": "Too expensive"}, {"invalid_state"}),
    "a free month": ("/api/account/claim-my-offer", {}, {"offer_already_claimed"}),
}


@pytest.mark.shows("error-19", "reliability-28")
@pytest.mark.parametrize(("path", "body", "refusals"), CHANGES.values(), ids=CHANGES.keys())
def test_twenty_changes_at_once_are_one(
    shop: SyncedProvider, path: str, body: dict[str, Any], refusals: set[str]
) -> None:
    account = shop.customer("alice")
    shop.coupon("SAVE20", percent=20)
    shop.offer_free_month()
    shop.subscribe("alice", FAITH)
    answers = send_concurrently(account, lambda number: {"Idempotency-Key": f"key {number}"}, path, body)
    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: TIMES - 1}
    codes = {answer.json()["code"] for answer in answers if answer.status_code == 409}
    assert codes <= {"change_in_progress", *refusals}
    assert Command.objects.count() == 1
    charged = next(answer.json().get("dueNow", 0) for answer in answers if answer.status_code == 200)
    assert sum(invoice["amount_paid"] for invoice in shop.invoices("alice")) == 699 + charged


METHODS = "/api/payments/updatePaymentSources"
OWNER = {"firstName": "Grace", "lastName": "Van Dyke", "billingState": "Ohio", "billingZip": "43004"}


def key_per_request(number: int) -> dict[str, str]:
    """A key for each request."""
    return {"Idempotency-Key": f"key {number}"}


def refusal_codes(answers: list[Any]) -> set[str]:
    """What those that were refused were refused with."""
    return {answer.json()["code"] for answer in answers if answer.status_code != 200}


def wallet_with_two_cards(shop: SyncedProvider) -> tuple[SubscriberWallet, str, str]:
    """Alice's purse with a plan, the card that pays for it, and another one."""
    account = shop.customer("alice")
    shop.subscribe("alice", FAITH)
    purse = SubscriberWallet(shop.provider, account)
    other = str(purse.add_card(purse.create_token(MASTERCARD)).source_id)
    return purse, str(purse.source_in_role()), other


@pytest.mark.shows("reliability-28")
def test_twenty_clicks_add_one_card(shop: SyncedProvider) -> None:
    purse = SubscriberWallet(shop.provider, shop.customer("alice"))
    body = {"operationType": "ADD", "paymentsource": "CARD", "token": purse.create_token(MASTERCARD), **OWNER}
    answers = send_concurrently(purse.account, lambda _: {"Idempotency-Key": "one"}, METHODS, body)
    assert Counter(answer.status_code for answer in answers) == {200: TIMES}
    assert [answer.json() for answer in answers] == [answers[0].json()] * TIMES
    assert purse.last_digits() == ["1111", "4444"]
    assert LimitCounter.objects.get().count == 1


def test_twenty_that_make_one_the_default_do_it_once(shop: SyncedProvider) -> None:
    purse, _, other = wallet_with_two_cards(shop)
    body = {"operationType": "SETPRIMARY", "paymentSourceId": other}
    answers = send_concurrently(purse.account, key_per_request, METHODS, body)
    assert refusal_codes(answers) <= {"change_in_progress"}
    assert purse.source_in_role() == other
    assert Command.objects.filter(kind="set_default_payment_method").count() == 1


def test_two_defaults_at_once_leave_one(shop: SyncedProvider) -> None:
    purse, _, other = wallet_with_two_cards(shop)
    third = str(purse.add_card(purse.create_token(MASTERCARD)).source_id)
    answers = send_concurrently(
        purse.account,
        key_per_request,
        METHODS,
        lambda number: {"operationType": "SETPRIMARY", "paymentSourceId": (other, third)[number % 2]},
    )
    assert refusal_codes(answers) <= {"change_in_progress"}
    assert purse.source_in_role() in (other, third)
    assert wallet_of(purse.account).primary_id == purse.source_in_role()


def test_what_is_made_the_default_while_it_is_removed_is_one_of_both(shop: SyncedProvider) -> None:
    purse, default, other = wallet_with_two_cards(shop)
    answers = send_concurrently(
        purse.account,
        key_per_request,
        METHODS,
        lambda number: {
            "operationType": ("DELETE", "SETPRIMARY")[number % 2],
            "paymentSourceId": other,
        },
    )
    assert refusal_codes(answers) <= {"change_in_progress", "not_found", "payment_method_in_use"}
    assert (purse.source_in_role(), set(purse.provider_sources())) in (
        (other, {default, other}),
        (default, {default}),
    )
    wallet = wallet_of(purse.account)
    assert wallet.primary_id == purse.source_in_role()
    assert {source.provider_id for source in wallet.sources} == set(purse.provider_sources())


def test_what_is_due_is_collected_once_however_often_it_is_paid(shop: SyncedProvider) -> None:
    account = shop.customer("finn")
    subscription = shop.subscribe("finn", FAITH)
    visa = wallet_of(account).primary_id
    shop.provider.add_card("finn", DECLINING_CARD)
    shop.pass_term_end("finn", subscription, days=1)
    purse = SubscriberWallet(shop.provider, account)
    body = {"operationType": "SETPRIMARY", "paymentSourceId": visa}
    answers = send_concurrently(account, key_per_request, METHODS, body)
    assert refusal_codes(answers) <= {"change_in_progress"}
    assert sum(answer.json()["collected"] for answer in answers if answer.status_code == 200) == 699
    assert [cents for _, cents in purse.paid_charges()] == [699, 699]
