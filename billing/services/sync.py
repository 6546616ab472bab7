"""Bringing the mirror up to the provider: one account, one resource, an address the portal does not know yet."""

import logging
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.addresses import normalise_email
from accounts.models import Account
from billing import clock
from billing.gateway import records
from billing.gateway.errors import GatewayError, Missing
from billing.gateway.snapshots import Snapshot, SubscriptionSnapshot
from billing.models import Customer, ItemPrice, Subscription
from billing.models.mirror import ALIVE
from billing.models.mirrored import Mirrored
from billing.services import alignment, documents, mirror, schedules
from billing.services.hints import hint
from billing.services.mirror import UnknownCustomer

__all__ = [
    "UnknownCustomer",
    "apply",
    "bury",
    "import_account",
    "look_for",
    "refresh",
    "resync_account",
    "resync_if_reachable",
    "sync_catalogue",
]

logger = logging.getLogger(__name__)


def import_account(email: str) -> Account | None:
    """Return the account of an address that the provider knows, made now if need be; None when it knows none.

    Of several customers with one address the account gets the one with live subscriptions, else the newest; the
    others are mirrored without an account, for operators to see (contract, rule 13). One that has an account of another
    address takes it along. Raises NotSent when the provider cannot be asked.
    """
    candidates = records.customers_with_email(email)
    if not candidates:
        return None
    if not ItemPrice.objects.exists():
        sync_catalogue()
    held = [records.of_customer(candidate.id) for candidate in candidates]
    chosen = next((found for found in held if _has_live(found)), held[0])
    with transaction.atomic():
        rows = mirror.write([snapshot for found in held for snapshot in found], now=clock.now())
        account = _claim_customer(chosen[0], email)
        schedules.follow(rows, now=clock.now())
        documents.rebuild(account)
    return account


def resync_account(account: Account) -> None:
    """Read everything the provider holds on an account's customer and apply it. Raises NotSent.

    Its list of payment sources leaves removed ones out: each that is missing there is looked for.
    """
    customer = Customer.objects.filter(account=account).first()
    if customer is None:
        return
    held = records.of_customer(customer.provider_id)
    apply(held, now=clock.now())
    for source in mirror.sources_not_among(customer, held):
        look_for("payment_source", source.provider_id)


def resync_if_reachable(account_pk: int) -> None:
    """Read an account's customer again where the provider answers; the reconciler does it where it does not.

    One that was erased meanwhile is nobody's any more.
    """
    account = Account.objects.filter(pk=account_pk).first()
    if account is None:
        return
    try:
        resync_account(account)
    except GatewayError as error:
        logger.warning("Account %s could not be read again: %s", account_pk, error)


def refresh(kind: str, resource_id: str) -> None:
    """Read one resource of a kind and apply it. Raises NotSent, Missing and UnknownCustomer."""
    apply([records.find(kind, resource_id)], now=clock.now())


def look_for(kind: str, resource_id: str) -> None:
    """Read one resource that may be gone, and bury it if it is. Raises NotSent and UnknownCustomer."""
    try:
        refresh(kind, resource_id)
    except Missing:
        bury(kind, resource_id)


def bury(kind: str, resource_id: str) -> None:
    """Leave a tombstone of a resource that the provider does not know any more; a pause of it is over."""
    model = mirror.MODELS[kind]
    with transaction.atomic():
        row = model._default_manager.filter(provider_id=resource_id).first()
        if row is None:
            return
        model._default_manager.filter(pk=row.pk).update(deleted=True)
        schedules.follow([row], now=clock.now())
        for account in mirror.accounts_of([row]):
            documents.rebuild(account)


def sync_catalogue() -> None:
    """Read all prices and coupons and apply them. Raises NotSent."""
    apply(records.catalogue(), now=clock.now())


@transaction.atomic
def apply(snapshots: Sequence[Snapshot], *, now: datetime) -> list[Mirrored]:
    """Write snapshots, let the pause schedules follow what the provider says, and rebuild what is read.

    Where that leaves a bundle with the wrong coupons, a worker is told to put them right.
    """
    rows = mirror.write(snapshots, now=now)
    schedules.follow(rows, now=now)
    for account in mirror.accounts_of(rows):
        documents.rebuild(account)
    for account in mirror.accounts_of([row for row in rows if isinstance(row, Subscription)]):
        if alignment.needed(account):
            hint("align_bundle", account.pk)
    return rows


def _claim_customer(customer: Snapshot, email: str) -> Account:
    """Give a customer its account, made with the provider's names if there is none yet."""
    owner = Account.objects.select_related("user").filter(customer__provider_id=customer.id).first()
    if owner is not None and Account.objects.of_address(normalise_email(email)) is None:
        return _moved(owner, normalise_email(email))
    names = customer.payload
    account = Account.objects.open(
        email=email, first_name=names.get("first_name", ""), last_name=names.get("last_name", "")
    )
    if not Customer.objects.filter(account=account).exists():
        Customer.objects.filter(provider_id=customer.id, account__isnull=True).update(account=account)
    return account


def _moved(account: Account, address: str) -> Account:
    """Follow a change of address that customer service made at the provider: the old one is nobody's any more."""
    account.email = address
    account.save(update_fields=["email"])
    text = "Your email address was changed by customer service"
    events.record(account, kind="address_changed", text=text, actor="system", at=clock.now())
    return account


def _has_live(found: Sequence[Snapshot]) -> bool:
    return any(isinstance(one, SubscriptionSnapshot) and one.status in ALIVE for one in found)
