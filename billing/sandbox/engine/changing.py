"""Changing what a subscription is for, at once.

Within a running term each item that goes is credited for the time left, and each that comes is charged for it; items
that stay as they are cost and give nothing. A change of the billing period, or one that asks for it, begins a new term
now, which is charged whole, and credits what is left of the old one. In a trial nothing is charged. A cancelled
subscription is revived by a change that says so, with a term of its own. The invoice is drawn up and left to the caller
to collect, so that an estimate is a change that nobody collects.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from billing.sandbox import clock
from billing.sandbox.body import Body
from billing.sandbox.engine import billing, crediting, invoicing, scheduling, starting
from billing.sandbox.engine.pricing import Price, prorated
from billing.sandbox.models import CreditNote, Customer, Subscription

_PRICED_BY = ("item_price_id", "quantity", "unit_price")


@dataclass(frozen=True)
class Change:
    """What is asked for: the subscription's new contents, and how to get there.

    ``trial_end`` is None where the trial is left alone, and an instant that is over to end it now.
    """

    contents: scheduling.Contents
    prorate: bool = True
    force_term_reset: bool = False
    trial_end: int | None = None
    revive: bool = False
    use_balances: bool = True


@dataclass(frozen=True)
class Changed:
    """What a change led to: an invoice to be collected, credits given, and whether it revived the subscription."""

    drawn: billing.Drawn | None = None
    issued: list[CreditNote] = field(default_factory=list)
    revived: bool = False


def change_now(subscription: Subscription, customer: Customer, change: Change) -> Changed:
    """Make a change, drop whatever was scheduled before, and draw up what it costs; the subscription is not saved."""
    scheduling.drop(subscription)
    match subscription["status"]:
        case "cancelled":
            return _change_cancelled(subscription, customer, change)
        case "in_trial" | "future":
            return _change_unbilled(subscription, customer, change)
        case _:
            return _change_running(subscription, customer, change)


def _change_cancelled(subscription: Subscription, customer: Customer, change: Change) -> Changed:
    change.contents.put_on(subscription)
    if not change.revive:
        return Changed()
    subscription.change(
        cancelled_at=None, cancel_reason=None, cancel_reason_code=None, cancel_schedule_created_at=None
    )
    if change.trial_end is not None and change.trial_end > clock.now():
        subscription.change(trial_end=change.trial_end)
        starting.begin_trial(subscription)
        return Changed(revived=True)
    drawn = starting.activate(subscription, customer, use_balances=change.use_balances)
    return Changed(drawn, revived=True)


def _change_unbilled(subscription: Subscription, customer: Customer, change: Change) -> Changed:
    """In a trial, or before the start: nothing has been charged, and nothing is unless the trial ends now."""
    change.contents.put_on(subscription)
    if change.trial_end is None:
        return Changed()
    if change.trial_end > clock.now():
        _move_trial_end(subscription, change.trial_end)
        return Changed()
    if subscription["status"] == "future":
        subscription.change(trial_end=None)
        return Changed()
    subscription.change(trial_end=clock.now(), cancelled_at=None, cancel_schedule_created_at=None)
    return Changed(starting.activate(subscription, customer, use_balances=change.use_balances))


def _move_trial_end(subscription: Subscription, trial_end: int) -> None:
    old = subscription.get("trial_end")
    subscription.change(trial_end=trial_end)
    if subscription["status"] == "in_trial":
        subscription.change(current_term_end=trial_end)
    if old is not None and subscription.get("cancelled_at") == old:
        subscription.change(cancelled_at=trial_end)


def _change_running(subscription: Subscription, customer: Customer, change: Change) -> Changed:
    before = subscription["subscription_items"]
    resets = change.force_term_reset or _period(subscription.body) != _period(vars(change.contents))
    after = change.contents.subscription_items
    going = before if resets else _without(before, after)
    coming = _without(after, before)
    issued = _credit(subscription, customer, going) if change.prorate else []
    change.contents.put_on(subscription)
    drawn = None
    if resets:
        drawn = _new_term(subscription, customer, change)
    elif coming and change.prorate:
        lines = _prorated_lines(subscription, coming)
        drawn = billing.draw_up(subscription, customer, lines, use_balances=change.use_balances)
    elif not change.prorate and going + coming:
        subscription.uncredited_till = subscription["current_term_end"]
    return Changed(drawn, [_fresh(note) for note in issued])


def _credit(subscription: Subscription, customer: Customer, items: list[Body]) -> list[CreditNote]:
    return crediting.credit_items(subscription, customer, {item["item_price_id"] for item in items})


def _new_term(subscription: Subscription, customer: Customer, change: Change) -> billing.Drawn:
    subscription.anchor_at = clock.now()
    return billing.draw_up_term(subscription, customer, clock.now(), use_balances=change.use_balances)


def _period(body: Body) -> tuple[int, str]:
    return body["billing_period"], body["billing_period_unit"]


def _without(items: list[Body], others: list[Body]) -> list[Body]:
    """The items that are not, at the same quantity and price, among the others."""
    known = [[item[name] for name in _PRICED_BY] for item in others]
    return [item for item in items if [item[name] for name in _PRICED_BY] not in known]


def _prorated_lines(subscription: Subscription, items: list[Body]) -> list[Price]:
    """The items as they are charged for what is left of the running term."""
    start, end, now = subscription["current_term_start"], subscription["current_term_end"], clock.now()
    prices = {price.handle: price for price in invoicing.item_prices(subscription)}
    lines = []
    for item in items:
        line = invoicing.line(item, prices[item["item_price_id"]], now, end)
        description = crediting.period("Prorated Charges", line.description, now, end)
        lines.append(line.at_once(prorated(line.amount, start, end, now), description))
    return lines


def _fresh(note: CreditNote) -> CreditNote:
    """A note as it is now: the invoice of the same change may have used it."""
    note.refresh_from_db()
    return note
