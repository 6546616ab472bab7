"""Questions about commands: which change was done in part, and what a command has changed."""

from collections.abc import Sequence

from accounts.models import Account
from billing.errors import BillingPartial
from billing.models import Command, Subscription
from billing.models.commands import ALIGN_BUNDLE, SYSTEM_ACTOR
from billing.models.mirror_row import MirroredResource
from billing.models.steps import StepOperation


def newest_partial_command(account: Account, *, kind: str) -> Command | None:
    """Return the account's newest command if it is of this kind and was done in part; None otherwise.

    Alignments of coupons by the system do not count as newer commands, because they follow from the change; scheduled
    resumes do.
    """
    commands = Command.objects.filter(account=account).exclude(actor=SYSTEM_ACTOR, kind=ALIGN_BUNDLE)
    newest = commands.order_by("-created_at").first()
    if newest is None or newest.kind != kind or newest.error_code != BillingPartial.code:
        return None
    return newest


def has_open_command(account: Account) -> bool:
    """Return whether a command of the account is open, so that its mirror may be about to change."""
    return Command.objects.unfinished().filter(account=account).exists()


def command_subscriptions(command: Command, *, written: Sequence[MirroredResource] = ()) -> list[Subscription]:
    """Return the subscriptions of a command's ended steps, in the order of the steps.

    Rows just `written` are used as they are; others are read. Steps that have not ended are left out: their
    subscription may never have started.
    """
    ids = [step.subscription_id for step in command.steps if step.has_ended and step.subscription_id]
    rows = {row.provider_id: row for row in written if isinstance(row, Subscription)}
    if missing := [provider_id for provider_id in ids if provider_id not in rows]:
        rows |= {row.provider_id: row for row in Subscription.objects.filter(provider_id__in=missing)}
    return [rows[provider_id] for provider_id in dict.fromkeys(ids)]


def subscriptions_with_step(
    command: Command, subscriptions: Sequence[Subscription], *operations: str
) -> list[Subscription]:
    """Return those subscriptions that have a step of one of these operations in a command."""
    ids = {step.subscription_id for step in command.steps if step.operation in operations}
    return [subscription for subscription in subscriptions if subscription.provider_id in ids]


def changed_subscription_ids(command: Command) -> set[str]:
    """Return the provider's ids of the subscriptions that a command has changed so far, coupon swaps aside."""
    done = (step for step in command.steps if step.is_done and step.operation != StepOperation.SWAP_COUPONS)
    return {step.subscription_id for step in done if step.subscription_id}


def later_changed_subscription_ids(command: Command) -> set[str]:
    """Return the provider's ids of the account's subscriptions that later commands have changed."""
    later = Command.objects.filter(account=command.account, created_at__gt=command.created_at)
    return {subscription_id for other in later for subscription_id in changed_subscription_ids(other)}


def has_unfinished_steps(command: Command) -> bool:
    """Return whether a step is not done, coupon swaps aside: the night aligns coupons."""
    return any(not step.has_ended and step.operation != StepOperation.SWAP_COUPONS for step in command.steps)
