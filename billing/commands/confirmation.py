"""Confirm changes: the road that every change takes from a request to its command.

A kind of change is a `Change`: it says what it costs, which steps make it, and when a request repeats an earlier one.
`confirm_change` does the rest:

1. A request whose command has begun continues that command.
2. A request for what the account's newest change did in part finishes that change, at the figures confirmed with it.
3. Otherwise the change is previewed and its quote compared, and the command is opened. If a subscription has changed
   since the preview, nothing is done.

A change that ends or starts a subscription at once reads the subscriptions first, also before it finishes an earlier
one: nothing is finished that would not be planned so any more.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing.commands import lifecycle
from billing.commands.command_kind import CommandKind
from billing.commands.intents import check_charge_intents
from billing.commands.operations import OPERATIONS
from billing.errors import BillingError, BillingUnavailable, ChangeInProgress, InvalidState, QuoteChanged
from billing.gateway.errors import NotSent
from billing.mirror import account_import
from billing.models import Command
from billing.models.steps import Step
from billing.queries.commands import has_unfinished_steps, newest_partial_command
from billing.queries.subscriptions.holdings import Holding
from billing.queries.subscriptions.ownership import live_holdings
from billing.terms import DEFAULT_CURRENCY


class NoChange(BillingError):
    """The requested state is the current state."""

    code = "no_change"
    status = 409
    message = "There's nothing to change."


@dataclass(frozen=True, kw_only=True)
class Preview:
    """What a change would do.

    `basis` are the versions of the subscriptions that it was computed from (`compute_basis`). `body` is what the
    subscriber sees, before its serializer renders it. `shown` is stored with the command, in values of JSON; `quote` in
    it identifies the amounts. `steps` make the change, unless `Change.plan_steps` returns others.
    """

    basis: str
    body: Mapping[str, Any]
    shown: Mapping[str, Any]
    steps: Sequence[Step] = ()


@dataclass(frozen=True)
class Change:
    """A requested change of an account, and the kind of its command. Each kind of change is a subclass."""

    account: Account
    kind: CommandKind

    @property
    def shown(self) -> Mapping[str, Any]:
        """What is stored with the command of a change that has no preview."""
        return {}

    def needs_fresh_subscriptions(self) -> bool:
        """Return whether a step would do harm if customer service has just changed a subscription at the provider.

        By the mirror, which then is some seconds old: such a step ends or starts a subscription at once.
        """
        return False

    def preview(self, now: datetime) -> Preview | None:
        """Return what the change would do and cost, by the provider's estimates; None if it shows no amounts.

        Raises to refuse the change. `now` is billing's time (UTC).
        """
        return None

    def plan_steps(self, command: Command, preview: Preview | None) -> list[Step]:
        """Return the steps, or raise to refuse.

        Called in the transaction that opens the command, which keeps other commands of the account out: checks and rows
        that must not be made twice belong here. It is called again for a command that failed before its first step, and
        nothing is called when a command fails: a row that is written here must refer to the command.
        """
        return [] if preview is None else list(preview.steps)

    def repeats(self, earlier: Command) -> bool:
        """Return whether this is the change that an earlier command of its kind has done in part."""
        return False

    def can_finish(self, earlier: Command) -> bool:
        """Return whether what an earlier command of its kind left would be planned so for the present subscriptions."""
        return True

    def confirmed_figures(self, earlier: Command, quote: str | None, now: datetime) -> Mapping[str, Any] | None:
        """Return the figures at which a request with this quote may finish an earlier command; None if it may not.

        Raises QuoteChanged.
        """
        return earlier.shown if quote in (None, earlier.shown.get("quote")) else None

    def join(self, earlier: Command) -> None:
        """Record that this request finishes an earlier command."""

    def coupon_steps(self) -> list[Step]:
        """Return the swaps of bundle coupons that the account needs by the mirror."""
        return []


def confirm_change(
    change: Change,
    *,
    quote: str | None,
    key: str,
    actor: str,
    now: datetime,
    intents: Sequence[str] = (),
    reason: str = "",
) -> Command:
    """Make a change, or finish it; return its command, done, whose `shown` has the confirmed figures.

    `quote` is that of the confirmed figures; None confirms whatever they are. `key` is the request's idempotency key,
    `now` billing's time (UTC). `intents` are payment intents that the payer has authorized, one for each charge of the
    change in the order of its steps, or none (docs/rules.md, rule 20). `reason` is why an operator makes the change.
    Raises QuoteChanged with the new figures, ChangeInProgress, BillingUnavailable, PaymentMethodInvalid if there are
    not as many intents as charges, the refusals of the change, and what a command ends with.
    """
    begun = lifecycle.find_begun_command(change.account, key=key)
    if begun is not None:
        if lifecycle.can_be_reopened(begun):
            _check_can_finish(change, begun)
        lifecycle.continue_command(begun, change.kind, now=now)
        return begun
    _refresh_subscriptions(change)
    earlier = _find_unfinished_command(change)
    figures = None if earlier is None else change.confirmed_figures(earlier, quote, now)
    if earlier is not None and figures is not None:
        change.join(earlier)
        rest = _rest_of_steps(change, earlier)
        paying = _match_intents(change.account, intents, figures, _charged_ids(rest))
        rest = _pay_with_intents(rest, paying)
        lifecycle.continue_command(earlier, change.kind, now=now, rest=rest)
        return earlier
    preview = change.preview(now)
    if preview is not None:
        check_quote(quote, preview)
    shown = change.shown if preview is None else preview.shown
    paying = _match_intents(change.account, intents, shown, shown.get("charges", {}))
    return lifecycle.execute_command(
        change.account,
        kind=change.kind,
        key=key,
        actor=actor,
        reason=reason,
        now=now,
        plan=lambda command: _pay_with_intents(_plan_steps(change, command, preview), paying),
        shown=shown,
    )


def check_quote(quote: str | None, preview: Preview) -> None:
    """Check that the figures of a preview were confirmed, if a quote was sent. Raises QuoteChanged with its body."""
    if quote is not None and quote != preview.shown["quote"]:
        raise QuoteChanged(extra=dict(preview.body))


def compute_basis(holdings: Iterable[Holding]) -> str:
    """Return the versions of the subscriptions that a preview is computed from."""
    return ";".join(
        f"{holding.subscription.provider_id}:{holding.subscription.resource_version}" for holding in holdings
    )


def _plan_steps(change: Change, command: Command, preview: Preview | None) -> list[Step]:
    steps = change.plan_steps(command, preview)
    if preview is not None and compute_basis(live_holdings(change.account)) != preview.basis:
        raise ChangeInProgress(retry_after=1)
    return steps


def _match_intents(
    account: Account, intents: Sequence[str], shown: Mapping[str, Any], charged_ids: Iterable[str]
) -> dict[str, str]:
    """Return the intent that pays each charge, by subscription, after checking them; empty without intents.

    The confirmed figures (`shown`) have the `charges` in cents, by subscription; `charged_ids` are in the order of the
    steps. Raises PaymentMethodInvalid, BillingUnavailable.
    """
    if not intents:
        return {}
    charges = shown.get("charges", {})
    due = {subscription_id: charges[subscription_id] for subscription_id in charged_ids if charges.get(subscription_id)}
    check_charge_intents(account, intents, list(due.values()), shown.get("due_currency", DEFAULT_CURRENCY))
    return dict(zip(due, intents, strict=True))


def _charged_ids(steps: Iterable[Step]) -> list[str]:
    return [step.subscription_id for step in steps if OPERATIONS[step.operation].makes_invoice]


def _pay_with_intents(steps: Iterable[Step], intents: Mapping[str, str]) -> list[Step]:
    """Return the steps, of which those that charge pay with the intent of their subscription, if it has one."""
    return [
        _pay_step(step, intents.get(step.subscription_id)) if OPERATIONS[step.operation].makes_invoice else step
        for step in steps
    ]


def _pay_step(step: Step, intent: str | None) -> Step:
    """Return a step that pays with an intent, or with the stored card.

    A step of an earlier request may have an intent already, which is spent or expired by now.
    """
    arguments = {name: value for name, value in step.arguments.items() if name != "intent"}
    return replace(step, arguments=arguments if intent is None else {**arguments, "intent": intent})


def _check_can_finish(change: Change, begun: Command) -> None:
    """Check that a change whose command is reopened would still be planned so. Raises InvalidState."""
    _refresh_subscriptions(change)
    if not change.can_finish(begun):
        raise InvalidState


def _refresh_subscriptions(change: Change) -> None:
    """Read the subscriptions if the change needs it. Raises BillingUnavailable, and what the change is refused with."""
    if not change.needs_fresh_subscriptions():
        return
    try:
        account_import.refresh_subscriptions(change.account)
    except NotSent as error:
        raise BillingUnavailable(retry_after=error.retry_after) from error


def _find_unfinished_command(change: Change) -> Command | None:
    """Return the account's newest command if it did this change in part (docs/rules.md, rule 2)."""
    earlier = newest_partial_command(change.account, kind=change.kind.name)
    return earlier if earlier is not None and change.repeats(earlier) and change.can_finish(earlier) else None


def _rest_of_steps(change: Change, earlier: Command) -> list[Step]:
    """Return the steps that finish an earlier command.

    If it left only swaps of bundle coupons, they are planned anew: the system may have aligned the coupons meanwhile.
    """
    if has_unfinished_steps(earlier):
        return [step for step in earlier.steps if not step.has_ended]
    return change.coupon_steps()
