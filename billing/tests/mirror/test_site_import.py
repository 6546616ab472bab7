"""The whole site in the mirror: its import, what follows it, and how little the nights ask for."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Account, OutgoingMail
from accounts.profile import erasure
from accounts.tests.sign_in.sign_in_client import SignInClient
from billing import clock
from billing.jobs import schedule
from billing.mirror import account_identity, account_import, reconcile
from billing.mirror.events import webhook_processing
from billing.models import (
    AccountDocument,
    BundleRate,
    Customer,
    Invoice,
    JobRun,
    PaymentSource,
    Subscription,
    Transaction,
    WebhookEvent,
)
from billing.queries.customers import other_customers
from billing.receipts import notices
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.invariants import reconcile_output
from billing.tests.support.kill_process import run_and_kill
from billing.tests.support.live_provider import FAITH, GOSPEL, VISA_CARD, Provider
from billing.tests.support.webhook_delivery import WebhookDelivery

pytestmark = pytest.mark.django_db(transaction=True)

IMPORT = """
from django.conf import settings
from django.core.management import call_command
settings.CHARGEBEE_PAGE_SIZE = 2
call_command("import_site")
"""
MODELS = (Customer, Subscription, PaymentSource, Transaction, Invoice)


def add_customer(provider: Provider, name: str, plan: str = FAITH, *, unit: str = "Monthly", email: str = "") -> None:
    """Create a customer with a card and a subscription at the provider, whom the portal does not know."""
    provider.sdk.Customer.create({"id": name, "email": email or f"{name}@example.com", "first_name": name.title()})
    provider.add_card(name, VISA_CARD)
    provider.subscribe(name, plan, unit=unit)


def import_site() -> list[str]:
    """Run the command; return its lines."""
    output = StringIO()
    call_command("import_site", stdout=output)
    return output.getvalue().splitlines()


def count_rows() -> dict[str, int]:
    return {model.__name__: model._default_manager.count() for model in MODELS}


def count_paths(requests: list[bytes]) -> Counter[str]:
    """Return how often each operation was requested."""
    return Counter(request.split(b" ")[1].decode().split("?")[0] for request in requests if request)


def expire_leases() -> None:
    JobRun.objects.update(next_attempt_at=timezone.now() - timedelta(seconds=1))


@pytest.fixture
def site(provider: Provider) -> Provider:
    """A site with four customers, none of whom has ever signed in."""
    for name in ("ann", "ben", "cleo"):
        add_customer(provider, name)
    add_customer(provider, "dora", GOSPEL, unit="Yearly")
    return provider


def test_it_imports_everybody_with_pages_of_a_hundred(site: Provider, faulty_proxy: FaultyProxy) -> None:
    requests = faulty_proxy.record_requests()

    lines = import_site()

    assert count_rows() == {"Customer": 4, "Subscription": 4, "PaymentSource": 4, "Transaction": 4, "Invoice": 4}
    assert set(count_paths(requests).values()) == {1}
    assert lines[-1] == "accounts: 4 opened"
    assert set(Account.objects.values_list("email", flat=True)) == {
        f"{name}@example.com" for name in ("ann", "ben", "cleo", "dora")
    }
    assert not AccountDocument.objects.exists()
    assert reconcile_output() == ""


@pytest.mark.shows("reliability-30")
@pytest.mark.parametrize("path", ["customers", "payment_sources", "subscriptions", "invoices"])
def test_a_killed_import_continues_where_it_stopped(
    site: Provider, faulty_proxy: FaultyProxy, environment: dict[str, str], settings: Settings, path: str
) -> None:
    second = iter((False, True, False))
    run_and_kill(environment, faulty_proxy, IMPORT, lambda request: f"/{path}?".encode() in request and next(second))
    with pytest.raises(CommandError, match="Another process is importing"):
        import_site()
    expire_leases()
    settings.CHARGEBEE_PAGE_SIZE = 2
    requests = faulty_proxy.record_requests()

    lines = import_site()

    assert lines[0].startswith("continuing at ")
    assert count_paths(requests)[f"/api/v2/{path}"] == 1
    assert count_rows() == {"Customer": 4, "Subscription": 4, "PaymentSource": 4, "Transaction": 4, "Invoice": 4}
    assert Account.objects.count() == 4
    assert JobRun.objects.get(job="manage.py import_site").finished_at is not None
    assert reconcile_output() == ""


def test_an_expired_offset_continues_at_the_last_record(
    site: Provider, faulty_proxy: FaultyProxy, environment: dict[str, str], settings: Settings
) -> None:
    second = iter((False, True, False))
    run_and_kill(environment, faulty_proxy, IMPORT, lambda request: b"/subscriptions?" in request and next(second))
    run = JobRun.objects.get()
    cursor = replace(run.cursor, offset="expired")
    JobRun.objects.update(cursor=cursor, updated_at=timezone.now() - timedelta(hours=2))
    expire_leases()
    requests = faulty_proxy.record_requests()

    import_site()

    pages = [request.split(b" ")[1] for request in requests if b"/subscriptions?" in request]
    assert [b"offset" in page for page in pages] == [True, False]
    assert f"{run.cursor.reached - 1}".encode() in pages[1]
    assert reconcile_output() == ""


@pytest.mark.shows("rule-13", "rule-18")
def test_of_two_customers_with_one_address_the_one_with_a_live_plan_signs_in(provider: Provider) -> None:
    add_customer(provider, "old", email="twin@example.com")
    provider.travel(hours=1)
    provider.sdk.Customer.create({"id": "new", "email": "twin@example.com"})

    import_site()

    account = account_identity.find_account("twin@example.com")
    assert account is not None
    assert account.customer.provider_id == "old"
    assert [other.id for other in other_customers(account)] == ["new"]


def test_an_erased_customer_is_not_imported_again(site: Provider) -> None:
    import_site()
    site.sdk.Subscription.cancel_for_items(Subscription.objects.get(customer__provider_id="ann").provider_id)
    account_import.resync_account(Account.objects.get(email="ann@example.com"))
    erasure.erase_account(Account.objects.get(email="ann@example.com"), actor="support:olga")

    call_command("import_site", restart=True, stdout=StringIO())
    call_command("reconcile", stdout=StringIO())

    assert not Customer.objects.filter(provider_id="ann").exists()
    assert not Account.objects.filter(email="ann@example.com").exists()


@pytest.mark.shows("rule-17")
@pytest.mark.parametrize("announced", ["by a webhook", "by the hourly reading"])
def test_an_erased_customer_is_not_brought_back_by_the_event_of_its_creation(site: Provider, announced: str) -> None:
    import_site()
    add_customer(site, "eve")
    delivery = WebhookDelivery(site)
    delivery.collect_new()
    reconcile.read_feed(now=clock.billing_now())
    eve = account_import.import_account("eve@example.com")
    assert eve is not None
    site.console(eve, "cancel now", FAITH)
    account_import.resync_account(eve)
    erasure.erase_account(eve, actor="support:olga")

    if announced == "by a webhook":
        delivery.deliver_all()
    reconcile.read_feed(now=clock.billing_now())

    assert not Customer.objects.filter(provider_id="eve").exists()
    assert not Account.objects.filter(email="eve@example.com").exists()


@pytest.mark.shows("rule-17")
@pytest.mark.parametrize("read", ["the hourly reading", "the night"])
def test_an_erased_customer_is_not_brought_back_by_another_account_of_its_address(site: Provider, read: str) -> None:
    add_customer(site, "eve", email="ann@example.com")
    import_site()
    ann, eve = (Account.objects.get(customer__provider_id=name) for name in ("ann", "eve"))
    site.console(eve, "cancel now", FAITH)
    account_import.resync_account(eve)
    reconcile.read_feed(now=clock.billing_now())
    erasure.erase_account(eve, actor="support:olga")

    site.travel(hours=1)
    site.sdk.Customer.update("eve", {"first_name": "Evelyn"})
    if read == "the night":
        run_night(site)
    else:
        reconcile.read_feed(now=clock.billing_now())

    assert not Customer.objects.filter(provider_id="eve").exists()
    assert list(Account.objects.filter(email="ann@example.com")) == [ann]


@pytest.mark.shows("rule-16")
def test_a_yearly_subscriber_who_never_signed_in_gets_a_notice(site: Provider) -> None:
    import_site()
    dora = Subscription.objects.get(customer__provider_id="dora")
    assert dora.next_billing_at is not None

    counts = notices.queue_due_notices(now=dora.next_billing_at - timedelta(days=20))

    assert counts == {"notices": 1}
    assert OutgoingMail.objects.get().to == "dora@example.com"


@pytest.mark.shows("rule-13")
def test_the_first_sign_in_needs_no_request_for_the_accounts_data(site: Provider, faulty_proxy: FaultyProxy) -> None:
    import_site()
    schedule.run_job("feed", schedule.newest_hour(clock.billing_now()), now=clock.billing_now())
    requests = faulty_proxy.record_requests()
    browser = SignInClient()

    browser.sign_in("ann@example.com")
    account_import.resync_account_if_reachable(Account.objects.get(email="ann@example.com").pk)

    assert browser.api.get("/api/account").status_code == 200
    assert [path for path in count_paths(requests) if path != "/api/v2/customers"] == []


def test_a_new_customer_of_an_imported_site_comes_by_its_events(site: Provider, faulty_proxy: FaultyProxy) -> None:
    import_site()
    delivery = WebhookDelivery(site)
    delivery.collect_new()
    add_customer(site, "emil")
    delivery.under_way = delivery.collect_new()
    requests = faulty_proxy.record_requests()

    delivery.deliver_all()

    assert count_paths(requests) == {"/api/v2/events": 1}
    assert Subscription.objects.filter(customer__provider_id="emil").exists()
    assert reconcile_output() == ""


def run_night(provider: Provider) -> JobRun:
    """Run the nightly reconcile of the next night."""
    provider.travel(days=1)
    run = schedule.run_job("reconcile", schedule.newest_night(clock.billing_now()), now=clock.billing_now())
    assert run is not None
    assert (run.error, run.finished_at is not None) == ("", True)
    return run


def test_a_night_asks_for_what_was_updated_since_the_last_one(site: Provider, faulty_proxy: FaultyProxy) -> None:
    import_site()
    run_night(site)
    run_night(site)
    site.sdk.Subscription.cancel_for_items(
        Subscription.objects.get(customer__provider_id="ben").provider_id, {"cancel_option": "end_of_term"}
    )
    requests = faulty_proxy.record_requests()

    run = run_night(site)

    assert run.counts_by_stage["subscription"] == {"compared": 1, "repaired": 1, "failed": 0}
    assert Subscription.objects.get(customer__provider_id="ben").status == "non_renewing"
    filtered = [request for request in requests if b"updated_at" in request.split(b" HTTP")[0]]
    assert len(filtered) == 6
    assert reconcile_output() == ""


@pytest.mark.shows("reliability-12")
def test_what_fails_beside_the_records_does_not_make_the_nights_longer(site: Provider) -> None:
    BundleRate.objects.create(size=2, percentage=10, coupon_id="GONE")
    site.subscribe("ann", GOSPEL)
    import_site()

    first, second = run_night(site), run_night(site)

    assert first.counts_by_stage["bundles"]["failed"] == 1
    assert second.cursor.since == first.cursor.began - 3600


@pytest.mark.shows("reliability-12")
def test_a_record_that_can_never_be_applied_makes_only_three_nights_longer(site: Provider) -> None:
    import_site()
    nights = []
    for _ in range(5):
        nights.append(run_night(site))
        JobRun.objects.filter(pk=nights[-1].pk).update(counts_by_stage={"invoice": {"failed": 1}})

    since = [run.cursor.since for run in nights]

    assert since == [since[0]] * 4 + [nights[0].cursor.began - 3600]


def test_in_four_weeks_the_whole_site_is_compared_once(site: Provider, settings: Settings) -> None:
    settings.CHARGEBEE_PAGE_SIZE = 1
    import_site()
    run_night(site)
    # Differences that no list by time of update shows.
    Invoice.objects.filter(customer__provider_id="cleo").update(payload={})
    ghost = Subscription.objects.get(customer__provider_id="ben")
    ghost.pk, ghost.provider_id = None, "ghost"
    ghost.save()

    compared = [run_night(site).counts_by_stage["whole site"].get("compared", 0) for _ in range(28)]

    assert max(compared) <= 2
    assert JobRun.objects.filter(job="reconcile whole site", finished_at__isnull=False).exists()
    assert Invoice.objects.get(customer__provider_id="cleo").payload
    assert Subscription.objects.get(provider_id="ghost").deleted


def test_a_check_of_given_accounts_finds_any_difference_of_theirs(site: Provider) -> None:
    import_site()
    Invoice.objects.filter(customer__provider_id="cleo").update(payload={})
    Subscription.objects.filter(customer__provider_id="cleo").delete()
    number = Invoice.objects.get(customer__provider_id="cleo").provider_id
    output = StringIO()

    with pytest.raises(CommandError, match="2 differences"):
        call_command("reconcile", "Cleo@example.com", "ann@example.com", check=True, stdout=output)

    assert f"invoice {number}: older" in output.getvalue()
    assert "missing" in output.getvalue()
    call_command("reconcile", "ann@example.com", check=True, stdout=StringIO())


def replace_feed(proxy: FaultyProxy, events: list[Any]) -> None:
    """Let the feed show these events alone, as if it lagged behind."""
    body = json.dumps({"list": [{"event": event} for event in events]}).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n"

    def replace_pages(request: bytes) -> None:
        proxy.mode = "replace" if b"/events?" in request else "good"

    proxy.on_answer, proxy.replacement = replace_pages, head.encode() + b"\r\n" + body


def test_a_new_customer_comes_whole_although_the_feed_shows_its_creation_last(
    site: Provider, faulty_proxy: FaultyProxy
) -> None:
    import_site()
    delivery = WebhookDelivery(site)
    delivery.collect_new()
    add_customer(site, "emil")
    shown = [event for event in delivery.collect_new() if event["event_type"] != "customer_created"]
    replace_feed(faulty_proxy, shown)
    reconcile.read_feed(now=clock.billing_now())
    faulty_proxy.restore()

    reconcile.read_feed(now=clock.billing_now())

    assert Subscription.objects.filter(customer__provider_id="emil").exists()
    assert reconcile_output() == ""


def test_a_new_customer_comes_by_webhooks_although_the_feed_lacks_its_events(
    site: Provider, faulty_proxy: FaultyProxy
) -> None:
    import_site()
    delivery = WebhookDelivery(site)
    delivery.collect_new()
    delivery.under_way = []
    add_customer(site, "emil")
    delivery.collect_new()
    replace_feed(faulty_proxy, [])
    delivery.deliver_all()
    WebhookEvent.objects.filter(state=WebhookEvent.State.RECEIVED).update(next_attempt_at=timezone.now())

    webhook_processing.process_due_events()

    assert Subscription.objects.filter(customer__provider_id="emil").exists()
    assert reconcile_output() == ""
