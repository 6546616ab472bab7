"""Lost events, and a mirror that went astray: found and mended."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection

from accounts.models import Account
from billing import clock
from billing.models import Customer, Invoice, PauseSchedule, Subscription, WebhookEvent
from billing.queries.payment_methods import payment_lists
from billing.services import documents, jobs, pauses, reconcile, sync
from billing.tests.cable import Cable
from billing.tests.calm import told_by_reconcile
from billing.tests.live import FAITH, GOSPEL, KIDS, Provider
from billing.tests.post import Post
from billing.tests.purse import MASTERCARD

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_mirror_in_step_prints_nothing(provider: Provider) -> None:
    provider.subscriber("alice", FAITH, GOSPEL)

    assert told_by_reconcile() == ""


def test_lost_events_are_found_in_the_feed(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    provider.travel(days=32)
    assert Invoice.objects.count() == 1

    reconcile.read_feed(now=clock.now())

    assert Invoice.objects.count() == 2
    assert set(WebhookEvent.objects.values_list("source", flat=True)) == {"feed"}
    assert provider.invoices(alice)[-1].id == Invoice.objects.latest("issued_at").provider_id
    assert told_by_reconcile() == ""


def test_where_each_tenth_webhook_is_lost_the_hour_brings_what_is_missing(provider: Provider) -> None:
    for name in ("alice", "bob", "carol"):
        provider.subscriber(name, FAITH, GOSPEL, KIDS)
    reconcile.read_feed(now=clock.now())
    post = Post(provider)
    post.collect()
    provider.travel(days=65)
    events = post.collect()
    lost = events[::10]
    post.under_way = [event for event in events if event not in lost]
    post.bring_all()
    assert "missing" in told_by_reconcile()

    hour = jobs.run("feed", jobs.newest_hour(clock.now()), now=clock.now())

    assert hour is not None
    assert hour.counts["found"] == len(lost) > 5
    assert told_by_reconcile() == ""


def test_every_difference_is_told_and_mended(provider: Provider) -> None:
    provider.subscriber("alice", FAITH)
    provider.subscriber("bob", GOSPEL)
    provider.travel(days=32)
    Subscription.objects.filter(customer__provider_id="bob").delete()
    Invoice.objects.filter(customer__provider_id="alice").update(payload={}, status="voided")

    told = told_by_reconcile()
    assert "missing" in told
    assert "older" in told

    call_command("reconcile", stdout=StringIO())

    assert told_by_reconcile() == ""


def test_a_row_that_the_provider_never_had_becomes_a_tombstone(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    row = Subscription.objects.get()
    Subscription.objects.create(
        provider_id="ghost", customer=row.customer, service="kids", status="active",
        created_at=row.created_at, synced_at=row.synced_at, payload=row.payload,
    )  # fmt: skip
    assert "subscription ghost: not there" in told_by_reconcile()

    reconcile.mend(now=clock.now())

    assert Subscription.objects.get(provider_id="ghost").deleted
    assert provider.subscription(alice).status == "active"


def test_what_was_made_while_the_lists_were_read_is_not_buried(provider: Provider, cable: Cable) -> None:
    alice = provider.subscriber("alice", FAITH)

    def subscribe_in_between(request: bytes) -> None:
        if request.startswith(b"GET") and b"/subscriptions?" in request:
            cable.on_answer = lambda _: None
            provider.subscribe("alice", GOSPEL)
            sync.refresh("subscription", provider.subscription(alice, GOSPEL).id)

    cable.on_answer = subscribe_in_between
    reconcile.mend(now=clock.now())

    assert set(Subscription.objects.values_list("service", "deleted")) == {
        ("faith-family", False),
        ("gospel-TV", False),
    }


def test_an_older_reading_that_arrives_late_replaces_nothing_newer(provider: Provider, cable: Cable) -> None:
    faith = provider.subscription(provider.subscriber("alice", FAITH)).id

    def cancel_and_read_meanwhile(request: bytes) -> None:
        cable.on_answer = lambda _: None
        provider.sdk.Subscription.cancel_for_items(faith, {"end_of_term": True})
        sync.refresh("subscription", faith)
        connection.close()

    cable.on_answer = cancel_and_read_meanwhile
    sync.refresh("subscription", faith)

    assert Subscription.objects.get().status == "non_renewing"
    reconcile.read_feed(now=clock.now())
    assert told_by_reconcile() == ""


def test_one_record_that_cannot_be_applied_keeps_no_other_away(provider: Provider) -> None:
    provider.subscriber("alice", FAITH)
    bob = provider.subscriber("bob", FAITH)
    provider.travel(days=32)
    # Alice's documents cannot be built, and so nothing of hers be applied, until this invoice is mended.
    Invoice.objects.filter(customer__provider_id="alice").update(payload={"linked_payments": 7})

    counts = reconcile.mend(now=clock.now())

    renewed = provider.subscription(bob).current_term_end
    assert Subscription.objects.get(customer__account=bob).payload["current_term_end"] == renewed
    assert counts["failed"] > 0
    assert reconcile.mend(now=clock.now())["failed"] == 0
    assert told_by_reconcile() == ""


def test_reading_an_account_again_leaves_nothing_that_the_provider_has_not(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    provider.add_card("alice", MASTERCARD)
    sync.resync_account(alice)
    first, second = [one["payment_source_id"] for one in payment_lists(alice)["card"]]
    provider.sdk.PaymentSource.delete(second)

    sync.resync_account(alice)

    assert [one["payment_source_id"] for one in payment_lists(alice)["card"]] == [first]


def test_a_pause_of_a_subscription_that_is_gone_is_closed_and_told(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    pauses.schedule(alice, subscription_ids=None, days=30, key="pause", actor="you", now=clock.now())

    sync.bury("subscription", provider.subscription(alice).id)

    assert PauseSchedule.objects.get().state == PauseSchedule.State.SUPERSEDED
    assert alice.outgoing_mails.count() == 2


def test_an_address_that_nobody_knows_is_nobody(provider: Provider) -> None:
    assert sync.import_account("nobody@example.com") is None
    assert not Account.objects.exists()


def test_an_address_that_customer_service_changed_takes_its_account_along(provider: Provider) -> None:
    alice = provider.subscriber("alice", FAITH)
    provider.sdk.Customer.update("alice", {"email": "alicia@example.com"})

    assert sync.import_account("alicia@example.com") == alice

    assert Account.objects.get().email == "alicia@example.com"
    assert "alicia@example.com" in documents.read(alice, "account")


def test_of_several_customers_with_one_address_the_live_one_is_taken(provider: Provider) -> None:
    provider.sdk.Customer.create({"id": "old", "email": "twin@example.com"})
    provider.add_card("old", "4111111111111111")
    provider.subscribe("old", FAITH)
    provider.travel(hours=1)
    provider.sdk.Customer.create({"id": "new", "email": "twin@example.com"})

    account = sync.import_account("twin@example.com")

    assert account is not None
    assert account.customer.provider_id == "old"
    assert Customer.objects.get(provider_id="new").account is None
    assert sync.import_account("twin@example.com") == account
