"""What a subscription does by itself when its instant has come; the clock is held at that instant."""

from __future__ import annotations

from billing.sandbox import clock
from billing.sandbox.engine import billing, cancelling, collection, invoicing, pausing, terms
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


def begin(subscription: Subscription, customer: Customer, *, must_pay: bool) -> billing.Charged | None:
    """Let a subscription begin now: with its trial if it has one, else with a charged term. Saved either way."""
    now = clock.now()
    subscription.change(started_at=now, start_date=None)
    if now < subscription.get("trial_end", now):
        trial = {"trial_start": now, "current_term_start": now, "current_term_end": subscription["trial_end"]}
        subscription.change(status="in_trial", **trial)
        terms.settle(subscription)
        return None
    return activate(subscription, customer, must_pay=must_pay)


def activate(subscription: Subscription, customer: Customer, *, must_pay: bool) -> billing.Charged:
    """Let the first paid term begin now; billing dates are counted from here."""
    subscription.anchor_at = clock.now()
    subscription.change(status="active", activated_at=clock.now())
    return billing.charge_term(subscription, customer, clock.now(), must_pay=must_pay)


def _has_come(subscription: Subscription, name: str) -> bool:
    return int(subscription.get(name, clock.now() + 1)) <= clock.now()


def _cancel(subscription: Subscription, customer: Customer) -> None:
    cancelling.cancel_now(subscription)
    terms.settle(subscription)
    billing.tell("subscription_cancelled", subscription, customer, None)


def _start(subscription: Subscription, customer: Customer) -> None:
    charged = begin(subscription, customer, must_pay=False)
    billing.tell("subscription_started", subscription, customer, charged)


def _end_trial(subscription: Subscription, customer: Customer) -> None:
    if _cannot_pay(subscription, customer):
        cancelling.cancel_now(subscription, reason="no_card")
        terms.settle(subscription)
        billing.tell("subscription_cancelled", subscription, customer, None)
        return
    charged = activate(subscription, customer, must_pay=False)
    billing.tell("subscription_activated", subscription, customer, charged)


def _cannot_pay(subscription: Subscription, customer: Customer) -> bool:
    if not collection.collects_automatically(subscription, customer) or collection.sources(
        subscription, customer
    ):
        return False
    now = clock.now()
    return bool(invoicing.term_bill(subscription, now, now).total)


def _pause(subscription: Subscription, customer: Customer) -> None:
    pausing.begin_pause(subscription, subscription.get("resume_date"))
    terms.settle(subscription)
    billing.tell("subscription_paused", subscription, customer, None)


def _renew(subscription: Subscription, customer: Customer) -> None:
    charged = billing.charge_term(subscription, customer, subscription["current_term_end"], must_pay=False)
    billing.tell("subscription_renewed", subscription, customer, charged)
