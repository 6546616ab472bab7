"""Transactions."""

from __future__ import annotations

from billing.sandbox.body import Body
from billing.sandbox.models import Transaction
from billing.sandbox.operations.lookup import found
from billing.sandbox.wire import lists, router
from billing.sandbox.wire.params import Params

_FILTERS = {
    "id": "string",
    "customer_id": "string",
    "subscription_id": "string",
    "payment_source_id": "string",
    "payment_method": "enum",
    "gateway": "enum",
    "gateway_account_id": "string",
    "id_at_gateway": "string",
    "type": "enum",
    "date": "timestamp",
    "amount": "number",
    "status": "enum",
    "updated_at": "timestamp",
}


@router.get("transaction.list", "/transactions", takes=None)
def list_transactions(params: Params) -> Body:
    """A page of transactions."""
    return lists.page(
        lists.undeleted(Transaction.objects.all(), params),
        params,
        filters=_FILTERS,
        sorts=("date", "updated_at"),
        render=lambda payment: {"transaction": payment.render()},
        columns={"customer_id": "customer_id"},
        also=("include_deleted",),
    )


@router.get("transaction.retrieve", "/transactions/{handle}")
def retrieve(params: Params, handle: str) -> Body:
    """One transaction."""
    return {"transaction": found(Transaction, handle).render()}
