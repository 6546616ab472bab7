"""Look-ups of the subscriptions a request names. Each starts from the signed-in account; a foreign id is a 404."""

import logging
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from accounts.models import Account
from billing.errors import InvalidState
from billing.models import Subscription
from billing.queries.subscriptions.holdings import (
    Holding,
    attach_plans,
    holdings_of,
    holdings_of_subscriptions,
    shown_subscriptions,
    subscriptions_of,
)
from core.errors import NotFound

logger = logging.getLogger(__name__)


def live_holdings(account: Account) -> list[Holding]:
    """Return what an account holds, without canceled subscriptions, in catalog order."""
    return [holding for holding in holdings_of(account) if not holding.is_cancelled]


def named_holdings(account: Account, subscription_ids: Sequence[str]) -> list[Holding]:
    """Return the holdings with these provider ids, each once, in catalog order.

    Raises the errors of `named_subscriptions`.
    """
    requested_ids, own = set(subscription_ids), subscriptions_of(account)
    _refuse_foreign_ids(account, requested_ids, {subscription.provider_id for subscription in own})
    holdings = holdings_of_subscriptions(own)
    named = [holding for holding in holdings if holding.subscription.provider_id in requested_ids]
    if len(named) < len(requested_ids):
        raise InvalidState
    return named


def chosen_holdings(account: Account, subscription_ids: Sequence[str] | None) -> list[Holding]:
    """Return the holdings with these provider ids, or all live holdings for None.

    Raises the errors of `named_subscriptions`.
    """
    return live_holdings(account) if subscription_ids is None else named_holdings(account, subscription_ids)


def named_subscriptions(account: Account, subscription_ids: Sequence[str]) -> list[Subscription]:
    """Return the subscriptions with these provider ids, each once, in catalog order. Four queries at most.

    Raises NotFound when any of them is not the account's, and InvalidState when one has ended and was replaced by
    another subscription of its service.
    """
    requested_ids = set(subscription_ids)
    own = subscriptions_of(account)
    _refuse_foreign_ids(account, requested_ids, {subscription.provider_id for subscription in own})
    attach_plans(own)
    named = [subscription for subscription in shown_subscriptions(own) if subscription.provider_id in requested_ids]
    if len(named) < len(requested_ids):
        raise InvalidState
    return named


def require_own_subscriptions(account: Account, subscription_ids: Iterable[str]) -> None:
    """Raise NotFound unless all ids are the account's own subscriptions. One query.

    A refusal is logged, so that attempts with other people's ids can be seen.
    """
    requested_ids = set(subscription_ids)
    own = Subscription.objects.filter(customer__account=account, deleted=False, provider_id__in=requested_ids)
    _refuse_foreign_ids(account, requested_ids, set(own.values_list("provider_id", flat=True)))


def _refuse_foreign_ids(account: Account, requested_ids: AbstractSet[str], own_ids: AbstractSet[str]) -> None:
    if not requested_ids <= own_ids:
        logger.warning("Account %s named subscriptions that are not its own", account.pk)
        raise NotFound
