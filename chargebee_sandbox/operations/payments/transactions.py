"""Operations on transactions."""

from __future__ import annotations

from chargebee_sandbox.api import lists, router
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.models import Transaction
from chargebee_sandbox.operations.lookup import find_resource

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
    """Return a page of transactions."""
    return lists.list_page(
        lists.exclude_deleted(Transaction.objects.all(), params),
        params,
        filters=_FILTERS,
        sorts=("date", "updated_at"),
        render=lambda payment: {"transaction": payment.render_resource()},
        columns={"customer_id": "customer_id", "date": "dated_at"},
        also=("include_deleted",),
    )


@router.get("transaction.retrieve", "/transactions/{handle}")
def retrieve_transaction(params: Params, handle: str) -> Body:
    """Return a transaction."""
    return {"transaction": find_resource(Transaction, handle).render_resource()}
