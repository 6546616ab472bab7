"""The operations of steps: how each is sent, how the provider shows it done, and which effects it has here.

`OPERATIONS` at the end is the whole list. The functions for payment sources and invoices are in `payment_operations`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from billing.commands import payment_operations as payments
from billing.commands import refund_operations
from billing.errors import (
    AddressRefused,
    BillingError,
    CardNotEditable,
    InvalidState,
    PaymentProcessingFailed,
    RefundDeclined,
    RefundRefused,
)
from billing.gateway import changes, customers, payment_methods, refunds, subscriptions
from billing.gateway.errors import Refused
from billing.gateway.snapshots import CustomerSnapshot, InvoiceSnapshot, Snapshot, SubscriptionSnapshot
from billing.mirror import churn_events, pause_schedules
from billing.mirror.churn_events import EventKind
from billing.models import Command, PauseSchedule, Subscription
from billing.models.steps import StepOperation
from core.email_addresses import usable_address

EffectsRecorder = Callable[[Sequence[Subscription], datetime], None]


@dataclass(frozen=True)
class Operation:
    """The implementation of one `StepOperation`. Its functions get the step's arguments as keywords.

    `send` calls the provider with the idempotency key `key` and returns the answer's snapshots; for a step of a
    subscription, the subscription's id comes first, as for `is_done`.
    `is_done` returns whether all snapshots of the customer show the step done.
    `record_effects` writes our own records about subscriptions, in the transaction that applies their answers.
    `result` returns what later steps and the response need from the answer's snapshots; it must be a JSON value.
    `is_needed` gets the command first; if it returns False, the step is skipped.
    `safe_to_repeat`: sent twice, the step charges nothing twice and ends in the same state. If it is not done after the
    idempotency window, it is sent again with a new key, at most `executor.MAX_NEW_KEYS` times.
    `waits_for_provider`: after an earlier step was done, an unreachable provider leaves the command open, not failed.
    `makes_invoice`: it may charge at once, with an invoice of its own.
    `on_refusal`: whether a refusal stops the command or skips the step; `skip_after_others` skips it once a step of
    another operation was done.
    `refusal`: the error of a refusal that nothing more exact is known of; `decline`: of one by the payment gateway.
    """

    send: Callable[..., Sequence[Snapshot]]
    is_done: Callable[..., bool]
    record_effects: EffectsRecorder | None = None
    result: Callable[..., Any] | None = None
    is_needed: Callable[..., bool] | None = None
    safe_to_repeat: bool = False
    waits_for_provider: bool = False
    makes_invoice: bool = False
    on_refusal: Literal["stop", "skip", "skip_after_others"] = "stop"
    refusal: type[BillingError] = InvalidState
    decline: type[BillingError] = PaymentProcessingFailed


def find_operation(command: Command, index: int) -> Operation:
    """Return the operation of the step at `index`."""
    return OPERATIONS[command.steps[index].operation]


def _shown_by_subscription(predicate: Callable[..., bool]) -> Callable[..., bool]:
    """Return an `is_done` that applies `predicate` to the step's subscription."""

    def is_shown(snapshots: Sequence[Snapshot], subscription_id: str, **arguments: Any) -> bool:
        return any(
            predicate(snapshot, **arguments)
            for snapshot in snapshots
            if isinstance(snapshot, SubscriptionSnapshot) and snapshot.id == subscription_id
        )

    return is_shown


def _is_live(subscription: SubscriptionSnapshot, **_: Any) -> bool:
    return subscription.status in ("active", "in_trial")


def _is_resumed(subscription: SubscriptionSnapshot, **_: Any) -> bool:
    return subscription.status in ("active", "in_trial", "non_renewing")


def _is_continuing(subscription: SubscriptionSnapshot, **_: Any) -> bool:
    return subscription.status in ("active", "in_trial") and subscription.payload.get("cancelled_at") is None


def _is_ending(subscription: SubscriptionSnapshot, *, has_contract: bool = False, **_: Any) -> bool:
    """Whether a subscription ends without another bill, or with the contract that it is bound to."""
    payload = subscription.payload
    if subscription.status == "cancelled":
        return True
    return payload.get("cancelled_at") is not None and (has_contract or payload.get("next_billing_at") is None)


def _has_ended(subscription: SubscriptionSnapshot, **_: Any) -> bool:
    return subscription.status == "cancelled"


