"""Charging: draft an invoice, collect it, and record the events in the provider's order.

Drafting and collecting are separate steps because an estimate drafts and does not collect: estimates and charges come
from the same code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from chargebee_sandbox import event_log
from chargebee_sandbox.engine.billing import credit_notes, customer_balances, invoicing, unbilled_charges
from chargebee_sandbox.engine.billing.invoicing import Charges
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
    others: list[Subscription] = field(default_factory=list)
    """The further subscriptions of a consolidated invoice."""


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


def draft_invoice(charges: Charges, customer: Customer, *, use_balances: bool = True) -> DraftInvoice:
    """Build the invoice for charges and pay from the customer's balances what they cover."""
    if not unbilled_charges.are_invoiced_at_once():
        return DraftInvoice(None, unbilled=unbilled_charges.add_charges(*charges, customer))
    return _draft_consolidated([charges], customer, use_balances=use_balances)


def draft_term_invoice(
    subscription: Subscription, customer: Customer, start: int, *, use_balances: bool = True
) -> DraftInvoice:
    """Begin a term and draft its invoice, which has the unbilled charges too."""
    charges = _begin_term(subscription, start)
    if not unbilled_charges.are_invoiced_at_once():
        return draft_invoice(charges, customer, use_balances=use_balances)
    return _draft_with_unbilled([charges], customer, use_balances=use_balances)


def draft_renewal_invoice(subscriptions: Sequence[Subscription], customer: Customer) -> DraftInvoice:
    """Renew the terms of a customer's subscriptions and draft their consolidated invoice."""
    renewed = [_begin_term(subscription, subscription["current_term_end"]) for subscription in subscriptions]
    return _draft_with_unbilled(renewed, customer)


def draft_unbilled_charges(subscription: Subscription, customer: Customer) -> DraftInvoice | None:
    """Draft the invoice of the unbilled charges; None if there are none."""
    if not unbilled_charges.pending_charges(subscription):
        return None
    return _draft_with_unbilled([Charges(subscription, [])], customer)


def invoice_unbilled_charges(subscription: Subscription, customer: Customer) -> ChargeResult | None:
    """Invoice the unbilled charges now, whether they can be collected or not; None if there are none."""
    draft = draft_unbilled_charges(subscription, customer)
    return None if draft is None else collect_invoice(draft, subscription, customer, must_pay=False)


def _begin_term(subscription: Subscription, start: int) -> Charges:
    terms.begin_term(subscription, start)
    lines = invoicing.term_lines(subscription, start, subscription["current_term_end"])
    if subscription.whole_term_end is not None:
        lines = [credit_notes.rest_of_term_line(subscription, line) for line in lines]
    return Charges(subscription, [*lines, *invoicing.take_charge_items(subscription, start)])


def _draft_with_unbilled(charges: Sequence[Charges], customer: Customer, *, use_balances: bool = True) -> DraftInvoice:
    pending = {row.subscription.handle: unbilled_charges.pending_charges(row.subscription) for row in charges}
    with_unbilled = [
        Charges(
            row.subscription,
            [*unbilled_charges.take_charges(pending[row.subscription.handle], customer), *row.lines],
        )
        for row in charges
    ]
    draft = _draft_consolidated(with_unbilled, customer, use_balances=use_balances)
    return replace(draft, unbilled=[*chain.from_iterable(pending.values())])


def _draft_consolidated(charges: Sequence[Charges], customer: Customer, *, use_balances: bool) -> DraftInvoice:
    others = [row.subscription for row in charges[1:]]
    if not use_balances:
        return DraftInvoice(invoicing.make_invoice(charges, customer), others=others)
    currency = charges[0].subscription["currency_code"]
    promotional = customer_balances.promotional_credits_for(customer, currency)
    invoice = invoicing.make_invoice(charges, customer, promotional=promotional)
    spent = customer_balances.spend_promotional_credits(invoice, customer)
    used = customer_balances.apply_refundable_credits(invoice, customer)
    return DraftInvoice(invoice, used, spent, others=others)


def collect_invoice(
    draft: DraftInvoice, subscription: Subscription, customer: Customer, *, must_pay: bool
) -> ChargeResult:
    """Collect an invoice and save it with the subscription, and with the others of a consolidated one.

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
    for charged in (subscription, *draft.others):
        invoicing.update_dues(charged)
        terms.save_derived(charged)
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
    """Record a subscription's event, then those of its payment, its invoice, and the credits issued and used.

    Each subscription of a consolidated invoice has its event.
    """
    invoice = charged.invoice if charged else None
    waiting = charged.waiting if charged else []
    concerned = [subscription, *(charged.draft.others if charged else ())]
    for row in concerned:
        content = {"subscription": row, "customer": customer, "invoice": invoice}
        event_log.record_event(event_type, **content, credit_note=list(issued) or None, unbilled_charge=waiting or None)
    if waiting:
        event_log.record_event("unbilled_charges_created", unbilled_charge=waiting)
    if charged is not None:
        record_charge_events(charged, subscription, customer)
    _record_credit_note_events(issued, charged.draft.credits if charged else [])
    for row in concerned:
        if row.has_new_mrr:
            row.has_new_mrr = False
            event_log.record_event("mrr_updated", subscription=row)


def record_charge_events(charged: ChargeResult, subscription: Subscription, customer: Customer) -> None:
    """Record the events of an invoice and its payment, and of the balances and unbilled charges on it."""
    invoice = charged.invoice
    if invoice is None:
        return
    if charged.payment is not None:
        owner = None if charged.draft.others else subscription
        collection.record_payment_event(charged.payment, invoice, owner, customer)
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
