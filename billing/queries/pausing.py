"""Which subscriptions can be paused, and when a pause of them would start and end (contract, rule 1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from accounts.models import Account
from billing.errors import BillingError, InvalidState
from billing.models import Subscription
from billing.queries.subscriptions import live_subscriptions, subscriptions_of


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


@dataclass(frozen=True)
class PausePeriod:
    """From when to when one subscription would be paused (UTC)."""

    subscription_id: str
    pause_date: datetime
    resume_date: datetime


def can_be_paused(subscription: Subscription) -> bool:
    """Whether a pause can be placed: active, with no pause, cancellation or change scheduled."""
    return (
        subscription.status == "active"
        and not subscription.has_scheduled_pause
        and not subscription.has_scheduled_cancellation
        and not subscription.has_scheduled_changes
    )


def to_pause(account: Account, subscription_ids: Sequence[str] | None) -> list[Subscription]:
    """Return the subscriptions that a pause is for: the named ones, or with None every one that can be paused.

    Raises NotFound, AlreadyPaused, NothingToPause, InvalidState: a list that is partly ineligible is refused whole.
    """
    if subscription_ids is None:
        return _every_one(account)
    named = subscriptions_of(account, subscription_ids)
    if any(_has_pause(one) for one in named):
        raise AlreadyPaused
    if not all(can_be_paused(one) for one in named):
        raise InvalidState
    return named


def pause_periods(account: Account, *, days: int) -> list[PausePeriod]:
    """Return when each subscription that can be paused would be, for a pause of `days` days; earliest first.

    Raises AlreadyPaused and NothingToPause.
    """
    periods = [
        PausePeriod(
            subscription_id=one.provider_id,
            pause_date=one.current_term_end,
            resume_date=one.current_term_end + timedelta(days=days),
        )
        for one in _every_one(account)
        if one.current_term_end is not None
    ]
    return sorted(periods, key=lambda period: period.pause_date)


def _every_one(account: Account) -> list[Subscription]:
    held = live_subscriptions(account)
    found = [one for one in held if can_be_paused(one)]
    if not found:
        raise AlreadyPaused if any(_has_pause(one) for one in held) else NothingToPause
    return found


def _has_pause(subscription: Subscription) -> bool:
    return subscription.status == "paused" or subscription.has_scheduled_pause
