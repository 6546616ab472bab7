"""What a customer has in hand, used on the next invoices.

Promotional credits come first: they are a discount, after the coupons. Then refundable credits pay, oldest first.
"""

from __future__ import annotations

from billing.sandbox import clock, identifiers
from billing.sandbox.body import Body
from billing.sandbox.engine.pricing import PROMOTIONAL
from billing.sandbox.models import CreditNote, Customer, Invoice, PromotionalCredit


def available(customer: Customer) -> int:
    """What invoices still to come could be paid with, in cents."""
    return int(customer["refundable_credits"] + customer["promotional_credits"])


def move_promotional(customer: Customer, amount: int, details: Body) -> PromotionalCredit:
    """Add to the promotional credits, or take from them with an amount below zero; both are saved.

    ``details`` are the entry's public attributes beside what follows from the amount. The balance never goes below
    zero: the caller has checked.
    """
    balance = customer["promotional_credits"] + amount
    customer.change(promotional_credits=balance)
    customer.save()
    body: Body = {
        "customer_id": customer.handle,
        "type": "increment" if amount >= 0 else "decrement",
        "amount": abs(amount),
        "currency_code": customer["preferred_currency_code"],
        "credit_type": "general",
        "closing_balance": balance,
        "created_at": clock.now(),
        **details,
    }
    entry = PromotionalCredit.make(identifiers.new("pc_"), body, customer_id=customer.handle)
    entry.save()
    return entry


def spend_promotional(invoice: Invoice, customer: Customer) -> PromotionalCredit | None:
    """Take from the balance what an invoice was made with; None where it was nothing."""
    discounts = invoice.get("discounts", [])
    amount = sum(one["amount"] for one in discounts if one["entity_type"] == PROMOTIONAL)
    if not amount:
        return None
    return move_promotional(customer, -amount, {"description": f"Applied to the invoice # {invoice.handle}"})


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
