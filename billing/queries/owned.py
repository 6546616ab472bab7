"""Finding what a request names, always starting from the signed-in account (contract, section 2, 404)."""

import logging
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from accounts.models import Account
from billing.errors import InvalidState
from billing.models import Subscription
from billing.queries.holdings import (
    Holding,
    holdings_among,
    holdings_of,
    newest_per_service,
    subscriptions_of,
)
from portal.errors import NotFound

logger = logging.getLogger(__name__)


def live_holdings(account: Account) -> list[Holding]:
    """Return what an account holds that is not cancelled, in catalogue order."""
    return [holding for holding in holdings_of(account) if not holding.is_cancelled]


def named_holdings(account: Account, subscription_ids: Sequence[str]) -> list[Holding]:
    """Return the holdings with these provider ids, each once, in catalogue order.

    Raises what `named_subscriptions` raises.
    """
    return holdings_among(named_subscriptions(account, subscription_ids))


def chosen_holdings(account: Account, subscription_ids: Sequence[str] | None) -> list[Holding]:
    """Return the holdings with these provider ids; None means everything that is live.

    Raises what `named_subscriptions` raises.
    """
    return live_holdings(account) if subscription_ids is None else named_holdings(account, subscription_ids)


def named_subscriptions(account: Account, subscription_ids: Sequence[str]) -> list[Subscription]:
    """Return the subscriptions with these provider ids, each once, in catalogue order. One query.

    Raises NotFound when one is not the account's, whatever the others are; InvalidState when one has been replaced
    by a newer subscription of its service.
    """
    wanted = set(subscription_ids)
    own = subscriptions_of(account)
    _refuse_strange(account, wanted, {one.provider_id for one in own})
    found = [one for one in newest_per_service(own) if one.provider_id in wanted]
    if len(found) < len(wanted):
        raise InvalidState
    return found


def require_owned(account: Account, subscription_ids: Iterable[str]) -> None:
    """Refuse ids that are not all the account's own subscriptions: raises NotFound. One query.

    A refusal is logged: somebody who tries other people's ids shows there.
    """
    wanted = set(subscription_ids)
    own = Subscription.objects.filter(customer__account=account, deleted=False, provider_id__in=wanted)
    _refuse_strange(account, wanted, set(own.values_list("provider_id", flat=True)))


def _refuse_strange(account: Account, wanted: AbstractSet[str], own: AbstractSet[str]) -> None:
    if not wanted <= own:
        logger.warning("Account %s named subscriptions that are not its own", account.pk)
        raise NotFound
