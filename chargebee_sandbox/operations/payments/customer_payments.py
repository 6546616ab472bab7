"""The operation that collects a customer's invoices in one payment."""

from __future__ import annotations

from contextlib import nullcontext

from chargebee_sandbox.api import router
from chargebee_sandbox.api.errors import invalid_state, not_found, wrong_value
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing.invoicing import UNPAID_STATUSES
from chargebee_sandbox.engine.payments import collection, payment_intents
from chargebee_sandbox.models import Customer, Invoice, PaymentIntent, PaymentSource
from chargebee_sandbox.operations.collection_errors import as_api_errors, raise_if_declined
from chargebee_sandbox.operations.lookup import find_resource
from chargebee_sandbox.operations.payments.authorized_intents import (
    build_source,
    find_authorized_intent,
    save_source,
    stored_source,
)


@router.post(
    "customer.collect_payment",
    "/customers/{handle}/collect_payment",
    "amount payment_source_id payment_intent invoice_allocations replace_primary_payment_source "
    "retain_payment_source payment_initiator",
)
def collect_payment(params: Params, handle: str) -> Body:
    """Charge a customer once for the allocated invoices, with an authorized intent or a source.

    The card of an intent is saved only if ``retain_payment_source`` is set. Other than at the provider, the whole
    amount has to be allocated.

    Raises: ApiError 400 payment_processing_failed on a decline, which stays on record; 400 payment_intent_invalid; 409
    for an invoice of which nothing is due.
    """
    customer = find_resource(Customer, handle)
    params.choice("payment_initiator", ("customer", "merchant"), "merchant")
    shares = [_read_share(row, customer) for row in params.rows("invoice_allocations")]
    total = sum(share for _invoice, share in shares)
    if not shares or params.integer("amount") not in (None, total):
        raise wrong_value("invoice_allocations", "should allocate the whole amount")
    intent = find_authorized_intent(params, customer) if "payment_intent" in params else None
    source = _requested_source(params, customer) if intent is None else _source_of_intent(intent, params, customer)
    authorized = (
        collection.charge_authorized(source, intent["amount"], intent["currency_code"]) if intent else nullcontext()
    )
    with as_api_errors("Payment cannot be collected", customer), authorized:
        payment = collection.collect_now(shares, source)
    if intent is not None:
        payment_intents.consume_intent(intent)
    raise_if_declined(payment)
    customer.refresh_from_db()
    return {"customer": customer.render_resource(), "transaction": payment.render_resource()}


def _read_share(row: Params, customer: Customer) -> tuple[Invoice, int]:
    row.allow_only(("invoice_id", "allocation_amount"))
    handle = row.required_text("invoice_id")
    invoice = find_resource(Invoice, handle, "invoice_allocations[invoice_id]")
    if invoice.customer_id != customer.handle:
        raise not_found("invoice", handle, "invoice_allocations[invoice_id]")
    if invoice["status"] not in UNPAID_STATUSES:
        raise invalid_state(f"The invoice is {invoice['status']}; payment cannot be collected")
    amount = row.integer("allocation_amount", least=1, most=invoice["amount_due"])
    return invoice, invoice["amount_due"] if amount is None else amount


def _requested_source(params: Params, customer: Customer) -> PaymentSource:
    handle = params.required_text("payment_source_id")
    source = find_resource(PaymentSource, handle, "payment_source_id")
    if source.customer_id != customer.handle:
        raise not_found("payment_source", handle, "payment_source_id")
    return source


def _source_of_intent(intent: PaymentIntent, params: Params, customer: Customer) -> PaymentSource:
    if (stored := stored_source(intent, customer)) is not None:
        return stored
    source = build_source(customer, intent.instrument or {}, intent.refusal)
    if not params.boolean("retain_payment_source"):
        return source
    return save_source(source, customer, as_primary=params.boolean("replace_primary_payment_source"))
