"""Credit notes: giving back what a cut or changed term did not use.

Each line that was charged for time still to come is credited in proportion, to the second, a half cent up, and once
only. A credit for money that was paid is refundable and waits for the customer's next invoice; for money still due it
is an adjustment that lowers what is due. Where an invoice is paid in part there is one of each.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime

from billing.sandbox import clock, identifiers
from billing.sandbox.body import Body
from billing.sandbox.engine import balances
from billing.sandbox.engine.pricing import half_up_share, prorated
from billing.sandbox.models import CreditNote, Customer, Invoice, Site, Subscription

_PRORATED = " - Prorated "


def credit_term(subscription: Subscription, customer: Customer, *, whole: bool) -> list[CreditNote]:
    """Credit the running term's lines for the rest of the term, or for all of it, because the subscription ends.

    Everything but the subscription is saved.
    """
    return _credit(subscription, customer, None, reason="subscription_cancellation", whole=whole)


def credit_items(
    subscription: Subscription, customer: Customer, entities: Collection[str]
) -> list[CreditNote]:
    """Credit the rest of the running term's lines for items (ids of item prices) that a change takes away.

    Nothing where the term was once changed without proration, as documented. Everything but the subscription is saved.
    """
    if subscription.uncredited_till == subscription["current_term_end"]:
        return []
    return _credit(subscription, customer, entities, reason="subscription_change", whole=False)


def day(instant: int) -> str:
    """A date as it stands in the descriptions of lines."""
    return datetime.fromtimestamp(instant, UTC).strftime("%d-%b-%Y")


def period(kind: str, name: str, start: int, end: int) -> str:
    """The description of a prorated line."""
    return f"{name.partition(_PRORATED)[0]} - {kind} for {day(start)} - {day(end)}"


def _credit(
    subscription: Subscription,
    customer: Customer,
    entities: Collection[str] | None,
    *,
    reason: str,
    whole: bool,
) -> list[CreditNote]:
    notes: list[CreditNote] = []
    for invoice, charged in _running_lines(subscription):
        wanted = [line for line in charged if entities is None or line["entity_id"] in entities]
        lines = [line for one in wanted if _worth(line := _credit_line(one, whole=whole))]
        notes += _issue(invoice, lines, reason, customer)
    return notes


def _running_lines(subscription: Subscription) -> list[tuple[Invoice, list[Body]]]:
    """The lines that were charged for the running term and not credited yet, by invoice, oldest first."""
    start, end = subscription.get("current_term_start", 0), subscription.get("current_term_end", 0)
    if end <= clock.now():
        return []
    gone = _credited(subscription)
    invoices = Invoice.objects.filter(subscription_id=subscription.handle, body__date__gte=start)
    return [
        (
            one,
            [line for line in one["line_items"] if line["date_to"] == end and line["id"] not in gone],
        )
        for one in invoices.order_by("seq")
    ]


def _credited(subscription: Subscription) -> set[str]:
    notes = CreditNote.objects.filter(
        customer_id=subscription.customer_id, body__subscription_id=subscription.handle
    )
    return {line["reference_line_item_id"] for note in notes for line in note["line_items"]}


def _credit_line(line: Body, *, whole: bool) -> Body:
    start, end = line["date_from"], line["date_to"]
    at = start if whole else clock.now()
    net = prorated(line["amount"] - line["discount_amount"], start, end, at)
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
        "description": period("Credits" if whole else "Prorated Credits", line["description"], at, end),
    }


def _worth(line: Body) -> int:
    return int(line["amount"] + line["tax_amount"])


def _issue(invoice: Invoice, lines: list[Body], reason: str, customer: Customer) -> list[CreditNote]:
    """The notes for an invoice's lines: an adjustment as far as it is due, the rest refundable. Saves all."""
    due = min(invoice["amount_due"], sum(_worth(line) for line in lines))
    adjusting, refunding = _divide(lines, due)
    notes = []
    if adjusting:
        notes.append(_adjust(invoice, _note(invoice, adjusting, reason, adjusts=True)))
    if refunding:
        notes.append(_refund(invoice, _note(invoice, refunding, reason, adjusts=False), customer))
    if notes:
        invoice.save()
    return notes


def _divide(lines: list[Body], amount: int) -> tuple[list[Body], list[Body]]:
    """Lines worth ``amount``, first come first served, and what is left of the lines."""
    first, rest = [], []
    for line in lines:
        part = min(_worth(line), amount)
        amount -= part
        first.append(_part(line, part))
        rest.append(_part(line, _worth(line) - part))
    return [line for line in first if _worth(line)], [line for line in rest if _worth(line)]


def _part(line: Body, worth: int) -> Body:
    tax = half_up_share(worth, line["tax_amount"], _worth(line))
    return {**line, "unit_amount": worth - tax, "amount": worth - tax, "tax_amount": tax}


def _note(invoice: Invoice, lines: list[Body], reason: str, *, adjusts: bool) -> CreditNote:
    now = clock.now()
    total = sum(_worth(line) for line in lines)
    sub_total = sum(line["amount"] for line in lines)
    tax = total - sub_total
    body: Body = {
        "customer_id": invoice.customer_id,
        "subscription_id": invoice.subscription_id,
        "reference_invoice_id": invoice.handle,
        "type": "adjustment" if adjusts else "refundable",
        "status": "adjusted" if adjusts else "refund_due",
        "reason_code": reason,
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
        "allocations": [balances.allocation(invoice, total)] if adjusts else [],
        "billing_address": invoice["billing_address"],
    }
    return CreditNote.make(_next_number(), body, customer_id=invoice.customer_id)


def _next_number() -> str:
    site = Site.get()
    site.credit_notes_numbered += 1
    site.save(update_fields=["credit_notes_numbered"])
    return f"TEST-CN-{site.credit_notes_numbered}"


def _adjust(invoice: Invoice, note: CreditNote) -> CreditNote:
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
    note.save()
    return note


def _refund(invoice: Invoice, note: CreditNote, customer: Customer) -> CreditNote:
    invoice.change(issued_credit_notes=[*invoice["issued_credit_notes"], _reference(note)])
    customer.change(refundable_credits=customer["refundable_credits"] + note["total"])
    customer.save()
    note.save()
    return note


def _reference(note: CreditNote) -> Body:
    return {
        "cn_id": note.handle,
        "cn_reason_code": note["reason_code"],
        "cn_date": note["date"],
        "cn_total": note["total"],
        "cn_status": note["status"],
    }
