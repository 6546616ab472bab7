"""Immediate changes of a subscription's items, billing period, and trial.

Within a running term each removed item is credited for the rest of the term and each new one is charged for it;
unchanged items are neither. A change of the billing period, or with ``force_term_reset``, begins a new term now,
charges it in full, and credits the rest of the old one. In a trial nothing is charged. A canceled subscription is
reactivated on request, with a new term. The caller collects the draft invoice; an estimate does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from chargebee_sandbox import clock
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing import charging, credit_notes, invoicing
from chargebee_sandbox.engine.billing.pricing import LineItem
from chargebee_sandbox.engine.subscriptions import activation, scheduled_changes
from chargebee_sandbox.models import CreditNote, Customer, Subscription

_PRICING_FIELDS = ("item_price_id", "quantity", "unit_price")


@dataclass(frozen=True)
class SubscriptionChange:
    """A requested change: the subscription's new contents, and how to apply them.

    ``trial_end`` is None to leave the trial alone, and an instant of the past to end it now.
    """

    contents: scheduled_changes.SubscriptionContents
    prorate: bool = True
    force_term_reset: bool = False
    trial_end: int | None = None
    reactivate: bool = False
    use_balances: bool = True


@dataclass(frozen=True)
class AppliedChange:
    """The result of a change: an invoice to collect, credits issued, and whether it reactivated the subscription."""

    draft_invoice: charging.DraftInvoice | None = None
    issued_credit_notes: list[CreditNote] = field(default_factory=list)
    is_reactivated: bool = False


def change_now(subscription: Subscription, customer: Customer, change: SubscriptionChange) -> AppliedChange:
    """Apply a change, drop a scheduled one, and draft the invoice; the subscription is not saved."""
    scheduled_changes.drop_scheduled_change(subscription)
    match subscription["status"]:
        case "cancelled":
            return _change_cancelled(subscription, customer, change)
        case "in_trial" | "future":
            return _change_unbilled(subscription, customer, change)
        case _:
            return _change_running(subscription, customer, change)


def _change_cancelled(subscription: Subscription, customer: Customer, change: SubscriptionChange) -> AppliedChange:
    change.contents.apply_to(subscription)
    if not change.reactivate:
        return AppliedChange()
    subscription.set_attributes(
        cancelled_at=None, cancel_reason=None, cancel_reason_code=None, cancel_schedule_created_at=None
    )
    if change.trial_end is not None and change.trial_end > clock.now_seconds():
        subscription.set_attributes(trial_end=change.trial_end)
        activation.begin_trial(subscription)
        return AppliedChange(is_reactivated=True)
    draft = activation.activate_subscription(subscription, customer, use_balances=change.use_balances)
    return AppliedChange(draft, is_reactivated=True)


def _change_unbilled(subscription: Subscription, customer: Customer, change: SubscriptionChange) -> AppliedChange:
    """Apply a change in a trial or before the start, which is charged only if the trial ends now."""
    change.contents.apply_to(subscription)
    if change.trial_end is None:
        return AppliedChange()
    if change.trial_end > clock.now_seconds():
        _move_trial_end(subscription, change.trial_end)
        return AppliedChange()
    if subscription["status"] == "future":
        subscription.set_attributes(trial_end=None)
        return AppliedChange()
    subscription.set_attributes(trial_end=clock.now_seconds(), cancelled_at=None, cancel_schedule_created_at=None)
    return AppliedChange(activation.activate_subscription(subscription, customer, use_balances=change.use_balances))


def _move_trial_end(subscription: Subscription, trial_end: int) -> None:
    previous_end = subscription.get("trial_end")
    subscription.set_attributes(trial_end=trial_end)
    if previous_end is not None and subscription.get("cancelled_at") == previous_end:
        subscription.set_attributes(cancelled_at=trial_end)


def _change_running(subscription: Subscription, customer: Customer, change: SubscriptionChange) -> AppliedChange:
    before = subscription["subscription_items"]
    after = change.contents.subscription_items
    begins_term = change.force_term_reset or _billing_period(subscription.body) != _billing_period(
        vars(change.contents)
    )
    removed = before if begins_term else _items_not_among(before, after)
    added = _items_not_among(after, before)
    issued = _credit_removed_items(subscription, customer, removed) if change.prorate else []
    change.contents.apply_to(subscription)
    draft = None
    if begins_term:
        draft = _draft_new_term(subscription, customer, change)
    elif added and change.prorate:
        charges = invoicing.Charges(subscription, _prorated_lines(subscription, added))
        draft = charging.draft_invoice(charges, customer, use_balances=change.use_balances)
    elif not change.prorate and removed + added:
        subscription.uncredited_till = subscription["current_term_end"]
    return AppliedChange(draft, [_reload_credit_note(note) for note in issued])


def _credit_removed_items(subscription: Subscription, customer: Customer, items: list[Body]) -> list[CreditNote]:
    return credit_notes.credit_items(subscription, customer, {item["item_price_id"] for item in items})


def _draft_new_term(
    subscription: Subscription, customer: Customer, change: SubscriptionChange
) -> charging.DraftInvoice:
    subscription.anchor_at = clock.now_seconds()
    return charging.draft_term_invoice(subscription, customer, clock.now_seconds(), use_balances=change.use_balances)


def _billing_period(body: Body) -> tuple[int, str]:
    return body["billing_period"], body["billing_period_unit"]


def _items_not_among(items: list[Body], others: list[Body]) -> list[Body]:
    """Return the items that are not among the others with the same quantity and price."""
    other_pricing = [[item[name] for name in _PRICING_FIELDS] for item in others]
    return [item for item in items if [item[name] for name in _PRICING_FIELDS] not in other_pricing]


def _prorated_lines(subscription: Subscription, items: list[Body]) -> list[LineItem]:
    """Return the charges of the items for the rest of the running term."""
    now, end = clock.now_seconds(), subscription["current_term_end"]
    prices = {price.handle: price for price in invoicing.item_prices(subscription)}
    lines = [invoicing.line_item(subscription, item, prices[item["item_price_id"]], now, end) for item in items]
    return [credit_notes.rest_of_term_line(subscription, line) for line in lines]


def _reload_credit_note(note: CreditNote) -> CreditNote:
    """Return a note as it is in the database: the invoice of the same change may have used it."""
    note.refresh_from_db()
    return note
