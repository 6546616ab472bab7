"""What goes with an erased account: the mirror of its customer. The provider keeps what the law wants kept."""

from functools import partial
from uuid import uuid4

from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Q

from accounts.models import Account
from billing.errors import BillingError, ChangeInProgress
from billing.models import (
    CancellationFeedback,
    Command,
    Customer,
    InvoicePdf,
    RetentionEvent,
    Subscription,
    WebhookEvent,
)
from billing.models.mirror import ALIVE


class StillSubscribed(BillingError):
    """The account has a live plan, which it could no longer see or end."""

    code = "still_subscribed"
    status = 409
    message = "A plan of this account is still live. Cancel it, and erase the account once it has ended."


def erase(account: Account) -> None:
    """Delete what billing holds on an account, in the caller's transaction; what is counted stays, without a name.

    Invoices stay at the provider. Its events about the customer concern nobody here from now on. Raises
    StillSubscribed, ChangeInProgress.
    """
    if Command.objects.filter(account=account, state__in=Command.OPEN).exists():
        raise ChangeInProgress
    # Further customers of the address are mirrored without an account (contract, rule 13).
    customers = Customer.objects.filter(Q(account=account) | Q(account=None, email__iexact=account.email))
    if Subscription.objects.filter(customer__in=customers, deleted=False, status__in=ALIVE).exists():
        raise StillSubscribed
    CancellationFeedback.objects.filter(account=account).update(subscription_ids=[])
    _rename_what_is_counted(account)
    for customer in customers:
        _forget(customer)


def _rename_what_is_counted(account: Account) -> None:
    """Give each subscription in the log a name of chance: its events still belong together, and to nobody."""
    counted = RetentionEvent.objects.filter(account=account)
    for subscription_id in set(counted.values_list("subscription_id", flat=True)):
        counted.filter(subscription_id=subscription_id).update(subscription_id=f"erased-{uuid4().hex}")


def _forget(customer: Customer) -> None:
    files = (
        InvoicePdf.objects.filter(invoice__customer=customer).exclude(file="").values_list("file", flat=True)
    )
    for name in list(files):
        transaction.on_commit(partial(default_storage.delete, name))
    WebhookEvent.objects.filter(owner=customer.provider_id).delete()
    customer.delete()
