"""Webhooks: each is stored once, and only a hint to refresh records from the provider."""

from __future__ import annotations

import base64
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from billing import clock
from billing.changes import pauses
from billing.mirror import reconcile
from billing.mirror.events import webhook_processing
from billing.models import NextBillEstimate, Subscription, WebhookEvent
from billing.queries.payments.payment_methods import wallet_of
from billing.tests.api.browser import Browser, read_bills
from billing.tests.support.live_provider import FAITH, Provider
from billing.tests.support.subscriber_wallet import MASTERCARD, SubscriberWallet

pytestmark = pytest.mark.django_db(transaction=True)

State = WebhookEvent.State


def basic_credentials(settings: Settings, password: str | None = None) -> str:
    pair = f"{settings.CHARGEBEE_WEBHOOK_USERNAME}:{password or settings.CHARGEBEE_WEBHOOK_PASSWORDS[0]}"
    return "Basic " + base64.b64encode(pair.encode()).decode()


def post_webhook(
    settings: Settings, body: Any, *, authorization: str | None = None, kind: str = "application/json"
) -> int:
    raw = body if isinstance(body, (str, bytes)) else json.dumps(body)
    header = basic_credentials(settings) if authorization is None else authorization
    answer = Client().post("/webhooks/chargebee", raw, content_type=kind, headers={"Authorization": header})
    return answer.status_code


def false_event(subscription_id: str = "none", *, event_id: Any = "ev_1", **fields: Any) -> dict[str, Any]:
    """Return a forged event about a cancellation that never happened."""
    return {
        "id": event_id,
        "occurred_at": 1_773_144_000,
        "event_type": "subscription_cancelled",
        "api_version": "v2",
        "content": {"subscription": {"id": subscription_id, "status": "cancelled", "resource_version": 9e15}},
        "object": "event",
        **fields,
    }


def process_events() -> None:
    """Process the due events, then those that had to wait because the feed did not show them."""
    for _ in range(2):
        for event_pk in webhook_processing.due_event_ids():
            webhook_processing.process_event(event_pk)
        WebhookEvent.objects.filter(state=State.RECEIVED, attempts=0).update(next_attempt_at=timezone.now())


@pytest.mark.shows("api-43", "security-34")
@pytest.mark.parametrize(
    "header",
    [
        "",
        "Basic",
        "Basic !!!",
        "Basic \xff\xfe",
        "Basic Y2hhcmdlYmVl",
        "Bearer abc",
        "Basic " + base64.b64encode(b"chargebee:wrong").decode(),
    ],
)
def test_it_refuses_wrong_credentials_before_it_reads_the_body(settings: Settings, header: str) -> None:
    assert post_webhook(settings, "not json at all", authorization=header) == 401
    assert not WebhookEvent.objects.exists()


@pytest.mark.shows("security-34")
def test_it_accepts_the_old_and_the_new_password_during_a_rotation(settings: Settings) -> None:
    settings.CHARGEBEE_WEBHOOK_PASSWORDS = ["new-password", "old-password"]

    for number, password in enumerate(settings.CHARGEBEE_WEBHOOK_PASSWORDS):
        header = basic_credentials(settings, password)
        assert post_webhook(settings, false_event(event_id=f"ev_{number}"), authorization=header) == 200

    assert WebhookEvent.objects.count() == 2


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("{", id="cut"),
        pytest.param("[]", id="list"),
        pytest.param("null", id="null"),
        pytest.param("7", id="number"),
        pytest.param('{"id": "x"}', id="no-content"),
        pytest.param(false_event(content=None), id="null-content"),
        pytest.param(false_event(content=[]), id="list-content"),
        pytest.param(false_event(content={"subscription": "me"}), id="text-for-object"),
        pytest.param(false_event(occurred_at="soon"), id="odd-time"),
        pytest.param(false_event(occurred_at="1773144000"), id="time-in-quotes"),
        pytest.param(false_event(occurred_at=1_773_144_000.5), id="half-a-second"),
        pytest.param(false_event(occurred_at=True), id="true-for-a-time"),
        pytest.param(false_event(occurred_at=None), id="no-time"),
        pytest.param(false_event(occurred_at=10**30), id="far-time"),
        pytest.param(false_event(occurred_at=-(10**18)), id="long-ago"),
        pytest.param(false_event(occurred_at=253_402_300_799), id="last-second-of-9999"),
        pytest.param(false_event(occurred_at=-62_135_596_800), id="first-second-of-year-1"),
        pytest.param(false_event(event_id="ev\0"), id="nul"),
        pytest.param(false_event(event_id="e" * 101), id="long-id"),
        pytest.param(false_event("sub\0"), id="nul-inside"),
        pytest.param(false_event("sub\ud800"), id="half-a-surrogate-pair"),
        pytest.param(false_event("../customers/alice"), id="climbing-out"),
        pytest.param(false_event(event_id={"id": 1}), id="object-for-text"),
        pytest.param(false_event(content={"subscription": [{"id": 7}]}), id="number-for-text"),
        pytest.param(false_event(api_version="v\0"), id="nul-in-the-version"),
        pytest.param(false_event(api_version="v" * 101), id="long-version"),
        pytest.param("[" * 100_000, id="deep"),
    ],
)
def test_an_invalid_body_is_refused_and_not_stored(settings: Settings, body: Any) -> None:
    assert post_webhook(settings, body) == 400
    assert not WebhookEvent.objects.exists()


