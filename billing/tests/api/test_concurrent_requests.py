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
from billing.mirror import account_identity, account_import
from billing.models import Command, Customer, PauseSchedule
from billing.queries.payments.payment_methods import wallet_of
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import FAITH, KIDS
from billing.tests.api.synced_provider import DECLINING_CARD, SyncedProvider
from billing.tests.support.subscriber_wallet import MASTERCARD, SubscriberWallet
from core.models import LimitCounter

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

REQUEST_COUNT = 20
PAUSE = "/api/account/pause?days=30"


def send_concurrently(
    account: Account, headers: Callable[[int], dict[str, str]], path: str = PAUSE, body: Any = None
) -> list[Any]:
    """Send the same change, by default a pause, in twenty concurrent requests; return the responses.

    A callable `body` is called with the number of the request, so that the requests differ.
    """
    browsers = [Browser(account) for _ in range(REQUEST_COUNT)]

    def send_request(number: int) -> Any:
        payload = body(number) if callable(body) else body
        return browsers[number].post(path, payload, headers=headers(number))

    return run_concurrently(send_request)


def run_concurrently(work: Callable[[int], Any]) -> list[Any]:
    """Call `work` with twenty numbers at the same moment, each on its own connection; return the results."""
    barrier = Barrier(REQUEST_COUNT)

    def work_on_connection(number: int) -> Any:
        barrier.wait()
        try:
            return work(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(REQUEST_COUNT) as pool:
        return list(pool.map(work_on_connection, range(REQUEST_COUNT)))


@pytest.mark.shows("reliability-28")
def test_twenty_requests_with_one_key_get_one_response(shop: SyncedProvider) -> None:
    account = shop.customer("alice")
    shop.subscribe("alice", FAITH)
    headers = {"Idempotency-Key": "one"}
    responses = send_concurrently(account, lambda _: headers)
    # On a busy machine the first may take longer than the others wait; the app then repeats them.
    early = [number for number, response in enumerate(responses) if response.status_code == 409]
    assert {responses[number].json()["code"] for number in early} <= {"change_in_progress"}
    for number in early:
        responses[number] = Browser(account).post(PAUSE, headers=headers)
    assert Counter(response.status_code for response in responses) == {200: REQUEST_COUNT}
    assert [response.json() for response in responses] == [responses[0].json()] * REQUEST_COUNT
    assert shop.count_events("subscription_pause_scheduled") == 1
    assert (Command.objects.count(), PauseSchedule.objects.count()) == (1, 1)


def test_twenty_first_sign_ins_of_a_customer_open_one_account(shop: SyncedProvider) -> None:
    shop.client.Customer.create({"id": "ben", "email": "ben@example.com"})
    account_import.import_account("ben@example.com")
    customer = Customer.objects.get(provider_id="ben")
    Account.objects.all().delete()
    assert len(set(run_concurrently(lambda _: account_identity.open_account(customer).pk))) == 1
    assert Account.objects.count() == 1


@pytest.mark.shows("reliability-29")
def test_twenty_requests_with_different_keys_act_once(shop: SyncedProvider) -> None:
    account = shop.customer("alice")
    shop.subscribe("alice", FAITH)
    responses = send_concurrently(account, lambda number: {"Idempotency-Key": f"key {number}"})
    assert Counter(response.status_code for response in responses) == {200: 1, 409: REQUEST_COUNT - 1}
    codes = {response.json()["code"] for response in responses if response.status_code == 409}
    assert codes <= {"already_paused", "change_in_progress"}
    assert shop.count_events("subscription_pause_scheduled") == 1
    assert PauseSchedule.objects.count() == 1


# The codes with which a change may be refused after the first has succeeded.
CHANGES: dict[str, tuple[str, dict[str, Any], set[str]]] = {
    "an addition": ("/api/account/add-remove-service", {"planIds": [FAITH, KIDS]}, {"no_change"}),
    "an upgrade": ("/api/account/upgrade", {}, {"no_change"}),
    "a code": ("/api/account/add-coupon/SAVE20", {}, {"coupon_already_applied"}),
    "a cancellation": ("/api/account/cancel", {"reason": "Too expensive"}, {"invalid_state"}),
    "a free month": ("/api/account/claim-my-offer", {}, {"offer_already_claimed"}),
}


@pytest.mark.shows("error-19", "reliability-28")
@pytest.mark.parametrize(("path", "body", "refusals"), CHANGES.values(), ids=CHANGES.keys())
def test_twenty_concurrent_changes_are_applied_once(
    shop: SyncedProvider, path: str, body: dict[str, Any], refusals: set[str]
) -> None:
    account = shop.customer("alice")
    shop.coupon("SAVE20", percent=20)
    shop.offer_free_month()
    shop.subscribe("alice", FAITH)
    responses = send_concurrently(account, lambda number: {"Idempotency-Key": f"key {number}"}, path, body)
    assert Counter(response.status_code for response in responses) == {200: 1, 409: REQUEST_COUNT - 1}
    codes = {response.json()["code"] for response in responses if response.status_code == 409}
    assert codes <= {"change_in_progress", *refusals}
    assert Command.objects.count() == 1
    charged = next(response.json().get("dueNow", 0) for response in responses if response.status_code == 200)
    assert sum(invoice["amount_paid"] for invoice in shop.invoices("alice")) == 699 + charged


PAYMENT_METHODS = "/api/payments/updatePaymentSources"
OWNER = {"firstName": "Grace", "lastName": "Van Dyke", "billingState": "Ohio", "billingZip": "43004"}


def make_key_header(number: int) -> dict[str, str]:
    """Return a header with a different key for each request."""
    return {"Idempotency-Key": f"key {number}"}


def refusal_codes(responses: list[Any]) -> set[str]:
    """Return the codes of the refusals."""
    return {response.json()["code"] for response in responses if response.status_code != 200}


def make_wallet_with_two_cards(shop: SyncedProvider) -> tuple[SubscriberWallet, str, str]:
    """Return Alice's wallet, the id of her default card, and the id of another one; she has one plan."""
    account = shop.customer("alice")
    shop.subscribe("alice", FAITH)
    wallet = SubscriberWallet(shop.provider, account)
    other = str(wallet.add_card(wallet.authorize_card(MASTERCARD)).source_id)
    return wallet, str(wallet.source_in_role()), other


@pytest.mark.shows("reliability-28")
def test_twenty_clicks_add_one_card(shop: SyncedProvider) -> None:
    wallet = SubscriberWallet(shop.provider, shop.customer("alice"))
    body = {"operationType": "ADD", "paymentsource": "CARD", "token": wallet.authorize_card(MASTERCARD), **OWNER}
    responses = send_concurrently(wallet.account, lambda _: {"Idempotency-Key": "one"}, PAYMENT_METHODS, body)
    assert Counter(response.status_code for response in responses) == {200: REQUEST_COUNT}
    assert [response.json() for response in responses] == [responses[0].json()] * REQUEST_COUNT
    assert wallet.last_digits() == ["1111", "4444"]
    assert LimitCounter.objects.get().count == 1


def test_twenty_requests_for_one_default_set_it_once(shop: SyncedProvider) -> None:
    wallet, _, other = make_wallet_with_two_cards(shop)
    body = {"operationType": "SETPRIMARY", "paymentSourceId": other}
    responses = send_concurrently(wallet.account, make_key_header, PAYMENT_METHODS, body)
    assert refusal_codes(responses) <= {"change_in_progress"}
    assert wallet.source_in_role() == other
    assert Command.objects.filter(kind="set_default_payment_method").count() == 1


def test_concurrent_requests_for_two_defaults_leave_one(shop: SyncedProvider) -> None:
    wallet, _, other = make_wallet_with_two_cards(shop)
    third = str(wallet.add_card(wallet.authorize_card(MASTERCARD)).source_id)
    responses = send_concurrently(
        wallet.account,
        make_key_header,
        PAYMENT_METHODS,
        lambda number: {"operationType": "SETPRIMARY", "paymentSourceId": (other, third)[number % 2]},
    )
    assert refusal_codes(responses) <= {"change_in_progress"}
    assert wallet.source_in_role() in (other, third)
    assert wallet_of(wallet.account).primary_id == wallet.source_in_role()


def test_a_card_removed_and_made_default_at_once_stays_consistent(shop: SyncedProvider) -> None:
    wallet, default, other = make_wallet_with_two_cards(shop)
    responses = send_concurrently(
        wallet.account,
        make_key_header,
        PAYMENT_METHODS,
        lambda number: {
            "operationType": ("DELETE", "SETPRIMARY")[number % 2],
            "paymentSourceId": other,
        },
    )
    assert refusal_codes(responses) <= {"change_in_progress", "not_found", "payment_method_in_use"}
    assert (wallet.source_in_role(), set(wallet.provider_sources())) in (
        (other, {default, other}),
        (default, {default}),
    )
    mirrored_wallet = wallet_of(wallet.account)
    assert mirrored_wallet.primary_id == wallet.source_in_role()
    assert {source.provider_id for source in mirrored_wallet.sources} == set(wallet.provider_sources())


def test_an_amount_due_is_collected_once_by_concurrent_requests(shop: SyncedProvider) -> None:
    account = shop.customer("finn")
    subscription = shop.subscribe("finn", FAITH)
    visa = wallet_of(account).primary_id
    shop.provider.add_card("finn", DECLINING_CARD)
    shop.pass_term_end("finn", subscription, days=1)
    wallet = SubscriberWallet(shop.provider, account)
    body = {"operationType": "SETPRIMARY", "paymentSourceId": visa}
    responses = send_concurrently(account, make_key_header, PAYMENT_METHODS, body)
    assert refusal_codes(responses) <= {"change_in_progress"}
    assert sum(response.json()["collected"] for response in responses if response.status_code == 200) == 699
    assert [cents for _, cents in wallet.paid_charges()] == [699, 699]