def _has_price(subscription: SubscriptionSnapshot, *, price: str, **_: Any) -> bool:
    return subscription.item_price_id == price


def _has_or_will_have_price(subscription: SubscriptionSnapshot, *, price: str, unit_price: int | None = None) -> bool:
    """Whether a subscription will change to a price at the end of its term, or has done so since the step was sent.

    `unit_price` (cents) is what was agreed in place of its list price.
    """
    payload = subscription.payload
    present = (subscription.item_price_id, payload["amount"])
    scheduled = (subscription.changing_to, payload.get("scheduled_amount"))
    return any(found == price and unit_price in (None, amount) for found, amount in (present, scheduled))


def _has_no_scheduled_change(subscription: SubscriptionSnapshot, **_: Any) -> bool:
    return not subscription.payload.get("has_scheduled_changes")


def _has_address(snapshots: Sequence[Snapshot], *, customer: str, email: str) -> bool:
    """Whether a customer has an email address."""
    found = (row for row in snapshots if isinstance(row, CustomerSnapshot) and row.id == customer)
    return any(usable_address(row.email) == usable_address(email) for row in found)


def _cancel_at_term_end(subscription_id: str, *, key: str, has_contract: bool = False, **_: Any) -> Sequence[Snapshot]:
    return changes.cancel_at_term_end(subscription_id, key=key, has_contract=has_contract)


def _set_pause_aside(subscription_id: str, *, key: str, **_: Any) -> list[Snapshot]:
    return subscriptions.remove_scheduled_pause(subscription_id, key=key)


def _has_pause(subscription: SubscriptionSnapshot, **_: Any) -> bool:
    return subscription.has_pause


def _has_no_pause(subscription: SubscriptionSnapshot, **_: Any) -> bool:
    return not subscription.has_pause


def _swap_coupons(subscription_id: str, *, key: str, used_since: int | None = None, **swap: Any) -> list[Snapshot]:
    return changes.swap_coupons(subscription_id, key=key, **swap)


def _has_swapped_coupons(
    snapshots: Sequence[Snapshot],
    subscription_id: str,
    *,
    add: list[str],
    remove: list[str],
    changing_to: str,
    unit_price: int | None = None,
    used_since: int | None = None,
) -> bool:
    """Whether a subscription shows the swap. A coupon used on an invoice since `used_since` (epoch) was added, too."""
    used = set() if used_since is None else _used_coupons(snapshots, subscription_id, since=used_since)

    def is_swapped(subscription: SubscriptionSnapshot) -> bool:
        current = _coupon_names(subscription.payload["coupons"], "coupon_id", "coupon_code")
        is_restored = not changing_to or _has_or_will_have_price(subscription, price=changing_to, unit_price=unit_price)
        return (current | used).issuperset(add) and current.isdisjoint(remove) and is_restored

    return _shown_by_subscription(is_swapped)(snapshots, subscription_id)


def _used_coupons(snapshots: Sequence[Snapshot], subscription_id: str, *, since: int) -> set[str]:
    """Return the ids and codes of the coupons on a subscription's invoices since a time (epoch seconds)."""
    names: set[str] = set()
    for snapshot in snapshots:
        invoice = snapshot.payload
        is_new = isinstance(snapshot, InvoiceSnapshot) and int(invoice.get("date") or 0) >= since
        # A consolidated invoice names its subscriptions in its lines only.
        if is_new and subscription_id in {row.get("subscription_id") for row in (invoice, *invoice["line_items"])}:
            names |= _coupon_names(invoice.get("discounts") or (), "entity_id", "coupon_set_code")
    return names


def _coupon_names(rows: Iterable[Mapping[str, Any]], *fields: str) -> set[str]:
    return {str(row[field]) for row in rows for field in fields if row.get(field)}


def _set_change_aside(subscription_id: str, *, key: str, **_: Any) -> Sequence[Snapshot]:
    """Remove a scheduled change. One that cannot be removed by itself, a ramp, is deleted by the cancellation."""
    try:
        return changes.remove_scheduled_change(subscription_id, key=key)
    except Refused:
        return [subscriptions.retrieve_subscription(subscription_id)]


def _record_scheduled_pauses(subscriptions: Sequence[Subscription], now: datetime) -> None:
    for subscription in _with_pause(subscriptions):
        pause_schedules.ensure_schedule(subscription, now=now)
        churn_events.record_scheduled_pause(subscription, at=now)


