"""Schedule a pause, or remove a scheduled one (docs/rules.md, rules 1 and 2)."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from accounts.models import Account
from billing.changes import cancellation_survey
from billing.commands import lifecycle
from billing.commands.command_kind import CommandKind
from billing.errors import BillingError, InvalidState
from billing.mirror import pause_schedules
from billing.mirror.pause_schedules import PAUSE_DAYS
from billing.models import CancellationFeedback, Command, Subscription
from billing.models.steps import Step, StepOperation, subscription_step
from billing.queries.commands import newest_partial_command
from billing.queries.holdings import Holding
from billing.queries.ownership import chosen_holdings
from billing.receipts.partial_receipts import ActivityReceipt
from billing.receipts.texts import pauses
from billing.survey import NO_SCREEN, Screen
from core.errors import InvalidInput


class NothingToPause(BillingError):
    """No subscription of the account can be paused."""

    code = "nothing_to_pause"
    status = 409
    message = "You don't have a subscription that can be paused."


class AlreadyPaused(BillingError):
    """The subscription is paused, or its pause is scheduled."""

    code = "already_paused"
    status = 409
    message = "This subscription is already paused or has a pause scheduled."


class NoScheduledPause(BillingError):
    """There is no scheduled pause to remove."""

    code = "invalid_state"
    status = 409
    message = "There's no scheduled pause to cancel."


def schedule_pause(
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
    """Pause subscriptions for 30 days from the end of their terms; None means every one that can be paused.

    `offered` names the screen that offered the pause, if any. Survey answers are stored even if the pause fails.
    Raises InvalidInput, NotFound, NothingToPause, AlreadyPaused, InvalidState and what a command raises.
    """
    if days != PAUSE_DAYS:
        raise InvalidInput(fields={"days": [f"A pause lasts {PAUSE_DAYS} days."]})
    holdings, survey, brand = chosen_holdings(account, subscription_ids), screen.survey, screen.brand
    feedback = (
        cancellation_survey.store_answers(
            account, holdings, survey, key=key, actor=actor, brand=brand, now=now
        )
        if survey.is_answered
        else None
    )
    with cancellation_survey.record_failure(feedback):
        _perform_pause(
            account,
            subscription_ids,
            feedback,
            key=key,
            actor=actor,
            now=now,
            shown={"brand": brand, "offered": offered},
        )


def _perform_pause(
    account: Account,
    subscription_ids: Sequence[str] | None,
    feedback: CancellationFeedback | None,
    *,
    key: str,
    actor: str,
    now: datetime,
    shown: Mapping[str, str],
) -> None:
    earlier = _unfinished_pause(account, subscription_ids)
    if earlier is not None:
        if feedback is not None:
            cancellation_survey.join_earlier_command(feedback, earlier)
        lifecycle.continue_command(earlier, PAUSE, now=now)
        return

    def plan() -> list[Step]:
        holdings = _pausable_holdings(account, subscription_ids)
        if feedback is not None:
            cancellation_survey.link_command(feedback, holdings)
        return [
            subscription_step(StepOperation.PAUSE, holding.subscription.provider_id) for holding in holdings
        ]

    lifecycle.execute_command(account, kind=PAUSE, key=key, actor=actor, now=now, plan=plan, shown=shown)


def _unfinished_pause(account: Account, subscription_ids: Sequence[str] | None) -> Command | None:
    """Return the newest change if it paused these in part and that part still holds (docs/rules.md, rule 2)."""
    earlier = newest_partial_command(account, kind=PAUSE.name, subscription_ids=subscription_ids or ())
    if earlier is None:
        return None
    done_ids = {step.subscription_id for step in earlier.steps if step.has_ended}
    paused_ids = {
        holding.subscription.provider_id
        for holding in chosen_holdings(account, subscription_ids)
        if holding.is_paused or holding.has_scheduled_pause
    }
    return earlier if done_ids <= paused_ids else None


def remove_scheduled_pause(
    account: Account, *, subscription_ids: Sequence[str] | None, key: str, actor: str, now: datetime
) -> None:
    """Remove scheduled pauses; `subscription_ids` None means every one of the account.

    Raises NotFound, NoScheduledPause and what a command raises.
    """

    def plan() -> list[Step]:
        return [
            subscription_step(StepOperation.REMOVE_SCHEDULED_PAUSE, subscription.provider_id)
            for subscription in _subscriptions_to_unschedule(account, subscription_ids)
        ]

    lifecycle.execute_command(account, kind=REMOVE_SCHEDULED_PAUSE, key=key, actor=actor, now=now, plan=plan)


def _pausable_holdings(account: Account, subscription_ids: Sequence[str] | None) -> list[Holding]:
    is_named = subscription_ids is not None
    holdings = chosen_holdings(account, subscription_ids)
    pausable = [holding for holding in holdings if holding.can_be_paused]
    has_pause = any(holding.is_paused or holding.has_scheduled_pause for holding in holdings)
    if has_pause and (is_named or not pausable):
        raise AlreadyPaused
    if is_named and len(pausable) < len(holdings):
        raise InvalidState
    if not pausable:
        raise NothingToPause
    return pausable


def _subscriptions_to_unschedule(
    account: Account, subscription_ids: Sequence[str] | None
) -> list[Subscription]:
    holdings = chosen_holdings(account, subscription_ids)
    scheduled = [holding.subscription for holding in holdings if holding.has_scheduled_pause]
    if not scheduled or (subscription_ids is not None and len(scheduled) < len(holdings)):
        raise NoScheduledPause
    return scheduled


def _finish_pause(command: Command, subscriptions: list[Subscription], now: datetime) -> None:
    cancellation_survey.mark_done(command, outcome=CancellationFeedback.Outcome.PAUSED)


def _compose_pause_receipt(command: Command, subscriptions: list[Subscription]) -> ActivityReceipt | None:
    schedules = [
        schedule for schedule in map(pause_schedules.current_schedule, subscriptions) if schedule is not None
    ]
    return (
        ActivityReceipt("pause_scheduled", pauses.pause_scheduled_receipt(schedules)) if schedules else None
    )


def _compose_removal_receipt(command: Command, subscriptions: list[Subscription]) -> ActivityReceipt:
    return ActivityReceipt("scheduled_pause_removed", pauses.pause_removed_receipt(subscriptions))


PAUSE = CommandKind("pause", compose_receipt=_compose_pause_receipt, finish=_finish_pause)
REMOVE_SCHEDULED_PAUSE = CommandKind("remove_scheduled_pause", compose_receipt=_compose_removal_receipt)
