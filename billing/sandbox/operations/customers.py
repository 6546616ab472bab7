"""Customers."""

from __future__ import annotations

from billing.sandbox import clock, events
from billing.sandbox.body import Body
from billing.sandbox.models import Customer
from billing.sandbox.operations.lookup import found, free_id, with_card
from billing.sandbox.wire import lists, router
from billing.sandbox.wire.params import Params

_TEXTS = ("first_name", "last_name", "email", "phone", "company", "locale")
_ADDRESS = (
    *("first_name", "last_name", "email", "company", "phone"),
    *("line1", "line2", "line3", "city", "state_code", "state", "country", "zip"),
)
_FILTERS = {
    "id": "string",
    "first_name": "string",
    "last_name": "string",
    "email": "string",
    "company": "string",
    "phone": "string",
    "auto_collection": "enum",
    "created_at": "timestamp",
    "updated_at": "timestamp",
}


@router.post("customer.create", "/customers", f"id auto_collection billing_address {' '.join(_TEXTS)}")
def create(params: Params) -> Body:
    """A new customer, without anything."""
    body: Body = {
        **_details(params),
        "auto_collection": params.choice("auto_collection", ("on", "off"), "on"),
        "billing_address": _address(params.object("billing_address")),
        "net_term_days": 0,
        "allow_direct_debit": False,
        "created_at": clock.now(),
        "taxability": "taxable",
        "pii_cleared": "active",
        "channel": "web",
        "card_status": "no_card",
        "promotional_credits": 0,
        "refundable_credits": 0,
        "excess_payments": 0,
        "unbilled_charges": 0,
        "preferred_currency_code": "USD",
        "deleted": False,
    }
    customer = Customer.make(free_id(Customer, params.text("id", longest=50)), body)
    customer.save()
    events.record("customer_created", customer=customer)
    return with_card({}, customer)


@router.get("customer.retrieve", "/customers/{handle}")
def retrieve(params: Params, handle: str) -> Body:
    """One customer."""
    return with_card({}, found(Customer, handle))


@router.get("customer.list", "/customers", takes=None)
def list_customers(params: Params) -> Body:
    """A page of customers."""
    return lists.page(
        lists.undeleted(Customer.objects.all(), params),
        params,
        filters=_FILTERS,
        sorts=("created_at", "updated_at"),
        render=lambda customer: with_card({}, customer),
        also=("include_deleted",),
    )


@router.post("customer.update", "/customers/{handle}", f"auto_collection {' '.join(_TEXTS)}")
def update(params: Params, handle: str) -> Body:
    """Change names, addresses of mail and telephone, locale, collection and custom fields; empty clears."""
    customer = found(Customer, handle)
    changes = _details(params)
    if "auto_collection" in params:
        changes["auto_collection"] = params.choice("auto_collection", ("on", "off"), "on")
    customer.change(**changes)
    customer.save()
    events.record("customer_changed", customer=customer)
    return with_card({}, customer)


def _details(params: Params) -> Body:
    custom = [name for name in params.values if name.startswith("cf_")]
    return {name: params.text(name) for name in (*_TEXTS, *custom) if name in params}


def _address(params: Params) -> Body | None:
    if not params.values:
        return None
    params.allow_only((*_ADDRESS, "validation_status"))
    lines = {name: value for name in _ADDRESS if (value := params.text(name))}
    return {**lines, "validation_status": "not_validated", "object": "billing_address"}
