"""Charging: draft an invoice, collect it, and record the events in the provider's order.

Drafting and collecting are separate steps because an estimate drafts and does not collect: estimates and charges come
from the same code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from chargebee_sandbox import event_log
from chargebee_sandbox.engine.billing import credit_notes, customer_balances, invoicing, unbilled_charges
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
    UnbilledCharge,
)


@dataclass(frozen=True)
class DraftInvoice:
    """An invoice that is neither saved nor collected (None if its charges wait), and what it used of the balances."""

    invoice: Invoice | None
    credits: list[CreditNote] = field(default_factory=list)
    promotional: PromotionalCredit | None = None
    unbilled: list[UnbilledCharge] = field(default_factory=list)
    """Charges that wait instead of an invoice, or that were waiting and are on it."""


@dataclass(frozen=True)
class ChargeResult:
    """A draft after it was collected, with the last attempt; without an invoice its unbilled charges wait."""

    draft: DraftInvoice
    payment: Transaction | None

    @property
    def invoice(self) -> Invoice | None:
        """The invoice, or None if the charges wait."""
        return self.draft.invoice

    @property
    def waiting(self) -> list[UnbilledCharge]:
        """The charges that wait for an invoice."""
        return self.draft.unbilled if self.draft.invoice is None else []


def draft_invoice(
    subscription: Subscription, customer: Customer, lines: Sequence[LineItem], *, use_balances: bool = True
) -> DraftInvoice:
    """Build the invoice for these lines and pay from the customer's balances what they cover."""
    if not unbilled_charges.are_invoiced_at_once():
        return DraftInvoice(None, unbilled=unbilled_charges.add_charges(subscription, customer, lines))
    if not use_balances:
        return DraftInvoice(invoicing.make_invoice(subscription, customer, lines))
    promotional = customer["promotional_credits"]
    invoice = invoicing.make_invoice(subscription, customer, lines, promotional=promotional)
    spent = customer_balances.spend_promotional_credits(invoice, customer)
    return DraftInvoice(invoice, customer_balances.apply_refundable_credits(invoice, customer), spent)


def draft_term_invoice(
    subscription: Subscription, customer: Customer, start: int, *, use_balances: bool = True
) -> DraftInvoice:
    """Begin a term and draft its invoice, which has the unbilled charges too."""
    terms.begin_term(subscription, start)
    lines = invoicing.term_lines(subscription, start, subscription["current_term_end"])
    if subscription.whole_term_end is not None:
        lines = [credit_notes.rest_of_term_line(subscription, line) for line in lines]
    if not unbilled_charges.are_invoiced_at_once():
        return draft_invoice(subscription, customer, lines, use_balances=use_balances)
    return _draft_with_unbilled(subscription, customer, lines, use_balances=use_balances)


def draft_unbilled_charges(subscription: Subscription, customer: Customer) -> DraftInvoice | None:
    """Draft the invoice of the unbilled charges; None if there are none."""
    if not unbilled_charges.pending_charges(subscription):
        return None
    return _draft_with_unbilled(subscription, customer, [])


def invoice_unbilled_charges(subscription: Subscription, customer: Customer) -> ChargeResult | None:
    """Invoice the unbilled charges now, whether they can be collected or not; None if there are none."""
    draft = draft_unbilled_charges(subscription, customer)
    return None if draft is None else collect_invoice(draft, subscription, customer, must_pay=False)


def _draft_with_unbilled(
    subscription: Subscription, customer: Customer, lines: Sequence[LineItem], *, use_balances: bool = True
) -> DraftInvoice:
    pending = unbilled_charges.pending_charges(subscription)
    taken = unbilled_charges.take_charges(pending, customer)
    draft = draft_invoice(subscription, customer, [*taken, *lines], use_balances=use_balances)
    return replace(draft, unbilled=pending)


def collect_invoice(
    draft: DraftInvoice, subscription: Subscription, customer: Customer, *, must_pay: bool
) -> ChargeResult:
    """Collect an invoice and save it with the subscription.

    With ``must_pay`` a failed collection raises collection.NoPaymentSource or ChargeDeclined, and the caller rolls
    back; without it, the invoice stays due and enters dunning.
    """
    invoice = draft.invoice
    if invoice is None:
        terms.save_derived(subscription)
        return ChargeResult(draft, None)
    attempt = collection.collect_or_refuse if must_pay else collection.collect_or_dun
    payment = attempt(invoice, subscription, customer)
    invoice.save()
    invoicing.update_dues(subscription)
    terms.save_derived(subscription)
    return ChargeResult(draft, payment)


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
    waiting = charged.waiting if charged else []
    content = {"subscription": subscription, "customer": customer, "invoice": invoice}
    event_log.record_event(event_type, **content, credit_note=list(issued) or None, unbilled_charge=waiting or None)
    if waiting:
        event_log.record_event("unbilled_charges_created", unbilled_charge=waiting)
    if charged is not None:
        record_charge_events(charged, subscription, customer)
    _record_credit_note_events(issued, charged.draft.credits if charged else [])
    if subscription.has_new_mrr:
        subscription.has_new_mrr = False
        event_log.record_event("mrr_updated", subscription=subscription)


def record_charge_events(charged: ChargeResult, subscription: Subscription, customer: Customer) -> None:
    """Record the events of an invoice and its payment, and of the balances and unbilled charges on it."""
    invoice = charged.invoice
    if invoice is None:
        return
    if charged.payment is not None:
        collection.record_payment_event(charged.payment, invoice, subscription, customer)
    event_log.record_event("invoice_generated", invoice=invoice)
    if charged.draft.unbilled:
        event_log.record_event("unbilled_charges_invoiced", unbilled_charge=charged.draft.unbilled, invoice=invoice)
    _record_promotional_event(charged.draft.promotional, customer)


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
