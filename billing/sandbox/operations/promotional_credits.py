"""Promotional credits: given, taken back, set, and read."""

from __future__ import annotations

from billing.sandbox import events
from billing.sandbox.body import Body
from billing.sandbox.engine import balances
from billing.sandbox.models import Customer, PromotionalCredit
from billing.sandbox.operations.lookup import found
from billing.sandbox.wire import lists, router
from billing.sandbox.wire.auth import FULL_ACCESS_USER
from billing.sandbox.wire.errors import wrong_value
from billing.sandbox.wire.params import Params, required

_TAKES = "customer_id amount currency_code description credit_type reference"
_TYPES = ("general", "loyalty_credits", "referral_rewards")
_FILTERS = {"id": "string", "created_at": "timestamp", "type": "enum", "customer_id": "string"}


@router.post("promotional_credit.add", "/promotional_credits/add", _TAKES)
def add(params: Params) -> Body:
    """Give a customer promotional credits, in cents."""
    customer = _customer(params)
    return _moved(params, customer, _amount(params, least=1))


@router.post("promotional_credit.deduct", "/promotional_credits/deduct", _TAKES)
def deduct(params: Params) -> Body:
    """Take promotional credits back. Raises: ApiError 400 for more than there are."""
    customer = _customer(params)
    amount = _amount(params, least=1)
    if amount > customer["promotional_credits"]:
        raise wrong_value("amount", "is more than the customer's promotional credits")
    return _moved(params, customer, -amount)


@router.post("promotional_credit.set", "/promotional_credits/set", _TAKES)
def set_balance(params: Params) -> Body:
    """Let the promotional credits be this much from now on."""
    customer = _customer(params)
    return _moved(params, customer, _amount(params, least=0) - customer["promotional_credits"])


@router.get("promotional_credit.list", "/promotional_credits", takes=None)
def list_entries(params: Params) -> Body:
    """A page of entries, newest first."""
    return lists.page(
        PromotionalCredit.objects.all(),
        params,
        filters=_FILTERS,
        render=lambda entry: {"promotional_credit": entry.render()},
        columns={"customer_id": "customer_id"},
    )


@router.get("promotional_credit.retrieve", "/promotional_credits/{handle}")
def retrieve(params: Params, handle: str) -> Body:
    """One entry."""
    return {"promotional_credit": found(PromotionalCredit, handle).render()}


def _customer(params: Params) -> Customer:
    customer = found(Customer, params.needed("customer_id"), "customer_id")
    if (
        params.text("currency_code", customer["preferred_currency_code"])
        != customer["preferred_currency_code"]
    ):
        raise wrong_value("currency_code", "should be the customer's currency")
    return customer


def _amount(params: Params, *, least: int) -> int:
    return int(required(params.integer("amount", least=least), "amount"))


def _moved(params: Params, customer: Customer, amount: int) -> Body:
    details = {
        "description": params.needed("description"),
        "credit_type": params.choice("credit_type", _TYPES, "general"),
        "reference": params.text("reference"),
        "done_by": FULL_ACCESS_USER,
    }
    entry = balances.move_promotional(customer, amount, details)
    word = "added" if amount >= 0 else "deducted"
    events.record(f"promotional_credits_{word}", customer=customer, promotional_credit=entry)
    return {"customer": customer.render(), "promotional_credit": entry.render()}
