"""Operations on invoices."""

from __future__ import annotations

from chargebee_sandbox import clock, event_log
from chargebee_sandbox.api import lists, router
from chargebee_sandbox.api.errors import ApiError, invalid_state, not_found
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing import customer_balances
from chargebee_sandbox.engine.billing.invoicing import UNPAID_STATUSES
from chargebee_sandbox.engine.payments import collection
from chargebee_sandbox.models import Invoice, PaymentSource
from chargebee_sandbox.operations.collection_errors import raise_if_declined
from chargebee_sandbox.operations.lookup import find_resource

_FILTERS = {
    "id": "string",
    "subscription_id": "string",
    "customer_id": "string",
    "recurring": "boolean",
    "status": "enum",
    "price_type": "enum",
    "date": "timestamp",
    "paid_at": "timestamp",
    "total": "number",
    "amount_paid": "number",
    "amount_adjusted": "number",
    "credits_applied": "number",
    "amount_due": "number",
    "dunning_status": "enum",
    "updated_at": "timestamp",
    "voided_at": "timestamp",
}


@router.get("invoice.list", "/invoices", takes=None)
def list_invoices(params: Params) -> Body:
    """Return a page of invoices."""
    return lists.list_page(
        lists.exclude_deleted(Invoice.objects.all(), params),
        params,
        filters=_FILTERS,
        sorts=("date", "updated_at"),
        render=lambda invoice: {"invoice": invoice.render_resource()},
        # An invoice is of the day on which it is made.
        columns={"customer_id": "customer_id", "subscription_id": "subscription_id", "date": "created_at"},
        also=("include_deleted",),
    )


@router.get("invoice.retrieve", "/invoices/{handle}")
def retrieve_invoice(params: Params, handle: str) -> Body:
    """Return an invoice."""
    return {"invoice": find_resource(Invoice, handle).render_resource()}


@router.post(
    "invoice.collect_payment",
    "/invoices/{handle}/collect_payment",
    "amount payment_source_id comment payment_initiator",
)
def collect_payment(params: Params, handle: str) -> Body:
    """Charge an invoice to a source, by default the first chargeable one.

    Raises: ApiError 400 payment_processing_failed on a decline, which stays on record; 409 if nothing is due.
    """
    invoice = find_resource(Invoice, handle)
    if invoice["status"] not in UNPAID_STATUSES:
        raise invalid_state(f"The invoice is {invoice['status']}; payment cannot be collected")
    params.choice("payment_initiator", ("customer", "merchant"), "merchant")
    amount = params.integer("amount", least=1, most=invoice["amount_due"])
    source = _source_to_charge(params, invoice)
    payment = collection.collect_now([(invoice, invoice["amount_due"] if amount is None else amount)], source)
    raise_if_declined(payment)
    return {"invoice": invoice.render_resource(), "transaction": payment.render_resource()}


@router.post("invoice.void_invoice", "/invoices/{handle}/void", "comment void_reason_code")
def void_invoice(params: Params, handle: str) -> Body:
    """Void an invoice that nothing was paid of: nothing is due any more, and credits that paid it are free again.

    Raises: ApiError 409 for one that is void or has payments.
    """
    invoice = find_resource(Invoice, handle)
    if invoice["status"] == "voided" or invoice["amount_paid"]:
        raise invalid_state(f"The invoice is {invoice['status']}; an invoice with payments cannot be voided")
    subscriptions, customer = collection.invoice_owners(invoice)
    notes = customer_balances.release_refundable_credits(invoice, customer)
    invoice.due_at = None
    dunning = {"dunning_status": "stopped", "next_retry_at": None} if "dunning_status" in invoice.body else {}
    invoice.set_attributes(
        status="voided",
        voided_at=clock.now_seconds(),
        void_reason_code=params.text("void_reason_code"),
        amount_due=0,
        amount_to_collect=0,
        **dunning,
    )
    collection.finish_collection(invoice, subscriptions, customer, None)
    for note in notes:
        event_log.record_event("credit_note_updated", credit_note=note)
    return {"invoice": invoice.render_resource()}


def _source_to_charge(params: Params, invoice: Invoice) -> PaymentSource:
    if source_id := params.text("payment_source_id"):
        source = find_resource(PaymentSource, source_id, "payment_source_id")
        if source.customer_id != invoice.customer_id:
            raise not_found("payment_source", source_id, "payment_source_id")
        return source
    subscriptions, customer = collection.invoice_owners(invoice)
    sources = collection.chargeable_sources(subscriptions[0], customer)
    if not sources:
        raise ApiError(400, "payment_method_not_present", "There is no payment method to collect with")
    return sources[0]
