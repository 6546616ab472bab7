"""Taking back what is only scheduled: a change of plan, a cancellation (contract, section 3)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing.errors import BillingError
from billing.models import Command, Subscription
from billing.queries.holdings import NON_RENEWING, Holding
from billing.queries.owned import live_holdings, named_holdings
from billing.services import add_remove, alignment, bundles, commands, receipts
from billing.services.add_remove import KEEP, REMOVE_SCHEDULED_CHANGE
from billing.services.bundles import Member, Rates

UNDO_CHANGE = "undo_change"
UNDO_CANCELLATION = "undo_cancellation"


class NothingScheduled(BillingError):
    """There is nothing scheduled that could be taken back."""

    code = "invalid_state"
    status = 409
    message = "There is nothing scheduled to undo."


def remove_scheduled_change(
    account: Account, *, subscription_ids: Sequence[str], key: str, actor: str, now: datetime
) -> None:
    """Take a scheduled change of plan back. Raises NotFound, NothingScheduled and what a command raises."""

    def plan() -> list[dict[str, Any]]:
        named = _named(account, subscription_ids, lambda one: one.subscription.has_scheduled_changes)
        return [commands.step(REMOVE_SCHEDULED_CHANGE, one.subscription.provider_id) for one in named]

    commands.perform(account, kind=UNDO_CHANGE, key=key, actor=actor, now=now, plan=plan)


def remove_scheduled_cancellation(
    account: Account, *, subscription_ids: Sequence[str], key: str, actor: str, now: datetime
) -> None:
    """Keep what was going to end, and set the bundle's coupons back. Raises as `remove_scheduled_change` does."""

    def plan() -> list[dict[str, Any]]:
        named = _named(account, subscription_ids, lambda one: one.status == NON_RENEWING)
        kept = {one.subscription.provider_id: add_remove.ends_at(one) for one in named}
        members = [_kept(member, kept) for member in bundles.members_of(live_holdings(account))]
        steps = [commands.step(KEEP, subscription_id) for subscription_id in kept]
        return [*steps, *alignment.steps_of(bundles.swaps(members, Rates.current()))]

    commands.perform(account, kind=UNDO_CANCELLATION, key=key, actor=actor, now=now, plan=plan)


def _named(
    account: Account, subscription_ids: Sequence[str], is_scheduled: Callable[[Holding], bool]
) -> list[Holding]:
    named = named_holdings(account, subscription_ids)
    if not named or not all(is_scheduled(one) for one in named):
        raise NothingScheduled
    return named


def _kept(member: Member, kept: dict[str, datetime | None]) -> Member:
    if member.subscription_id not in kept:
        return member
    return replace(member, ends_at=None, bills_at=kept[member.subscription_id])


def _change_undone(command: Command, subscriptions: list[Subscription], now: datetime) -> None:
    receipt = receipts.scheduled_change_removed(subscriptions)
    receipts.send(command, receipt, kind="scheduled_change_removed", now=now)


def _cancellation_undone(command: Command, subscriptions: list[Subscription], now: datetime) -> None:
    named = {step["subscription"] for step in command.steps if step["op"] == KEEP}
    receipt = receipts.scheduled_cancellation_removed(
        [one for one in subscriptions if one.provider_id in named]
    )
    receipts.send(command, receipt, kind="scheduled_cancellation_removed", now=now)


commands.register_kind(UNDO_CHANGE, _change_undone)
commands.register_kind(UNDO_CANCELLATION, _cancellation_undone)
