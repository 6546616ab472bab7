"""Schedule a pause, or remove a scheduled one (docs/rules.md, rules 1 and 2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing.changes import cancellation_survey
from billing.changes.cancellation_survey import SurveyedChange
from billing.changes.plan_change import SubscriptionsChange
from billing.changes.preview import forecast_next_bills
from billing.commands.command_kind import CommandKind
from billing.commands.confirmation import Preview, confirm_change
from billing.errors import BillingError, InvalidState, NotChangeable
from billing.mirror import pause_schedules
from billing.mirror.pause_schedules import PAUSE_DAYS
from billing.models import CancellationFeedback, Command, Subscription
from billing.models.steps import Step, StepOperation, subscription_step
from billing.queries.next_bills import NextBill, next_bills_of
from billing.queries.payments.past_due import unpaid_subscription_ids
from billing.queries.subscriptions.holdings import Holding
from billing.queries.subscriptions.ownership import chosen_holdings, live_holdings
from billing.queries.subscriptions.pauses import PausePeriod, pause_periods, with_pauses
from billing.receipts.delivery import ActivityReceipt
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


@dataclass(frozen=True)
class PauseEstimate:
    """The pause that each subscription would have, earliest first, and the next bills of the account after it."""

    plans: Sequence[PausePeriod]
    next_bills: Sequence[NextBill]

    @property
    def pause_date(self) -> datetime:
        """When the first pause would start (UTC)."""
        return self.plans[0].pause_date

    @property
    def resume_date(self) -> datetime:
        """When the first pause would end (UTC)."""
        return self.plans[0].resume_date


def estimate_pause(
    account: Account, *, subscription_ids: Sequence[str] | None, days: int, now: datetime
) -> PauseEstimate:
    """Return what pausing for `days` days would mean, with the bills that the mirror knows or the provider estimates.

    `subscription_ids` None means every subscription that can be paused; any other of them is left out. Without an
    answer of the provider, amounts that the mirror does not know are None. Raises NothingToPause.
    """
    holdings = live_holdings(account)
    periods = pause_periods(holdings, subscription_ids=subscription_ids, days=days)
    if not periods:
        raise NothingToPause
    pausing = with_pauses(holdings, periods)
    try:
        bills = forecast_next_bills(pausing, now=now)
    except BillingError:
        # The dates of a pause do not depend on the provider.
        bills = next_bills_of(pausing)
    return PauseEstimate(plans=sorted(periods.values(), key=lambda period: period.pause_date), next_bills=bills)


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
    Raises InvalidInput, NotFound, NothingToPause, AlreadyPaused, NotChangeable, InvalidState and what a
    command raises.
    """
    if days != PAUSE_DAYS:
        raise InvalidInput(fields={"days": [f"A pause lasts {PAUSE_DAYS} days."]})
    holdings, survey, brand = chosen_holdings(account, subscription_ids), screen.survey, screen.brand
    feedback = (
        cancellation_survey.store_answers(account, holdings, survey, key=key, actor=actor, brand=brand, now=now)
        if survey.is_answered
        else None
    )
    with cancellation_survey.record_failure(feedback):
        change = SchedulePause(account, PAUSE, subscription_ids, feedback, brand=brand, offered=offered)
        confirm_change(change, quote=None, key=key, actor=actor, now=now)


@dataclass(frozen=True)
class SchedulePause(SurveyedChange):
    """The pause of subscriptions; with no names, of all that can be paused."""

    brand: str
    offered: str

    @property
    def shown(self) -> Mapping[str, Any]:
        """The brand whose portal was used, and the screen that offered the pause."""
        return {"brand": self.brand, "offered": self.offered}

    def plan_steps(self, command: Command, preview: Preview | None) -> list[Step]:
        """Return the steps. Raises AlreadyPaused, NothingToPause, NotChangeable and InvalidState."""
        holdings = pausable_holdings(self.account, self.subscription_ids)
        self.link_answers(command, holdings)
        return [subscription_step(StepOperation.PAUSE, holding.subscription.provider_id) for holding in holdings]

    def remaining_ids(self) -> set[str]:
        """Return the ids of the requested subscriptions that have no pause."""
        holdings = chosen_holdings(self.account, self.subscription_ids)
        return {holding.subscription.provider_id for holding in holdings if holding.can_be_paused}


def remove_scheduled_pause(
    account: Account, *, subscription_ids: Sequence[str] | None, key: str, actor: str, now: datetime
) -> None:
    """Remove scheduled pauses; `subscription_ids` None means every one of the account.

    Raises NotFound, NoScheduledPause and what a command raises.
    """
    change = RemoveScheduledPause(account, REMOVE_SCHEDULED_PAUSE, subscription_ids)
    confirm_change(change, quote=None, key=key, actor=actor, now=now)


@dataclass(frozen=True)
class RemoveScheduledPause(SubscriptionsChange):
    """The removal of scheduled pauses; with no names, of all of the account."""

    def plan_steps(self, command: Command, preview: Preview | None) -> list[Step]:
        """Return the steps. Raises NoScheduledPause."""
        holdings = chosen_holdings(self.account, self.subscription_ids)
        ids = [holding.subscription.provider_id for holding in holdings if holding.has_scheduled_pause]
        if not ids or (self.subscription_ids is not None and len(ids) < len(holdings)):
            raise NoScheduledPause
        return [subscription_step(StepOperation.REMOVE_SCHEDULED_PAUSE, provider_id) for provider_id in ids]

    def remaining_ids(self) -> set[str]:
        """Return the ids of the requested subscriptions that have a scheduled pause."""
        holdings = chosen_holdings(self.account, self.subscription_ids)
        return {holding.subscription.provider_id for holding in holdings if holding.has_scheduled_pause}


def pausable_holdings(account: Account, subscription_ids: Sequence[str] | None) -> list[Holding]:
    """Return the subscriptions to pause; None means all that can be paused.

    Raises NotFound, AlreadyPaused, NothingToPause, NotChangeable and InvalidState.
    """
    is_named = subscription_ids is not None
    holdings = chosen_holdings(account, subscription_ids)
    pausable = [holding for holding in holdings if holding.can_be_paused]
    has_pause = any(holding.is_paused or holding.has_scheduled_pause for holding in holdings)
    if has_pause and (is_named or not pausable):
        raise AlreadyPaused
    if is_named and not all(holding.is_changeable for holding in holdings):
        raise NotChangeable
    if is_named and len(pausable) < len(holdings):
        raise InvalidState
    if not pausable:
        raise NothingToPause
    return pausable


def _finish_pause(command: Command, subscriptions: list[Subscription], now: datetime) -> None:
    cancellation_survey.mark_done(command, outcome=CancellationFeedback.Outcome.PAUSED)


def _compose_pause_receipt(command: Command, subscriptions: list[Subscription]) -> ActivityReceipt | None:
    schedules = [schedule for schedule in map(pause_schedules.current_schedule, subscriptions) if schedule is not None]
    if not schedules:
        return None
    receipt = pauses.pause_scheduled_receipt(schedules, unpaid=unpaid_subscription_ids(command.account))
    return ActivityReceipt("pause_scheduled", receipt)


def _compose_removal_receipt(command: Command, subscriptions: list[Subscription]) -> ActivityReceipt:
    return ActivityReceipt("scheduled_pause_removed", pauses.pause_removed_receipt(subscriptions))


PAUSE = CommandKind("pause", compose_receipt=_compose_pause_receipt, finish=_finish_pause)
REMOVE_SCHEDULED_PAUSE = CommandKind("remove_scheduled_pause", compose_receipt=_compose_removal_receipt)
