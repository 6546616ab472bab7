"""Erase billing's data on an account. The provider keeps what the law requires."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import partial
from uuid import uuid4

from django.core.files.storage import storages
from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.models import Account
from billing.errors import BillingError, ChangeInProgress
from billing.models import (
    CancellationFeedback,
    ChurnEvent,
    Command,
    Customer,
    ErasedCustomer,
    InvoicePdf,
    RefundGrant,
    RevenueMovement,
    SharedAddress,
    Subscription,
    WebhookEvent,
)
from billing.models.mirror import LIVE_STATUSES
from billing.queries.customers import customers_with_data_of
from billing.queries.payments.refund_limits import may_be_given


class StillSubscribed(BillingError):
    """The account has a live subscription, which its owner could no longer see or cancel."""

    code = "still_subscribed"
    status = 409
    message = "A plan of this account is still live. Cancel it, and erase the account once it has ended."


def erase_billing_data(account: Account) -> None:
    """Delete an account's mirror, in the caller's transaction; keep its churn events and revenue movements, anonymized.

    Later events of the provider about the customer are ignored. Raises StillSubscribed, ChangeInProgress.
    """
    if Command.objects.filter(account=account, state__in=Command.OPEN).exists():
        raise ChangeInProgress
    customers = customers_with_data_of(account)
    if Subscription.objects.filter(customer__in=customers, deleted=False, status__in=LIVE_STATUSES).exists():
        raise StillSubscribed
    SharedAddress.objects.filter(email=account.email).delete()
    _forget_refused_grants(account)
    CancellationFeedback.objects.filter(account=account).update(subscription_ids=[])
    # One random id for each, so that what belongs together still does.
    pseudonyms: dict[str, str] = defaultdict(lambda: f"erased-{uuid4().hex}")
    _anonymize_churn_events(account, customers, pseudonyms)
    of_customers = Q(invoice__customer__in=customers) | Q(credit_note__customer__in=customers)
    pdfs = InvoicePdf.objects.filter(of_customers | Q(account=account))
    for pdf in pdfs:
        # Also where no file is known: a worker may have died after it had written one.
        for name in {pdf.stored_name, pdf.file.name or pdf.stored_name}:
            transaction.on_commit(partial(storages["invoices"].delete, name))
    pdfs.delete()
    for customer in customers:
        _delete_customer(customer, pseudonyms)


def find_erased_ids(customer_ids: Collection[str]) -> set[str]:
    """Return those of the provider's customers whose accounts operators have erased."""
    erased = ErasedCustomer.objects.filter(provider_id__in=customer_ids)
    return set(erased.values_list("provider_id", flat=True))


def _forget_refused_grants(account: Account) -> None:
    """Delete the grants of commands that gave nothing: without their commands they would count as made."""
    grants = RefundGrant.objects.filter(command__account=account).select_related("command")
    RefundGrant.objects.filter(pk__in=[grant.pk for grant in grants if not may_be_given(grant)]).delete()


def _anonymize_churn_events(account: Account, customers: QuerySet[Customer], pseudonyms: Mapping[str, str]) -> None:
    """Replace the subscriptions' ids in the churn events, also in those from before the first sign-in."""
    ids = set(ChurnEvent.objects.filter(account=account).values_list("subscription_id", flat=True))
    ids.update(Subscription.objects.filter(customer__in=customers).values_list("provider_id", flat=True))
    for subscription_id in ids:
        ChurnEvent.objects.filter(subscription_id=subscription_id).update(subscription_id=pseudonyms[subscription_id])


def _anonymize_revenue_movements(customer: Customer, pseudonyms: Mapping[str, str]) -> None:
    """Replace the ids in the revenue ledger: the churn report asks it which of the canceled subscriptions had paid."""
    movements = RevenueMovement.objects.filter(customer_id=customer.provider_id)
    for subscription_id in set(movements.order_by().values_list("subscription_id", flat=True)):
        movements.filter(subscription_id=subscription_id).update(subscription_id=pseudonyms[subscription_id])
    movements.update(customer_id=pseudonyms[customer.provider_id])


def _delete_customer(customer: Customer, pseudonyms: Mapping[str, str]) -> None:
    _anonymize_revenue_movements(customer, pseudonyms)
    WebhookEvent.objects.filter(owner=customer.provider_id).delete()
    ErasedCustomer.objects.get_or_create(provider_id=customer.provider_id)
    customer.delete()
