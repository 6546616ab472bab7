"""Targets: what one subscription is to become, and the bundle after all targets of a change (docs/rules.md, rule 5).

A scheduled pause or change of plan is set aside before its subscription is canceled. The command's steps record it, so
that it is restored when the subscriber removes the cancellation.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

from accounts.models import Account
from billing.mirror import pause_schedules
from billing.mirror.pause_schedules import PAUSE_DAYS
from billing.models import Command
from billing.models.steps import Step, StepOperation, subscription_step
from billing.queries.bundles import BundleMember, bundle_members
from billing.queries.subscriptions.holdings import (
    ACTIVE,
    IN_TRIAL,
    NON_RENEWING,
    NOTHING_SCHEDULED,
    Holding,
    ScheduledPrice,
)
from billing.queries.subscriptions.plans import PlanRow, held_plan, price_on_sale

CANCEL_OPERATIONS = (StepOperation.CANCEL_AT_TERM_END, StepOperation.CANCEL_NOW)
# The newest of these decides what can be restored: a cancellation, or its removal.
ENDING_OPERATIONS = (StepOperation.KEEP, StepOperation.CANCEL_AT_TERM_END)
# With all its retries, from its begin to what the provider made of it.
LONGEST_STEP = timedelta(hours=1)
SET_ASIDE_OPERATIONS = (StepOperation.SET_PAUSE_ASIDE, StepOperation.SET_CHANGE_ASIDE)


class Target(Protocol):
    """What a held subscription is to become."""

    @property
    def holding(self) -> Holding:
        """The subscription as it is."""

    def steps(self) -> list[Step]:
        """Return the steps that make it so, bundle coupons aside."""

    @property
    def ends_at(self) -> datetime | None:
        """When it ends after the change (UTC); None if it renews, or has ended."""

    def member_after(self, member: BundleMember) -> BundleMember | None:
        """Return the member of the bundle after the change; None if it has ended."""

    def plan_after(self, plan: PlanRow) -> PlanRow | None:
        """Return its plan after the change; None if it has ended."""


@dataclass(frozen=True)
class CanceledSubscription:
    """A subscription ends: one that is paused or has not started at once, any other with its term, or `now`.

    One that is bound to a contract ends with the contract, and is billed until then.
    """

    holding: Holding
    now: bool = False

    @property
    def is_at_once(self) -> bool:
        """Whether it ends at once."""
        return self.now or self.holding.ends_at_once

    @property
    def ends_at(self) -> datetime | None:
        """When it ends (UTC), with its contract or else its term; None at once."""
        return None if self.is_at_once else self.holding.subscription.contract_end or term_end(self.holding)

    @property
    def bills_before_end(self) -> bool:
        """Whether it is billed again before it ends."""
        bill = self.holding.subscription.next_billing_at
        return self.ends_at is not None and bill is not None and bill < self.ends_at

    def steps(self) -> list[Step]:
        """Return the steps that set aside what is scheduled and cancel it."""
        subscription = self.holding.subscription
        subscription_id = subscription.provider_id
        contract = {} if subscription.contract_end is None else {"has_contract": True}
        if self.holding.ends_at_once:
            return [subscription_step(StepOperation.CANCEL_NOW, subscription_id, **contract)]
        before = []
        if self.holding.has_scheduled_pause:
            before.append(_pause_step(StepOperation.SET_PAUSE_ASIDE, self.holding, subscription.instant("resume_date")))
        if subscription.has_scheduled_changes:
            scheduled = self.holding.scheduled_price
            before.append(_scheduled_price_step(StepOperation.SET_CHANGE_ASIDE, self.holding, scheduled))
        if self.now:
            return [*before, subscription_step(StepOperation.CANCEL_NOW, subscription_id, **contract)]
        # The cancellation takes the place of the end that customer service has agreed on.
        end = {} if contract or subscription.bills_left is None else {"billing_cycles": subscription.bills_left}
        return [*before, subscription_step(StepOperation.CANCEL_AT_TERM_END, subscription_id, **contract, **end)]

    def member_after(self, member: BundleMember) -> BundleMember | None:
        """Return the member until its end; None if it ends at once."""
        if self.is_at_once:
            return None
        return replace(member, ends_at=self.ends_at, bills_at=None, changing_to=NOTHING_SCHEDULED)

    def plan_after(self, plan: PlanRow) -> PlanRow | None:
        """Return the plan as it ends; None if it ends at once."""
        if self.is_at_once:
            return None
        return replace(
            plan,
            status=NON_RENEWING,
            cancel_at=self.ends_at,
            next_billing_at=plan.next_billing_at if self.bills_before_end else None,
            has_scheduled_pause=False,
            pause_date=None,
            resume_date=None,
            has_scheduled_change=False,
            scheduled_plan=None,
        )


@dataclass(frozen=True)
class RestorableChanges:
    """What a cancellation set aside: a scheduled pause, and what a scheduled change sets.

    `pause_ends_at` is the end (UTC) that customer service had given the pause at the provider. Only a pause that was
    scheduled here (`is_own_pause`) ends otherwise. `bills_left` is how often it was to renew until its own end, None
    without one.
    """

    pause: bool = False
    is_own_pause: bool = True
    pause_ends_at: datetime | None = None
    bills_left: int | None = None
    change: ScheduledPrice = NOTHING_SCHEDULED


@dataclass(frozen=True)
class KeptSubscription:
    """A scheduled cancellation is removed, and `restored` is scheduled again."""

    holding: Holding
    restored: RestorableChanges = RestorableChanges()

    @property
    def ends_at(self) -> datetime | None:
        """None: it renews."""
        return None

    def steps(self) -> list[Step]:
        """Return the steps that remove the cancellation and restore what it set aside."""
        subscription_id = self.holding.subscription.provider_id
        after = []
        if self.restored.change.price:
            after.append(_scheduled_price_step(StepOperation.RESTORE_CHANGE, self.holding, self.restored.change))
        if self.restored.pause:
            after.append(_pause_step(StepOperation.RESTORE_PAUSE, self.holding, self._pause_ends_at))
        end = {} if self.restored.bills_left is None else {"billing_cycles": self.restored.bills_left}
        return [subscription_step(StepOperation.KEEP, subscription_id, **end), *after]

    def member_after(self, member: BundleMember) -> BundleMember | None:
        """Return the member as it renews, or as it resumes after a restored pause."""
        bills_at = term_end(self.holding)
        if self.restored.pause and bills_at is not None:
            own_end = bills_at + timedelta(days=PAUSE_DAYS) if self.restored.is_own_pause else None
            bills_at = self._pause_ends_at or own_end
        return replace(member, ends_at=None, bills_at=bills_at, changing_to=self.restored.change)

    def plan_after(self, plan: PlanRow) -> PlanRow | None:
        """Return the plan as it renews."""
        status = IN_TRIAL if self.holding.subscription.status == "in_trial" else ACTIVE
        return replace(plan, status=status, cancel_at=None, next_billing_at=term_end(self.holding))

    @property
    def _pause_ends_at(self) -> datetime | None:
        """The end that the provider has for the restored pause; None for one that would be over when it begins."""
        begins_at, ends_at = term_end(self.holding), self.restored.pause_ends_at
        return ends_at if ends_at is not None and begins_at is not None and ends_at > begins_at else None


def _pause_step(operation: StepOperation, holding: Holding, ends_at: datetime | None) -> Step:
    end = {} if ends_at is None else {"resume_date": int(ends_at.timestamp())}
    return subscription_step(operation, holding.subscription.provider_id, **end)


def _scheduled_price_step(operation: StepOperation, holding: Holding, scheduled: ScheduledPrice) -> Step:
    subscription_id = holding.subscription.provider_id
    return subscription_step(operation, subscription_id, price=scheduled.price, unit_price=scheduled.unit_price)


def term_end(holding: Holding) -> datetime | None:
    """Return when a subscription's term or its trial ends (UTC)."""
    return holding.subscription.period_end


