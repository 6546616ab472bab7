"""Import what the provider holds into the mirror: one account, one resource, the catalog, or a new email address."""

import logging
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from accounts.models import Account
from accounts.profile import events
from billing import clock
from billing.gateway import records
from billing.gateway.errors import GatewayError, Missing
from billing.gateway.snapshots import Snapshot, SubscriptionSnapshot
from billing.mirror import documents, pause_schedules, writer
from billing.mirror.signals import subscriptions_written
from billing.models import Customer, ItemPrice, Subscription
from billing.models.mirror import LIVE_STATUSES
from billing.models.mirror_row import MirroredResource
from core.email_addresses import normalize_email

logger = logging.getLogger(__name__)


def import_account(email: str) -> Account | None:
    """Import the customers with this address; return their account, or None when the provider knows no such customer.

    If several customers share the address, the account gets the one with a live subscription, else the newest. The
    others are mirrored without an account, for operators to see (docs/rules.md, rule 13). If the chosen customer
    already has an account, that account moves to the address. Raises NotSent when the provider cannot be reached.
    """
    candidates = records.find_customers_by_email(email)
    if not candidates:
        return None
    if not ItemPrice.objects.exists():
        sync_catalog()
    customers = [records.find_customer_records(candidate.id) for candidate in candidates]
    chosen = next((snapshots for snapshots in customers if _has_live_subscription(snapshots)), customers[0])
    with transaction.atomic():
        rows = writer.write_snapshots(
            [snapshot for snapshots in customers for snapshot in snapshots], now=clock.billing_now()
        )
        account = _assign_account(chosen[0], email)
        pause_schedules.sync_schedules(rows, now=clock.billing_now())
        documents.rebuild_documents(account)
    return account


def resync_account(account: Account) -> None:
    """Read everything the provider holds on an account's customer and apply it. Raises NotSent.

    The provider's list of payment sources omits deleted ones, so each source that is missing there is read by its id.
    """
    customer = Customer.objects.filter(account=account).first()
    if customer is None:
        return
    snapshots = records.find_customer_records(customer.provider_id)
    apply_snapshots(snapshots, now=clock.billing_now())
    for source in writer.missing_sources(customer, snapshots):
        refresh_or_mark_deleted("payment_source", source.provider_id)


def resync_account_if_reachable(account_pk: int) -> None:
    """Resync an account; if the provider cannot be reached, leave it to the nightly reconcile.

    Does nothing if the account has been erased.
    """
    account = Account.objects.filter(pk=account_pk).first()
    if account is None:
        return
    try:
        resync_account(account)
    except GatewayError as error:
        logger.warning("Account %s could not be refreshed: %s", account_pk, error)


def refresh_resource(kind: str, resource_id: str) -> None:
    """Read a resource and apply it. Raises NotSent, Missing, UnknownCustomer."""
    apply_snapshots([records.find_record(kind, resource_id)], now=clock.billing_now())


def refresh_or_mark_deleted(kind: str, resource_id: str) -> None:
    """Read a resource and apply it, or mark it as deleted if it is gone. Raises NotSent, UnknownCustomer."""
    try:
        refresh_resource(kind, resource_id)
    except Missing:
        mark_deleted(kind, resource_id)


def mark_deleted(kind: str, resource_id: str) -> None:
    """Mark the row of a resource as deleted: the provider does not know it any more. Closes its pause schedule."""
    model = writer.MODELS_BY_KIND[kind]
    with transaction.atomic():
        row = model._default_manager.filter(provider_id=resource_id).first()
        if row is None:
            return
        model._default_manager.filter(pk=row.pk).update(deleted=True)
        pause_schedules.sync_schedules([row], now=clock.billing_now())
        for account in writer.affected_accounts([row]):
            documents.rebuild_documents(account)


def sync_catalog() -> None:
    """Read all item prices and coupons and apply them. Raises NotSent."""
    apply_snapshots(records.find_catalog_records(), now=clock.billing_now())


@transaction.atomic
def apply_snapshots(snapshots: Sequence[Snapshot], *, now: datetime) -> list[MirroredResource]:
    """Write snapshots, sync the pause schedules with them, and rebuild the affected documents; return the rows.

    Sends `subscriptions_written` for each account whose subscriptions were written.
    """
    rows = writer.write_snapshots(snapshots, now=now)
    pause_schedules.sync_schedules(rows, now=now)
    for account in writer.affected_accounts(rows):
        documents.rebuild_documents(account)
    for account in writer.affected_accounts([row for row in rows if isinstance(row, Subscription)]):
        subscriptions_written.send(sender=Subscription, account=account)
    return rows


def _assign_account(customer: Snapshot, email: str) -> Account:
    """Return the customer's account; open one with the provider's names if there is none yet."""
    owner = Account.objects.select_related("user").filter(customer__provider_id=customer.id).first()
    if owner is not None and Account.objects.find_by_email(normalize_email(email)) is None:
        return _update_address(owner, normalize_email(email))
    payload = customer.payload
    account = Account.objects.open_account(
        email=email, first_name=payload.get("first_name", ""), last_name=payload.get("last_name", "")
    )
    if not Customer.objects.filter(account=account).exists():
        Customer.objects.filter(provider_id=customer.id, account__isnull=True).update(account=account)
    return account


def _update_address(account: Account, address: str) -> Account:
    """Follow a change of address that customer service made at the provider."""
    account.email = address
    account.save(update_fields=["email"])
    text = "Customer Service changed your email address"
    events.record_event(account, kind="address_changed", text=text, actor="system", at=clock.billing_now())
    return account


def _has_live_subscription(snapshots: Sequence[Snapshot]) -> bool:
    return any(
        isinstance(snapshot, SubscriptionSnapshot) and snapshot.status in LIVE_STATUSES for snapshot in snapshots
    )
