"""A crowd of subscribers whose pauses end on one night: made at the provider, and known to the portal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

from accounts.models import Account
from billing import clock
from billing.gateway.snapshots import CustomerSnapshot, InvoiceSnapshot, Snapshot, SubscriptionSnapshot
from billing.models import Customer, Invoice, PauseSchedule, Subscription
from billing.tests.live import FAITH, GOSPEL, KIDS, Provider

PLANS = (FAITH, GOSPEL, KIDS)
AT_ONCE = 6
PAUSE = timedelta(days=30)


def paused_crowd(provider: Provider, *, subscriptions: int) -> None:
    """Let so many subscriptions be due for their resume: three of each customer's, the last one's perhaps fewer.

    Their terms are over, so that each is billed. They pay by invoice, so that a resume is one request.
    """
    wanted = [
        (f"crowd-{number // len(PLANS)}", PLANS[number % len(PLANS)]) for number in range(subscriptions)
    ]
    sdk = provider.sdk
    _side_by_side(
        lambda name: sdk.Customer.create(
            {"id": name, "email": f"{name}@example.com", "auto_collection": "off"}
        ),
        dict(wanted),
    )
    ids = _side_by_side(lambda one: provider.subscribe(*one), wanted)
    _side_by_side(lambda one: sdk.Subscription.pause(one, {"pause_option": "immediately"}), ids)
    _import(provider)
    paused_at = clock.now()
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


def listed(operation: Callable[[dict[str, Any]], Any], kind: str, **filters: Any) -> Iterator[dict[str, Any]]:
    """Return what a list operation of the provider's gives, as it writes it, page after page."""
    page: dict[str, Any] = {"limit": 100, **filters}
    while True:
        answer = operation(page)
        yield from (getattr(entry, kind).raw_data for entry in answer.list)
        if not answer.next_offset:
            return
        page["offset"] = answer.next_offset


def _side_by_side(act: Callable[[Any], Any], over: Any) -> list[Any]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(act, over))


def _import(provider: Provider) -> None:
    """Open an account for everybody, and copy what they hold: as an import does, without asking for each."""
    sdk = provider.sdk
    for raw in listed(sdk.Customer.list, "customer"):
        account = Account.objects.open(email=raw["email"], first_name="", last_name="")
        Customer.objects.create(account=account, email=raw["email"], **_columns(CustomerSnapshot.of(raw)))
    owners = {one.provider_id: one for one in Customer.objects.all()}
    held = [SubscriptionSnapshot.of(raw) for raw in listed(sdk.Subscription.list, "subscription")]
    billed = [InvoiceSnapshot.of(raw) for raw in listed(sdk.Invoice.list, "invoice")]
    Subscription.objects.bulk_create(
        Subscription(
            customer=owners[one.customer_id], status=one.status, created_at=one.created_at, **_columns(one)
        )
        for one in held
    )
    Invoice.objects.bulk_create(
        Invoice(customer=owners[one.customer_id], status=one.status, issued_at=one.issued_at, **_columns(one))
        for one in billed
    )


def _columns(snapshot: Snapshot) -> dict[str, Any]:
    return {
        "provider_id": snapshot.id,
        "resource_version": snapshot.version,
        "payload": snapshot.payload,
        "synced_at": clock.now(),
    }
