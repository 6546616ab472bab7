"""Seed the demo site: the rows that operators would have created, and the accounts of the provider's customers."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction

from accounts.models import Account
from billing.gateway import records
from billing.gateway.snapshots import CustomerSnapshot
from billing.mirror import account_import, documents, pause_schedules
from billing.models import BundleRate, PauseOfferContent, Subscription

MANY = "subscriber-"
"""How the ids of the demo's many subscribers begin, who have a past of their own (billing/demo_past.py)."""
# docs/rules.md: a bundle of two takes 10 % off each, one of three 15 %.
BUNDLE_RATES = ((2, Decimal(10), "BUNDLE-2"), (3, Decimal(15), "BUNDLE-3"))


def seed_demo_site(content: Sequence[dict[str, Any]], *, now: datetime) -> int:
    """Import the catalog and the named customers, and open schedules for their pauses; return the number of accounts.

    Of customers with one address, the one that it signs in to gets an account. `content` has the pause offer's texts,
    a row per plan. Rows that exist already are kept. Raises NotSent.
    """
    account_import.sync_catalog()
    _create_operator_rows(content)
    customers = [customer for customer in records.find_records("customer") if isinstance(customer, CustomerSnapshot)]
    named = [customer for customer in customers if not customer.id.startswith(MANY)]
    imported = [account_import.import_account(customer.email) for customer in named]
    accounts = {account.pk: account for account in imported if account is not None}
    for account in accounts.values():
        _adopt_pauses(account, now)
    return len(accounts)


def _create_operator_rows(content: Sequence[dict[str, Any]]) -> None:
    for size, percentage, coupon_id in BUNDLE_RATES:
        BundleRate.objects.get_or_create(size=size, defaults={"percentage": percentage, "coupon_id": coupon_id})
    names = {field.name for field in PauseOfferContent._meta.get_fields()}
    for row in content:
        fields = {name: value for name, value in row.items() if name in names}
        PauseOfferContent.objects.get_or_create(plan_id=row["plan_id"], defaults=fields)


@transaction.atomic
def _adopt_pauses(account: Account, now: datetime) -> None:
    """Open schedules for pauses that were placed at the provider, so that they end after 30 days."""
    for subscription in Subscription.objects.filter(customer__account=account, deleted=False):
        if subscription.status == "paused" or subscription.has_scheduled_pause:
            pause_schedules.ensure_schedule(subscription, now=now)
    documents.rebuild_documents(account)
