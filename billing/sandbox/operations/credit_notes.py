"""Credit notes."""

from __future__ import annotations

from billing.sandbox.body import Body
from billing.sandbox.models import CreditNote
from billing.sandbox.operations.lookup import found
from billing.sandbox.wire import lists, router
from billing.sandbox.wire.params import Params

_FILTERS = {
    "id": "string",
    "customer_id": "string",
    "subscription_id": "string",
    "reference_invoice_id": "string",
    "type": "enum",
    "reason_code": "enum",
    "status": "enum",
    "date": "timestamp",
    "total": "number",
    "amount_allocated": "number",
    "amount_refunded": "number",
    "amount_available": "number",
    "updated_at": "timestamp",
}


@router.get("credit_note.list", "/credit_notes", takes=None)
def list_credit_notes(params: Params) -> Body:
    """A page of credit notes."""
    return lists.page(
        lists.undeleted(CreditNote.objects.all(), params),
        params,
        filters=_FILTERS,
        sorts=("date",),
        render=lambda note: {"credit_note": note.render()},
        columns={"customer_id": "customer_id"},
        also=("include_deleted",),
    )


@router.get("credit_note.retrieve", "/credit_notes/{handle}")
def retrieve(params: Params, handle: str) -> Body:
    """One credit note."""
    return {"credit_note": found(CreditNote, handle).render()}
