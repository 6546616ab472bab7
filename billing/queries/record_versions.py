"""What changes with the mirrored records of an account and with the prices: answers from older ones are outdated."""

from collections.abc import Iterator

from django.db.models import Q

from accounts.models import Account
from billing.models import ContentVersion, Customer, PaymentSource, Subscription


def record_versions(account: Account) -> Iterator[str]:
    """Yield the versions of the prices and of each record that decides what a change of the account costs.

    Two queries.
    """
    yield str(ContentVersion.objects.values_list("version", flat=True).first())
    own = Q(customer__account=account)
    rows = [
        Customer.objects.filter(account=account),
        Subscription.objects.filter(own),
        PaymentSource.objects.filter(own),
    ]
    columns = ("provider_id", "resource_version", "deleted")
    first, *others = (row.values_list(*columns) for row in rows)
    for row in sorted(first.union(*others)):
        yield ":".join(map(str, row))
