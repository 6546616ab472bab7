"""Operations on promotional credits."""

from __future__ import annotations

from chargebee_sandbox import event_log
from chargebee_sandbox.api import lists, router
from chargebee_sandbox.api.auth import FULL_ACCESS_USER
from chargebee_sandbox.api.errors import wrong_value
from chargebee_sandbox.api.params import Params, require_value
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing import customer_balances
from chargebee_sandbox.models import Customer, PromotionalCredit
from chargebee_sandbox.operations.lookup import find_resource

_PARAMETERS = "customer_id amount currency_code description credit_type reference"
_CREDIT_TYPES = ("general", "loyalty_credits", "referral_rewards")
_FILTERS = {"id": "string", "created_at": "timestamp", "type": "enum", "customer_id": "string"}


@router.post("promotional_credit.add", "/promotional_credits/add", _PARAMETERS)
def add_promotional_credits(params: Params) -> Body:
    """Add to a customer's promotional credits, in cents."""
    customer = _find_customer(params)
    return _change_balance(params, customer, _read_amount(params, least=1))


@router.post("promotional_credit.deduct", "/promotional_credits/deduct", _PARAMETERS)
def deduct_promotional_credits(params: Params) -> Body:
    """Deduct from a customer's promotional credits. Raises: ApiError 400 for more than the balance."""
    customer = _find_customer(params)
    amount = _read_amount(params, least=1)
    if amount > customer["promotional_credits"]:
        raise wrong_value("amount", "is more than the customer's promotional credits")
    return _change_balance(params, customer, -amount)


@router.post("promotional_credit.set", "/promotional_credits/set", _PARAMETERS)
def set_promotional_credits(params: Params) -> Body:
    """Set a customer's promotional credits to an amount."""
    customer = _find_customer(params)
    return _change_balance(params, customer, _read_amount(params, least=0) - customer["promotional_credits"])


@router.get("promotional_credit.list", "/promotional_credits", takes=None)
def list_promotional_credits(params: Params) -> Body:
    """Return a page of entries, newest first."""
    return lists.list_page(
        PromotionalCredit.objects.all(),
        params,
        filters=_FILTERS,
        render=lambda entry: {"promotional_credit": entry.render_resource()},
        columns={"customer_id": "customer_id"},
    )


@router.get("promotional_credit.retrieve", "/promotional_credits/{handle}")
def retrieve_promotional_credit(params: Params, handle: str) -> Body:
    """Return an entry."""
    return {"promotional_credit": find_resource(PromotionalCredit, handle).render_resource()}


def _find_customer(params: Params) -> Customer:
    customer = find_resource(Customer, params.required_text("customer_id"), "customer_id")
    currency = customer["preferred_currency_code"]
    if params.text("currency_code", currency) != currency:
        raise wrong_value("currency_code", "should be the customer's currency")
    return customer


def _read_amount(params: Params, *, least: int) -> int:
    return int(require_value(params.integer("amount", least=least), "amount"))


def _change_balance(params: Params, customer: Customer, amount: int) -> Body:
    details = {
        "description": params.required_text("description"),
        "credit_type": params.choice("credit_type", _CREDIT_TYPES, "general"),
        "reference": params.text("reference"),
        "done_by": FULL_ACCESS_USER,
    }
    entry = customer_balances.change_promotional_credits(customer, amount, details)
    event_type = "promotional_credits_added" if amount >= 0 else "promotional_credits_deducted"
    event_log.record_event(event_type, customer=customer, promotional_credit=entry)
    return {"customer": customer.render_resource(), "promotional_credit": entry.render_resource()}
