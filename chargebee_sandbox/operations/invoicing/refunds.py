"""Operations that refund an invoice or a credit note, credit an invoice, and void a credit note."""

from __future__ import annotations

from chargebee_sandbox import clock, event_log
from chargebee_sandbox.api import router
from chargebee_sandbox.api.errors import invalid_state, payment_declined, wrong_value
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing import credit_notes, invoicing
from chargebee_sandbox.engine.payments import collection, refunds
from chargebee_sandbox.engine.subscriptions import terms
from chargebee_sandbox.models import CreditNote, Customer, Invoice, Transaction
from chargebee_sandbox.operations.lookup import find_resource

REASON_CODES = (
    *("product_unsatisfactory", "service_unsatisfactory", "order_change", "order_cancellation"),
    *("waiver", "other", "fraudulent", "chargeback"),
)
_OFFLINE_METHODS = ("cash", "check", "bank_transfer", "chargeback", "other")
_LONGEST_NOTES = 2000


@router.post("invoice.refund", "/invoices/{handle}/refund", "refund_amount credit_note comment customer_notes")
def refund_invoice(params: Params, handle: str) -> Body:
    """Refund an amount of an invoice, by default all that is left, to the source that paid it.

    Raises: ApiError 409 if nothing is refundable, 400 for more than is left or than one payment can return, and 400
    payment_processing_failed if the gateway declines.
    """
    invoice = find_resource(Invoice, handle)
    amount = _refundable_part(params, "refund_amount", credit_notes.refundable_amount(invoice))
    return _refund_new_note(params, invoice, amount, None)


@router.post(
    "invoice.record_refund", "/invoices/{handle}/record_refund", "transaction credit_note comment customer_notes"
)
def record_refund(params: Params, handle: str) -> Body:
    """Record a refund of an invoice that was made by other means. Raises: ApiError as ``refund_invoice``."""
    invoice = find_resource(Invoice, handle)
    recorded = params.object("transaction")
    amount = _refundable_part(recorded, "amount", credit_notes.refundable_amount(invoice))
    return _refund_new_note(params, invoice, amount, _offline_details(recorded, invoice["date"]))


@router.post(
    "credit_note.create",
    "/credit_notes",
    "reference_invoice_id total type reason_code create_reason_code customer_notes comment",
)
def create_credit_note(params: Params) -> Body:
    """Credit an amount of an invoice: of what is due (adjustment), or of what was paid (refundable).

    Raises: ApiError 409 if nothing is due or refundable, 400 for more than that.
    """
    invoice = find_resource(Invoice, params.required_text("reference_invoice_id"), "reference_invoice_id")
    adjusts = params.choice("type", ("adjustment", "refundable"), "") == "adjustment"
    most = invoice["amount_due"] if adjusts else credit_notes.refundable_amount(invoice)
    amount = _refundable_part(params, "total", most)
    note = credit_notes.credit_invoice(invoice, _owner(invoice), amount, _note_details(params, params), adjusts=adjusts)
    if adjusts:
        _update_dues(invoice)
    event_log.record_event("credit_note_created", credit_note=note)
    event_log.record_event("invoice_updated", invoice=invoice)
    return {"credit_note": note.render_resource(), "invoice": invoice.render_resource()}


@router.post("credit_note.refund", "/credit_notes/{handle}/refund", "refund_amount customer_notes refund_reason_code")
def refund_credit_note(params: Params, handle: str) -> Body:
    """Refund an amount of what is left of a refundable credit note. Raises: ApiError as ``refund_invoice``."""
    note = _refundable_note(handle)
    return _refund_old_note(note, _refundable_part(params, "refund_amount", note["amount_available"]), None)


@router.post(
    "credit_note.record_refund", "/credit_notes/{handle}/record_refund", "transaction refund_reason_code comment"
)
def record_credit_note_refund(params: Params, handle: str) -> Body:
    """Record a refund of a credit note that was made by other means. Raises: ApiError as ``refund_invoice``."""
    note = _refundable_note(handle)
    recorded = params.object("transaction")
    amount = _refundable_part(recorded, "amount", note["amount_available"])
    return _refund_old_note(note, amount, _offline_details(recorded, note["date"]))


