"""What a subscription does by itself when its instant has come; the clock is held at that instant."""

from __future__ import annotations

from billing.sandbox import clock
from billing.sandbox.engine import (
    balances,
    billing,
    cancelling,
    collection,
    invoicing,
    pausing,
    scheduling,
    starting,
    terms,
)
from billing.sandbox.models import Customer, Subscription


def act(subscription: Subscription) -> None:
    """Do the one thing that is due. An end comes before a pause, and a pause before a renewal."""
    customer = Customer.objects.get(handle=subscription.customer_id)
    if _has_come(subscription, "cancelled_at"):
        _cancel(subscription, customer)
        return
    match subscription["status"]:
        case "future":
            _start(subscription, customer)
        case "in_trial":
            _end_trial(subscription, customer)
        case "paused":
            charged = pausing.resume(subscription, customer, must_pay=False)
            billing.tell("subscription_resumed", subscription, customer, charged)
        case _ if _has_come(subscription, "pause_date"):
            _pause(subscription, customer)
        case _:
            _renew(subscription, customer)


def _has_come(subscription: Subscription, name: str) -> bool:
    return int(subscription.get(name, clock.now() + 1)) <= clock.now()


def _cancel(subscription: Subscription, customer: Customer) -> None:
    cancelling.cancel_now(subscription)
    terms.settle(subscription)
    billing.tell("subscription_cancelled", subscription, customer, None)


def _start(subscription: Subscription, customer: Customer) -> None:
    drawn = starting.begin(subscription, customer)
    billing.tell("subscription_started", subscription, customer, _collected(drawn, subscription, customer))


def _end_trial(subscription: Subscription, customer: Customer) -> None:
    _change(subscription, customer)
    if _cannot_pay(subscription, customer):
        cancelling.cancel_now(subscription, reason="no_card")
        terms.settle(subscription)
        billing.tell("subscription_cancelled", subscription, customer, None)
        return
    drawn = starting.activate(subscription, customer)
    billing.tell("subscription_activated", subscription, customer, _collected(drawn, subscription, customer))


def _collected(
    drawn: billing.Drawn | None, subscription: Subscription, customer: Customer
) -> billing.Charged | None:
    if drawn is None:
        terms.settle(subscription)
        return None
    return billing.collect(drawn, subscription, customer, must_pay=False)


def _change(subscription: Subscription, customer: Customer) -> None:
    """The scheduled change of a term that is over takes effect, and is told before the term it leads to."""
    if scheduling.take_effect(subscription):
        billing.tell("subscription_changed", subscription, customer, None)


def _cannot_pay(subscription: Subscription, customer: Customer) -> bool:
    if not collection.collects_automatically(subscription, customer) or collection.sources(
        subscription, customer
    ):
        return False
    now = clock.now()
    bill = invoicing.bill(subscription, invoicing.term_lines(subscription, now, now), now)
    return bill.total > balances.available(customer)


def _pause(subscription: Subscription, customer: Customer) -> None:
    pausing.begin_pause(subscription, subscription.get("resume_date"))
    terms.settle(subscription)
    billing.tell("subscription_paused", subscription, customer, None)


def _renew(subscription: Subscription, customer: Customer) -> None:
    _change(subscription, customer)
    charged = billing.charge_term(subscription, customer, subscription["current_term_end"], must_pay=False)
    billing.tell("subscription_renewed", subscription, customer, charged)
