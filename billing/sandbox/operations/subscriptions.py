"""Subscriptions: creating and reading them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from billing.sandbox import clock, identifiers
from billing.sandbox.body import Body
from billing.sandbox.engine import billing, calendar, scheduling, starting, terms
from billing.sandbox.models import CreditNote, Customer, ItemPrice, PaymentSource, Subscription
from billing.sandbox.operations.lookup import found, free_id, with_card
from billing.sandbox.operations.orders import order, redeemed
from billing.sandbox.operations.refusals import as_api_errors
from billing.sandbox.wire import lists, router
from billing.sandbox.wire.errors import invalid_state, not_found, wrong_value
from billing.sandbox.wire.params import Params

_FILTERS = {
    "id": "string",
    "customer_id": "string",
    "status": "enum",
    "cancel_reason": "enum",
    "cancel_reason_code": "string",
    "remaining_billing_cycles": "number",
    "created_at": "timestamp",
    "activated_at": "timestamp",
    "next_billing_at": "timestamp",
    "cancelled_at": "timestamp",
    "has_scheduled_changes": "boolean",
    "updated_at": "timestamp",
}


@dataclass(frozen=True)
class Owned:
    """A subscription and its customer."""

    subscription: Subscription
    customer: Customer

    def answer(self, charged: billing.Charged | None = None, issued: Sequence[CreditNote] = ()) -> Body:
        """What operations on a subscription answer with."""
        answer = with_card({"subscription": self.subscription.render()}, self.customer)
        if charged is not None:
            answer["invoice"] = charged.invoice.render()
        if issued:
            answer["credit_notes"] = [note.render() for note in issued]
        return answer

    def done(
        self,
        event_type: str,
        charged: billing.Charged | None = None,
        issued: Sequence[CreditNote] = (),
    ) -> Body:
        """Tell what happened and answer."""
        billing.tell(event_type, self.subscription, self.customer, charged, issued)
        return self.answer(charged, issued)


def owned(handle: str) -> Owned:
    """A subscription by its id, with its customer. Raises: ApiError 404."""
    subscription = found(Subscription, handle)
    return Owned(subscription, Customer.objects.get(handle=subscription.customer_id))


@router.get("subscription.list", "/subscriptions", takes=None)
def list_subscriptions(params: Params) -> Body:
    """A page of subscriptions with their customers."""
    return lists.page(
        lists.undeleted(Subscription.objects.all(), params),
        params,
        filters=_FILTERS,
        sorts=("created_at", "updated_at"),
        render=_listed,
        columns={"customer_id": "customer_id"},
        also=("include_deleted",),
    )


@router.get("subscription.retrieve", "/subscriptions/{handle}")
def retrieve(params: Params, handle: str) -> Body:
    """One subscription."""
    return owned(handle).answer()


@router.get(
    "subscription.retrieve_with_scheduled_changes",
    "/subscriptions/{handle}/retrieve_with_scheduled_changes",
)
def retrieve_with_scheduled_changes(params: Params, handle: str) -> Body:
    """One subscription with the items, period and coupons it will have; all else is as it is now.

    Raises: ApiError 409 where nothing is scheduled.
    """
    own = owned(handle)
    if own.subscription.scheduled_change is None:
        raise invalid_state("There are no scheduled changes for this subscription")
    scheduling.preview(own.subscription)
    return own.answer()


@router.post(
    "subscription.create_with_items",
    "/customers/{handle}/subscription_for_items",
    "id subscription_items start_date trial_end billing_cycles coupon_ids auto_collection payment_source_id",
)
def create_with_items(params: Params, handle: str) -> Body:
    """Start a subscription now, with a trial, or later; what it costs now is collected or nothing is created."""
    customer = found(Customer, handle)
    subscription = draft(params, params, customer)
    with as_api_errors("Subscription cannot be created", customer):
        charged = _start(subscription, customer)
    return Owned(subscription, customer).done("subscription_created", charged)


def draft(params: Params, dates: Params, customer: Customer) -> Subscription:
    """The subscription that is asked for, unsaved and not begun; ``dates`` holds ``start_date`` and ``trial_end``."""
    wanted = order(params)
    subscription = Subscription.make(
        free_id(Subscription, params.text("id", longest=50) or identifiers.new()),
        {**_fresh(customer, wanted.plan), **_wishes(params, customer), "subscription_items": wanted.items},
        customer_id=customer.handle,
        anchor_at=clock.now(),
    )
    subscription.change(**_beginning(dates, wanted.plan), coupons=redeemed(params, wanted.prices) or None)
    return subscription


def _listed(subscription: Subscription) -> Body:
    return Owned(subscription, Customer.objects.get(handle=subscription.customer_id)).answer()


def _fresh(customer: Customer, plan: ItemPrice) -> Body:
    return {
        "customer_id": customer.handle,
        "billing_period": plan["period"],
        "billing_period_unit": plan["period_unit"],
        "currency_code": plan["currency_code"],
        "base_currency_code": plan["currency_code"],
        "exchange_rate": 1.0,
        "created_at": clock.now(),
        "has_scheduled_changes": False,
        "has_scheduled_advance_invoices": False,
        "channel": "web",
        "due_invoices_count": 0,
        "deleted": False,
        "remaining_billing_cycles": plan.get("billing_cycles"),
    }


def _wishes(params: Params, customer: Customer) -> Body:
    wishes = billing_profile(params, customer)
    if cycles := params.integer("billing_cycles", least=1):
        wishes["remaining_billing_cycles"] = cycles
    return wishes


def billing_profile(params: Params, customer: Customer) -> Body:
    """What is said of how a subscription is paid. Raises: ApiError 404 for a source that is not the customer's."""
    said: Body = {}
    if "auto_collection" in params:
        said["auto_collection"] = params.choice("auto_collection", ("on", "off"), "on")
    if source_id := params.text("payment_source_id"):
        source = found(PaymentSource, source_id, "payment_source_id")
        if source.customer_id != customer.handle:
            raise not_found("payment_source", source_id, "payment_source_id")
        said["payment_source_id"] = source.handle
    return said


def _beginning(params: Params, plan: ItemPrice) -> Body:
    start = params.instant("start_date")
    if start is not None and start <= clock.now():
        raise wrong_value("start_date", "should be in the future")
    begins = start or clock.now()
    trial_end = params.instant("trial_end")
    if trial_end is None and "trial_period" in plan.body:
        trial_end = calendar.add(begins, plan["trial_period"], plan["trial_period_unit"])
    ends_later = trial_end is not None and trial_end > begins
    return {"start_date": start, "status": "future", "trial_end": trial_end if ends_later else None}


def _start(subscription: Subscription, customer: Customer) -> billing.Charged | None:
    drawn = None if "start_date" in subscription.body else starting.begin(subscription, customer)
    if drawn is None:
        terms.settle(subscription)
        return None
    return billing.collect(drawn, subscription, customer, must_pay=True)
