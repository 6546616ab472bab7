"""Operations that create and read subscriptions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from chargebee_sandbox import clock, identifiers
from chargebee_sandbox.api import lists, router
from chargebee_sandbox.api.errors import invalid_state, not_found, wrong_value
from chargebee_sandbox.api.params import Params, require_value
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine import billing_dates
from chargebee_sandbox.engine.billing import charging, unbilled_charges
from chargebee_sandbox.engine.subscriptions import activation, contracts, scheduled_changes, terms
from chargebee_sandbox.models import CreditNote, Customer, ItemPrice, PaymentSource, Subscription
from chargebee_sandbox.operations.collection_errors import as_api_errors
from chargebee_sandbox.operations.lookup import find_resource, free_id, with_customer_and_card
from chargebee_sandbox.operations.payments.authorized_intents import charge_requested_intent
from chargebee_sandbox.operations.requested_items import read_requested_items, redeem_requested_coupons
from chargebee_sandbox.site_settings import load_settings

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
class SubscriptionWithCustomer:
    """A subscription and its customer."""

    subscription: Subscription
    customer: Customer

    def render_answer(self, charged: charging.ChargeResult | None = None, issued: Sequence[CreditNote] = ()) -> Body:
        """Return the answer of operations on a subscription."""
        answer = with_customer_and_card({"subscription": self.subscription.render_resource()}, self.customer)
        if charged is not None and charged.invoice is not None:
            answer["invoice"] = charged.invoice.render_resource()
        if charged is not None and charged.waiting:
            answer["unbilled_charges"] = [charge.render_resource() for charge in charged.waiting]
        if issued:
            answer["credit_notes"] = [note.render_resource() for note in issued]
        return answer

    def record_and_answer(
        self,
        event_type: str,
        charged: charging.ChargeResult | None = None,
        issued: Sequence[CreditNote] = (),
    ) -> Body:
        """Record the events and return the answer."""
        charging.record_subscription_events(event_type, self.subscription, self.customer, charged, issued)
        return self.render_answer(charged, issued)


def find_subscription(handle: str) -> SubscriptionWithCustomer:
    """Return a subscription with its customer. Raises: ApiError 404."""
    subscription = find_resource(Subscription, handle)
    return SubscriptionWithCustomer(subscription, Customer.objects.get(handle=subscription.customer_id))


@router.get("subscription.list", "/subscriptions", takes=None)
def list_subscriptions(params: Params) -> Body:
    """Return a page of subscriptions with their customers."""
    return lists.list_page(
        lists.exclude_deleted(Subscription.objects.all(), params),
        params,
        filters=_FILTERS,
        sorts=("created_at", "updated_at"),
        render=_list_entry,
        columns={"customer_id": "customer_id"},
        also=("include_deleted",),
    )


@router.get("subscription.retrieve", "/subscriptions/{handle}")
def retrieve_subscription(params: Params, handle: str) -> Body:
    """Return a subscription."""
    return find_subscription(handle).render_answer()


@router.get(
    "subscription.retrieve_with_scheduled_changes",
    "/subscriptions/{handle}/retrieve_with_scheduled_changes",
)
def retrieve_with_scheduled_changes(params: Params, handle: str) -> Body:
    """Return a subscription with its future items, period, and coupons; all else is as it is now.

    Raises: ApiError 409 if no change is scheduled.
    """
    target = find_subscription(handle)
    if target.subscription.scheduled_change is None:
        raise invalid_state("There are no scheduled changes for this subscription")
    scheduled_changes.preview_change(target.subscription)
    return target.render_answer()


@router.post(
    "subscription.create_with_items",
    "/customers/{handle}/subscription_for_items",
    "id subscription_items item_tiers start_date trial_end billing_cycles contract_term coupon_ids auto_collection "
    "payment_source_id invoice_immediately payment_intent payment_initiator replace_primary_payment_source",
)
def create_with_items(params: Params, handle: str) -> Body:
    """Create a subscription that starts now, with a trial, or later; it must be able to pay its first invoice.

    With ``payment_intent`` it is paid as the payer has authorized.
    """
    customer = find_resource(Customer, handle)
    subscription = draft_subscription(params, params, customer)
    intent = charge_requested_intent(params, customer, replaces_primary=True)
    with as_api_errors("Subscription cannot be created", customer), intent, handle_requested_charges(params):
        charged = _start_subscription(subscription, customer)
    return SubscriptionWithCustomer(subscription, customer).record_and_answer("subscription_created", charged)


def handle_requested_charges(params: Params) -> AbstractContextManager[None]:
    """Invoice charges at once or let them wait, as ``invoice_immediately`` says, or else the site's settings."""
    at_once = params.boolean("invoice_immediately", default=not load_settings().unbilled_charges)
    return unbilled_charges.handle_charges(invoices_at_once=at_once)


