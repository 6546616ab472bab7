"""Charging: draft an invoice, collect it, and record the events in the provider's order.

Drafting and collecting are separate steps because an estimate drafts and does not collect: estimates and charges come
from the same code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from chargebee_sandbox import event_log
from chargebee_sandbox.engine.billing import customer_balances, invoicing
from chargebee_sandbox.engine.billing.pricing import LineItem
from chargebee_sandbox.engine.payments import collection
from chargebee_sandbox.engine.subscriptions import terms
from chargebee_sandbox.models import (
    CreditNote,
    Customer,
    Invoice,
    PromotionalCredit,
    Subscription,
    Transaction,
)


@dataclass(frozen=True)
class DraftInvoice:
    """An invoice that is neither saved nor collected, and what it used of the customer's balances."""

    invoice: Invoice
    credits: list[CreditNote]
    promotional: PromotionalCredit | None = None


@dataclass(frozen=True)
class ChargeResult:
    """The invoice of a charge, the last attempt to collect it, and what it used of the balances."""

    invoice: Invoice
    payment: Transaction | None
    credits: list[CreditNote] = field(default_factory=list)
    promotional: PromotionalCredit | None = None


def draft_invoice(
    subscription: Subscription, customer: Customer, lines: Sequence[LineItem], *, use_balances: bool = True
) -> DraftInvoice:
    """Build the invoice for these lines and pay from the customer's balances what they cover."""
    if not use_balances:
        return DraftInvoice(invoicing.make_invoice(subscription, customer, lines), [])
    promotional = customer["promotional_credits"]
    invoice = invoicing.make_invoice(subscription, customer, lines, promotional=promotional)
    spent = customer_balances.spend_promotional_credits(invoice, customer)
    return DraftInvoice(invoice, customer_balances.apply_refundable_credits(invoice, customer), spent)


def draft_term_invoice(
    subscription: Subscription, customer: Customer, start: int, *, use_balances: bool = True
) -> DraftInvoice:
    """Begin a term and draft its invoice."""
    terms.begin_term(subscription, start)
    lines = invoicing.term_lines(subscription, start, subscription["current_term_end"])
    return draft_invoice(subscription, customer, lines, use_balances=use_balances)


def collect_invoice(
    draft: DraftInvoice, subscription: Subscription, customer: Customer, *, must_pay: bool
) -> ChargeResult:
    """Collect an invoice and save it with the subscription.

    With ``must_pay`` a failed collection raises collection.NoPaymentSource or ChargeDeclined, and the caller rolls
    back; without it, the invoice stays due and enters dunning.
    """
    invoice = draft.invoice
    attempt = collection.collect_or_refuse if must_pay else collection.collect_or_dun
    payment = attempt(invoice, subscription, customer)
    invoice.save()
    invoicing.update_dues(subscription)
    terms.save_derived(subscription)
    return ChargeResult(invoice, payment, draft.credits, draft.promotional)


def charge_term(subscription: Subscription, customer: Customer, start: int, *, must_pay: bool) -> ChargeResult:
    """Begin a term and charge for it. Raises: as ``collect_invoice``."""
    draft = draft_term_invoice(subscription, customer, start)
    return collect_invoice(draft, subscription, customer, must_pay=must_pay)


def record_subscription_events(
    event_type: str,
    subscription: Subscription,
    customer: Customer,
    charged: ChargeResult | None,
    issued: Sequence[CreditNote] = (),
) -> None:
    """Record a subscription's event, then those of its payment, its invoice, and the credits issued and used."""
    invoice = charged.invoice if charged else None
    content = {"subscription": subscription, "customer": customer, "invoice": invoice}
    event_log.record_event(event_type, **content, credit_note=list(issued) or None)
    if charged is not None:
        if charged.payment is not None:
            collection.record_payment_event(charged.payment, charged.invoice, subscription, customer)
        event_log.record_event("invoice_generated", invoice=invoice)
        _record_promotional_event(charged.promotional, customer)
    _record_credit_note_events(issued, charged.credits if charged else [])


def _record_promotional_event(spent: PromotionalCredit | None, customer: Customer) -> None:
    if spent is not None:
        event_log.record_event("promotional_credits_deducted", customer=customer, promotional_credit=spent)


def _record_credit_note_events(issued: Sequence[CreditNote], used: Sequence[CreditNote]) -> None:
    new = {note.handle for note in issued}
    for note in issued:
        event_log.record_event("credit_note_created", credit_note=note)
    for handle in dict.fromkeys(note["reference_invoice_id"] for note in issued):
        event_log.record_event("invoice_updated", invoice=Invoice.objects.get(handle=handle))
    for note in used:
        if note.handle not in new:
            event_log.record_event("credit_note_updated", credit_note=note)
