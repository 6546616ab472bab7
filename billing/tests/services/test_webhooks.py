"""Events from the provider: hints that are stored once, never believed, and lead to what the provider holds."""

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
from billing.models import Subscription, WebhookEvent
from billing.queries.payment_methods import wallet_of
from billing.services import pauses, payment_methods, reconcile, webhooks
from billing.tests.live import FAITH, Provider
from billing.tests.purse import MASTERCARD, Purse

pytestmark = pytest.mark.django_db(transaction=True)

State = WebhookEvent.State


def credentials(settings: Settings, password: str | None = None) -> str:
    pair = f"{settings.CHARGEBEE_WEBHOOK_USERNAME}:{password or settings.CHARGEBEE_WEBHOOK_PASSWORDS[0]}"
    return "Basic " + base64.b64encode(pair.encode()).decode()


def post(
    settings: Settings, body: Any, *, authorization: str | None = None, kind: str = "application/json"
) -> int:
    raw = body if isinstance(body, (str, bytes)) else json.dumps(body)
    header = credentials(settings) if authorization is None else authorization
    answer = Client().post("/webhooks/chargebee", raw, content_type=kind, headers={"Authorization": header})
    return answer.status_code


def event(subscription_id: str = "none", *, event_id: Any = "ev_1", **fields: Any) -> dict[str, Any]:
    """An event that claims a cancellation; nothing of its content is true."""
    return {
        "id": event_id,
        "occurred_at": 1_773_144_000,
        "event_type": "subscription_cancelled",
        "api_version": "v2",
        "content": {"subscription": {"id": subscription_id, "status": "cancelled", "resource_version": 9e15}},
        "object": "event",
        **fields,
    }


def process_all() -> None:
    for event_pk in webhooks.due():
        webhooks.process(event_pk)


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
def test_it_refuses_anybody_else_before_it_reads(settings: Settings, header: str) -> None:
    assert post(settings, "not json at all", authorization=header) == 401
    assert not WebhookEvent.objects.exists()


def test_it_takes_the_old_and_the_new_password_while_they_change(settings: Settings) -> None:
    settings.CHARGEBEE_WEBHOOK_PASSWORDS = ["new-password", "old-password"]

    for number, password in enumerate(settings.CHARGEBEE_WEBHOOK_PASSWORDS):
        header = credentials(settings, password)
        assert post(settings, event(event_id=f"ev_{number}"), authorization=header) == 200

    assert WebhookEvent.objects.count() == 2


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("{", id="cut"),
        pytest.param("[]", id="list"),
        pytest.param("null", id="null"),
        pytest.param("7", id="number"),
        pytest.param('{"id": "x"}', id="no-content"),
        pytest.param(event(content=None), id="null-content"),
        pytest.param(event(content=[]), id="list-content"),
        pytest.param(event(content={"subscription": "me"}), id="text-for-object"),
        pytest.param(event(occurred_at="soon"), id="odd-time"),
        pytest.param(event(occurred_at=10**30), id="far-time"),
        pytest.param(event(event_id="ev\0"), id="nul"),
        pytest.param(event(event_id="e" * 101), id="long-id"),
        pytest.param(event("sub\0"), id="nul-inside"),
        pytest.param(event("sub\ud800"), id="half-a-surrogate-pair"),
        pytest.param(event("../customers/alice"), id="climbing-out"),
        pytest.param(event(event_id={"id": 1}), id="object-for-text"),
        pytest.param(event(content={"subscription": [{"id": 7}]}), id="number-for-text"),
        pytest.param(event(api_version="v\0"), id="nul-in-the-version"),
        pytest.param(event(api_version="v" * 101), id="long-version"),
        pytest.param("[" * 100_000, id="deep"),
    ],
)
def test_nonsense_is_refused_and_not_stored(settings: Settings, body: Any) -> None:
    assert post(settings, body) == 400
    assert not WebhookEvent.objects.exists()


def test_another_content_type_is_refused(settings: Settings) -> None:
    assert post(settings, event(), kind="text/plain") == 415


def test_a_forged_event_changes_nothing(provider: Provider, settings: Settings) -> None:
    alice = provider.subscriber("alice", FAITH)
    before = Subscription.objects.values().get()

    assert post(settings, event(provider.subscription(alice).id)) == 200
    process_all()

    after = Subscription.objects.values().get()
    assert (after["status"], after["payload"]) == ("active", before["payload"])
    assert WebhookEvent.objects.get().state == State.PROCESSED


def test_the_same_event_twice_is_stored_and_processed_once(provider: Provider, settings: Settings) -> None:
    alice = provider.subscriber("alice", FAITH)
    sent = event(provider.subscription(alice).id)

    assert [post(settings, sent), post(settings, sent)] == [200, 200]
    process_all()
    process_all()

    assert WebhookEvent.objects.values_list("attempts", flat=True).get() == 1


