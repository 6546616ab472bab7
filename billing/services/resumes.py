"""Resuming: by the subscriber or an operator now; by the night in `resuming_night` (contract, rules 1 and 3)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from accounts.models import Account
from billing.errors import (
    BillingError,
    BillingUnavailable,
    InvalidState,
    QuoteChanged,
)
from billing.gateway import subscriptions as gateway
from billing.gateway.errors import NotSent, Refused
from billing.models import Command, PauseSchedule, Subscription
from billing.queries.holdings import Holding, newest_of
from billing.queries.instants import iso
from billing.queries.owned import chosen_holdings, named_subscriptions
from billing.services import (
    alignment,
    commands,
    operations,
    parts,
    pause_words,
    schedules,
)
from billing.services.charges import charged_by
from billing.services.parts import Told
from billing.services.quotes import quote_of

RESUME = "resume"


class NothingToResume(BillingError):
    """Nothing that was named, or nothing at all, is paused."""

    code = "nothing_to_resume"
    status = 409
    message = "There is no paused subscription to resume."


@dataclass(frozen=True)
class ResumeEstimate:
    """What resuming would charge (cents, tax included) and when (UTC); `quote` stands for these figures."""

    resume_date: datetime
    amount_due: int
    quote: str


def resume(
    account: Account,
    *,
    subscription_ids: Sequence[str] | None,
    quote: str | None,
    key: str,
    actor: str,
    now: datetime,
) -> None:
    """Resume paused subscriptions at once; None means all of the account's.

    The same ones again, after a try that was done in part, finish that.
    Raises NotFound, NothingToResume, QuoteChanged, PaymentProcessingFailed (still paused) and what a command raises.
    """
    begun = commands.exists(account, key=key)
    earlier = None if begun else _left_undone(account, subscription_ids)
    charges = (
        {} if begun or quote is None else _checked_charges(account, subscription_ids, earlier, quote, now)
    )

    def plan() -> list[dict[str, Any]]:
        if begun:
            raise BillingUnavailable  # what the key stood for has failed this very moment, before it was begun
        return [operations.step(RESUME, one.provider_id) for one in _paused(account, subscription_ids)]

    if earlier is not None:
        commands.take_up(earlier, now=now)
    else:
        commands.perform(
            account, kind=RESUME, key=key, actor=actor, now=now, plan=plan, shown={"charges": charges}
        )
    # The provider takes no writing to a paused subscription: its coupons are put right now (contract, rule 6).
    alignment.align_if_possible(account, now=now)


def estimate(
    account: Account, *, subscription_ids: Sequence[str] | None, days: int | None, now: datetime
) -> ResumeEstimate:
    """Return when the service would come back and what that would charge.

    Takes: `days` None for resuming now; else that many days after the pause date, also for what could still be paused.
    Raises NotFound, NothingToResume, BillingUnavailable.
    """
    if days is None:
        return _estimated(now, _charges_now(_paused(account, subscription_ids)))
    held = chosen_holdings(account, subscription_ids)
    pausing = [(one, date) for one in held if (date := _pause_date(one)) is not None]
    if not pausing:
        raise NothingToResume
    resume_at = min(date for _, date in pausing) + timedelta(days=days)
    return _estimated(
        resume_at, {one.subscription.provider_id: _charge_later(one, now) for one, _ in pausing}
    )


def overdue(*, now: datetime) -> int:
    """Return how many pauses are past their resume date and still in effect, for operators: those tried in vain too."""
    return PauseSchedule.objects.filter(state=PauseSchedule.State.PAUSED, resume_date__lte=now).count()


def _left_undone(account: Account, subscription_ids: Sequence[str] | None) -> Command | None:
    """Return the account's newest resume if it was of these, done only in part, and what it left is paused (rule 2)."""
    if subscription_ids is None:
        return None
    earlier = commands.unfinished(account, kind=RESUME, subscription_ids=subscription_ids)
    if earlier is None:
        return None
    held = named_subscriptions(account, subscription_ids)
    paused = {one.provider_id for one in held if one.status == "paused"}
    return earlier if paused and paused == _left_of(earlier) else None


def _left_of(command: Command) -> set[str]:
    return {one["subscription"] for one in command.steps if one["state"] not in operations.ENDED}


def _checked_charges(
    account: Account,
    subscription_ids: Sequence[str] | None,
    earlier: Command | None,
    quote: str,
    now: datetime,
) -> dict[str, int]:
    """Return what resuming charges for each, if that is what was confirmed. Raises QuoteChanged.

    What an `earlier` try has resumed already was confirmed with the rest, and is charged no more.
    """
    left = subscription_ids if earlier is None else sorted(_left_of(earlier))
    charges = _charges_now(_paused(account, left))
    confirmed_before: dict[str, int] = {} if earlier is None else earlier.shown.get("charges", {})
    whole = {**confirmed_before, **charges}
    if quote != quote_of(whole):
        fresh = _estimated(now, charges)
        raise QuoteChanged(
            extra={
                "resume_date": iso(fresh.resume_date),
                "amount_due": fresh.amount_due,
                "quote": quote_of(whole),
            }
        )
    return charges


def _charges_now(subscriptions: Sequence[Subscription]) -> dict[str, int]:
    return {
        one.provider_id: _asked(partial(gateway.estimate_resume, one.provider_id)) for one in subscriptions
    }


def _paused(account: Account, subscription_ids: Sequence[str] | None) -> list[Subscription]:
    held = newest_of(account) if subscription_ids is None else named_subscriptions(account, subscription_ids)
    found = [one for one in held if one.status == "paused"]
    if not found or (subscription_ids is not None and len(found) < len(held)):
        raise NothingToResume
    return found


def _pause_date(holding: Holding) -> datetime | None:
    return holding.subscription.current_term_end if holding.can_be_paused else holding.pause_date


def _charge_later(holding: Holding, now: datetime) -> int:
    identifier = holding.subscription.provider_id
    if holding.is_paused:
        # Not before now: what is past its date would be resumed now.
        at = max(holding.resume_date or now, now + timedelta(minutes=1))
        return _asked(lambda: gateway.estimate_resume(identifier, at=at))
    return _asked(lambda: gateway.estimate_renewal(identifier))


def _asked(ask: Callable[[], gateway.Charge]) -> int:
    try:
        return ask().amount_due
    except NotSent as error:
        raise BillingUnavailable(retry_after=error.retry_after) from error
    except Refused as error:
        raise InvalidState from error


def _estimated(resume_date: datetime, charges: dict[str, int]) -> ResumeEstimate:
    # The instant is left out: the figures hold however long the subscriber reads them.
    return ResumeEstimate(resume_date=resume_date, amount_due=sum(charges.values()), quote=quote_of(charges))


def _resumed(subscription: Subscription, now: datetime) -> None:
    schedules.close(subscription, state=PauseSchedule.State.RESUMED, because="resumed", now=now)


def _told(command: Command, subscriptions: list[Subscription]) -> Told:
    return Told("resumed", pause_words.resumed(subscriptions, charged_by(command, subscriptions)))


operations.register_operation(
    RESUME,
    operations.Operation(
        send=gateway.resume_now,
        holds=lambda found: found.status in ("active", "in_trial", "non_renewing"),
        applied=_resumed,
    ),
)
parts.register(RESUME, _told)
