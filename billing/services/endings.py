"""Ending subscriptions and keeping them after all: the steps, and what becomes of the bundle (contract, rules 5 and 7).

What was scheduled for a subscription that ends, a pause or a change of plan, is set aside first. The steps remember it:
whoever takes the ending back gets it back.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from accounts.models import Account
from billing.gateway import changes
from billing.gateway import subscriptions as gateway
from billing.gateway.snapshots import Snapshot, SubscriptionSnapshot
from billing.models import Command, PauseSchedule, Subscription
from billing.queries.holdings import Holding
from billing.queries.plans import price_on_sale
from billing.services import operations, retention_log, schedules
from billing.services.bundles import Member
from billing.services.retention_log import Kind
from billing.services.schedules import PAUSE_DAYS

KEEP = "keep"
CANCEL_AT_TERM_END = "cancel_at_term_end"
CANCEL_NOW = "cancel_now"
SET_PAUSE_ASIDE = "set_pause_aside"
SET_CHANGE_ASIDE = "set_change_aside"
RESTORE_PAUSE = "restore_pause"
RESTORE_CHANGE = "restore_change"
SETS_ASIDE = (SET_PAUSE_ASIDE, SET_CHANGE_ASIDE)


@dataclass(frozen=True)
class SetAside:
    """What a subscription's ending took away: whether a pause was scheduled, and the price it was to change to."""

    pause: bool = False
    price: str = ""


def ends_at(holding: Holding) -> datetime | None:
    """Return when a subscription's term ends: a trial's, when the trial does."""
    subscription = holding.subscription
    return subscription.trial_end if subscription.status == "in_trial" else subscription.current_term_end


def steps_of(holding: Holding) -> list[dict[str, Any]]:
    """Return the steps that end a subscription, what is scheduled for it set aside first; a paused one ends at once."""
    subscription_id = holding.subscription.provider_id
    if holding.is_paused:
        return [operations.step(CANCEL_NOW, subscription_id)]
    before = []
    if holding.has_scheduled_pause:
        before.append(operations.step(SET_PAUSE_ASIDE, subscription_id))
    if holding.subscription.has_scheduled_changes:
        price = holding.subscription.text("scheduled_item_price_id")
        before.append(operations.step(SET_CHANGE_ASIDE, subscription_id, price=price))
    return [*before, operations.step(CANCEL_AT_TERM_END, subscription_id)]


def ended(member: Member, holding: Holding) -> Member | None:
    """Return a bundle's member as it is once its subscription is to end; None for a paused one, which ends at once."""
    if holding.is_paused:
        return None
    return replace(member, ends_at=ends_at(holding), bills_at=None, changing_to="")


def kept(member: Member, holding: Holding, restored: SetAside | None = None) -> Member:
    """Return a bundle's member as it is once its end is taken back, with what is restored."""
    bills_at = ends_at(holding)
    if restored is not None and restored.pause and bills_at is not None:
        bills_at += timedelta(days=PAUSE_DAYS)
    return replace(
        member, ends_at=None, bills_at=bills_at, changing_to=restored.price if restored is not None else ""
    )


def set_aside(account: Account, subscription_id: str) -> SetAside:
    """Return what the ending that is in force took away from a subscription, and what can still be given back."""
    for command in Command.objects.filter(account=account).order_by("-created_at").iterator():
        done = [
            one
            for one in command.steps
            if one["subscription"] == subscription_id and one["state"] == operations.DONE
        ]
        if any(one["op"] in (KEEP, CANCEL_AT_TERM_END) for one in done):
            return _set_aside_by(done)
    return SetAside()


def _set_aside_by(done: Sequence[dict[str, Any]]) -> SetAside:
    if any(one["op"] == KEEP for one in done):
        return SetAside()
    price = next((str(one["args"]["price"]) for one in done if one["op"] == SET_CHANGE_ASIDE), "")
    return SetAside(
        pause=any(one["op"] == SET_PAUSE_ASIDE for one in done), price=price if price_on_sale(price) else ""
    )


def steps_to_keep(holding: Holding, restored: SetAside) -> list[dict[str, Any]]:
    """Return the steps that take an ending back and restore what it had taken away."""
    subscription_id = holding.subscription.provider_id
    after = []
    if restored.price:
        after.append(operations.step(RESTORE_CHANGE, subscription_id, price=restored.price))
    if restored.pause:
        after.append(operations.step(RESTORE_PAUSE, subscription_id))
    return [operations.step(KEEP, subscription_id), *after]


def _set_change_aside(subscription_id: str, *, key: str, price: str) -> list[Snapshot]:
    return changes.remove_scheduled_change(subscription_id, key=key)


def _pause_set_aside(subscription: Subscription, now: datetime) -> None:
    schedules.close(subscription, state=PauseSchedule.State.CANCELLED, because="cancelling", now=now)


def _ended_at_term_end(subscription: Subscription, now: datetime) -> None:
    retention_log.cancelled(subscription, at=now)


def _ended_now(subscription: Subscription, now: datetime) -> None:
    schedules.close(subscription, state=PauseSchedule.State.CANCELLED, because="cancelled", now=now)
    retention_log.cancelled(subscription, at=now)


def _kept(subscription: Subscription, now: datetime) -> None:
    retention_log.changed(subscription, Kind.KEPT, at=now)


def _pause_restored(subscription: Subscription, now: datetime) -> None:
    # Somebody may have taken it back at the provider before we heard that it was placed.
    if subscription.pause_date is not None:
        schedules.opened(subscription, now=now)


def _goes_on(found: SubscriptionSnapshot) -> bool:
    return found.status in ("active", "in_trial") and found.payload.get("cancelled_at") is None


def _will_end(found: SubscriptionSnapshot) -> bool:
    return found.status == "cancelled" or found.payload.get("cancelled_at") is not None


operations.register_operation(KEEP, operations.Operation(send=changes.keep, holds=_goes_on, applied=_kept))
operations.register_operation(
    CANCEL_AT_TERM_END,
    operations.Operation(send=changes.cancel_at_term_end, holds=_will_end, applied=_ended_at_term_end),
)
operations.register_operation(
    CANCEL_NOW, operations.Operation(send=changes.cancel_now, holds=_will_end, applied=_ended_now)
)
operations.register_operation(
    SET_PAUSE_ASIDE,
    operations.Operation(
        send=gateway.remove_scheduled_pause,
        holds=lambda found: not found.has_pause,
        applied=_pause_set_aside,
    ),
)
operations.register_operation(
    SET_CHANGE_ASIDE,
    operations.Operation(
        send=_set_change_aside,
        holds=lambda found, **_: not found.payload.get("has_scheduled_changes"),
    ),
)
operations.register_operation(
    RESTORE_PAUSE,
    operations.Operation(
        send=gateway.pause_at_term_end,
        holds=lambda found: found.has_pause,
        applied=_pause_restored,
    ),
)
operations.register_operation(
    RESTORE_CHANGE,
    operations.Operation(send=changes.change_at_term_end, holds=operations.has_or_will_have_price),
)
