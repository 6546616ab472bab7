"""Credit notes for the unused time of a term that is cut or changed.

Each line charged for time still to come is credited once, in proportion to the second; half cents round up. A credit
for money that was paid is refundable and pays the customer's next invoice; for money still due it is an adjustment
that reduces the amount due. A partly paid invoice gets one of each.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from chargebee_sandbox import clock, identifiers
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing import customer_balances
from chargebee_sandbox.engine.billing.pricing import proportional_share, prorate_amount
from chargebee_sandbox.models import CreditNote, Customer, Invoice, Subscription
from chargebee_sandbox.site import Site
from chargebee_sandbox.site_settings import load_settings

_PRORATED_SUFFIX = " - Prorated "


def credit_term(subscription: Subscription, customer: Customer, *, whole: bool) -> list[CreditNote]:
    """Credit the rest of the running term, or with ``whole`` all of it, because the subscription ends.

    Saves everything but the subscription.
    """
    return _credit_running_term(subscription, customer, None, reason="subscription_cancellation", whole=whole)


def credit_items(subscription: Subscription, customer: Customer, entities: Collection[str]) -> list[CreditNote]:
    """Credit the rest of the running term for items (ids of item prices) that a change removes.

    As documented, a term that was changed without proration is not credited. Saves everything but the subscription.
    """
    if subscription.uncredited_till == subscription["current_term_end"]:
        return []
    return _credit_running_term(subscription, customer, entities, reason="subscription_change", whole=False)


def format_day(instant: int) -> str:
    """Return a date in the format of line descriptions, in the site's time zone."""
    return datetime.fromtimestamp(instant, load_settings().zone).strftime("%d-%b-%Y")


def prorated_description(kind: str, name: str, start: int, end: int) -> str:
    """Return the description of a prorated line."""
    return f"{name.partition(_PRORATED_SUFFIX)[0]} - {kind} for {format_day(start)} - {format_day(end)}"


def _credit_running_term(
    subscription: Subscription,
    customer: Customer,
    entities: Collection[str] | None,
    *,
    reason: str,
    whole: bool,
) -> list[CreditNote]:
    notes: list[CreditNote] = []
    for invoice, charged_lines in _uncredited_lines(subscription):
        credit_lines = [
            _credit_line(line, whole=whole)
            for line in charged_lines
            if entities is None or line["entity_id"] in entities
        ]
        lines = [line for line in credit_lines if _line_total(line)]
        notes += _issue_notes(invoice, lines, reason, customer)
    return notes


def _uncredited_lines(subscription: Subscription) -> list[tuple[Invoice, list[Body]]]:
    """Return the lines of the running term that are not credited yet, by invoice, oldest first."""
    start, end = subscription.get("current_term_start", 0), subscription.get("current_term_end", 0)
    if end <= clock.now_seconds():
        return []
    credited = _credited_line_ids(subscription)
    invoices = Invoice.objects.filter(subscription_id=subscription.handle, body__date__gte=start)
    return [
        (
            invoice,
            [line for line in invoice["line_items"] if line["date_to"] == end and line["id"] not in credited],
        )
        for invoice in invoices.order_by("seq")
    ]


def _credited_line_ids(subscription: Subscription) -> set[str]:
    notes = CreditNote.objects.filter(customer_id=subscription.customer_id, body__subscription_id=subscription.handle)
    return {line["reference_line_item_id"] for note in notes for line in note["line_items"]}


def _credit_line(line: Body, *, whole: bool) -> Body:
    start, end = line["date_from"], line["date_to"]
    at = start if whole else clock.now_seconds()
    net = prorate_amount(line["amount"] - line["discount_amount"], start, end, at)
    return {
        **line,
        "id": identifiers.new_id("li_"),
        "reference_line_item_id": line["id"],
        "date_from": at,
        "quantity": 1,
        "unit_amount": net,
        "amount": net,
        "tax_amount": prorate_amount(line["tax_amount"], start, end, at),
        "discount_amount": 0,
        "item_level_discount_amount": 0,
        "description": prorated_description("Credits" if whole else "Prorated Credits", line["description"], at, end),
    }


def _line_total(line: Body) -> int:
    return int(line["amount"] + line["tax_amount"])


def _issue_notes(invoice: Invoice, lines: list[Body], reason: str, customer: Customer) -> list[CreditNote]:
    """Issue and save an invoice's notes: an adjustment up to the amount due, and a refundable note for the rest."""
    due = min(invoice["amount_due"], sum(_line_total(line) for line in lines))
    adjusting, refunding = _split_lines(lines, due)
    notes = []
    if adjusting:
        notes.append(_apply_adjustment(invoice, _build_note(invoice, adjusting, reason, adjusts=True)))
    if refunding:
        notes.append(_add_refundable_note(invoice, _build_note(invoice, refunding, reason, adjusts=False), customer))
    if notes:
        invoice.save()
    return notes


def _split_lines(lines: list[Body], amount: int) -> tuple[list[Body], list[Body]]:
    """Return the first lines up to a total of ``amount`` (cents), and the rest."""
    first, rest = [], []
    for line in lines:
        part = min(_line_total(line), amount)
        amount -= part
        first.append(_partial_line(line, part))
        rest.append(_partial_line(line, _line_total(line) - part))
    return [line for line in first if _line_total(line)], [line for line in rest if _line_total(line)]


def _partial_line(line: Body, total: int) -> Body:
    tax = proportional_share(total, line["tax_amount"], _line_total(line))
    return {**line, "unit_amount": total - tax, "amount": total - tax, "tax_amount": tax}


def _build_note(invoice: Invoice, lines: list[Body], reason: str, *, adjusts: bool) -> CreditNote:
    now = clock.now_seconds()
    total = sum(_line_total(line) for line in lines)
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
        "allocations": [customer_balances.credit_allocation(invoice, total)] if adjusts else [],
        "billing_address": invoice["billing_address"],
    }
    return CreditNote.build_row(_next_credit_note_number(), body, customer_id=invoice.customer_id)


def _next_credit_note_number() -> str:
    site = Site.load()
    site.credit_notes_numbered += 1
    site.save(update_fields=["credit_notes_numbered"])
    return f"TEST-CN-{site.credit_notes_numbered}"


def _apply_adjustment(invoice: Invoice, note: CreditNote) -> CreditNote:
    left = invoice["amount_due"] - note["total"]
    invoice.set_attributes(
        amount_adjusted=invoice["amount_adjusted"] + note["total"],
        amount_due=left,
        amount_to_collect=left,
        adjustment_credit_notes=[*invoice["adjustment_credit_notes"], _note_reference(note)],
    )
    if not left:
        invoice.due_at = None
        invoice.set_attributes(status="paid", paid_at=clock.now_seconds(), dunning_status="stopped", next_retry_at=None)
    note.save()
    return note


def _add_refundable_note(invoice: Invoice, note: CreditNote, customer: Customer) -> CreditNote:
    invoice.set_attributes(issued_credit_notes=[*invoice["issued_credit_notes"], _note_reference(note)])
    customer.set_attributes(refundable_credits=customer["refundable_credits"] + note["total"])
    customer.save()
    note.save()
    return note


def _note_reference(note: CreditNote) -> Body:
    return {
        "cn_id": note.handle,
        "cn_reason_code": note["reason_code"],
        "cn_date": note["date"],
        "cn_total": note["total"],
        "cn_status": note["status"],
    }
