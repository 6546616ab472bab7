"""The year of the demo's many subscribers: what the provider has, and what the portal knows of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from typing import Any

from django.core.management import call_command
from django.db.models import Sum

from accounts.models import Account, AccountEvent, OutgoingMail
from billing.demo_seed import MANY
from billing.mirror import provider_clock, reconcile
from billing.models import (
    CancellationFeedback,
    ChurnEvent,
    Command,
    Customer,
    Invoice,
    OfferClaim,
    PauseSchedule,
    RevenueMovement,
    Transaction,
)
from billing.tests.support.many_subscribers import list_entries
from conftest import GENESIS, ROOT, Sandbox

SEEDED = (Account, AccountEvent, CancellationFeedback, ChurnEvent, Command, Customer, Invoice, RevenueMovement)


def seed_sandbox(sandbox: Sandbox) -> None:
    """Let one subscriber live each life of the past, in the database of the running sandbox."""
    seeds = [sys.executable, "-m", "chargebee_sandbox.seeds", "--afresh", "--past", "1"]
    environment = {**os.environ, "SANDBOX_DATABASE": str(sandbox.database)}
    command = [*seeds, "--present", str(int(GENESIS.timestamp()))]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)


def list_all(operation: Callable[[dict[str, Any]], Any], kind: str) -> list[dict[str, Any]]:
    return list(list_entries(operation, kind))


def monthly_cents(subscription: dict[str, Any]) -> int:
    """Return what a monthly or yearly subscription comes to per month, rounded half up."""
    cents: int = sum(item["amount"] for item in subscription["subscription_items"])
    return cents if subscription["billing_period_unit"] == "month" else (2 * cents + 12) // 24


def kinds_of(model: Any) -> set[str]:
    return set(model.objects.filter(**{f"{owner_of(model)}__startswith": MANY}).values_list("kind", flat=True))


def owner_of(model: Any) -> str:
    return "customer_id" if model is RevenueMovement else "account__customer__provider_id"


def test_the_demo_knows_a_year_of_its_subscribers_to_the_cent(db: None, sandbox: Sandbox) -> None:
    seed_sandbox(sandbox)
    call_command("seed_site", stdout=StringIO())
    call_command("seed_demo", stdout=StringIO())
    named = set(Customer.objects.values_list("provider_id", flat=True))
    provider_clock.refresh_offset()
    call_command("seed_demo", "--past", stdout=StringIO())

    sdk = sandbox.client()
    subscriptions = list_all(sdk.Subscription.list, "subscription")
    paying = [row for row in subscriptions if row["status"] in ("active", "non_renewing")]
    expected = sum(monthly_cents(row) for row in paying if row["customer_id"].startswith(MANY))
    recorded = RevenueMovement.objects.filter(customer_id__startswith=MANY).aggregate(cents=Sum("amount"))["cents"]
    assert recorded == expected > 0
    assert list(reconcile.find_differences()) == []
    customers = {row["id"]: row for row in list_all(sdk.Customer.list, "customer")}
    accounts = Account.objects.filter(customer__provider_id__startswith=MANY).select_related("customer")
    assert {account.customer.provider_id for account in accounts} == customers.keys() - named
    for account in accounts:
        assert account.created_at.timestamp() == customers[account.customer.provider_id]["created_at"]
        assert account.email.endswith("@example.com")

    assert len(named) == 12
    assert not [customer for customer in named if customer.startswith(MANY)]
    assert kinds_of(RevenueMovement) == set(RevenueMovement.Kind.values)
    assert kinds_of(ChurnEvent) == set(ChurnEvent.Kind.values)
    assert set(CancellationFeedback.objects.values_list("outcome", flat=True)) == {"cancelled", "paused"}
    assert not Command.objects.exclude(state=Command.State.SUCCEEDED).exists()
    assert OfferClaim.objects.exists()
    assert set(PauseSchedule.objects.values_list("state", flat=True)) == {"scheduled", "paused", "resumed"}
    assert Transaction.objects.filter(payload__type="refund").exists()
    assert Transaction.objects.filter(payload__status="failure").exists()
    assert not OutgoingMail.objects.exists()

    before = {model: model._default_manager.count() for model in SEEDED}
    call_command("seed_demo", "--past", stdout=StringIO())
    assert {model: model._default_manager.count() for model in SEEDED} == before