def test_a_real_event_brings_what_changed_behind_our_back(provider: Provider, settings: Settings) -> None:
    alice = provider.subscriber("alice", FAITH)
    provider.sdk.Subscription.cancel_for_items(
        provider.subscription(alice).id, {"cancel_option": "end_of_term"}
    )
    told = provider.events("subscription_cancellation_scheduled")[0]

    assert post(settings, told.raw_data) == 200
    process_all()

    assert Subscription.objects.get().status == "non_renewing"


@pytest.mark.parametrize("family", ["payment_source", "card"])
def test_what_is_done_to_payment_methods_in_the_providers_console_is_followed(
    provider: Provider, settings: Settings, family: str
) -> None:
    purse = Purse(provider, provider.subscriber("alice", FAITH))
    visa = str(purse.role())

    def hear(happened: str) -> set[str]:
        assert post(settings, provider.events(f"{family}_{happened}")[0].raw_data) == 200
        process_all()
        assert list(reconcile.differences()) == []
        return {source.provider_id for source in wallet_of(purse.account).sources}

    provider.add_card("alice", MASTERCARD)
    assert hear("added") == set(purse.held())
    provider.sdk.PaymentSource.update_card(visa, {"card": {"first_name": "Operator"}})
    assert visa in hear("updated")
    provider.sdk.PaymentSource.delete(visa)
    assert hear("deleted") == {purse.role()}


def test_what_happens_to_tokens_and_intents_is_recorded_as_ignored(
    provider: Provider, settings: Settings
) -> None:
    purse = Purse(provider, provider.subscriber("alice", FAITH))
    payment_methods.paypal_intent(purse.account, key="one")
    purse.add(purse.token(MASTERCARD))
    kinds = ["payment_intent_created", "token_created", "token_consumed"]

    for kind in kinds:
        assert post(settings, provider.events(kind)[0].raw_data) == 200
    process_all()

    assert list(WebhookEvent.objects.order_by("pk").values_list("event_type", "state", "attempts")) == [
        (kind, State.IGNORED, 0) for kind in kinds
    ]


def test_events_out_of_order_end_in_the_providers_state(provider: Provider, settings: Settings) -> None:
    alice = provider.subscriber("alice", FAITH)
    subscription_id = provider.subscription(alice).id
    provider.sdk.Subscription.pause(subscription_id, {"pause_option": "end_of_term"})
    provider.sdk.Subscription.remove_scheduled_pause(subscription_id)
    told = [
        *provider.events("subscription_scheduled_pause_removed"),
        *provider.events("subscription_pause_scheduled"),
    ]

    for one in told:
        assert post(settings, one.raw_data) == 200
        process_all()

    assert Subscription.objects.get().pause_date is None


def test_an_event_about_a_stranger_or_of_another_version_is_ignored(
    provider: Provider, settings: Settings
) -> None:
    provider.sdk.Customer.create({"id": "stranger", "email": "stranger@example.com"})
    provider.subscribe("stranger", FAITH, auto_collection="off")
    told = provider.events("subscription_created")[0]

    post(settings, told.raw_data)
    post(settings, event(event_id="ev_old", api_version="v1"))
    process_all()

    assert set(WebhookEvent.objects.values_list("state", flat=True)) == {State.IGNORED}
    assert not Subscription.objects.exists()


def test_a_poisoned_event_is_parked_and_the_others_flow(provider: Provider, settings: Settings) -> None:
    alice = provider.subscriber("alice", FAITH)
    subscription_id = provider.subscription(alice).id
    post(settings, event(subscription_id, event_id="ev_poison"))
    WebhookEvent.objects.filter(event_id="ev_poison").update(payload={"names": 7})
    post(settings, event(subscription_id, event_id="ev_fine"))

    for _ in range(webhooks.ATTEMPTS):
        process_all()
        WebhookEvent.objects.filter(state=State.RECEIVED).update(next_attempt_at=timezone.now())

    poison, fine = (WebhookEvent.objects.get(event_id=name) for name in ("ev_poison", "ev_fine"))
    assert (poison.state, fine.state) == (State.PARKED, State.PROCESSED)
    assert "TypeError" in poison.error or "AttributeError" in poison.error


def test_our_own_pause_is_not_mistaken_for_somebody_elses(provider: Provider, settings: Settings) -> None:
    alice = provider.subscriber("alice", FAITH)
    pauses.schedule(alice, subscription_ids=None, days=30, key="one", actor="you", now=clock.now())
    pauses.remove_scheduled(alice, subscription_ids=None, key="two", actor="you", now=clock.now())

    for one in provider.events("subscription_pause_scheduled"):
        post(settings, one.raw_data)
    process_all()

    assert alice.outgoing_mails.count() == 2


@pytest.mark.services
def test_twenty_deliveries_at_once_are_one_event(db: None, settings: Settings) -> None:
    def deliver(_: int) -> int:
        try:
            return post(settings, event())
        finally:
            connection.close()

    with ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(deliver, range(20)))

    assert answers == [200] * 20
    assert WebhookEvent.objects.count() == 1
