"""Cancelling: at the end of the term, a trial's with the trial, a paused one at once (contract, rules 2 and 7)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from accounts import site
from accounts.models import Account
from billing.errors import BillingError
from billing.models import CancellationFeedback, Command, Subscription
from billing.queries.holdings import NON_RENEWING, Holding
from billing.queries.owned import chosen_holdings, live_holdings
from billing.services import (
    alignment,
    bundles,
    carrying_out,
    commands,
    endings,
    feedback,
    leaving_words,
    operations,
    parts,
)
from billing.services.bundles import Rates
from billing.services.endings import CANCEL_AT_TERM_END, CANCEL_NOW
from billing.services.parts import Told
from billing.survey import Survey

KIND = "cancel"
ENDS = (CANCEL_AT_TERM_END, CANCEL_NOW)


class CancelDisabled(BillingError):
    """Operators have subscribers cancel in another way than here."""

    code = "cancel_disabled"
    status = 403
    message = "You can't cancel here at the moment. Please contact Customer Service to cancel."


class NothingToCancel(BillingError):
    """Nothing of the account's goes on, or what was named is ending already."""

    code = "invalid_state"
    status = 409
    message = "There is nothing to cancel: it has ended, or its end is scheduled already."


def check_enabled() -> None:
    """Refuse where operators have hidden the cancel button. Raises CancelDisabled."""
    if not site.site_settings().enable_cancel_button:
        raise CancelDisabled


def cancel(
    account: Account,
    *,
    subscription_ids: Sequence[str] | None,
    survey: Survey,
    key: str,
    actor: str,
    now: datetime,
    brand: str = "",
) -> None:
    """End subscriptions; None means all that go on. What is said with it is kept, whatever becomes of it.

    `brand` is the code of the brand that it was asked for on. The same again, after a try that was done in part,
    finishes that. Raises NotFound, NothingToCancel, InvalidState and what a command raises.
    """
    held = chosen_holdings(account, subscription_ids)
    kept = feedback.keep(account, _going_on(held), survey, key=key, actor=actor, brand=brand, now=now)
    with feedback.noting(kept):
        _cancel(account, subscription_ids, kept, actor=actor, now=now)


def _cancel(
    account: Account,
    subscription_ids: Sequence[str] | None,
    kept: CancellationFeedback,
    *,
    actor: str,
    now: datetime,
) -> None:
    earlier = _left_undone(account, subscription_ids)
    if earlier is not None and earlier.key != kept.key:
        feedback.joined(kept, earlier)
        _finish(account, earlier, now)
        return

    def plan() -> list[dict[str, Any]]:
        holdings = _to_end(account, subscription_ids)
        feedback.begun(kept, holdings)
        return _steps(account, holdings)

    commands.perform(
        account,
        kind=KIND,
        key=kept.key,
        actor=actor,
        now=now,
        plan=plan,
        shown={"brand": kept.brand},
    )


def _left_undone(account: Account, subscription_ids: Sequence[str] | None) -> Command | None:
    """Return the account's newest cancellation if it was of the same and was done only in part (contract, rule 2).

    One that was to end what is gone meanwhile cannot be finished, nor one whose ends were taken back elsewhere.
    """
    earlier = commands.unfinished(account, kind=KIND)
    if earlier is None:
        return None
    left = {one.subscription.provider_id for one in _going_on(chosen_holdings(account, subscription_ids))}
    begun = _ends_in(earlier)
    same = begun == set(subscription_ids) if subscription_ids is not None else begun >= left
    # Where nothing is left of what was named it is done: the portal may have put the coupons right by itself.
    can_be_finished = left or subscription_ids is not None or alignment.needed(account)
    return earlier if same and _ends_left(earlier) == left and can_be_finished else None


def _finish(account: Account, earlier: Command, now: datetime) -> None:
    """Do what an earlier cancellation left undone; where that is coupons alone, as they must be by now."""
    if _ends_left(earlier):
        commands.take_up(earlier, now=now)
    else:
        alignment.align(account, now=now)
        feedback.done(earlier)


def _ends_left(command: Command) -> set[str]:
    return {
        one["subscription"]
        for one in command.steps
        if one["op"] in ENDS and one["state"] not in operations.ENDED
    }


def _ends_in(command: Command) -> set[str]:
    return {one["subscription"] for one in command.steps if one["op"] in ENDS}


def _going_on(holdings: Sequence[Holding]) -> list[Holding]:
    return [one for one in holdings if not one.is_cancelled and one.status != NON_RENEWING]


def _to_end(account: Account, subscription_ids: Sequence[str] | None) -> list[Holding]:
    held = chosen_holdings(account, subscription_ids)
    found = _going_on(held)
    if not found or (subscription_ids is not None and len(found) < len(held)):
        raise NothingToCancel
    return found


def _steps(account: Account, holdings: Sequence[Holding]) -> list[dict[str, Any]]:
    ending = {one.subscription.provider_id: one for one in holdings}
    members = []
    for member in bundles.members_of(live_holdings(account)):
        holding = ending.get(member.subscription_id)
        after = member if holding is None else endings.ended(member, holding)
        if after is not None:
            members.append(after)
    ended = [step for one in holdings for step in endings.steps_of(one)]
    return [*ended, *alignment.steps_of(bundles.swaps(members, Rates.current()))]


def _finished(command: Command, subscriptions: list[Subscription], now: datetime) -> None:
    feedback.done(command)
    parts.tell(command, subscriptions, now)


def _told(command: Command, subscriptions: list[Subscription]) -> Told | None:
    ended = parts.concerned(command, subscriptions, *ENDS)
    set_aside = parts.concerned(command, subscriptions, *endings.SETS_ASIDE)
    if not ended:
        return (
            Told("scheduled_set_aside", leaving_words.scheduled_set_aside(set_aside)) if set_aside else None
        )
    held = live_holdings(command.account)
    going_on = [one.subscription for one in _going_on(held)]
    lost = [words for one in held if one.subscription in ended for words in _waiting_in(one)]
    receipt = leaving_words.cancelled(ended, going_on=going_on, set_aside=set_aside, lost=lost)
    return Told("cancelled", receipt)


def _waiting_in(holding: Holding) -> list[str]:
    """Return in words what waits for a subscription's next bill."""
    kinds = {"free_month": "Your free month of", "code": "Your code for"}
    return [f"{words} {holding.plan.name}" for kind, words in kinds.items() if holding.has_waiting(kind)]


parts.register(KIND, _told)
carrying_out.register_kind(KIND, _finished)
