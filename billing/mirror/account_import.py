"""Import what the provider holds into the mirror: one account, one resource, the catalog, or an email address."""

import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Manager

from accounts.models import Account
from billing import clock
from billing.gateway import records
from billing.gateway.errors import GatewayError, Missing, NotSent
from billing.gateway.snapshots import CustomerSnapshot, ItemPriceSnapshot, Snapshot, SubscriptionSnapshot
from billing.mirror import account_identity, comparisons, documents, erasure, pause_schedules, revenue_ledger, writer
from billing.mirror.signals import subscriptions_written
from billing.models import Customer, ItemPrice, Subscription
from billing.models.mirror_row import MirroredResource
from billing.queries.customers import customers_of_address
from core.email_addresses import normalize_email, usable_address

logger = logging.getLogger(__name__)


def find_signing_in_account(email: str, *, typed_email: str) -> Account | None:
    """Return the account that an address signs in to, as the provider has it now; None if it is nobody's.

    While the provider cannot be reached, the mirror decides; raises NotSent if it does not know the address.
    """
    try:
        return import_account(email, typed_email=typed_email)
    except NotSent:
        account = account_identity.find_account(email)
        if account is None:
            raise
        logger.warning("Account %s signs in while the provider cannot be reached", account.pk)
        return account


def import_account(email: str, *, typed_email: str = "") -> Account | None:
    """Ask the provider whose an address is; return the account that it signs in to, None if it is nobody's.

    Customers that are new here are imported with their records. Those that the mirror has with this address, but the
    provider did not name, are read one by one. Raises InvalidAddress, and NotSent when the provider cannot be reached.
    """
    address = normalize_email(email)
    found = _find_customers(address, [typed_email or email, address])
    mirrored = set(Customer.objects.filter(provider_id__in=found).values_list("provider_id", flat=True))
    if not mirrored.issuperset(found) and not ItemPrice.objects.exists():
        sync_catalog()
    for customer_id, snapshot in found.items():
        snapshots = [snapshot] if customer_id in mirrored else records.find_customer_records(customer_id)
        import_unknown_prices(snapshots)
        apply_snapshots(snapshots, now=clock.billing_now())
    for customer in customers_of_address(address).exclude(provider_id__in=found):
        refresh_or_mark_deleted("customer", customer.provider_id)
    return account_identity.find_account(address)


def _find_customers(address: str, spellings: Sequence[str]) -> dict[str, CustomerSnapshot]:
    """Return the provider's customers with a normalized address, by id.

    Whether the provider's filter regards case is not documented, so each spelling that may be stored is asked for.
    """
    mirrored = [customer.text("email") for customer in customers_of_address(address)]
    found = [
        customer
        for spelling in dict.fromkeys((*spellings, *mirrored))
        for customer in records.find_customers_by_email(spelling)
    ]
    return {customer.id: customer for customer in found if usable_address(customer.email) == address}


def resync_account(account: Account) -> None:
    """Read everything the provider holds on an account's customer and apply it. Raises NotSent.

    The provider's list of payment sources omits deleted ones, so each source that is missing there is read by its id.
    """
    customer = Customer.objects.filter(account=account).first()
    if customer is None:
        return
    try:
        snapshots = records.find_customer_records(customer.provider_id)
    except Missing:
        mark_deleted("customer", customer.provider_id)
        return
    import_unknown_prices(snapshots)
    apply_snapshots(snapshots, now=clock.billing_now())
    for source in writer.missing_sources(customer, snapshots):
        refresh_or_mark_deleted("payment_source", source.provider_id)


def refresh_subscriptions(account: Account) -> None:
    """Read all subscriptions of an account's customer and apply them. Raises NotSent."""
    for customer in Customer.objects.filter(account=account):
        snapshots = records.find_records("subscription", customer_id={"is": customer.provider_id})
        import_unknown_prices(snapshots)
        apply_snapshots(snapshots, now=clock.billing_now())


def resync_account_if_reachable(account_pk: int) -> None:
    """Resync an account; if the provider cannot be reached, leave it to the nightly reconcile.

    Does nothing if the account has been erased, or if the mirror has the whole site and follows the provider's events.
    """
    account = Account.objects.filter(pk=account_pk).first()
    if account is None or (comparisons.is_site_mirrored() and comparisons.is_feed_current()):
        return
    try:
        resync_account(account)
    except GatewayError as error:
        logger.warning("Account %s could not be refreshed: %s", account_pk, error)