@pytest.mark.shows("security-34")
def test_another_content_type_is_refused(settings: Settings) -> None:
    assert post_webhook(settings, false_event(), kind="text/plain") == 415


@pytest.mark.shows("security-35")
def test_a_forged_event_changes_nothing(provider: Provider, settings: Settings) -> None:
    alice = provider.subscriber("alice", FAITH)
    before = Subscription.objects.values().get()

    assert post_webhook(settings, false_event(provider.subscription(alice).id)) == 200
    process_events()

    after = Subscription.objects.values().get()
    assert (after["status"], after["payload"]) == ("active", before["payload"])
    assert WebhookEvent.objects.get(event_id="ev_1").state == State.PROCESSED


@pytest.mark.shows("api-43", "security-35", "reliability-10")
def test_a_repeated_event_is_stored_and_processed_once(provider: Provider, settings: Settings) -> None:
    alice = provider.subscriber("alice", FAITH)
    sent = false_event(provider.subscription(alice).id)

    assert [post_webhook(settings, sent), post_webhook(settings, sent)] == [200, 200]
    process_events()
    process_events()

    assert WebhookEvent.objects.get(event_id="ev_1").attempts == 1


@pytest.mark.shows("reliability-35")
def test_an_event_refreshes_what_changed_in_the_console(provider: Provider, settings: Settings) -> None:
    alice = provider.subscriber("alice", FAITH)
    provider.sdk.Subscription.cancel_for_items(provider.subscription(alice).id, {"cancel_option": "end_of_term"})
    event = provider.events("subscription_cancellation_scheduled")[0]

    assert post_webhook(settings, event.raw_data) == 200
    process_events()

    assert Subscription.objects.get().status == "non_renewing"


@pytest.mark.shows("reliability-35")
@pytest.mark.parametrize("family", ["payment_source", "card"])
def test_changes_of_payment_methods_in_the_console_are_mirrored(
    provider: Provider, settings: Settings, family: str
) -> None:
    wallet = SubscriberWallet(provider, provider.subscriber("alice", FAITH))
    visa = str(wallet.source_in_role())

    def deliver_event(happened: str) -> set[str]:
        assert post_webhook(settings, provider.events(f"{family}_{happened}")[0].raw_data) == 200
        process_events()
        assert list(reconcile.find_differences()) == []
        return {source.provider_id for source in wallet_of(wallet.account).sources}

    provider.add_card("alice", MASTERCARD)
    assert deliver_event("added") == set(wallet.provider_sources())
    provider.sdk.PaymentSource.update_card(visa, {"card": {"first_name": "Operator"}})
    assert visa in deliver_event("updated")
    provider.sdk.PaymentSource.delete(visa)
    assert deliver_event("deleted") == {wallet.source_in_role()}


def test_events_of_intents_are_recorded_as_ignored(provider: Provider, settings: Settings) -> None:
    wallet = SubscriberWallet(provider, provider.subscriber("alice", FAITH))
    wallet.add_card(wallet.authorize_card(MASTERCARD))
    kinds = ["payment_intent_created", "payment_intent_updated"]

    for kind in kinds:
        assert post_webhook(settings, provider.events(kind)[0].raw_data) == 200
    process_events()

    assert list(WebhookEvent.objects.order_by("pk").values_list("event_type", "state", "attempts")) == [
        (kind, State.IGNORED, 0) for kind in kinds
    ]


@pytest.mark.shows("rule-21")
@pytest.mark.parametrize(
    ("happened", "is_list"), [("created", True), ("voided", True), ("invoiced", True), ("deleted", False)]
)
def test_a_charge_that_waits_for_the_next_bill_has_it_estimated_again(
    provider: Provider, settings: Settings, happened: str, is_list: bool
) -> None:
    alice = provider.subscriber("alice", FAITH)
    assert [bill["amount"] for bill in read_bills(alice)] == [699]
    charge = {"id": "li_1", "subscription_id": provider.subscription(alice).id, "amount": 500}
    charges = [charge] if is_list else charge

    event = false_event(event_type=f"unbilled_charges_{happened}", content={"unbilled_charge": charges})
    assert post_webhook(settings, event) == 200
    process_events()

    assert WebhookEvent.objects.get(event_id="ev_1").state == State.PROCESSED
    [bill] = Browser(alice).get("/api/account").json()["nextBills"]
    assert bill["amount"] is None
    assert NextBillEstimate.objects.due().count() == 1


