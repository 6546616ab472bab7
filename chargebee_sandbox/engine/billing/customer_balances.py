"""A customer's balances, used on the next invoices.

Promotional credits come first, as a discount after the coupons. Then refundable credits pay, oldest first. Neither pays
an invoice in another currency; promotional credits are in the customer's.
"""

from __future__ import annotations

from chargebee_sandbox import clock, identifiers
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing.pricing import PROMOTIONAL_DISCOUNT
from chargebee_sandbox.models import CreditNote, Customer, Invoice, PromotionalCredit


def available_balance(customer: Customer) -> int:
    """Return what future invoices can be paid with, in cents."""
    return int(customer["refundable_credits"] + customer["promotional_credits"])


def promotional_credits_for(customer: Customer, currency: str) -> int:
    """Return the promotional credits that an invoice in a currency can use, in cents."""
    return int(customer["promotional_credits"]) if customer.get("preferred_currency_code", currency) == currency else 0


def change_promotional_credits(customer: Customer, amount: int, details: Body) -> PromotionalCredit:
    """Add to a customer's promotional credits, or deduct with a negative amount (cents); save both rows.

    ``details`` are further public attributes of the entry. The caller has checked that the balance suffices.
    """
    balance = customer["promotional_credits"] + amount
    customer.set_attributes(promotional_credits=balance)
    customer.save()
    body: Body = {
        "customer_id": customer.handle,
        "type": "increment" if amount >= 0 else "decrement",
        "amount": abs(amount),
        "currency_code": customer["preferred_currency_code"],
        "credit_type": "general",
        "closing_balance": balance,
        "created_at": clock.now_seconds(),
        **details,
    }
    entry = PromotionalCredit.build_row(identifiers.new_id("pc_"), body, customer_id=customer.handle)
    entry.save()
    return entry


def spend_promotional_credits(invoice: Invoice, customer: Customer) -> PromotionalCredit | None:
    """Deduct from the balance what an invoice used of it; None if it used nothing."""
    discounts = invoice.get("discounts", [])
    amount = sum(discount["amount"] for discount in discounts if discount["entity_type"] == PROMOTIONAL_DISCOUNT)
    if not amount:
        return None
    return change_promotional_credits(customer, -amount, {"description": f"Applied to the invoice # {invoice.handle}"})


def apply_refundable_credits(invoice: Invoice, customer: Customer) -> list[CreditNote]:
    """Pay an unsaved invoice with the customer's refundable credits, oldest first; return the notes it used."""
    if not customer["refundable_credits"]:
        return []
    available_notes = CreditNote.objects.filter(
        customer_id=customer.handle,
        body__type="refundable",
        body__amount_available__gt=0,
        body__currency_code=invoice["currency_code"],
    )
    before = invoice["credits_applied"]
    used_notes = [note for note in available_notes.order_by("seq") if _allocate_credit_note(note, invoice)]
    spent = invoice["credits_applied"] - before
    customer.set_attributes(refundable_credits=customer["refundable_credits"] - spent)
    customer.save()
    return used_notes


def release_refundable_credits(invoice: Invoice, customer: Customer) -> list[CreditNote]:
    """Take back the refundable credits that paid an unsaved invoice; return the notes, saved."""
    amounts = {credit["cn_id"]: credit["applied_amount"] for credit in invoice["applied_credits"]}
    notes = list(CreditNote.objects.filter(handle__in=amounts).order_by("seq"))
    for note in notes:
        amount = amounts[note.handle]
        note.set_attributes(
            status="refund_due",
            amount_available=note["amount_available"] + amount,
            amount_allocated=note["amount_allocated"] - amount,
            refunded_at=None,
            allocations=[entry for entry in note["allocations"] if entry["invoice_id"] != invoice.handle],
        )
        note.save()
    customer.set_attributes(refundable_credits=customer["refundable_credits"] + sum(amounts.values()))
    customer.save()
    invoice.set_attributes(credits_applied=0, applied_credits=[])
    return notes


def credit_allocation(invoice: Invoice, amount: int) -> Body:
    """Return the allocation of a part of a credit note to an invoice."""
    return {
        "invoice_id": invoice.handle,
        "allocated_amount": amount,
        "allocated_at": clock.now_seconds(),
        "invoice_date": invoice["date"],
        "invoice_status": invoice["status"],
    }


def _allocate_credit_note(note: CreditNote, invoice: Invoice) -> bool:
    amount = min(note["amount_available"], invoice["amount_due"])
    if not amount:
        return False
    available, left = note["amount_available"] - amount, invoice["amount_due"] - amount
    invoice.set_attributes(amount_due=left, amount_to_collect=left, credits_applied=invoice["credits_applied"] + amount)
    if not left:
        invoice.set_attributes(status="paid", paid_at=clock.now_seconds())
    note.set_attributes(
        status="refund_due" if available else "refunded",
        amount_available=available,
        amount_allocated=note["amount_allocated"] + amount,
        refunded_at=None if available else clock.now_seconds(),
        allocations=[*note["allocations"], credit_allocation(invoice, amount)],
    )
    credit = {"cn_id": note.handle, "applied_amount": amount, "applied_at": clock.now_seconds()}
    details = {"cn_reason_code": note["reason_code"], "cn_date": note["date"], "cn_status": note["status"]}
    invoice.set_attributes(applied_credits=[*invoice["applied_credits"], {**credit, **details}])
    note.save()
    return True
