"""Credit notes for the unused time of a term that is cut or changed, and for any part of an invoice on request.

Each line charged for time still to come is credited once, in proportion to the second; half cents round up. A credit
for money that was paid is refundable and pays the customer's next invoice; for money still due it is an adjustment
that reduces the amount due. A partly paid invoice gets one of each.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from chargebee_sandbox import clock, identifiers
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing import customer_balances, invoicing
from chargebee_sandbox.engine.billing.pricing import LineItem, proportional_share, prorate_amount
from chargebee_sandbox.models import CreditNote, Customer, Invoice, Subscription
from chargebee_sandbox.site import Site
from chargebee_sandbox.site_settings import load_settings

_PRORATED_SUFFIX = " - Prorated "
_TERM_REASONS = ("subscription_change", "subscription_cancellation")


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


def refundable_amount(invoice: Invoice) -> int:
    """Return what can still be credited or refunded of what was paid of an invoice, in cents."""
    paid = sum(link["applied_amount"] for link in invoice["linked_payments"] if link["txn_status"] == "success")
    credited = sum(note["cn_total"] for note in invoice["issued_credit_notes"] if note["cn_status"] != "voided")
    return int(paid + sum(credit["applied_amount"] for credit in invoice["applied_credits"]) - credited)


def credit_invoice(invoice: Invoice, customer: Customer, amount: int, details: Body, *, adjusts: bool) -> CreditNote:
    """Credit an amount (cents) of an invoice, in proportion to its lines, and save the invoice and the customer.

    With ``adjusts`` it reduces the amount due, otherwise it becomes a refundable credit. ``details`` are further public
    attributes. The caller has checked that the amount is due or refundable.
    """
    note = _build_note(invoice, _spread_over_lines(invoice, amount), details["reason_code"], adjusts=adjusts)
    note.set_attributes(**details)
    if adjusts:
        _apply_adjustment(invoice, note)
    else:
        _add_refundable_note(invoice, note, customer)
    invoice.save()
    return note


def void_note(note: CreditNote, invoice: Invoice, customer: Customer) -> None:
    """Void a note that nothing was used of; what an adjustment took off its invoice is due again. Saves all three."""
    if note["type"] == "adjustment":
        _take_back_adjustment(note, invoice)
    else:
        customer.set_attributes(refundable_credits=customer["refundable_credits"] - note["amount_available"])
        customer.save()
    note.set_attributes(
        status="voided", voided_at=clock.now_seconds(), amount_available=0, amount_allocated=0, allocations=[]
    )
    note.save()
    update_note_reference(note, invoice)


def update_note_reference(note: CreditNote, invoice: Invoice) -> None:
    """Set the status of a note in the invoice that it was issued for, and save the invoice."""
    name = "adjustment_credit_notes" if note["type"] == "adjustment" else "issued_credit_notes"
    links = [_note_reference(note) if link["cn_id"] == note.handle else link for link in invoice[name]]
    invoice.set_attributes(**{name: links})
    invoice.save()


def format_day(instant: int) -> str:
    """Return a date in the format of line descriptions, in the site's time zone."""
    return datetime.fromtimestamp(instant, load_settings().zone).strftime("%d-%b-%Y")


def prorated_description(kind: str, name: str, start: int, end: int) -> str:
    """Return the description of a prorated line."""
    return f"{name.partition(_PRORATED_SUFFIX)[0]} - {kind} for {format_day(start)} - {format_day(end)}"


def rest_of_term_line(subscription: Subscription, line: LineItem) -> LineItem:
    """Return the charge of a whole term's line from its beginning to the end of the running term."""
    start, end = line.date_from, subscription["current_term_end"]
    whole = (subscription.whole_term_end or end) - subscription["current_term_start"]
    description = prorated_description("Prorated Charges", line.description, start, end)
    return line.as_partial_charge(proportional_share(line.amount, end - start, whole), description)


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
        for other in invoicing.charged_subscriptions(invoice):
            if other.handle != subscription.handle:
                invoicing.update_dues(other)
                other.save()
    return notes


def _uncredited_lines(subscription: Subscription) -> list[tuple[Invoice, list[Body]]]:
    """Return the lines of the running term that are not credited yet, by invoice, oldest first."""
    start, end = subscription.get("current_term_start", 0), subscription.get("current_term_end", 0)
    if end <= clock.now_seconds():
        return []
    credited = _credited_line_ids(subscription)
    own = {"subscription_id": subscription.handle, "date_to": end}.items()
    return [
        (invoice, [line for line in invoice["line_items"] if own <= line.items() and line["id"] not in credited])
        for invoice in invoicing.invoices_of(subscription, body__date__gte=start)
    ]


def _credited_line_ids(subscription: Subscription) -> set[str]:
    notes = CreditNote.objects.filter(
        customer_id=subscription.customer_id,
        body__reason_code__in=_TERM_REASONS,
    ).exclude(body__status="voided")
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


def _spread_over_lines(invoice: Invoice, amount: int) -> list[Body]:
    """Return the lines of a note for an amount of an invoice: each line's share of it, without losing a cent."""
    nets = [line["amount"] - line["discount_amount"] + line["tax_amount"] for line in invoice["line_items"]]
    lines, passed, given = [], 0, 0
    for line, net in zip(invoice["line_items"], nets, strict=True):
        passed += net
        share = proportional_share(amount, passed, sum(nets)) - given
        given += share
        lines.append(_share_of_line(line, share, proportional_share(share, line["tax_amount"], net)))
    return [line for line in lines if _line_total(line)]


def _share_of_line(line: Body, total: int, tax: int) -> Body:
    return {
        **line,
        "id": identifiers.new_id("li_"),
        "reference_line_item_id": line["id"],
        "date_from": clock.now_seconds(),
        "date_to": clock.now_seconds(),
        "quantity": 1,
        "unit_amount": total - tax,
        "amount": total - tax,
        "tax_amount": tax,
        "discount_amount": 0,
        "item_level_discount_amount": 0,
    }


def _line_total(line: Body) -> int:
    return int(line["amount"] + line["tax_amount"])


def _issue_notes(invoice: Invoice, lines: list[Body], reason: str, customer: Customer) -> list[CreditNote]:
    """Issue and save an invoice's notes: an adjustment up to the amount due, and a refundable note for the rest.

    What was refunded before is not credited again.
    """
    due = min(invoice["amount_due"], sum(_line_total(line) for line in lines))
    adjusting, rest = _split_lines(lines, due)
    refunding, _refunded_before = _split_lines(rest, refundable_amount(invoice))
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
        "subscription_id": invoice.subscription_id or None,
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


def _take_back_adjustment(note: CreditNote, invoice: Invoice) -> None:
    due = invoice["amount_due"] + note["amount_allocated"]
    invoice.set_attributes(
        status="not_paid",
        paid_at=None,
        amount_adjusted=invoice["amount_adjusted"] - note["amount_allocated"],
        amount_due=due,
        amount_to_collect=due,
    )


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
