"""What a customer has in hand, used on the next invoices: refundable credits, oldest first."""

from __future__ import annotations

from billing.sandbox import clock
from billing.sandbox.body import Body
from billing.sandbox.models import CreditNote, Customer, Invoice


def available(customer: Customer) -> int:
    """What invoices still to come could be paid with, in cents."""
    return int(customer["refundable_credits"])


def apply(invoice: Invoice, customer: Customer) -> list[CreditNote]:
    """Pay an unsaved invoice with the customer's refundable credits, oldest first; returns the notes it used."""
    if not customer["refundable_credits"]:
        return []
    waiting = CreditNote.objects.filter(
        customer_id=customer.handle, body__type="refundable", body__amount_available__gt=0
    )
    used = [note for note in waiting.order_by("seq") if _allocate(note, invoice)]
    customer.change(refundable_credits=customer["refundable_credits"] - invoice["credits_applied"])
    customer.save()
    return used


def allocation(invoice: Invoice, amount: int) -> Body:
    """A part of a credit note as it went into an invoice."""
    return {
        "invoice_id": invoice.handle,
        "allocated_amount": amount,
        "allocated_at": clock.now(),
        "invoice_date": invoice["date"],
        "invoice_status": invoice["status"],
    }


def _allocate(note: CreditNote, invoice: Invoice) -> bool:
    amount = min(note["amount_available"], invoice["amount_due"])
    if not amount:
        return False
    available, left = note["amount_available"] - amount, invoice["amount_due"] - amount
    invoice.change(
        amount_due=left, amount_to_collect=left, credits_applied=invoice["credits_applied"] + amount
    )
    if not left:
        invoice.change(status="paid", paid_at=clock.now())
    note.change(
        status="refund_due" if available else "refunded",
        amount_available=available,
        amount_allocated=note["amount_allocated"] + amount,
        refunded_at=None if available else clock.now(),
        allocations=[*note["allocations"], allocation(invoice, amount)],
    )
    used = {"cn_id": note.handle, "applied_amount": amount, "applied_at": clock.now()}
    about = {"cn_reason_code": note["reason_code"], "cn_date": note["date"], "cn_status": note["status"]}
    invoice.change(applied_credits=[*invoice["applied_credits"], {**used, **about}])
    note.save()
    return True