def targets_by_id(targets: Iterable[Target]) -> dict[str, Target]:
    """Return targets by the provider's id of their subscription."""
    return {target.holding.subscription.provider_id: target for target in targets}


def are_ended_alike(targets: Iterable[Target], earlier: Command) -> bool:
    """Return whether targets end the subscriptions that an earlier command has left as it would: at once, or later."""
    planned = _endings(step for target in targets for step in target.steps())
    left = _endings(step for step in earlier.steps if not step.has_ended)
    return all(planned.get(subscription_id, ending) == ending for subscription_id, ending in left.items())


def _endings(steps: Iterable[Step]) -> dict[str, str]:
    return {step.subscription_id: step.operation for step in steps if step.operation in CANCEL_OPERATIONS}


def members_after(holdings: Iterable[Holding], targets: Iterable[Target]) -> list[BundleMember]:
    """Return the members of the holdings' bundle after a change."""
    by_id = targets_by_id(targets)
    after = [
        target.member_after(member) if (target := by_id.get(member.subscription_id)) else member
        for member in bundle_members(holdings)
    ]
    return [member for member in after if member is not None]


def plans_after(holdings: Iterable[Holding], targets: Iterable[Target]) -> list[PlanRow]:
    """Return the plans of the holdings after a change."""
    by_id = targets_by_id(targets)
    plans = ((held_plan(holding), by_id.get(holding.subscription.provider_id)) for holding in holdings)
    after = [plan if target is None else target.plan_after(plan) for plan, target in plans]
    return [plan for plan in after if plan is not None]


def restorable_changes(account: Account, holding: Holding) -> RestorableChanges:
    """Return the changes that a subscription's current cancellation set aside and that can be restored."""
    subscription_id = holding.subscription.provider_id
    for command in Command.objects.filter(account=account).order_by("-created_at").iterator():
        done = [step for step in command.steps if step.subscription_id == subscription_id and step.is_done]
        ending = next((step for step in done if step.operation in ENDING_OPERATIONS), None)
        if ending:
            return _changes_set_aside_by(done, holding) if _has_scheduled(ending, holding) else RestorableChanges()
    return RestorableChanges()


def _has_scheduled(ending: Step, holding: Holding) -> bool:
    """Whether a step made the present cancellation, and not customer service at the provider later."""
    scheduled_at = holding.subscription.instant("cancel_schedule_created_at")
    return scheduled_at is None or ending.begun_at is None or scheduled_at <= ending.begun_at + LONGEST_STEP


def _changes_set_aside_by(done: Sequence[Step], holding: Holding) -> RestorableChanges:
    by_operation = {step.operation: step for step in done}
    if StepOperation.KEEP in by_operation:
        return RestorableChanges()
    step = by_operation.get(StepOperation.SET_CHANGE_ASIDE)
    change = ScheduledPrice(**step.arguments) if step else NOTHING_SCHEDULED
    pause = by_operation.get(StepOperation.SET_PAUSE_ASIDE)
    end = pause.arguments.get("resume_date") if pause else None
    ending = by_operation.get(StepOperation.CANCEL_AT_TERM_END)
    return RestorableChanges(
        pause=pause is not None,
        is_own_pause=pause_schedules.was_set_aside(holding.subscription),
        pause_ends_at=None if end is None else datetime.fromtimestamp(end, tz=UTC),
        bills_left=ending.arguments.get("billing_cycles") if ending else None,
        change=change if price_on_sale(change.price) else NOTHING_SCHEDULED,
    )
