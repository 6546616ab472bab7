"""Cancel at the end of the term or the trial, a paused subscription at once (docs/rules.md, rules 2 and 7)."""

from collections.abc import Sequence
from datetime import datetime

from accounts.brands import site
from accounts.models import Account
from billing.changes import bundle_coupons, cancellation_steps, cancellation_survey
from billing.commands import lifecycle
from billing.commands.command_kind import CommandKind
from billing.errors import BillingError
from billing.models import CancellationFeedback, Command, Subscription
from billing.models.steps import Step, StepOperation
from billing.queries import bundles
from billing.queries.bundles import RateTable
from billing.queries.commands import newest_partial_command, subscriptions_with_step
from billing.queries.holdings import NON_RENEWING, Holding
from billing.queries.ownership import chosen_holdings, live_holdings
from billing.receipts.partial_receipts import ActivityReceipt
from billing.receipts.texts import cancellation
from billing.survey import Survey

CANCEL_OPERATIONS = (StepOperation.CANCEL_AT_TERM_END, StepOperation.CANCEL_NOW)


class CancelDisabled(BillingError):
    """Operators have switched off cancellation in the portal."""

    code = "cancel_disabled"
    status = 403
    message = "You can't cancel online right now. Contact Customer Service and they'll cancel for you."


class NothingToCancel(BillingError):
    """A named subscription has ended or will end, or none of the account continues."""

    code = "invalid_state"
    status = 409
    message = "There's nothing to cancel. It has ended or is about to end."


def check_cancel_enabled() -> None:
    """Check that operators show the cancel button. Raises CancelDisabled."""
    if not site.site_settings().enable_cancel_button:
        raise CancelDisabled


def cancel_subscriptions(
    account: Account,
    *,
    subscription_ids: Sequence[str] | None,
    survey: Survey,
    key: str,
    actor: str,
    now: datetime,
    brand: str = "",
) -> None:
    """Cancel subscriptions; None means all that continue. The survey's answers are stored even if that fails.

    `brand` is the code of the brand whose portal was used. A repeated request finishes a cancellation that was done in
    part. Raises NotFound, NothingToCancel, InvalidState and what a command raises.
    """
    holdings = chosen_holdings(account, subscription_ids)
    feedback = cancellation_survey.store_answers(
        account, _continuing_holdings(holdings), survey, key=key, actor=actor, brand=brand, now=now
    )
    with cancellation_survey.record_failure(feedback):
        _perform_cancellation(account, subscription_ids, feedback, actor=actor, now=now)


def _perform_cancellation(
    account: Account,
    subscription_ids: Sequence[str] | None,
    feedback: CancellationFeedback,
    *,
    actor: str,
    now: datetime,
) -> None:
    earlier = _unfinished_cancellation(account, subscription_ids)
    if earlier is not None and earlier.key != feedback.key:
        cancellation_survey.join_earlier_command(feedback, earlier)
        _finish_earlier(account, earlier, now)
        return

    def plan() -> list[Step]:
        holdings = _holdings_to_cancel(account, subscription_ids)
        cancellation_survey.link_command(feedback, holdings)
        return _build_steps(account, holdings)

    lifecycle.execute_command(
        account,
        kind=CANCEL,
        key=feedback.key,
        actor=actor,
        now=now,
        plan=plan,
        shown={"brand": feedback.brand},
    )


def _unfinished_cancellation(account: Account, subscription_ids: Sequence[str] | None) -> Command | None:
    """Return the account's newest change if it canceled the same in part and can be finished (docs/rules.md, rule 2).

    It cannot if, since then, one of its subscriptions has ended or a cancellation that it scheduled was removed.
    """
    earlier = newest_partial_command(account, kind=CANCEL.name)
    if earlier is None:
        return None
    continuing_ids = {
        holding.subscription.provider_id
        for holding in _continuing_holdings(chosen_holdings(account, subscription_ids))
    }
    earlier_ids = _ids_to_cancel(earlier)
    is_same = (
        earlier_ids == set(subscription_ids)
        if subscription_ids is not None
        else earlier_ids >= continuing_ids
    )
    # If no named subscription continues, only coupons were left, and the portal may have aligned them by itself.
    can_be_finished = continuing_ids or subscription_ids is not None or bundle_coupons.pending_swaps(account)
    return earlier if is_same and _ids_left_to_cancel(earlier) == continuing_ids and can_be_finished else None