@router.post("credit_note.void_credit_note", "/credit_notes/{handle}/void", "comment")
def void_credit_note(params: Params, handle: str) -> Body:
    """Void a credit note that nothing was used of. Raises: ApiError 409 otherwise."""
    note = find_resource(CreditNote, handle)
    is_used = note["linked_refunds"] or (note["type"] == "refundable" and note["allocations"])
    if note["status"] in ("refunded", "voided") or is_used:
        raise invalid_state(f"The credit note is {note['status']}; one that was used cannot be voided")
    invoice = Invoice.objects.get(handle=note["reference_invoice_id"])
    credit_notes.void_note(note, invoice, _owner(invoice))
    if note["type"] == "adjustment":
        _update_dues(invoice)
    event_log.record_event("credit_note_updated", credit_note=note)
    event_log.record_event("invoice_updated", invoice=invoice)
    return {"credit_note": note.render_resource()}


def _refundable_part(params: Params, name: str, most: int) -> int:
    """Return the requested amount in cents, by default all of ``most``."""
    if most <= 0:
        raise invalid_state("There is nothing left that can be credited or refunded")
    amount = params.integer(name, least=1)
    if amount is not None and amount > most:
        raise wrong_value(name, f"is more than the {most} cents that are left")
    return most if amount is None else amount


def _refund_new_note(params: Params, invoice: Invoice, amount: int, offline: Body | None) -> Body:
    payment, customer = _choose_payment(invoice, amount), _owner(invoice)
    details = _note_details(params, params.object("credit_note"))
    note = credit_notes.credit_invoice(invoice, customer, amount, details, adjusts=False)
    refund = _refund_or_decline(note, invoice, customer, amount, payment, offline)
    refunds.record_refund_events(refund, note, invoice, customer, is_new_note=True)
    return {
        "invoice": invoice.render_resource(),
        "transaction": refund.render_resource(),
        "credit_note": note.render_resource(),
    }


def _refund_old_note(note: CreditNote, amount: int, offline: Body | None) -> Body:
    invoice = Invoice.objects.get(handle=note["reference_invoice_id"])
    customer = _owner(invoice)
    refund = _refund_or_decline(note, invoice, customer, amount, _choose_payment(invoice, amount), offline)
    refunds.record_refund_events(refund, note, invoice, customer, is_new_note=False)
    return {"credit_note": note.render_resource(), "transaction": refund.render_resource()}


def _choose_payment(invoice: Invoice, amount: int) -> Transaction:
    try:
        return refunds.choose_payment(invoice, amount)
    except refunds.MoreThanOnePayment:
        raise wrong_value("refund_amount", "is more than can be refunded to one payment") from None


def _refund_or_decline(
    note: CreditNote, invoice: Invoice, customer: Customer, amount: int, payment: Transaction, offline: Body | None
) -> Transaction:
    try:
        return refunds.refund_note(note, invoice, customer, amount, payment=payment, offline=offline)
    except refunds.RefundDeclined as refusal:
        raise payment_declined(f"Refund failed. Reason: {refusal}.", error_code="refund_failed") from None


def _refundable_note(handle: str) -> CreditNote:
    note = find_resource(CreditNote, handle)
    if note["type"] != "refundable" or note["status"] != "refund_due":
        raise invalid_state(f"The credit note is {note['status']}; it cannot be refunded")
    return note


def _note_details(params: Params, reason: Params) -> Body:
    return {
        "reason_code": reason.choice("reason_code", REASON_CODES, "other"),
        "create_reason_code": reason.text("create_reason_code"),
        "customer_notes": params.text("customer_notes", longest=_LONGEST_NOTES),
    }


def _offline_details(recorded: Params, since: int) -> Body:
    made_at = recorded.instant("date")
    if made_at is None or not since <= made_at <= clock.now_seconds():
        raise wrong_value("transaction[date]", "should be between the invoice's date and now")
    return {
        "gateway": "not_applicable",
        "payment_method": recorded.choice("payment_method", _OFFLINE_METHODS, ""),
        "reference_number": recorded.text("reference_number"),
        "date": made_at,
    }


def _owner(invoice: Invoice) -> Customer:
    return Customer.objects.get(handle=invoice.customer_id)


def _update_dues(invoice: Invoice) -> None:
    subscriptions, _customer = collection.invoice_owners(invoice)
    for subscription in subscriptions:
        invoicing.update_dues(subscription)
        terms.save_derived(subscription)