def _reopen_pause_schedules(subscriptions: Sequence[Subscription], now: datetime) -> None:
    for subscription in _with_pause(subscriptions):
        if pause_schedules.was_set_aside(subscription):
            pause_schedules.ensure_schedule(subscription, now=now)


def _with_pause(subscriptions: Sequence[Subscription]) -> list[Subscription]:
    """Return those with a pause: it may have been removed at the provider before its answer was applied."""
    return [subscription for subscription in subscriptions if subscription.pause_date is not None]


def _close_removed_pauses(subscriptions: Sequence[Subscription], now: datetime) -> None:
    pause_schedules.close_schedules(subscriptions, state=PauseSchedule.State.REMOVED, because="taken back", now=now)


def _close_resumed_pauses(subscriptions: Sequence[Subscription], now: datetime) -> None:
    pause_schedules.close_schedules(subscriptions, state=PauseSchedule.State.RESUMED, because="resumed", now=now)


def _close_set_aside_pauses(subscriptions: Sequence[Subscription], now: datetime) -> None:
    pause_schedules.close_schedules(subscriptions, state=PauseSchedule.State.CANCELLED, because="cancelling", now=now)


def _record_cancellations(subscriptions: Sequence[Subscription], now: datetime) -> None:
    for subscription in subscriptions:
        churn_events.record_cancellation(subscription, at=now)


def _record_immediate_cancellations(subscriptions: Sequence[Subscription], now: datetime) -> None:
    pause_schedules.close_schedules(subscriptions, state=PauseSchedule.State.CANCELLED, because="cancelled", now=now)
    _record_cancellations(subscriptions, now)


def _record_kept_subscriptions(subscriptions: Sequence[Subscription], now: datetime) -> None:
    for subscription in subscriptions:
        churn_events.record_change(subscription, EventKind.KEPT, at=now)


