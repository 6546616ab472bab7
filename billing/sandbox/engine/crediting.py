"""Credit notes: giving back what a cut term did not use, and using what was given on the next invoices."""

from __future__ import annotations

from datetime import UTC, datetime

from billing.sandbox import clock, identifiers
from billing.sandbox.body import Body
from billing.sandbox.engine.pricing import prorated
from billing.sandbox.models import CreditNote, Customer, Invoice, Site, Subscription


def credit_term(subscription: Subscription, customer: Customer, *, whole: bool) -> CreditNote | None:
    """Credit the running term's invoice for the rest of the term, or for all of it; None where that is nothing.

    A credit for a paid invoice is refundable and waits for the customer's next one; for an unpaid invoice it is an
    adjustment that lowers what is due. Everything but the subscription is saved.
    """
    invoice = _invoice_of_term(subscription)
    lines = [] if invoice is None else [_credit_line(line, whole=whole) for line in invoice["line_items"]]
    total = sum(line["amount"] + line["tax_amount"] for line in lines)
    if invoice is None or not total:
        return None
    adjusts = invoice["amount_due"] >= total
    note = _note(invoice, lines, total, adjusts=adjusts)
    if adjusts:
        _adjust(invoice, note)
    else:
        invoice.change(issued_credit_notes=[*invoice["issued_credit_notes"], _reference(note)])
        customer.change(refundable_credits=customer["refundable_credits"] + total)
        customer.save()
    note.save()
    invoice.save()
    return note


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


def _invoice_of_term(subscription: Subscription) -> Invoice | None:
    start, end = subscription.get("current_term_start", 0), subscription.get("current_term_end", 0)
    newest = Invoice.objects.filter(subscription_id=subscription.handle).order_by("-seq").first()
    if newest is None or end <= clock.now():
        return None
    return newest if any(line["date_from"] == start for line in newest["line_items"]) else None


def _credit_line(line: Body, *, whole: bool) -> Body:
    start, end = line["date_from"], line["date_to"]
    at = start if whole else clock.now()
    net = prorated(line["amount"] - line["discount_amount"], start, end, at)
    kind = "Credits" if whole else "Prorated Credits"
    return {
        **line,
        "id": identifiers.new("li_"),
        "reference_line_item_id": line["id"],
        "date_from": at,
        "quantity": 1,
        "unit_amount": net,
        "amount": net,
        "tax_amount": prorated(line["tax_amount"], start, end, at),
        "discount_amount": 0,
        "item_level_discount_amount": 0,
        "description": f"{line['description']} - {kind} for {_day(at)} - {_day(end)}",
    }


def _day(instant: int) -> str:
    return datetime.fromtimestamp(instant, UTC).strftime("%d-%b-%Y")


def _note(invoice: Invoice, lines: list[Body], total: int, *, adjusts: bool) -> CreditNote:
    now = clock.now()
    sub_total = sum(line["amount"] for line in lines)
    tax = total - sub_total
    body: Body = {
        "customer_id": invoice.customer_id,
        "subscription_id": invoice.subscription_id,
        "reference_invoice_id": invoice.handle,
        "type": "adjustment" if adjusts else "refundable",
        "status": "adjusted" if adjusts else "refund_due",
        "reason_code": "subscription_cancellation",
        "date": now,
        "generated_at": now,
        "price_type": "tax_exclusive",
        "exchange_rate": 1.0,
        "currency_code": invoice["currency_code"],
        "base_currency_code": invoice["currency_code"],
        "sub_total": sub_total,
        "total": total,
        "amount_allocated": total if adjusts else 0,
        "amount_refunded": 0,
        "amount_available": 0 if adjusts else total,
        "round_off_amount": 0,
        "channel": "web",
        "deleted": False,
        "line_items": lines,
        "taxes": [{"name": "Sales tax", "amount": tax, "object": "tax"}] if tax else [],
        "line_item_taxes": [],
        "line_item_discounts": [],
        "linked_refunds": [],
        "allocations": [_allocation(invoice, total)] if adjusts else [],
        "billing_address": invoice["billing_address"],
    }
    return CreditNote.make(_next_number(), body, customer_id=invoice.customer_id)


def _next_number() -> str:
    site = Site.get()
    site.credit_notes_numbered += 1
    site.save(update_fields=["credit_notes_numbered"])
    return f"TEST-CN-{site.credit_notes_numbered}"


def _adjust(invoice: Invoice, note: CreditNote) -> None:
    left = invoice["amount_due"] - note["total"]
    invoice.change(
        amount_adjusted=invoice["amount_adjusted"] + note["total"],
        amount_due=left,
        amount_to_collect=left,
        adjustment_credit_notes=[*invoice["adjustment_credit_notes"], _reference(note)],
    )
    if not left:
        invoice.due_at = None
        invoice.change(status="paid", paid_at=clock.now(), dunning_status="stopped", next_retry_at=None)


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
        allocations=[*note["allocations"], _allocation(invoice, amount)],
    )
    used = {"cn_id": note.handle, "applied_amount": amount, "applied_at": clock.now()}
    about = {"cn_reason_code": note["reason_code"], "cn_date": note["date"], "cn_status": note["status"]}
    invoice.change(applied_credits=[*invoice["applied_credits"], {**used, **about}])
    note.save()
    return True


def _reference(note: CreditNote) -> Body:
    return {
        "cn_id": note.handle,
        "cn_reason_code": note["reason_code"],
        "cn_date": note["date"],
        "cn_total": note["total"],
        "cn_status": note["status"],
    }


def _allocation(invoice: Invoice, amount: int) -> Body:
    return {
        "invoice_id": invoice.handle,
        "allocated_amount": amount,
        "allocated_at": clock.now(),
        "invoice_date": invoice["date"],
        "invoice_status": invoice["status"],
    }
