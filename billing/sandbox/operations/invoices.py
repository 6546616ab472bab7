"""Invoices."""

from __future__ import annotations

from billing.sandbox.body import Body
from billing.sandbox.engine import collection
from billing.sandbox.engine.invoicing import UNPAID
from billing.sandbox.models import Invoice, PaymentSource, Transaction
from billing.sandbox.operations.lookup import found
from billing.sandbox.wire import lists, router
from billing.sandbox.wire.errors import ApiError, declined, invalid_state, not_found
from billing.sandbox.wire.params import Params

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
    """A page of invoices."""
    return lists.page(
        lists.undeleted(Invoice.objects.all(), params),
        params,
        filters=_FILTERS,
        sorts=("date", "updated_at"),
        render=lambda invoice: {"invoice": invoice.render()},
        columns={"customer_id": "customer_id", "subscription_id": "subscription_id"},
        also=("include_deleted",),
    )


@router.get("invoice.retrieve", "/invoices/{handle}")
def retrieve(params: Params, handle: str) -> Body:
    """One invoice."""
    return {"invoice": found(Invoice, handle).render()}


@router.post(
    "invoice.collect_payment",
    "/invoices/{handle}/collect_payment",
    "amount payment_source_id comment payment_initiator",
)
def collect_payment(params: Params, handle: str) -> Body:
    """Charge the primary (or the named) source at once.

    Raises: ApiError 400 payment_processing_failed on a decline, which stays on record; 409 when nothing is due.
    """
    invoice = found(Invoice, handle)
    if invoice["status"] not in UNPAID:
        raise invalid_state(f"The invoice is {invoice['status']}; payment cannot be collected")
    params.choice("payment_initiator", ("customer", "merchant"), "merchant")
    amount = params.integer("amount", least=1, most=invoice["amount_due"])
    source = _source(params, invoice)
    payment = collection.collect_now(invoice, source, invoice["amount_due"] if amount is None else amount)
    _check(payment)
    return {"invoice": invoice.render(), "transaction": payment.render()}


def _source(params: Params, invoice: Invoice) -> PaymentSource:
    if named := params.text("payment_source_id"):
        source = found(PaymentSource, named, "payment_source_id")
        if source.customer_id != invoice.customer_id:
            raise not_found("payment_source", named, "payment_source_id")
        return source
    sources = collection.sources(*collection.owners(invoice))
    if not sources:
        raise ApiError(400, "payment_method_not_present", "There is no payment method to collect with")
    return sources[0]


def _check(payment: Transaction) -> None:
    if payment["status"] == "success":
        return
    reason = f"({payment['error_code']}) {payment['error_text']}"
    raise declined(f"Payment collection failed. Reason: {reason}.", error_code="charge_failed", keeps=True)
