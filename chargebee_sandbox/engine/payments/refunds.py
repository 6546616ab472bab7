"""Refunds of what was paid: to the source that was charged, or recorded as paid back by other means.

A refund is made from a refundable credit note, and goes to one payment at a time, as documented.
"""

from __future__ import annotations

from chargebee_sandbox import clock, event_log, identifiers
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing import credit_notes
from chargebee_sandbox.engine.payments import gateway
from chargebee_sandbox.models import CreditNote, Customer, Invoice, Subscription, Transaction

_COPIED = ("customer_id", "subscription_id", "currency_code", "base_currency_code")
_COPIED_ONLINE = ("gateway_account_id", "payment_source_id", "payment_method", "gateway", "masked_card_number")


class MoreThanOnePayment(Exception):
    """No single payment of the invoice has this much left to be refunded."""


class RefundDeclined(Exception):
    """The gateway declines the refund; the message is its reason."""


def refund_credits(customer: Customer) -> None:
    """Refund what is left of the customer's refundable credits, and record the events.

    What no payment is known of stays as it is: only online payments are refunded.
    """
    notes = CreditNote.objects.filter(
        customer_id=customer.handle, body__type="refundable", body__amount_available__gt=0
    )
    for note in notes.order_by("seq"):
        invoice = Invoice.objects.get(handle=note["reference_invoice_id"])
        for payment, left in _payments_left(invoice):
            if amount := min(left, note["amount_available"]):
                refund = refund_note(note, invoice, customer, amount, payment=payment)
                record_refund_events(refund, note, invoice, customer, is_new_note=False)


def choose_payment(invoice: Invoice, amount: int) -> Transaction:
    """Return a payment of an invoice that an amount (cents) can be refunded to. Raises: MoreThanOnePayment."""
    for payment, left in _payments_left(invoice):
        if left >= amount:
            return payment
    raise MoreThanOnePayment


def refund_note(
    note: CreditNote,
    invoice: Invoice,
    customer: Customer,
    amount: int,
    *,
    payment: Transaction,
    offline: Body | None = None,
) -> Transaction:
    """Refund an amount (cents) of a note to a payment, and save everything; return the refund's transaction.

    ``offline`` are the attributes of a refund that was made by other means and is only recorded.
    Raises: RefundDeclined.
    """
    if offline is None and (code := gateway.answer_charge(gateway.APPROVED)):
        raise RefundDeclined(gateway.decline_reason(code))
    refund = _build_refund(payment, amount, offline)
    _use_note(note, refund)
    refund.set_attributes(linked_credit_notes=[_linked_note(note, amount)])
    refund.save()
    payment.set_attributes(linked_refunds=[*payment["linked_refunds"], _linked_refund(refund)])
    payment.save()
    customer.set_attributes(refundable_credits=customer["refundable_credits"] - amount)
    customer.save()
    credit_notes.update_note_reference(note, invoice)
    return refund


def record_refund_events(
    refund: Transaction, note: CreditNote, invoice: Invoice, customer: Customer, *, is_new_note: bool
) -> None:
    """Record the events of a refund: its transaction, its note, and the invoice that both belong to."""
    subscription = Subscription.objects.filter(handle=invoice.subscription_id).first()
    content = {"invoice": invoice, "credit_note": note, "customer": customer, "subscription": subscription}
    event_log.record_event("transaction_created", transaction=refund)
    event_log.record_event("credit_note_created" if is_new_note else "credit_note_updated", credit_note=note)
    event_log.record_event("payment_refunded", transaction=refund, **content)
    event_log.record_event("invoice_updated", invoice=invoice)


def _payments_left(invoice: Invoice) -> list[tuple[Transaction, int]]:
    """Return the payments behind an invoice with what each can still return of it: its own, then those of credits."""
    applied = _applied_payments(invoice)
    for credit in invoice["applied_credits"]:
        note = CreditNote.objects.get(handle=credit["cn_id"])
        left = credit["applied_amount"]
        for handle, amount in _applied_payments(Invoice.objects.get(handle=note["reference_invoice_id"])).items():
            applied[handle] = applied.get(handle, 0) + min(left, amount)
            left -= min(left, amount)
    payments = Transaction.objects.filter(handle__in=applied).order_by("seq")
    return [(payment, _amount_left(payment, invoice, applied[payment.handle])) for payment in payments]


def _applied_payments(invoice: Invoice) -> dict[str, int]:
    """Return what each successful payment has paid of an invoice, in cents."""
    applied: dict[str, int] = {}
    for link in invoice["linked_payments"]:
        if link["txn_status"] == "success":
            applied[link["txn_id"]] = applied.get(link["txn_id"], 0) + link["applied_amount"]
    return applied


def _amount_left(payment: Transaction, invoice: Invoice, applied: int) -> int:
    refunds = Transaction.objects.filter(customer_id=payment.customer_id, body__refunded_txn_id=payment.handle)
    notes = [(note, refund["amount"]) for refund in refunds for note in refund["linked_credit_notes"]]
    of_invoice = sum(amount for note, amount in notes if note["cn_reference_invoice_id"] == invoice.handle)
    return int(min(applied - of_invoice, payment["amount"] - sum(amount for _, amount in notes)))


def _build_refund(payment: Transaction, amount: int, offline: Body | None) -> Transaction:
    now = clock.now_seconds()
    online = {name: payment.get(name) for name in _COPIED_ONLINE}
    details = {**online, "id_at_gateway": identifiers.new_id("cb_"), "date": now} if offline is None else offline
    body = {
        **{name: payment[name] for name in _COPIED if name in payment.body},
        **details,
        "type": "refund",
        "settled_at": now,
        "exchange_rate": 1.0,
        "amount": amount,
        "status": "success",
        "refunded_txn_id": payment.handle,
        "reference_transaction_id": payment.handle,
        "linked_credit_notes": [],
        "deleted": False,
    }
    handle = identifiers.new_id("txn_")
    return Transaction.build_row(handle, body, customer_id=payment.customer_id, dated_at=body["date"])


def _use_note(note: CreditNote, refund: Transaction) -> None:
    now, amount = clock.now_seconds(), refund["amount"]
    available = note["amount_available"] - amount
    link = {"txn_id": refund.handle, "applied_amount": amount, "applied_at": now}
    details = {"txn_status": "success", "txn_date": refund["date"], "txn_amount": amount}
    note.set_attributes(
        status="refund_due" if available else "refunded",
        refunded_at=None if available else now,
        amount_available=available,
        amount_refunded=note["amount_refunded"] + amount,
        linked_refunds=[*note["linked_refunds"], {**link, **details}],
    )
    note.save()


def _linked_note(note: CreditNote, amount: int) -> Body:
    return {
        "cn_id": note.handle,
        "applied_amount": amount,
        "applied_at": clock.now_seconds(),
        "cn_reason_code": note["reason_code"],
        "cn_date": note["date"],
        "cn_total": note["total"],
        "cn_status": note["status"],
        "cn_reference_invoice_id": note["reference_invoice_id"],
    }


def _linked_refund(refund: Transaction) -> Body:
    return {
        "txn_id": refund.handle,
        "txn_status": refund["status"],
        "txn_date": refund["date"],
        "txn_amount": refund["amount"],
    }
