"""Many subscribers whose pauses end on one night, at the provider and in the mirror."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

from accounts.models import Account
from billing import clock
from billing.gateway.snapshots import CustomerSnapshot, InvoiceSnapshot, Snapshot, SubscriptionSnapshot
from billing.models import Customer, Invoice, PauseSchedule, Subscription
from billing.tests.support.live_provider import FAITH, GOSPEL, KIDS, Provider

PLANS = (FAITH, GOSPEL, KIDS)
CONCURRENCY = 6
PAUSE = timedelta(days=30)


def create_paused_subscribers(provider: Provider, *, subscriptions: int) -> None:
    """Create subscriptions whose resume is due, three per customer.

    Their terms are over, so each resume bills. They pay by invoice, so a resume is one request.
    """
    plans_by_customer = [
        (f"crowd-{number // len(PLANS)}", PLANS[number % len(PLANS)]) for number in range(subscriptions)
    ]
    sdk = provider.sdk
    _run_concurrently(
        lambda name: sdk.Customer.create({"id": name, "email": f"{name}@example.com", "auto_collection": "off"}),
        dict(plans_by_customer),
    )
    ids = _run_concurrently(lambda pair: provider.subscribe(*pair), plans_by_customer)
    _run_concurrently(
        lambda subscription_id: sdk.Subscription.pause(subscription_id, {"pause_option": "immediately"}), ids
    )
    _import_subscribers(provider)
    paused_at = clock.billing_now()
    PauseSchedule.objects.bulk_create(
        PauseSchedule(
            subscription=row,
            state=PauseSchedule.State.PAUSED,
            pause_date=paused_at,
            resume_date=paused_at + PAUSE,
            created_at=paused_at,
        )
        for row in Subscription.objects.all()
    )
    provider.travel_to(paused_at + PAUSE + timedelta(days=2))


def list_entries(operation: Callable[[dict[str, Any]], Any], kind: str, **filters: Any) -> Iterator[dict[str, Any]]:
    """Yield the raw records of a list operation of the SDK, page after page."""
    page: dict[str, Any] = {"limit": 100, **filters}
    while True:
        answer = operation(page)
        yield from (getattr(entry, kind).raw_data for entry in answer.list)
        if not answer.next_offset:
            return
        page["offset"] = answer.next_offset


def _run_concurrently(act: Callable[[Any], Any], over: Any) -> list[Any]:
    with ThreadPoolExecutor(CONCURRENCY) as pool:
        return list(pool.map(act, over))


def _import_subscribers(provider: Provider) -> None:
    """Open an account for each customer, and mirror their records, without a request per customer."""
    sdk = provider.sdk
    for raw in list_entries(sdk.Customer.list, "customer"):
        account = Account.objects.open_account(email=raw["email"], first_name="", last_name="")
        Customer.objects.create(account=account, email=raw["email"], **_mirror_columns(CustomerSnapshot.from_raw(raw)))
    owners = {customer.provider_id: customer for customer in Customer.objects.all()}
    subscriptions = [SubscriptionSnapshot.from_raw(raw) for raw in list_entries(sdk.Subscription.list, "subscription")]
    invoices = [InvoiceSnapshot.from_raw(raw) for raw in list_entries(sdk.Invoice.list, "invoice")]
    Subscription.objects.bulk_create(
        Subscription(
            customer=owners[subscription.customer_id],
            item_price_id=subscription.item_price_id,
            status=subscription.status,
            created_at=subscription.created_at,
            **_mirror_columns(subscription),
        )
        for subscription in subscriptions
    )
    Invoice.objects.bulk_create(
        Invoice(
            customer=owners[invoice.customer_id],
            status=invoice.status,
            issued_at=invoice.issued_at,
            **_mirror_columns(invoice),
        )
        for invoice in invoices
    )


def _mirror_columns(snapshot: Snapshot) -> dict[str, Any]:
    return {
        "provider_id": snapshot.id,
        "resource_version": snapshot.version,
        "payload": snapshot.payload,
        "synced_at": clock.billing_now(),
    }
