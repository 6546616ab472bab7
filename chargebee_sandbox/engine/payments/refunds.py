"""Refunds of a customer's refundable credits to the source that paid the invoice."""

from __future__ import annotations

from chargebee_sandbox import clock, event_log, identifiers
from chargebee_sandbox.models import CreditNote, Customer, Invoice, Transaction


def refund_credits(customer: Customer) -> None:
    """Refund what is left of the customer's refundable credits, and record the events.

    A note stays as it is if no payment of its invoice is known: only online payments are refunded.
    """
    notes = CreditNote.objects.filter(
        customer_id=customer.handle, body__type="refundable", body__amount_available__gt=0
    )
    for note in notes.order_by("seq"):
        payment = _find_payment(note)
        if payment is not None:
            _refund_note(note, payment, customer)


def _find_payment(note: CreditNote) -> Transaction | None:
    invoice = Invoice.objects.get(handle=note["reference_invoice_id"])
    handles = [link["txn_id"] for link in invoice["linked_payments"] if link["txn_status"] == "success"]
    return Transaction.objects.filter(handle__in=handles).order_by("seq").first()


def _refund_note(note: CreditNote, payment: Transaction, customer: Customer) -> None:
    now, amount = clock.now_seconds(), note["amount_available"]
    copied = ("customer_id", "subscription_id", "gateway_account_id", "payment_source_id", "payment_method", "gateway")
    refund = Transaction.build_row(
        identifiers.new_id("txn_"),
        {
            **{name: payment[name] for name in copied},
            "type": "refund",
            "date": now,
            "settled_at": now,
            "exchange_rate": 1.0,
            "amount": amount,
            "id_at_gateway": identifiers.new_id("cb_"),
            "status": "success",
            "refunded_txn_id": payment.handle,
            "reference_transaction_id": payment.handle,
            "masked_card_number": payment.get("masked_card_number"),
            "currency_code": payment["currency_code"],
            "base_currency_code": payment["base_currency_code"],
            "linked_credit_notes": [],
            "deleted": False,
        },
        customer_id=customer.handle,
    )
    refund.save()
    link = {"txn_id": refund.handle, "applied_amount": amount, "applied_at": now}
    note.set_attributes(
        status="refunded",
        refunded_at=now,
        amount_available=0,
        amount_refunded=note["amount_refunded"] + amount,
        linked_refunds=[
            *note["linked_refunds"],
            {**link, "txn_status": "success", "txn_date": now, "txn_amount": amount},
        ],
    )
    note.save()
    customer.set_attributes(refundable_credits=customer["refundable_credits"] - amount)
    customer.save()
    event_log.record_event("transaction_created", transaction=refund)
    event_log.record_event("payment_refunded", transaction=refund, credit_note=note, customer=customer)
    event_log.record_event("credit_note_updated", credit_note=note)