OPERATIONS: Mapping[str, Operation] = {
    StepOperation.START_SUBSCRIPTION: Operation(
        send=changes.start_subscription, is_done=_shown_by_subscription(_is_live), makes_invoice=True
    ),
    StepOperation.CHANGE_NOW: Operation(
        send=changes.change_price_now, is_done=_shown_by_subscription(_has_price), makes_invoice=True
    ),
    StepOperation.CHANGE_AT_TERM_END: Operation(
        send=changes.change_price_at_term_end, is_done=_shown_by_subscription(_has_or_will_have_price)
    ),
    StepOperation.REMOVE_SCHEDULED_CHANGE: Operation(
        send=changes.remove_scheduled_change, is_done=_shown_by_subscription(_has_no_scheduled_change)
    ),
    StepOperation.PAUSE: Operation(
        send=subscriptions.pause_at_term_end,
        is_done=_shown_by_subscription(_has_pause),
        record_effects=_record_scheduled_pauses,
    ),
    StepOperation.REMOVE_SCHEDULED_PAUSE: Operation(
        send=subscriptions.remove_scheduled_pause,
        is_done=_shown_by_subscription(_has_no_pause),
        record_effects=_close_removed_pauses,
    ),
    StepOperation.RESUME: Operation(
        send=subscriptions.resume_now,
        is_done=_shown_by_subscription(_is_resumed),
        record_effects=_close_resumed_pauses,
        makes_invoice=True,
    ),
    StepOperation.CANCEL_AT_TERM_END: Operation(
        send=_cancel_at_term_end,
        is_done=_shown_by_subscription(_is_ending),
        record_effects=_record_cancellations,
    ),
    StepOperation.CANCEL_NOW: Operation(
        send=changes.cancel_now,
        is_done=_shown_by_subscription(_has_ended),
        record_effects=_record_immediate_cancellations,
        # The provider bills the charges that wait for a bill.
        makes_invoice=True,
    ),
    StepOperation.SET_PAUSE_ASIDE: Operation(
        send=_set_pause_aside,
        is_done=_shown_by_subscription(_has_no_pause),
        record_effects=_close_set_aside_pauses,
    ),
    StepOperation.SET_CHANGE_ASIDE: Operation(
        send=_set_change_aside, is_done=_shown_by_subscription(_has_no_scheduled_change)
    ),
    StepOperation.KEEP: Operation(
        send=changes.remove_scheduled_cancellation,
        is_done=_shown_by_subscription(_is_continuing),
        record_effects=_record_kept_subscriptions,
    ),
    StepOperation.RESTORE_PAUSE: Operation(
        send=subscriptions.pause_at_term_end,
        is_done=_shown_by_subscription(_has_pause),
        record_effects=_reopen_pause_schedules,
    ),
    StepOperation.RESTORE_CHANGE: Operation(
        send=changes.change_price_at_term_end, is_done=_shown_by_subscription(_has_or_will_have_price)
    ),
    StepOperation.SWAP_COUPONS: Operation(
        send=_swap_coupons,
        is_done=_has_swapped_coupons,
        safe_to_repeat=True,
        # The change that made the swap necessary was made, and the night aligns coupons.
        on_refusal="skip_after_others",
    ),
    StepOperation.ADD_SOURCE: Operation(
        send=payments.add_source,
        is_done=payments.is_added,
        result=payments.added_or_known_source_id,
        safe_to_repeat=True,
    ),
    StepOperation.DESCRIBE_CARD: Operation(
        send=payment_methods.update_card,
        is_done=payments.has_card_details,
        is_needed=payments.needs_card_details,
        safe_to_repeat=True,
        waits_for_provider=True,
        on_refusal="skip",
    ),
    StepOperation.UPDATE_CARD: Operation(
        send=payment_methods.update_card,
        is_done=payments.has_card_details,
        safe_to_repeat=True,
        refusal=CardNotEditable,
    ),
    StepOperation.ASSIGN_ROLE: Operation(
        send=payment_methods.assign_role,
        is_done=payments.has_role,
        safe_to_repeat=True,
        waits_for_provider=True,
    ),
    StepOperation.COLLECT: Operation(
        send=payments.collect_invoice,
        is_done=payments.is_paid,
        result=payments.paid_cents,
        is_needed=payments.has_no_decline,
        safe_to_repeat=True,
        waits_for_provider=True,
    ),
    StepOperation.COLLECT_AUTHORIZED: Operation(
        send=payments.collect_authorized,
        is_done=payments.are_paid,
        result=payments.authorized_cents,
        safe_to_repeat=True,
    ),
    StepOperation.MAKE_PAYER_PRIMARY: Operation(
        send=payments.make_primary,
        is_done=payments.is_primary,
        is_needed=payments.has_paid,
        safe_to_repeat=True,
        waits_for_provider=True,
    ),
    StepOperation.KEEP_ONE: Operation(
        send=payments.send_nothing,
        is_done=payments.is_always_done,
        result=payments.choose_kept_source,
        safe_to_repeat=True,
        waits_for_provider=True,
    ),
    StepOperation.REMOVE_DUPLICATE: Operation(
        send=payments.remove_source,
        is_done=payments.is_removed,
        is_needed=payments.is_duplicate_of_kept,
        safe_to_repeat=True,
        waits_for_provider=True,
    ),
    StepOperation.REASSIGN_SUBSCRIPTION: Operation(
        send=payment_methods.move_subscription_to_source,
        is_done=payments.is_reassigned,
        safe_to_repeat=True,
        waits_for_provider=True,
    ),
    StepOperation.REMOVE_SOURCE: Operation(
        send=payments.remove_source,
        is_done=payments.is_removed,
        is_needed=payments.is_removal_needed,
        safe_to_repeat=True,
        waits_for_provider=True,
    ),
    StepOperation.CHANGE_ADDRESS: Operation(
        send=customers.change_address,
        is_done=_has_address,
        safe_to_repeat=True,
        refusal=AddressRefused,
    ),
    StepOperation.REFUND_INVOICE: Operation(
        send=refunds.refund_invoice,
        is_done=refund_operations.is_noted,
        result=refund_operations.note_number,
        refusal=RefundRefused,
        decline=RefundDeclined,
    ),
    StepOperation.CREDIT_INVOICE: Operation(
        send=refunds.credit_invoice,
        is_done=refund_operations.is_noted,
        result=refund_operations.note_number,
        refusal=RefundRefused,
    ),
    StepOperation.ADD_PROMOTIONAL_CREDIT: Operation(
        send=refunds.add_promotional_credit,
        is_done=refund_operations.is_credited,
        refusal=RefundRefused,
    ),
}
