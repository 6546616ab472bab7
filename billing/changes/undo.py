"""Remove a scheduled change of plan or a scheduled cancellation."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.models import Account
from billing.changes.plan_change import SubscriptionsChange, steps_for_targets
from billing.changes.targets import KeptSubscription, restorable_changes
from billing.commands.command_kind import CommandKind
from billing.commands.confirmation import Preview, confirm_change
from billing.errors import BillingError
from billing.models import Command, Subscription
from billing.models.steps import Step, StepOperation, subscription_step
from billing.queries.commands import subscriptions_with_step
from billing.queries.subscriptions.holdings import NON_RENEWING, Holding
from billing.queries.subscriptions.ownership import live_holdings, named_holdings
from billing.receipts.delivery import ActivityReceipt
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
    change = RemoveScheduledChange(account, UNDO_CHANGE, subscription_ids)
    confirm_change(change, quote=None, key=key, actor=actor, now=now)


def remove_scheduled_cancellation(
    account: Account, *, subscription_ids: Sequence[str], key: str, actor: str, now: datetime
) -> None:
    """Remove scheduled cancellations; restore the pauses and changes they set aside, and the bundle's coupons.

    Raises as `remove_scheduled_change` does.
    """
    change = RemoveScheduledCancellation(account, UNDO_CANCELLATION, subscription_ids)
    confirm_change(change, quote=None, key=key, actor=actor, now=now)


@dataclass(frozen=True)
class RemoveScheduledChange(SubscriptionsChange):
    """The removal of the named subscriptions' scheduled changes of plan."""

    def plan_steps(self, command: Command, preview: Preview | None) -> list[Step]:
        """Return the steps. Raises NothingScheduled."""
        return [
            subscription_step(StepOperation.REMOVE_SCHEDULED_CHANGE, holding.subscription.provider_id)
            for holding in self.scheduled_holdings()
        ]

    def remaining_ids(self) -> set[str]:
        """Return the ids of the named subscriptions that have something scheduled."""
        holdings = named_holdings(self.account, self.subscription_ids or ())
        return {holding.subscription.provider_id for holding in holdings if self.is_scheduled(holding)}

    def scheduled_holdings(self) -> list[Holding]:
        """Return the named subscriptions. Raises NothingScheduled unless each has something scheduled."""
        holdings = named_holdings(self.account, self.subscription_ids or ())
        if not holdings or not all(map(self.is_scheduled, holdings)):
            raise NothingScheduled
        return holdings

    def is_scheduled(self, holding: Holding) -> bool:
        """Return whether a subscription has what this removes."""
        return holding.has_scheduled_change


@dataclass(frozen=True)
class RemoveScheduledCancellation(RemoveScheduledChange):
    """The removal of the named subscriptions' scheduled cancellations."""

    def plan_steps(self, command: Command, preview: Preview | None) -> list[Step]:
        """Return the steps. Raises NothingScheduled."""
        kept = [
            KeptSubscription(holding, restorable_changes(self.account, holding))
            for holding in self.scheduled_holdings()
        ]
        return steps_for_targets(live_holdings(self.account), kept)

    def is_scheduled(self, holding: Holding) -> bool:
        """Return whether a subscription has a scheduled cancellation."""
        return holding.status == NON_RENEWING


def _compose_change_receipt(command: Command, subscriptions: list[Subscription]) -> ActivityReceipt:
    return ActivityReceipt("scheduled_change_removed", plans.change_removed_receipt(subscriptions))


def _compose_cancellation_receipt(command: Command, subscriptions: list[Subscription]) -> ActivityReceipt | None:
    kept = subscriptions_with_step(command, subscriptions, StepOperation.KEEP)
    return (
        ActivityReceipt("scheduled_cancellation_removed", cancellation.cancellation_removed_receipt(kept))
        if kept
        else None
    )


UNDO_CHANGE = CommandKind("undo_change", compose_receipt=_compose_change_receipt)
UNDO_CANCELLATION = CommandKind("undo_cancellation", compose_receipt=_compose_cancellation_receipt)
