"""Lost events and wrong rows of the mirror are found and repaired."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection

from accounts.models import Account
from billing import clock
from billing.changes import pauses
from billing.mirror import account_import, documents, reconcile
from billing.models import Customer, Invoice, PauseSchedule, Subscription, WebhookEvent
from billing.queries.payments.payment_methods import wallet_of
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.invariants import reconcile_output
from billing.tests.support.live_provider import FAITH, GOSPEL, KIDS, Provider
from billing.tests.support.subscriber_wallet import MASTERCARD
from billing.tests.support.webhook_delivery import WebhookDelivery

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_mirror_without_differences_prints_nothing(provider: Provider) -> None:
    provider.subscriber("alice", FAITH, GOSPEL)

    assert reconcile_output() == ""


@pytest.mark.shows("reliability-12")
def test_lost_events_are_found_in_the_feed(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    provider.travel(days=32)
    assert Invoice.objects.count() == 1

    reconcile.read_feed(now=clock.billing_now())

    assert Invoice.objects.count() == 2
    assert set(WebhookEvent.objects.values_list("source", flat=True)) == {"feed"}
    assert provider.invoices(alice)[-1].id == Invoice.objects.latest("issued_at").provider_id
    assert reconcile_output() == ""


@pytest.mark.shows("reliability-12")
def test_the_next_webhook_makes_up_for_every_tenth_lost_one(provider: Provider) -> None:
    for name in ("alice", "bob", "carol"):
        provider.subscriber(name, FAITH, GOSPEL, KIDS)
    reconcile.read_feed(now=clock.billing_now())
    delivery = WebhookDelivery(provider)
    delivery.collect_new()
    provider.travel(days=65)
    events = delivery.collect_new()
    lost = events[::10]
    delivery.under_way = [event for event in events if event not in lost]
    delivery.deliver_all()

    assert WebhookEvent.objects.filter(event_id__in=[event["id"] for event in lost]).count() == len(lost) > 5
    assert reconcile_output() == ""


@pytest.mark.shows("reliability-12")
def test_every_difference_is_reported_and_repaired(provider: Provider) -> None:
    provider.subscriber("alice", FAITH)
    provider.subscriber("bob", GOSPEL)
    provider.travel(days=32)
    Subscription.objects.filter(customer__provider_id="bob").delete()
    Invoice.objects.filter(customer__provider_id="alice").update(payload={}, status="voided")

    output = reconcile_output()
    assert "missing" in output
    assert "older" in output

    call_command("reconcile", stdout=StringIO())

    assert reconcile_output() == ""


def test_a_row_unknown_to_the_provider_is_marked_deleted(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    row = Subscription.objects.get()
    Subscription.objects.create(
        provider_id="ghost", customer=row.customer, item_price_id="Minno-Plan-USD-Monthly", status="active",
        created_at=row.created_at, synced_at=row.synced_at, payload=row.payload,
    )  # fmt: skip
    assert "subscription ghost: not there" in reconcile_output()

    reconcile.repair_mirror(now=clock.billing_now())

    assert Subscription.objects.get(provider_id="ghost").deleted
    assert provider.subscription(alice).status == "active"


def test_a_subscription_created_during_the_repair_is_not_marked_deleted(
    provider: Provider, faulty_proxy: FaultyProxy
) -> None:
    alice = provider.subscriber("alice", FAITH)

    def subscribe_in_between(request: bytes) -> None:
        if request.startswith(b"GET") and b"/subscriptions?" in request:
            faulty_proxy.on_answer = lambda _: None
            provider.subscribe("alice", GOSPEL)
            account_import.refresh_resource("subscription", provider.subscription(alice, GOSPEL).id)

    faulty_proxy.on_answer = subscribe_in_between
    reconcile.repair_mirror(now=clock.billing_now())

    assert set(Subscription.objects.values_list("item_price_id", "deleted")) == {
        ("faith-family-plan-USD-Monthly", False),
        ("gospel-tv-plan-USD-Monthly", False),
    }


@pytest.mark.shows("reliability-11")
def test_an_older_snapshot_that_arrives_late_replaces_nothing_newer(
    provider: Provider, faulty_proxy: FaultyProxy
) -> None:
    faith = provider.subscription(provider.subscriber("alice", FAITH)).id

    def cancel_and_read_meanwhile(request: bytes) -> None:
        faulty_proxy.on_answer = lambda _: None
        provider.sdk.Subscription.cancel_for_items(faith, {"end_of_term": True})
        account_import.refresh_resource("subscription", faith)
        connection.close()

    faulty_proxy.on_answer = cancel_and_read_meanwhile
    account_import.refresh_resource("subscription", faith)

    assert Subscription.objects.get().status == "non_renewing"
    reconcile.read_feed(now=clock.billing_now())
    assert reconcile_output() == ""


def test_a_record_that_cannot_be_applied_does_not_block_the_others(provider: Provider) -> None:
    provider.subscriber("alice", FAITH)
    bob = provider.subscriber("bob", FAITH)
    provider.travel(days=32)
    # An invalid payload, to which what has changed cannot be compared.
    of_alice = Subscription.objects.filter(customer__provider_id="alice")
    of_alice.update(payload=[7])

    counts = reconcile.repair_mirror(now=clock.billing_now())

    renewed = provider.subscription(bob).current_term_end
    assert Subscription.objects.get(customer__account=bob).payload["current_term_end"] == renewed
    assert counts["failed"] > 0
    of_alice.update(payload={})
    assert reconcile.repair_mirror(now=clock.billing_now())["failed"] == 0
    assert reconcile_output() == ""


def test_a_resync_removes_what_the_provider_no_longer_has(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    provider.add_card("alice", MASTERCARD)
    account_import.resync_account(alice)
    first, second = [card.payment_source_id for card in wallet_of(alice).cards]
    provider.sdk.PaymentSource.delete(second)

    account_import.resync_account(alice)

    assert [card.payment_source_id for card in wallet_of(alice).cards] == [first]


def test_deleting_a_subscription_closes_its_pause_and_sends_mail(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    pauses.schedule_pause(alice, subscription_ids=None, days=30, key="pause", actor="you", now=clock.billing_now())

    account_import.mark_deleted("subscription", provider.subscription(alice).id)

    assert PauseSchedule.objects.get().state == PauseSchedule.State.SUPERSEDED
    assert alice.outgoing_mails.count() == 2


def test_an_unknown_email_address_imports_no_account(provider: Provider) -> None:
    assert account_import.import_account("nobody@example.com") is None
    assert not Account.objects.exists()


def test_an_email_address_changed_in_the_console_updates_its_account(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    provider.sdk.Customer.update("alice", {"email": "alicia@example.com"})

    assert account_import.import_account("alicia@example.com") == alice

    assert Account.objects.get().email == "alicia@example.com"
    assert "alicia@example.com" in documents.read_document(alice, "account").body


@pytest.mark.shows("rule-13")
def test_the_customer_with_a_live_subscription_wins_among_duplicates(provider: Provider) -> None:
    provider.sdk.Customer.create({"id": "old", "email": "twin@example.com"})
    provider.add_card("old", "4111111111111111")
    provider.subscribe("old", FAITH)
    provider.travel(hours=1)
    provider.sdk.Customer.create({"id": "new", "email": "twin@example.com"})

    account = account_import.import_account("twin@example.com")

    assert account is not None
    assert account.customer.provider_id == "old"
    assert Customer.objects.get(provider_id="new").account is None
    assert account_import.import_account("twin@example.com") == account
