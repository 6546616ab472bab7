"""Putting bundle coupons right: as the last steps of a change, and by the night for what time itself changed."""

import logging
import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import Count, Q

from accounts.models import Account
from billing.errors import BillingError
from billing.gateway import changes
from billing.gateway.snapshots import SubscriptionSnapshot
from billing.models import Command, Subscription
from billing.models.mirror import ALIVE
from billing.queries.owned import live_holdings
from billing.services import bundles, commands
from billing.services.bundles import Rates, Swap

logger = logging.getLogger(__name__)

ALIGN = "align_bundle"
SWAP_COUPONS = "swap_coupons"


def steps_of(swaps: Iterable[Swap]) -> list[dict[str, Any]]:
    """Return the steps that swap coupons."""
    return [
        commands.step(
            SWAP_COUPONS,
            swap.subscription_id,
            add=list(swap.add),
            remove=list(swap.remove),
            changing_to=swap.changing_to,
        )
        for swap in swaps
    ]


def needed(account: Account) -> list[Swap]:
    """Return what must be swapped for an account as the mirror has it."""
    return bundles.swaps(bundles.members_of(live_holdings(account)), Rates.current())


def align(account: Account, *, now: datetime) -> bool:
    """Put an account's bundle coupons right; return whether anything was to be done. Raises what a command raises."""
    if not needed(account):
        return False
    commands.perform(
        account,
        kind=ALIGN,
        key=f"align-{uuid.uuid4().hex}",
        actor="system",
        now=now,
        plan=lambda: steps_of(needed(account)),
    )
    return True


def finish(account: Account, *, kind: str, now: datetime) -> dict[str, Any] | None:
    """Put right the coupons that an account's newest change, one of this kind, left as they were (contract, rule 2).

    Return the figures that were confirmed with it, None where it left nothing. Raises what a command raises.
    """
    earlier = commands.unfinished(account, kind=kind)
    if earlier is None or not align(account, now=now):
        return None
    return dict(earlier.shown)


def align_all(*, now: datetime) -> dict[str, int]:
    """Put right every account whose coupons time has made wrong; one that cannot be now is tried again next night."""
    counts = {"aligned": 0, "bundles_later": 0}
    live = Subscription.objects.filter(deleted=False, status__in=ALIVE, customer__account__isnull=False)
    several = live.values("customer__account").annotate(held=Count("pk")).filter(held__gt=1)
    with_coupons = live.filter(payload__coupons__0__isnull=False)
    concerned = Account.objects.filter(
        Q(pk__in=several.values("customer__account")) | Q(pk__in=with_coupons.values("customer__account"))
    )
    for account in concerned.iterator():
        try:
            counts["aligned"] += align(account, now=now)
        except BillingError:
            counts["bundles_later"] += 1
        except Exception:
            logger.exception("The bundle of account %s could not be put right", account.pk)
            counts["bundles_later"] += 1
    return counts


def align_if_possible(account: Account, *, now: datetime) -> None:
    """Put an account's bundle coupons right where that can be done now; the night does it where it cannot.

    Raises nothing: what came before it stands, and is not to be called failed.
    """
    try:
        align(account, now=now)
    except BillingError as error:
        logger.info("The bundle of account %s is put right later: %s", account.pk, error.code)
    except Exception:
        logger.exception("The bundle of account %s could not be put right", account.pk)


def _holds(found: SubscriptionSnapshot, *, add: list[str], remove: list[str], changing_to: str) -> bool:
    held = {str(row.get("coupon_id")) for row in found.payload["coupons"]}
    held |= {str(row.get("coupon_code")) for row in found.payload["coupons"]}
    changing = found.payload.get("scheduled_item_price_id", "")
    return held.issuperset(add) and held.isdisjoint(remove) and (not changing_to or changing == changing_to)


def _finished(command: Command, subscriptions: list[Subscription], now: datetime) -> None:
    """Nothing is told: what a subscriber pays was told with the change that led here."""


commands.register_operation(
    SWAP_COUPONS, commands.Operation(send=changes.swap_coupons, holds=_holds, repeatable=True)
)
commands.register_kind(ALIGN, _finished)
