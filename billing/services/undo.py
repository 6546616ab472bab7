"""Taking back what is only scheduled: a change of plan, a cancellation (contract, section 3)."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing.errors import BillingError
from billing.gateway import changes
from billing.models import Command, Subscription
from billing.queries.holdings import NON_RENEWING, Holding
from billing.queries.owned import live_holdings, named_holdings
from billing.services import (
    alignment,
    bundles,
    commands,
    endings,
    leaving_words,
    operations,
    parts,
    plan_words,
)
from billing.services.bundles import Member, Rates
from billing.services.endings import KEEP, SetAside
from billing.services.parts import Told

REMOVE_SCHEDULED_CHANGE = "remove_scheduled_change"
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
        return [operations.step(REMOVE_SCHEDULED_CHANGE, one.subscription.provider_id) for one in named]

    commands.perform(account, kind=UNDO_CHANGE, key=key, actor=actor, now=now, plan=plan)


def remove_scheduled_cancellation(
    account: Account, *, subscription_ids: Sequence[str], key: str, actor: str, now: datetime
) -> None:
    """Keep what was going to end: what its end took away, and the bundle's coupons, are set back.

    Raises as `remove_scheduled_change` does.
    """

    def plan() -> list[dict[str, Any]]:
        named = _named(account, subscription_ids, lambda one: one.status == NON_RENEWING)
        restored = {
            one.subscription.provider_id: endings.set_aside(account, one.subscription.provider_id)
            for one in named
        }
        members = [_kept(member, named, restored) for member in bundles.members_of(live_holdings(account))]
        kept = [
            step
            for one in named
            for step in endings.steps_to_keep(one, restored[one.subscription.provider_id])
        ]
        return [*kept, *alignment.steps_of(bundles.swaps(members, Rates.current()))]

    commands.perform(account, kind=UNDO_CANCELLATION, key=key, actor=actor, now=now, plan=plan)


def _named(
    account: Account, subscription_ids: Sequence[str], is_scheduled: Callable[[Holding], bool]
) -> list[Holding]:
    named = named_holdings(account, subscription_ids)
    if not named or not all(is_scheduled(one) for one in named):
        raise NothingScheduled
    return named


def _kept(member: Member, named: Sequence[Holding], restored: Mapping[str, SetAside]) -> Member:
    holding = next((one for one in named if one.subscription.provider_id == member.subscription_id), None)
    return member if holding is None else endings.kept(member, holding, restored[member.subscription_id])


def _change_undone(command: Command, subscriptions: list[Subscription]) -> Told:
    return Told("scheduled_change_removed", plan_words.scheduled_change_removed(subscriptions))


def _cancellation_undone(command: Command, subscriptions: list[Subscription]) -> Told | None:
    named = parts.concerned(command, subscriptions, KEEP)
    return Told("scheduled_cancellation_removed", leaving_words.kept(named)) if named else None


operations.register_operation(
    REMOVE_SCHEDULED_CHANGE,
    operations.Operation(
        send=changes.remove_scheduled_change,
        holds=lambda found: not found.payload.get("has_scheduled_changes"),
    ),
)
parts.register(UNDO_CHANGE, _change_undone)
parts.register(UNDO_CANCELLATION, _cancellation_undone)
