"""Operations on customers."""

from __future__ import annotations

from chargebee_sandbox import clock, event_log
from chargebee_sandbox.api import lists, router
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.models import (
    CreditNote,
    Customer,
    Invoice,
    PaymentIntent,
    PaymentSource,
    Ramp,
    Resource,
    Subscription,
    Transaction,
)
from chargebee_sandbox.operations.lookup import find_resource, free_id, with_customer_and_card

# The site's currency, which a customer has unless another is chosen.
BASE_CURRENCY = "USD"
_BELONGINGS: tuple[type[Resource], ...] = (Subscription, Ramp, Invoice, CreditNote, Transaction, PaymentSource)

_TEXT_PARAMETERS = ("first_name", "last_name", "email", "phone", "company", "locale")
_DETAIL_PARAMETERS = (*_TEXT_PARAMETERS, "preferred_currency_code")
_ADDRESS_PARAMETERS = (
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


@router.post("customer.create", "/customers", f"id auto_collection billing_address {' '.join(_DETAIL_PARAMETERS)}")
def create_customer(params: Params) -> Body:
    """Create a customer."""
    body: Body = {
        "preferred_currency_code": BASE_CURRENCY,
        **_read_details(params),
        "auto_collection": params.choice("auto_collection", ("on", "off"), "on"),
        "billing_address": _read_address(params.object("billing_address")),
        "net_term_days": 0,
        "auto_close_invoices": True,
        "allow_direct_debit": False,
        "created_at": clock.now_seconds(),
        "taxability": "taxable",
        "pii_cleared": "active",
        "channel": "web",
        "card_status": "no_card",
        "promotional_credits": 0,
        "refundable_credits": 0,
        "excess_payments": 0,
        "unbilled_charges": 0,
        "deleted": False,
    }
    customer = Customer.build_row(free_id(Customer, params.text("id", longest=50)), body)
    customer.save()
    event_log.record_event("customer_created", customer=customer)
    return with_customer_and_card({}, customer)


@router.get("customer.retrieve", "/customers/{handle}")
def retrieve_customer(params: Params, handle: str) -> Body:
    """Return a customer."""
    return with_customer_and_card({}, find_resource(Customer, handle))


@router.get("customer.list", "/customers", takes=None)
def list_customers(params: Params) -> Body:
    """Return a page of customers."""
    return lists.list_page(
        lists.exclude_deleted(Customer.objects.all(), params),
        params,
        filters=_FILTERS,
        sorts=("created_at", "updated_at"),
        render=lambda customer: with_customer_and_card({}, customer),
        also=("include_deleted",),
    )


@router.post("customer.update", "/customers/{handle}", f"auto_collection {' '.join(_DETAIL_PARAMETERS)}")
def update_customer(params: Params, handle: str) -> Body:
    """Change names, email, phone, locale, currency, collection, and custom fields; an empty value clears one."""
    customer = find_resource(Customer, handle)
    changes = _read_details(params)
    if "auto_collection" in params:
        changes["auto_collection"] = params.choice("auto_collection", ("on", "off"), "on")
    customer.set_attributes(**changes)
    customer.save()
    event_log.record_event("customer_changed", customer=customer)
    return with_customer_and_card({}, customer)


@router.post("customer.delete", "/customers/{handle}/delete", "delete_payment_method")
def delete_customer(params: Params, handle: str) -> Body:
    """Delete a customer with all subscriptions, invoices, credit notes, transactions, and payment sources.

    The provider answers at once and deletes within minutes; this site deletes at once.
    """
    params.boolean("delete_payment_method", default=True)
    customer = find_resource(Customer, handle)
    answer = with_customer_and_card({}, customer)
    subscriptions = list(Subscription.objects.filter(customer_id=handle, deleted=False))
    for row in (*find_belongings(handle), customer):
        row.deleted = True
        row.set_attributes(deleted=True)
        row.save()
    # Nothing of a deleted customer may fall due.
    for model in (Subscription, Ramp, Invoice, PaymentIntent):
        model.objects.filter(customer_id=handle).update(due_at=None)
    event_log.record_event("customer_deleted", customer=customer, subscription=subscriptions)
    return answer


def find_belongings(handle: str) -> list[Resource]:
    """Return everything that a customer has."""
    return [row for model in _BELONGINGS for row in model._default_manager.filter(customer_id=handle, deleted=False)]


@router.post("customer.update_billing_info", "/customers/{handle}/update_billing_info", "billing_address vat_number")
def update_billing_info(params: Params, handle: str) -> Body:
    """Replace the billing address, or remove it if none is sent, and change the VAT number, which is not checked."""
    customer = find_resource(Customer, handle)
    changes: Body = {"billing_address": _read_address(params.object("billing_address"))}
    if "vat_number" in params:
        number = params.text("vat_number", longest=20)
        changes |= {"vat_number": number, "vat_number_status": number and "not_validated"}
    customer.set_attributes(**changes)
    customer.save()
    event_log.record_event("customer_changed", customer=customer)
    return with_customer_and_card({}, customer)


def _read_details(params: Params) -> Body:
    custom_fields = [name for name in params.values if name.startswith("cf_")]
    return {name: params.text(name) for name in (*_DETAIL_PARAMETERS, *custom_fields) if name in params}


def _read_address(params: Params) -> Body | None:
    if not params.values:
        return None
    params.allow_only((*_ADDRESS_PARAMETERS, "validation_status"))
    lines = {name: value for name in _ADDRESS_PARAMETERS if (value := params.text(name))}
    return {**lines, "validation_status": "not_validated", "object": "billing_address"}