def _finish_earlier(account: Account, earlier: Command, now: datetime) -> None:
    """Finish an earlier cancellation; if it left only coupons undone, align them as of now."""
    if _ids_left_to_cancel(earlier):
        lifecycle.continue_command(earlier, CANCEL, now=now)
    else:
        bundle_coupons.align_account(account, now=now)
        cancellation_survey.mark_done(earlier)


def _ids_left_to_cancel(command: Command) -> set[str]:
    return {
        step.subscription_id
        for step in command.steps
        if step.operation in CANCEL_OPERATIONS and not step.has_ended
    }


def _ids_to_cancel(command: Command) -> set[str]:
    return {step.subscription_id for step in command.steps if step.operation in CANCEL_OPERATIONS}


def _continuing_holdings(holdings: Sequence[Holding]) -> list[Holding]:
    return [holding for holding in holdings if not holding.is_cancelled and holding.status != NON_RENEWING]


def _holdings_to_cancel(account: Account, subscription_ids: Sequence[str] | None) -> list[Holding]:
    holdings = chosen_holdings(account, subscription_ids)
    continuing = _continuing_holdings(holdings)
    if not continuing or (subscription_ids is not None and len(continuing) < len(holdings)):
        raise NothingToCancel
    return continuing


def _build_steps(account: Account, holdings: Sequence[Holding]) -> list[Step]:
    ending = {holding.subscription.provider_id: holding for holding in holdings}
    members = []
    for member in bundles.bundle_members(live_holdings(account)):
        holding = ending.get(member.subscription_id)
        after = member if holding is None else cancellation_steps.member_when_canceled(member, holding)
        if after is not None:
            members.append(after)
    ended = [step for holding in holdings for step in cancellation_steps.steps_to_cancel(holding)]
    return [*ended, *bundle_coupons.steps_to_swap(bundles.required_swaps(members, RateTable.load_current()))]


def _finish_cancellation(command: Command, subscriptions: list[Subscription], now: datetime) -> None:
    cancellation_survey.mark_done(command)


def _compose_receipt(command: Command, subscriptions: list[Subscription]) -> ActivityReceipt | None:
    ended = subscriptions_with_step(command, subscriptions, *CANCEL_OPERATIONS)
    set_aside = subscriptions_with_step(command, subscriptions, *cancellation_steps.SET_ASIDE_OPERATIONS)
    if not ended:
        return (
            ActivityReceipt("scheduled_set_aside", cancellation.schedules_removed_receipt(set_aside))
            if set_aside
            else None
        )
    holdings = live_holdings(command.account)
    receipt = cancellation.cancellation_receipt(
        ended,
        going_on=[holding.subscription for holding in _continuing_holdings(holdings)],
        set_aside=set_aside,
        lost=[
            perk for holding in holdings if holding.subscription in ended for perk in _waiting_perks(holding)
        ],
    )
    return ActivityReceipt("cancelled", receipt)


def _waiting_perks(holding: Holding) -> list[str]:
    """Return the subscriber's words for the discounts that wait for a subscription's next bill."""
    kinds = {"free_month": "Your free month of", "code": "Your code for"}
    return [
        f"{words} {holding.plan.name}" for kind, words in kinds.items() if holding.has_waiting_discount(kind)
    ]


CANCEL = CommandKind("cancel", compose_receipt=_compose_receipt, finish=_finish_cancellation)
