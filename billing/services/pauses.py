"""Pausing instead of cancelling: schedule a pause, take it back (contract, rules 1 and 2)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing.errors import BillingError, InvalidState
from billing.gateway import subscriptions as gateway
from billing.models import Command, PauseSchedule, Subscription
from billing.queries.owned import live_holdings, named_holdings
from billing.services import commands, receipts, schedules
from billing.services.schedules import PAUSE_DAYS
from portal.errors import InvalidInput

PAUSE = "pause"
REMOVE_SCHEDULED_PAUSE = "remove_scheduled_pause"


class NothingToPause(BillingError):
    """No subscription of the account can be paused."""

    code = "nothing_to_pause"
    status = 409
    message = "You have no subscription that can be paused."


class AlreadyPaused(BillingError):
    """It is paused, or a pause of it is scheduled."""

    code = "already_paused"
    status = 409
    message = "This subscription is already paused, or its pause is already scheduled."


class NoScheduledPause(BillingError):
    """There is no scheduled pause to take back."""

    code = "invalid_state"
    status = 409
    message = "There is no scheduled pause to cancel."


def schedule(
    account: Account,
    *,
    subscription_ids: Sequence[str] | None,
    days: int,
    key: str,
    actor: str,
    now: datetime,
) -> None:
    """Pause subscriptions at the end of their terms, for 30 days; None means every one that can be paused.

    Raises InvalidInput, NotFound, NothingToPause, AlreadyPaused, InvalidState and what a command raises.
    """
    if days != PAUSE_DAYS:
        raise InvalidInput(fields={"days": [f"A pause lasts {PAUSE_DAYS} days."]})
    earlier = commands.unfinished(account, kind=PAUSE, subscription_ids=subscription_ids or ())
    if earlier is not None:
        commands.take_up(earlier, now=now)
        return
    commands.perform(
        account,
        kind=PAUSE,
        key=key,
        actor=actor,
        now=now,
        plan=lambda: [commands.step(PAUSE, one.provider_id) for one in _to_pause(account, subscription_ids)],
    )


def remove_scheduled(
    account: Account, *, subscription_ids: Sequence[str] | None, key: str, actor: str, now: datetime
) -> None:
    """Take back scheduled pauses; None means all of the account's.

    Raises NotFound, NoScheduledPause and what a command raises.
    """

    def plan() -> list[dict[str, Any]]:
        return [
            commands.step(REMOVE_SCHEDULED_PAUSE, one.provider_id)
            for one in _to_take_back(account, subscription_ids)
        ]

    commands.perform(account, kind=REMOVE_SCHEDULED_PAUSE, key=key, actor=actor, now=now, plan=plan)


def _to_pause(account: Account, subscription_ids: Sequence[str] | None) -> list[Subscription]:
    named = subscription_ids is not None
    held = live_holdings(account) if subscription_ids is None else named_holdings(account, subscription_ids)
    found = [one.subscription for one in held if one.can_be_paused]
    already = any(one.is_paused or one.has_scheduled_pause for one in held)
    if already and (named or not found):
        raise AlreadyPaused
    if named and len(found) < len(held):
        raise InvalidState
    if not found:
        raise NothingToPause
    return found


def _to_take_back(account: Account, subscription_ids: Sequence[str] | None) -> list[Subscription]:
    named = subscription_ids is not None
    held = live_holdings(account) if subscription_ids is None else named_holdings(account, subscription_ids)
    found = [one.subscription for one in held if one.has_scheduled_pause]
    if not found or (named and len(found) < len(held)):
        raise NoScheduledPause
    return found


def _paused(subscription: Subscription, now: datetime) -> None:
    # Somebody may have taken it back at the provider before we heard that it was placed.
    if subscription.pause_date is not None:
        schedules.opened(subscription, now=now)


def _taken_back(subscription: Subscription, now: datetime) -> None:
    schedules.close(subscription, state=PauseSchedule.State.REMOVED, because="taken back", now=now)


def _pause_finished(command: Command, subscriptions: list[Subscription], now: datetime) -> None:
    placed = [one for one in map(schedules.open_schedule, subscriptions) if one is not None]
    if placed:
        receipts.send(command, receipts.pause_scheduled(placed), kind="pause_scheduled", now=now)


def _removal_finished(command: Command, subscriptions: list[Subscription], now: datetime) -> None:
    receipt = receipts.scheduled_pause_removed(subscriptions)
    receipts.send(command, receipt, kind="scheduled_pause_removed", now=now)


commands.register_operation(
    PAUSE,
    commands.Operation(
        send=gateway.pause_at_term_end,
        holds=lambda found: found.status == "paused" or found.payload.get("pause_date") is not None,
        applied=_paused,
    ),
)
commands.register_operation(
    REMOVE_SCHEDULED_PAUSE,
    commands.Operation(
        send=gateway.remove_scheduled_pause,
        holds=lambda found: found.status != "paused" and found.payload.get("pause_date") is None,
        applied=_taken_back,
    ),
)
commands.register_kind(PAUSE, _pause_finished)
commands.register_kind(REMOVE_SCHEDULED_PAUSE, _removal_finished)