def refresh_resource(kind: str, resource_id: str) -> None:
    """Read a resource and apply it. Raises NotSent, Missing, UnknownCustomer.

    A customer that is not mirrored is imported with its records if the site was imported or an account has the address;
    otherwise it is unknown.
    """
    snapshots = _complete_new_customer(records.find_record(kind, resource_id))
    import_unknown_prices(snapshots)
    apply_snapshots(snapshots, now=clock.billing_now())


def _complete_new_customer(snapshot: Snapshot) -> list[Snapshot]:
    """Return the snapshot, or all records of a customer that is not mirrored. Raises UnknownCustomer."""
    if not isinstance(snapshot, CustomerSnapshot) or Customer.objects.filter(provider_id=snapshot.id).exists():
        return [snapshot]
    is_wanted = comparisons.is_site_mirrored() and not erasure.find_erased_ids([snapshot.id])
    if not (is_wanted or account_identity.customer_ids_at_known_addresses([snapshot])):
        raise writer.UnknownCustomer(snapshot.id)
    return records.find_customer_records(snapshot.id)


def refresh_or_mark_deleted(kind: str, resource_id: str) -> bool:
    """Read a resource and apply it, or mark it as deleted if it is gone; return whether it has a row.

    Raises NotSent, UnknownCustomer.
    """
    try:
        refresh_resource(kind, resource_id)
    except Missing:
        return mark_deleted(kind, resource_id)
    return True


def refresh_records_of_deleted(customer_id: str) -> None:
    """Read what a customer had if the customer is deleted: gone as well, or moved to the customer it was merged into.

    Raises NotSent.
    """
    customer = Customer.objects.filter(provider_id=customer_id, deleted=True).first()
    if customer is None:
        return
    for kind in records.CUSTOMER_KINDS:
        manager: Manager[Any] = writer.MODELS_BY_KIND[kind]._default_manager
        rows = manager.filter(customer=customer, deleted=False)
        for resource_id in list(rows.values_list("provider_id", flat=True)):
            with suppress(writer.UnknownCustomer):
                refresh_or_mark_deleted(kind, resource_id)


def mark_deleted(kind: str, resource_id: str) -> bool:
    """Mark the row of a resource as deleted: the provider does not know it any more. Closes its pause schedule.

    Returns whether there is such a row.
    """
    model = writer.MODELS_BY_KIND[kind]
    with transaction.atomic():
        row = model._default_manager.select_for_update(no_key=True).filter(provider_id=resource_id).first()
        if row is None:
            return False
        model._default_manager.filter(pk=row.pk).update(deleted=True)
        row.deleted = True
        account_identity.follow_customers([row], now=clock.billing_now())
        pause_schedules.sync_schedules([row], now=clock.billing_now())
        revenue_ledger.record_movements({row: row.payload}, now=clock.billing_now())
        documents.mark_documents_stale(writer.affected_accounts([row]))
    return True


def sync_catalog() -> None:
    """Read all items, prices and coupons and apply them. Raises NotSent."""
    apply_snapshots(records.find_catalog_records(), now=clock.billing_now())


def import_unknown_prices(snapshots: Iterable[Snapshot]) -> None:
    """Import the prices of subscriptions that are not mirrored yet, with their items, so that each plan has a name.

    A price that is gone at the provider is left out. Raises NotSent.
    """
    price_ids = {snapshot.item_price_id for snapshot in snapshots if isinstance(snapshot, SubscriptionSnapshot)} - {""}
    if not price_ids:
        return
    known_ids = ItemPrice.objects.filter(provider_id__in=price_ids).values_list("provider_id", flat=True)
    prices = _find_existing_records("item_price", price_ids.difference(known_ids))
    item_ids = {price.item_id for price in prices if isinstance(price, ItemPriceSnapshot)}
    apply_snapshots([*_find_existing_records("item", item_ids), *prices], now=clock.billing_now())


def _find_existing_records(kind: str, ids: Iterable[str]) -> list[Snapshot]:
    found = []
    for resource_id in sorted(ids):
        with suppress(Missing):
            found.append(records.find_record(kind, resource_id))
    return found


@transaction.atomic
def apply_snapshots(snapshots: Sequence[Snapshot], *, now: datetime) -> list[MirroredResource]:
    """Write snapshots, sync the pause schedules with them, and mark the affected documents as stale; return the rows.

    Sends `subscriptions_written` for each account whose subscriptions were written.
    """
    rows = writer.write_snapshots(snapshots, now=now)
    pause_schedules.sync_schedules(rows, now=now)
    documents.mark_documents_stale(writer.affected_accounts(rows))
    for account in writer.affected_accounts([row for row in rows if isinstance(row, Subscription)]):
        subscriptions_written.send(sender=Subscription, account=account)
    return rows