@pytest.mark.shows("rule-21")
def test_an_event_that_tells_nothing_new_leaves_the_next_bill_as_it_is(provider: Provider, settings: Settings) -> None:
    alice = provider.subscriber("alice", FAITH)
    assert [bill["amount"] for bill in read_bills(alice)] == [699]

    assert post_webhook(settings, false_event(provider.subscription(alice).id)) == 200
    process_events()

    assert WebhookEvent.objects.get(event_id="ev_1").state == State.PROCESSED
    [bill] = Browser(alice).get("/api/account").json()["nextBills"]
    assert bill["amount"] == 699
    assert not NextBillEstimate.objects.due().exists()


def test_a_charge_of_a_customer_alone_is_ignored(settings: Settings) -> None:
    content = {"unbilled_charge": [{"id": "li_1", "customer_id": "alice", "amount": 500}]}
    assert post_webhook(settings, false_event(event_type="unbilled_charges_created", content=content)) == 200
    assert WebhookEvent.objects.get().state == State.IGNORED


@pytest.mark.shows("reliability-11")
def test_events_out_of_order_leave_the_providers_state(provider: Provider, settings: Settings) -> None:
    alice = provider.subscriber("alice", FAITH)
    subscription_id = provider.subscription(alice).id
    provider.sdk.Subscription.pause(subscription_id, {"pause_option": "end_of_term"})
    provider.sdk.Subscription.remove_scheduled_pause(subscription_id)
    events = [
        *provider.events("subscription_scheduled_pause_removed"),
        *provider.events("subscription_pause_scheduled"),
    ]

    for event in events:
        assert post_webhook(settings, event.raw_data) == 200
        process_events()

    assert Subscription.objects.get().pause_date is None


@pytest.mark.shows("security-36")
def test_an_event_about_an_unknown_customer_or_version_is_ignored(provider: Provider, settings: Settings) -> None:
    provider.sdk.Customer.create({"id": "stranger", "email": "stranger@example.com"})
    provider.subscribe("stranger", FAITH, auto_collection="off")
    event = provider.events("subscription_created")[0]

    post_webhook(settings, event.raw_data)
    post_webhook(settings, false_event(event_id="ev_old", api_version="v1"))
    process_events()

    assert set(WebhookEvent.objects.exclude(owner="").values_list("owner", "state")) == {("stranger", State.IGNORED)}
    assert WebhookEvent.objects.get(event_id="ev_old").state == State.IGNORED
    assert not Subscription.objects.exists()


@pytest.mark.shows("security-36")
def test_the_feed_has_the_event_that_a_webhook_delivered_in_another_version(
    provider: Provider, settings: Settings
) -> None:
    alice = provider.subscriber("alice", FAITH)
    provider.sdk.Subscription.cancel_for_items(provider.subscription(alice).id, {"cancel_option": "end_of_term"})
    (event,) = provider.events("subscription_cancellation_scheduled")
    post_webhook(settings, {**event.raw_data, "api_version": "v1"})
    process_events()
    assert Subscription.objects.get().status == "active"

    reconcile.read_feed(now=clock.billing_now())

    assert Subscription.objects.get().status == "non_renewing"
    assert WebhookEvent.objects.get(event_id=event.id).state == State.PROCESSED
    assert reconcile.read_feed(now=clock.billing_now())["found"] == 0


@pytest.mark.shows("reliability-14")
def test_an_invalid_event_is_parked_and_the_others_are_processed(provider: Provider, settings: Settings) -> None:
    alice = provider.subscriber("alice", FAITH)
    subscription_id = provider.subscription(alice).id
    post_webhook(settings, false_event(subscription_id, event_id="ev_poison"))
    WebhookEvent.objects.filter(event_id="ev_poison").update(payload={"names": 7})
    post_webhook(settings, false_event(subscription_id, event_id="ev_fine"))

    process_events()
    for _ in range(webhook_processing.MAX_ATTEMPTS):
        process_events()
        WebhookEvent.objects.filter(state=State.RECEIVED).update(next_attempt_at=timezone.now())

    poison, fine = (WebhookEvent.objects.get(event_id=name) for name in ("ev_poison", "ev_fine"))
    assert (poison.state, fine.state) == (State.PARKED, State.PROCESSED)
    assert "TypeError" in poison.error or "AttributeError" in poison.error


def test_events_of_our_own_pause_send_no_second_mail(provider: Provider, settings: Settings) -> None:
    alice = provider.subscriber("alice", FAITH)
    pauses.schedule_pause(alice, subscription_ids=None, days=30, key="one", actor="you", now=clock.billing_now())
    pauses.remove_scheduled_pause(alice, subscription_ids=None, key="two", actor="you", now=clock.billing_now())

    for event in provider.events("subscription_pause_scheduled"):
        post_webhook(settings, event.raw_data)
    process_events()

    assert alice.outgoing_mails.count() == 2


@pytest.mark.shows("security-35", "reliability-10")
@pytest.mark.services
def test_twenty_concurrent_deliveries_store_one_event(db: None, settings: Settings) -> None:
    def deliver(_: int) -> int:
        try:
            return post_webhook(settings, false_event())
        finally:
            connection.close()

    with ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(deliver, range(20)))

    assert answers == [200] * 20
    assert WebhookEvent.objects.count() == 1
