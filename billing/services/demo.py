"""The demo site's portal side: what operators would have set up, and the accounts that the provider holds."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction

from accounts.models import Account
from billing.gateway import records
from billing.gateway.snapshots import CustomerSnapshot
from billing.models import BundleRate, RetentionContent, Subscription
from billing.services import documents, schedules, sync

# Contract, section 1: a bundle of two takes 10 % off each, one of three 15 %.
BUNDLE_RATES = ((2, Decimal(10), "BUNDLE-2"), (3, Decimal(15), "BUNDLE-3"))


def seed(content: Sequence[dict[str, Any]], *, now: datetime) -> int:
    """Import the catalogue and every customer, adopt the pauses that they came with; return how many accounts.

    `content` is the pause offer's, a row per plan. What is there already, and what operators changed, stays. Raises
    NotSent.
    """
    sync.sync_catalogue()
    _set_up(content)
    customers = [one for one in records.everything("customer") if isinstance(one, CustomerSnapshot)]
    accounts = [account for one in customers if (account := sync.import_account(one.email)) is not None]
    for account in accounts:
        _adopt_pauses(account, now)
    return len(accounts)


def _set_up(content: Sequence[dict[str, Any]]) -> None:
    for size, percentage, coupon_id in BUNDLE_RATES:
        BundleRate.objects.get_or_create(
            size=size, defaults={"percentage": percentage, "coupon_id": coupon_id}
        )
    names = {field.name for field in RetentionContent._meta.get_fields()}
    for row in content:
        fields = {name: value for name, value in row.items() if name in names}
        RetentionContent.objects.get_or_create(plan_id=row["plan_id"], defaults=fields)


@transaction.atomic
def _adopt_pauses(account: Account, now: datetime) -> None:
    """Give pauses that were placed before the portal was there the promise that goes with them: back after 30 days."""
    held = Subscription.objects.filter(customer__account=account, deleted=False)
    for subscription in held:
        if subscription.status == "paused" or subscription.has_scheduled_pause:
            schedules.opened(subscription, now=now)
    documents.rebuild(account)
