"""Finding an account's own subscriptions: every look-up starts from the account, a stranger's id is not found."""

from collections.abc import Iterable

from accounts.models import Account
from billing.catalog import catalogue_position, find_plan
from billing.errors import NotFound
from billing.models import Subscription
from billing.models.mirror import ALIVE


def subscriptions_of(account: Account, subscription_ids: Iterable[str]) -> list[Subscription]:
    """Return the account's subscriptions with these provider ids, each once, in the order named. One query.

    Raises NotFound when one of them does not exist or is somebody else's: the list is refused whole.
    """
    wanted = list(dict.fromkeys(subscription_ids))
    rows = Subscription.objects.filter(customer__account=account, deleted=False, provider_id__in=wanted)
    found = {row.provider_id: row for row in rows}
    if len(found) < len(wanted):
        raise NotFound
    return [found[subscription_id] for subscription_id in wanted]


def live_subscriptions(account: Account) -> list[Subscription]:
    """Return the account's subscriptions that are not cancelled, in catalogue order. One query.

    Those of plans that the catalogue does not know are left out, as they are everywhere.
    """
    rows = Subscription.objects.filter(customer__account=account, deleted=False, status__in=ALIVE)
    known = [row for row in rows if find_plan(row.plan_id) is not None]
    return sorted(known, key=lambda row: (catalogue_position(row.plan_id), row.created_at, row.pk))
