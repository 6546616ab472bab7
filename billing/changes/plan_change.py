"""What all changes of plans have in common: how a repeated request is recognized, and the steps of targets."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from billing.changes.discounts import bundle_coupons
from billing.changes.targets import Target, members_after
from billing.commands.confirmation import Change
from billing.models import Command
from billing.models.steps import Step, StepOperation
from billing.queries import bundles
from billing.queries.bundles import RateTable
from billing.queries.subscriptions.holdings import Holding


@dataclass(frozen=True)
class PlanChange(Change, ABC):
    """A change of several held subscriptions. A repeated request finishes one that was done in part."""

    @abstractmethod
    def requested_ids(self) -> set[str] | None:
        """Return the provider's ids of the subscriptions that the request names; None for all that it can change."""

    @abstractmethod
    def remaining_ids(self) -> set[str]:
        """Return the ids of the requested subscriptions that it would still change."""

    def repeats(self, earlier: Command) -> bool:
        """Return whether an earlier command was about the same, and exactly what it left is still to be changed."""
        steps = main_steps(earlier)
        if self.requested_ids() not in (None, {step.subscription_id for step in steps}):
            return False
        # The provider may have done a step in doubt.
        in_doubt = {step.subscription_id for step in steps if step.is_in_doubt}
        return self.remaining_ids() | in_doubt == ids_left(earlier)

    def coupon_steps(self) -> list[Step]:
        """Return the swaps of bundle coupons that the account needs by the mirror."""
        return bundle_coupons.pending_steps(self.account)


@dataclass(frozen=True)
class SubscriptionsChange(PlanChange):
    """A change of subscriptions given by the provider's ids; `subscription_ids` None means all that it can change."""

    subscription_ids: Sequence[str] | None

    def requested_ids(self) -> set[str] | None:
        """Return the ids that the request names."""
        return None if self.subscription_ids is None else set(self.subscription_ids)


def main_steps(command: Command) -> list[Step]:
    """Return the steps of a command without the swaps of bundle coupons, which follow from the others."""
    return [step for step in command.steps if step.operation != StepOperation.SWAP_COUPONS]


def ids_left(command: Command) -> set[str]:
    """Return the provider's ids of the subscriptions that a command has not changed yet."""
    return {step.subscription_id for step in main_steps(command) if not step.has_ended}


def steps_for_targets(holdings: Sequence[Holding], targets: Sequence[Target]) -> list[Step]:
    """Return the steps of targets, then the swaps of the bundle coupons that are right afterwards."""
    members = members_after(holdings, targets)
    return [
        *(step for target in targets for step in target.steps()),
        *bundle_coupons.steps_to_swap(bundles.required_swaps(members, RateTable.load_current())),
    ]
