"""The steps that cancel or keep subscriptions, and the bundle's members after them (docs/rules.md, rules 5 and 7).

A scheduled pause or change of plan is set aside before its subscription is canceled. The command's steps record it, so
that it is restored when the subscriber removes the cancellation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from accounts.models import Account
from billing.mirror.pause_schedules import PAUSE_DAYS
from billing.models import Command
from billing.models.steps import Step, StepOperation, subscription_step
from billing.queries.bundles import BundleMember
from billing.queries.holdings import Holding
from billing.queries.plans import price_on_sale

# The newest of these decides what can be restored: a cancellation, or its removal.
ENDING_OPERATIONS = (StepOperation.KEEP, StepOperation.CANCEL_AT_TERM_END)
SET_ASIDE_OPERATIONS = (StepOperation.SET_PAUSE_ASIDE, StepOperation.SET_CHANGE_ASIDE)


@dataclass(frozen=True)
class RestorableChanges:
    """What a cancellation set aside: a scheduled pause, and the price of a scheduled change (empty if none)."""

    pause: bool = False
    price: str = ""


def term_end(holding: Holding) -> datetime | None:
    """Return when a subscription's term or its trial ends (UTC)."""
    subscription = holding.subscription
    return subscription.trial_end if subscription.status == "in_trial" else subscription.current_term_end


def steps_to_cancel(holding: Holding) -> list[Step]:
    """Return the steps that set aside what is scheduled and cancel a subscription; a paused one is canceled at once."""
    subscription_id = holding.subscription.provider_id
    if holding.is_paused:
        return [subscription_step(StepOperation.CANCEL_NOW, subscription_id)]
    before = []
    if holding.has_scheduled_pause:
        before.append(subscription_step(StepOperation.SET_PAUSE_ASIDE, subscription_id))
    if holding.subscription.has_scheduled_changes:
        price = holding.subscription.text("scheduled_item_price_id")
        before.append(subscription_step(StepOperation.SET_CHANGE_ASIDE, subscription_id, price=price))
    return [*before, subscription_step(StepOperation.CANCEL_AT_TERM_END, subscription_id)]


def member_when_canceled(member: BundleMember, holding: Holding) -> BundleMember | None:
    """Return a bundle's member after its cancellation; None for a paused subscription, which ends at once."""
    if holding.is_paused:
        return None
    return replace(member, ends_at=term_end(holding), bills_at=None, changing_to="")


def member_when_kept(
    member: BundleMember, holding: Holding, restored: RestorableChanges | None = None
) -> BundleMember:
    """Return a bundle's member after its cancellation is removed, with the changes that are restored."""
    bills_at = term_end(holding)
    if restored is not None and restored.pause and bills_at is not None:
        bills_at += timedelta(days=PAUSE_DAYS)
    return replace(
        member, ends_at=None, bills_at=bills_at, changing_to=restored.price if restored is not None else ""
    )


def restorable_changes(account: Account, subscription_id: str) -> RestorableChanges:
    """Return the changes that a subscription's current cancellation set aside and that can be restored."""
    for command in Command.objects.filter(account=account).order_by("-created_at").iterator():
        done = [step for step in command.steps if step.subscription_id == subscription_id and step.is_done]
        if any(step.operation in ENDING_OPERATIONS for step in done):
            return _changes_set_aside_by(done)
    return RestorableChanges()


def _changes_set_aside_by(done: Sequence[Step]) -> RestorableChanges:
    by_operation = {step.operation: step for step in done}
    if StepOperation.KEEP in by_operation:
        return RestorableChanges()
    change = by_operation.get(StepOperation.SET_CHANGE_ASIDE)
    price = str(change.arguments["price"]) if change else ""
    return RestorableChanges(
        pause=StepOperation.SET_PAUSE_ASIDE in by_operation, price=price if price_on_sale(price) else ""
    )


def steps_to_keep(holding: Holding, restored: RestorableChanges) -> list[Step]:
    """Return the steps that remove a cancellation and restore what it set aside."""
    subscription_id = holding.subscription.provider_id
    after = []
    if restored.price:
        after.append(subscription_step(StepOperation.RESTORE_CHANGE, subscription_id, price=restored.price))
    if restored.pause:
        after.append(subscription_step(StepOperation.RESTORE_PAUSE, subscription_id))
    return [subscription_step(StepOperation.KEEP, subscription_id), *after]
