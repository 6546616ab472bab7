"""Operations on credit notes."""

from __future__ import annotations

from chargebee_sandbox.api import lists, router
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.models import CreditNote
from chargebee_sandbox.operations.lookup import find_resource

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
    """Return a page of credit notes."""
    return lists.list_page(
        lists.exclude_deleted(CreditNote.objects.all(), params),
        params,
        filters=_FILTERS,
        sorts=("date",),
        render=lambda note: {"credit_note": note.render_resource()},
        # A credit note is of the day on which it is made.
        columns={"customer_id": "customer_id", "date": "created_at"},
        also=("include_deleted",),
    )


@router.get("credit_note.retrieve", "/credit_notes/{handle}")
def retrieve_credit_note(params: Params, handle: str) -> Body:
    """Return a credit note."""
    return {"credit_note": find_resource(CreditNote, handle).render_resource()}
