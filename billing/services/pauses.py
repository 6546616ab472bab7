"""Pausing instead of cancelling: schedule a pause, take it back (contract, rules 1 and 2)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing.errors import BillingError, InvalidState
from billing.gateway import subscriptions as gateway
from billing.models import CancellationFeedback, Command, PauseSchedule, Subscription
from billing.queries.holdings import Holding
from billing.queries.owned import chosen_holdings
from billing.services import (
    carrying_out,
    commands,
    feedback,
    operations,
    parts,
    pause_words,
    retention_log,
    schedules,
)
from billing.services.parts import Told
from billing.services.schedules import PAUSE_DAYS
from billing.survey import NO_SCREEN, Screen
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
    offered: str = "",
    screen: Screen = NO_SCREEN,
) -> None:
    """Pause subscriptions at the end of their terms, for 30 days; None means every one that can be paused.

    `offered` names the screen that offered it, if one did. What was said there is kept, whatever becomes of it. Raises
    InvalidInput, NotFound, NothingToPause, AlreadyPaused, InvalidState and what a command raises.
    """
    if days != PAUSE_DAYS:
        raise InvalidInput(fields={"days": [f"A pause lasts {PAUSE_DAYS} days."]})
    held, survey, brand = chosen_holdings(account, subscription_ids), screen.survey, screen.brand
    said = (
        feedback.keep(account, held, survey, key=key, actor=actor, brand=brand, now=now)
        if survey.is_answered
        else None
    )
    with feedback.noting(said):
        _schedule(
            account,
            subscription_ids,
            said,
            key=key,
            actor=actor,
            now=now,
            shown={"brand": brand, "offered": offered},
        )


def _schedule(
    account: Account,
    subscription_ids: Sequence[str] | None,
    said: CancellationFeedback | None,
    *,
    key: str,
    actor: str,
    now: datetime,
    shown: Mapping[str, str],
) -> None:
    earlier = _left_undone(account, subscription_ids)
    if earlier is not None:
        if said is not None:
            feedback.joined(said, earlier)
        commands.take_up(earlier, now=now)
        return

    def plan() -> list[dict[str, Any]]:
        pausing = _to_pause(account, subscription_ids)
        if said is not None:
            feedback.begun(said, pausing)
        return [operations.step(PAUSE, one.subscription.provider_id) for one in pausing]

    commands.perform(account, kind=PAUSE, key=key, actor=actor, now=now, plan=plan, shown=shown)


def _left_undone(account: Account, subscription_ids: Sequence[str] | None) -> Command | None:
    """Return the account's newest pause if it was of these, done only in part, and that part still stands (rule 2)."""
    earlier = commands.unfinished(account, kind=PAUSE, subscription_ids=subscription_ids or ())
    if earlier is None:
        return None
    done = {one["subscription"] for one in earlier.steps if one["state"] in operations.ENDED}
    placed = [
        one for one in chosen_holdings(account, subscription_ids) if one.is_paused or one.has_scheduled_pause
    ]
    return earlier if done <= {one.subscription.provider_id for one in placed} else None


def remove_scheduled(
    account: Account, *, subscription_ids: Sequence[str] | None, key: str, actor: str, now: datetime
) -> None:
    """Take back scheduled pauses; None means all of the account's.

    Raises NotFound, NoScheduledPause and what a command raises.
    """

    def plan() -> list[dict[str, Any]]:
        return [
            operations.step(REMOVE_SCHEDULED_PAUSE, one.provider_id)
            for one in _to_take_back(account, subscription_ids)
        ]

    commands.perform(account, kind=REMOVE_SCHEDULED_PAUSE, key=key, actor=actor, now=now, plan=plan)


def _to_pause(account: Account, subscription_ids: Sequence[str] | None) -> list[Holding]:
    named = subscription_ids is not None
    held = chosen_holdings(account, subscription_ids)
    found = [one for one in held if one.can_be_paused]
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
    held = chosen_holdings(account, subscription_ids)
    found = [one.subscription for one in held if one.has_scheduled_pause]
    if not found or (named and len(found) < len(held)):
        raise NoScheduledPause
    return found


def _paused(subscription: Subscription, now: datetime) -> None:
    # Somebody may have taken it back at the provider before we heard that it was placed.
    if subscription.pause_date is None:
        return
    schedules.opened(subscription, now=now)
    retention_log.pause_placed(subscription, at=now)


def _taken_back(subscription: Subscription, now: datetime) -> None:
    schedules.close(subscription, state=PauseSchedule.State.REMOVED, because="taken back", now=now)


def _finished(command: Command, subscriptions: list[Subscription], now: datetime) -> None:
    feedback.done(command, outcome=CancellationFeedback.Outcome.PAUSED)
    parts.tell(command, subscriptions, now)


def _pause_told(command: Command, subscriptions: list[Subscription]) -> Told | None:
    placed = [one for one in map(schedules.open_schedule, subscriptions) if one is not None]
    return Told("pause_scheduled", pause_words.pause_scheduled(placed)) if placed else None


def _removal_told(command: Command, subscriptions: list[Subscription]) -> Told:
    return Told("scheduled_pause_removed", pause_words.scheduled_pause_removed(subscriptions))


operations.register_operation(
    PAUSE,
    operations.Operation(
        send=gateway.pause_at_term_end,
        holds=lambda found: found.has_pause,
        applied=_paused,
    ),
)
operations.register_operation(
    REMOVE_SCHEDULED_PAUSE,
    operations.Operation(
        send=gateway.remove_scheduled_pause,
        holds=lambda found: not found.has_pause,
        applied=_taken_back,
    ),
)
parts.register(PAUSE, _pause_told)
carrying_out.register_kind(PAUSE, _finished)
parts.register(REMOVE_SCHEDULED_PAUSE, _removal_told)