def draft_subscription(params: Params, dates: Params, customer: Customer) -> Subscription:
    """Return the requested subscription, unsaved and not started; ``dates`` has ``start_date`` and ``trial_end``."""
    requested = read_requested_items(params)
    subscription = Subscription.build_row(
        free_id(Subscription, params.text("id", longest=50) or identifiers.new_id()),
        {
            **_initial_attributes(customer, requested.plan),
            **_read_profile_and_cycles(params, customer),
            "subscription_items": requested.items,
            "item_tiers": requested.item_tiers or None,
        },
        customer_id=customer.handle,
        anchor_at=clock.now_seconds(),
    )
    subscription.set_attributes(
        **_read_start_and_trial(dates, requested.plan),
        coupons=redeem_requested_coupons(params, requested.prices) or None,
    )
    _request_contract(params, subscription)
    begins_with_term = not (subscription.get("start_date") or subscription.get("trial_end"))
    if not begins_with_term and any(price["item_type"] == "charge" for price in requested.prices):
        raise wrong_value("subscription_items", "can be charged once only with a term that begins now, in this sandbox")
    return subscription


def _request_contract(params: Params, subscription: Subscription) -> None:
    """Make the requested billing cycles those of a contract, if one is requested."""
    contract = params.object("contract_term")
    contract.allow_only(("action_at_term_end",))
    if "contract_term" not in params:
        return
    cycles = require_value(subscription.get("remaining_billing_cycles"), "billing_cycles")
    action = contract.choice("action_at_term_end", contracts.ACTIONS_AT_END, "renew")
    contracts.request_contract(subscription, cycles=cycles, action=action)
    subscription.set_attributes(remaining_billing_cycles=None)


def _list_entry(subscription: Subscription) -> Body:
    return SubscriptionWithCustomer(subscription, Customer.objects.get(handle=subscription.customer_id)).render_answer()


def _initial_attributes(customer: Customer, plan: ItemPrice) -> Body:
    return {
        "customer_id": customer.handle,
        "billing_period": plan["period"],
        "billing_period_unit": plan["period_unit"],
        "currency_code": plan["currency_code"],
        "base_currency_code": plan["currency_code"],
        "exchange_rate": 1.0,
        "created_at": clock.now_seconds(),
        "has_scheduled_changes": False,
        "has_scheduled_advance_invoices": False,
        "channel": "web",
        "due_invoices_count": 0,
        "auto_close_invoices": True,
        "deleted": False,
        "remaining_billing_cycles": plan.get("billing_cycles"),
    }


def _read_profile_and_cycles(params: Params, customer: Customer) -> Body:
    profile = read_billing_profile(params, customer)
    if cycles := params.integer("billing_cycles", least=1):
        profile["remaining_billing_cycles"] = cycles
    return profile


def read_billing_profile(params: Params, customer: Customer) -> Body:
    """Read how a subscription is paid. Raises: ApiError 404 for a source that is not the customer's."""
    profile: Body = {}
    if "auto_collection" in params:
        profile["auto_collection"] = params.choice("auto_collection", ("on", "off"), "on")
    if source_id := params.text("payment_source_id"):
        source = find_resource(PaymentSource, source_id, "payment_source_id")
        if source.customer_id != customer.handle:
            raise not_found("payment_source", source_id, "payment_source_id")
        profile["payment_source_id"] = source.handle
    return profile


def _read_start_and_trial(params: Params, plan: ItemPrice) -> Body:
    start = params.instant("start_date")
    if start is not None and start <= clock.now_seconds():
        raise wrong_value("start_date", "should be in the future")
    begins_at = start or clock.now_seconds()
    trial_end = params.instant("trial_end")
    if trial_end is None and "trial_period" in plan.body:
        trial_end = billing_dates.add_periods(begins_at, plan["trial_period"], plan["trial_period_unit"])
    ends_later = trial_end is not None and trial_end > begins_at
    return {"start_date": start, "status": "future", "trial_end": trial_end if ends_later else None}


def _start_subscription(subscription: Subscription, customer: Customer) -> charging.ChargeResult | None:
    draft = None
    if "start_date" not in subscription.body:
        draft = activation.begin_subscription(subscription, customer)
    if draft is None:
        terms.save_derived(subscription)
        return None
    return charging.collect_invoice(draft, subscription, customer, must_pay=True)
