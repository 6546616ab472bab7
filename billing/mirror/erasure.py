"""Erase billing's data on an account. The provider keeps what the law requires."""

from functools import partial
from uuid import uuid4

from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Q

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
    Subscription,
    WebhookEvent,
)
from billing.models.mirror import LIVE_STATUSES
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
    # Further customers of the address that nobody has signed in to (docs/rules.md, rule 13).
    customers = Customer.objects.filter(Q(account=account) | Q(account=None, email=account.email) & ~Q(email=""))
    if Subscription.objects.filter(customer__in=customers, deleted=False, status__in=LIVE_STATUSES).exists():
        raise StillSubscribed
    _forget_refused_grants(account)
    CancellationFeedback.objects.filter(account=account).update(subscription_ids=[])
    _anonymize_churn_events(account)
    of_customers = Q(invoice__customer__in=customers) | Q(credit_note__customer__in=customers)
    pdfs = InvoicePdf.objects.filter(of_customers | Q(account=account))
    for name in list(pdfs.exclude(file="").values_list("file", flat=True)):
        transaction.on_commit(partial(default_storage.delete, name))
    pdfs.delete()
    for customer in customers:
        _delete_customer(customer)


def _forget_refused_grants(account: Account) -> None:
    """Delete the grants of commands that gave nothing: without their commands they would count as made."""
    grants = RefundGrant.objects.filter(command__account=account).select_related("command")
    RefundGrant.objects.filter(pk__in=[grant.pk for grant in grants if not may_be_given(grant)]).delete()


def _anonymize_churn_events(account: Account) -> None:
    """Replace each subscription id by a random one, so that its events still belong together."""
    churn_events = ChurnEvent.objects.filter(account=account)
    for subscription_id in set(churn_events.values_list("subscription_id", flat=True)):
        churn_events.filter(subscription_id=subscription_id).update(subscription_id=f"erased-{uuid4().hex}")


def _anonymize_revenue_movements(customer: Customer) -> None:
    """Replace the ids in the revenue ledger by random ones, so that a customer's movements still belong together."""
    movements = RevenueMovement.objects.filter(customer_id=customer.provider_id)
    for subscription_id in set(movements.order_by().values_list("subscription_id", flat=True)):
        movements.filter(subscription_id=subscription_id).update(subscription_id=f"erased-{uuid4().hex}")
    movements.update(customer_id=f"erased-{uuid4().hex}")


def _delete_customer(customer: Customer) -> None:
    _anonymize_revenue_movements(customer)
    WebhookEvent.objects.filter(owner=customer.provider_id).delete()
    ErasedCustomer.objects.get_or_create(provider_id=customer.provider_id)
    customer.delete()
