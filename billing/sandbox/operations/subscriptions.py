"""Subscriptions: creating and reading them."""

from __future__ import annotations

from dataclasses import dataclass

from billing.sandbox import clock, identifiers
from billing.sandbox.body import Body
from billing.sandbox.engine import billing, calendar, coupons, scheduled, terms
from billing.sandbox.models import Coupon, Customer, ItemPrice, PaymentSource, Subscription
from billing.sandbox.operations.lookup import found, free_id, with_card
from billing.sandbox.operations.refusals import as_api_errors
from billing.sandbox.wire import lists, router
from billing.sandbox.wire.errors import ApiError, not_found, wrong_value
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

    def answer(self, charged: billing.Charged | None = None) -> Body:
        """What operations on a subscription answer with."""
        answer = with_card({"subscription": self.subscription.render()}, self.customer)
        return {**answer, "invoice": charged.invoice.render()} if charged else answer

    def done(self, event_type: str, charged: billing.Charged | None = None) -> Body:
        """Tell what happened and answer."""
        billing.tell(event_type, self.subscription, self.customer, charged)
        return self.answer(charged)


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


@router.post(
    "subscription.create_with_items",
    "/customers/{handle}/subscription_for_items",
    "id subscription_items start_date trial_end billing_cycles coupon_ids auto_collection payment_source_id",
)
def create_with_items(params: Params, handle: str) -> Body:
    """Start a subscription now, with a trial, or later; what it costs now is collected or nothing is created."""
    customer = found(Customer, handle)
    subscription = draft(params, customer)
    with as_api_errors("Subscription cannot be created", customer):
        charged = _start(subscription, customer)
    return Owned(subscription, customer).done("subscription_created", charged)


def draft(params: Params, customer: Customer) -> Subscription:
    """The subscription that is asked for, unsaved and not begun."""
    prices, items = _items(params)
    subscription = Subscription.make(
        free_id(Subscription, params.text("id", longest=50) or identifiers.new()),
        {**_fresh(customer, prices[0]), **_wishes(params, customer), "subscription_items": items},
        customer_id=customer.handle,
        anchor_at=clock.now(),
    )
    subscription.change(**_beginning(params, prices[0]))
    for coupon_id in params.texts("coupon_ids"):
        _attach(subscription, coupon_id, prices)
    return subscription


def _listed(subscription: Subscription) -> Body:
    return Owned(subscription, Customer.objects.get(handle=subscription.customer_id)).answer()


def _items(params: Params) -> tuple[list[ItemPrice], list[Body]]:
    rows = params.rows("subscription_items")
    priced = [(found(ItemPrice, row.needed("item_price_id"), "item_price_id"), row) for row in rows]
    priced.sort(key=lambda pair: pair[0]["item_type"] != "plan")
    plans = [price for price, _ in priced if price["item_type"] == "plan"]
    if len(plans) != 1:
        raise wrong_value("subscription_items", "should hold exactly one plan item price")
    for price, _ in priced:
        _check_sold(price, plans[0])
    return [price for price, _ in priced], [_item(price, row) for price, row in priced]


def _check_sold(price: ItemPrice, plan: ItemPrice) -> None:
    if price["status"] != "active":
        raise not_found("item_price", price.handle, "item_price_id")
    period = (price["currency_code"], price.get("period"), price.get("period_unit"))
    if period != (plan["currency_code"], plan["period"], plan["period_unit"]):
        raise wrong_value("subscription_items", "should have the plan's currency and billing period")


def _item(price: ItemPrice, row: Params) -> Body:
    row.allow_only(("item_price_id", "quantity", "unit_price"))
    quantity = row.integer("quantity", least=1) or 1
    asked = row.integer("unit_price", least=0)
    unit_price = price["price"] if asked is None else asked
    return {
        "item_price_id": price.handle,
        "item_type": price["item_type"],
        "quantity": quantity,
        "unit_price": unit_price,
        "amount": quantity * unit_price,
        "free_quantity": 0,
        "object": "subscription_item",
    }


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
    wishes: Body = {}
    if "auto_collection" in params:
        wishes["auto_collection"] = params.choice("auto_collection", ("on", "off"), "on")
    if cycles := params.integer("billing_cycles", least=1):
        wishes["remaining_billing_cycles"] = cycles
    if source_id := params.text("payment_source_id"):
        source = found(PaymentSource, source_id, "payment_source_id")
        if source.customer_id != customer.handle:
            raise not_found("payment_source", source_id, "payment_source_id")
        wishes["payment_source_id"] = source.handle
    return wishes


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


def _attach(subscription: Subscription, coupon_id: str, prices: list[ItemPrice]) -> None:
    coupon = found(Coupon, coupon_id, "coupon_ids")
    try:
        coupons.attach(subscription, coupon, prices)
    except coupons.CouponUnusable:
        message = f"The coupon {coupon_id} is expired or cannot be redeemed any more"
        raise ApiError(400, "resource_limit_exhausted", message, param="coupon_ids") from None
    except coupons.CouponInapplicable:
        raise wrong_value("coupon_ids", f"{coupon_id} does not apply to these items") from None


def _start(subscription: Subscription, customer: Customer) -> billing.Charged | None:
    if "start_date" in subscription.body:
        terms.settle(subscription)
        return None
    return scheduled.begin(subscription, customer, must_pay=True)
