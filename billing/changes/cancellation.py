"""Cancel at the end of the term or the trial; at once if paused or not started (docs/rules.md, rules 2 and 7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.brands import site
from accounts.models import Account
from billing.changes import cancellation_survey
from billing.changes.cancellation_survey import SurveyedChange
from billing.changes.plan_change import steps_for_targets
from billing.changes.targets import CANCEL_OPERATIONS, SET_ASIDE_OPERATIONS, CanceledSubscription, are_ended_alike
from billing.commands.command_kind import CommandKind
from billing.commands.confirmation import Preview, confirm_change
from billing.errors import BillingError
from billing.models import Command, Subscription
from billing.models.steps import Step
from billing.queries.commands import subscriptions_with_step
from billing.queries.payments.past_due import owing_subscription_ids
from billing.queries.subscriptions.holdings import Holding
from billing.queries.subscriptions.ownership import chosen_holdings, live_holdings
from billing.receipts.charges import command_charges
from billing.receipts.delivery import ActivityReceipt
from billing.receipts.texts import cancellation
from billing.survey import Survey


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
        account, continuing_holdings(holdings), survey, key=key, actor=actor, brand=brand, now=now
    )
    with cancellation_survey.record_failure(feedback):
        change = CancelSubscriptions(account, CANCEL, subscription_ids, feedback)
        confirm_change(change, quote=None, key=key, actor=actor, now=now)


@dataclass(frozen=True)
class CancelSubscriptions(SurveyedChange):
    """The cancellation of subscriptions; with no names, of all that continue.

    With `at_once`, which only operators can choose, they end before their terms do.
    """

    at_once: bool = False

    @property
    def shown(self) -> Mapping[str, Any]:
        """The brand whose portal was used, and whether paid terms end at once."""
        return {"brand": self.feedback.brand if self.feedback else "", "at_once": self.at_once}

    def needs_fresh_subscriptions(self) -> bool:
        """Return whether one ends at once: resumed at the provider meanwhile, it ends with the term that was paid."""
        return any(target.is_at_once for target in self._targets())

    def repeats(self, earlier: Command) -> bool:
        """Return whether an earlier command, that ends paid terms at the same time, left exactly this."""
        return bool(earlier.shown.get("at_once", False)) == self.at_once and super().repeats(earlier)

    def can_finish(self, earlier: Command) -> bool:
        """Return whether each subscription that an earlier command left would end so now: one may be resumed since."""
        return are_ended_alike(self._targets(), earlier)

    def plan_steps(self, command: Command, preview: Preview | None) -> list[Step]:
        """Return the steps. Raises NothingToCancel."""
        holdings = chosen_holdings(self.account, self.subscription_ids)
        continuing = continuing_holdings(holdings)
        if not continuing or (self.subscription_ids is not None and len(continuing) < len(holdings)):
            raise NothingToCancel
        self.link_answers(command, continuing)
        return steps_for_targets(live_holdings(self.account), self._targets())

    def remaining_ids(self) -> set[str]:
        """Return the ids of the requested subscriptions that continue."""
        return {target.holding.subscription.provider_id for target in self._targets()}

    def _targets(self) -> list[CanceledSubscription]:
        continuing = continuing_holdings(chosen_holdings(self.account, self.subscription_ids))
        return [CanceledSubscription(holding, now=self.at_once) for holding in continuing]


def continuing_holdings(holdings: Sequence[Holding]) -> list[Holding]:
    """Return the holdings that a cancellation would end earlier than they end."""
    return [holding for holding in holdings if holding.can_be_canceled]


def _finish_cancellation(command: Command, subscriptions: list[Subscription], now: datetime) -> None:
    cancellation_survey.mark_done(command)


def _compose_receipt(command: Command, subscriptions: list[Subscription]) -> ActivityReceipt | None:
    ended = subscriptions_with_step(command, subscriptions, *CANCEL_OPERATIONS)
    set_aside = subscriptions_with_step(command, subscriptions, *SET_ASIDE_OPERATIONS)
    if not ended:
        return (
            ActivityReceipt("scheduled_set_aside", cancellation.schedules_removed_receipt(set_aside))
            if set_aside
            else None
        )
    holdings = live_holdings(command.account)
    receipt = cancellation.cancellation_receipt(
        ended,
        going_on=[holding.subscription for holding in continuing_holdings(holdings)],
        set_aside=set_aside,
        charges=command_charges(command, ended),
        owing=owing_subscription_ids(command.account),
        lost=lost_perks(holdings, ended),
    )
    return ActivityReceipt("cancelled", receipt)


def lost_perks(holdings: Sequence[Holding], ended: Sequence[Subscription]) -> list[str]:
    """Return the subscriber's words for the discounts that wait for a next bill of what ends."""
    kinds = {"free_month": "Your free month of", "code": "Your code for"}
    return [
        f"{words} {holding.plan.name}"
        for holding in holdings
        if holding.subscription in ended
        for kind, words in kinds.items()
        if holding.has_waiting_discount(kind)
    ]


CANCEL = CommandKind("cancel", compose_receipt=_compose_receipt, finish=_finish_cancellation)
