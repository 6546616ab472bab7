"""Remove a scheduled change of plan or a scheduled cancellation."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from accounts.models import Account
from billing.changes import bundle_coupons, cancellation_steps
from billing.changes.cancellation_steps import RestorableChanges
from billing.commands import lifecycle
from billing.commands.command_kind import CommandKind
from billing.errors import BillingError
from billing.models import Command, Subscription
from billing.models.steps import Step, StepOperation, subscription_step
from billing.queries import bundles
from billing.queries.bundles import BundleMember, RateTable
from billing.queries.commands import subscriptions_with_step
from billing.queries.holdings import NON_RENEWING, Holding
from billing.queries.ownership import live_holdings, named_holdings
from billing.receipts.partial_receipts import ActivityReceipt
from billing.receipts.texts import cancellation, plans


class NothingScheduled(BillingError):
    """A named subscription has nothing scheduled."""

    code = "invalid_state"
    status = 409
    message = "There's nothing to undo."


def remove_scheduled_change(
    account: Account, *, subscription_ids: Sequence[str], key: str, actor: str, now: datetime
) -> None:
    """Remove scheduled changes of plan. Raises NotFound, NothingScheduled and what a command raises."""

    def plan() -> list[Step]:
        holdings = _scheduled_holdings(
            account, subscription_ids, lambda holding: holding.subscription.has_scheduled_changes
        )
        return [
            subscription_step(StepOperation.REMOVE_SCHEDULED_CHANGE, holding.subscription.provider_id)
            for holding in holdings
        ]

    lifecycle.execute_command(account, kind=UNDO_CHANGE, key=key, actor=actor, now=now, plan=plan)


def remove_scheduled_cancellation(
    account: Account, *, subscription_ids: Sequence[str], key: str, actor: str, now: datetime
) -> None:
    """Remove scheduled cancellations; restore the pauses and changes they set aside, and the bundle's coupons.

    Raises as `remove_scheduled_change` does.
    """

    def plan() -> list[Step]:
        holdings = _scheduled_holdings(
            account, subscription_ids, lambda holding: holding.status == NON_RENEWING
        )
        restored = {
            holding.subscription.provider_id: cancellation_steps.restorable_changes(
                account, holding.subscription.provider_id
            )
            for holding in holdings
        }
        members = [
            _member_after_undo(member, holdings, restored)
            for member in bundles.bundle_members(live_holdings(account))
        ]
        kept = [
            step
            for holding in holdings
            for step in cancellation_steps.steps_to_keep(holding, restored[holding.subscription.provider_id])
        ]
        return [
            *kept,
            *bundle_coupons.steps_to_swap(bundles.required_swaps(members, RateTable.load_current())),
        ]

    lifecycle.execute_command(account, kind=UNDO_CANCELLATION, key=key, actor=actor, now=now, plan=plan)


def _scheduled_holdings(
    account: Account, subscription_ids: Sequence[str], is_scheduled: Callable[[Holding], bool]
) -> list[Holding]:
    holdings = named_holdings(account, subscription_ids)
    if not holdings or not all(is_scheduled(holding) for holding in holdings):
        raise NothingScheduled
    return holdings


def _member_after_undo(
    member: BundleMember, kept: Sequence[Holding], restored: Mapping[str, RestorableChanges]
) -> BundleMember:
    for holding in kept:
        if holding.subscription.provider_id == member.subscription_id:
            return cancellation_steps.member_when_kept(member, holding, restored[member.subscription_id])
    return member


def _compose_change_receipt(command: Command, subscriptions: list[Subscription]) -> ActivityReceipt:
    return ActivityReceipt("scheduled_change_removed", plans.change_removed_receipt(subscriptions))


def _compose_cancellation_receipt(
    command: Command, subscriptions: list[Subscription]
) -> ActivityReceipt | None:
    kept = subscriptions_with_step(command, subscriptions, StepOperation.KEEP)
    return (
        ActivityReceipt("scheduled_cancellation_removed", cancellation.cancellation_removed_receipt(kept))
        if kept
        else None
    )


UNDO_CHANGE = CommandKind("undo_change", compose_receipt=_compose_change_receipt)
UNDO_CANCELLATION = CommandKind("undo_cancellation", compose_receipt=_compose_cancellation_receipt)
