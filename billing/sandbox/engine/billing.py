"""Charging: draw up an invoice, collect it, and tell it in the provider's order.

Drawing up and collecting are two steps, because an estimate is the first without the second: what an estimate says and
what is then charged come from the same lines of code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from billing.sandbox import events
from billing.sandbox.engine import balances, collection, invoicing, terms
from billing.sandbox.engine.pricing import Price
from billing.sandbox.models import (
    CreditNote,
    Customer,
    Invoice,
    PromotionalCredit,
    Subscription,
    Transaction,
)


@dataclass(frozen=True)
class Drawn:
    """An invoice that is drawn up and neither saved nor collected, and what it used of the customer's balances."""

    invoice: Invoice
    credits: list[CreditNote]
    promotional: PromotionalCredit | None = None


@dataclass(frozen=True)
class Charged:
    """What charging left: the invoice, the last attempt to collect it, and what it used of the balances."""

    invoice: Invoice
    payment: Transaction | None
    credits: list[CreditNote] = field(default_factory=list)
    promotional: PromotionalCredit | None = None


def draw_up(
    subscription: Subscription, customer: Customer, lines: Sequence[Price], *, use_balances: bool = True
) -> Drawn:
    """Make the invoice over these lines and pay what the customer's balances can pay of it."""
    if not use_balances:
        return Drawn(invoicing.make(subscription, customer, lines), [])
    promotional = customer["promotional_credits"]
    invoice = invoicing.make(subscription, customer, lines, promotional=promotional)
    spent = balances.spend_promotional(invoice, customer)
    return Drawn(invoice, balances.apply(invoice, customer), spent)


def draw_up_term(
    subscription: Subscription, customer: Customer, start: int, *, use_balances: bool = True
) -> Drawn:
    """Begin a term and make its invoice."""
    terms.begin(subscription, start)
    lines = invoicing.term_lines(subscription, start, subscription["current_term_end"])
    return draw_up(subscription, customer, lines, use_balances=use_balances)


def collect(drawn: Drawn, subscription: Subscription, customer: Customer, *, must_pay: bool) -> Charged:
    """Collect an invoice and save it with the subscription.

    With ``must_pay`` a failed collection raises collection.NothingToCharge or ChargeRefused and the caller undoes
    everything; without, it leaves the invoice due and in dunning.
    """
    invoice = drawn.invoice
    attempt = collection.collect_or_refuse if must_pay else collection.collect_or_dun
    payment = attempt(invoice, subscription, customer)
    invoice.save()
    invoicing.note_dues(subscription)
    terms.settle(subscription)
    return Charged(invoice, payment, drawn.credits, drawn.promotional)


def charge_term(subscription: Subscription, customer: Customer, start: int, *, must_pay: bool) -> Charged:
    """Begin a term and bill it; raises as ``collect`` does."""
    drawn = draw_up_term(subscription, customer, start)
    return collect(drawn, subscription, customer, must_pay=must_pay)


def tell(
    event_type: str,
    subscription: Subscription,
    customer: Customer,
    charged: Charged | None,
    issued: Sequence[CreditNote] = (),
) -> None:
    """Record what happened to a subscription, then its payment, its invoice and the credits given and used for it."""
    invoice = charged.invoice if charged else None
    content = {"subscription": subscription, "customer": customer, "invoice": invoice}
    events.record(event_type, **content, credit_note=list(issued) or None)
    if charged is not None:
        if charged.payment is not None:
            collection.record_payment(charged.payment, charged.invoice, subscription, customer)
        events.record("invoice_generated", invoice=invoice)
        _tell_promotional(charged.promotional, customer)
    _tell_credits(issued, charged.credits if charged else [])


def _tell_promotional(spent: PromotionalCredit | None, customer: Customer) -> None:
    if spent is not None:
        events.record("promotional_credits_deducted", customer=customer, promotional_credit=spent)


def _tell_credits(issued: Sequence[CreditNote], used: Sequence[CreditNote]) -> None:
    new = {note.handle for note in issued}
    for note in issued:
        events.record("credit_note_created", credit_note=note)
    for handle in dict.fromkeys(note["reference_invoice_id"] for note in issued):
        events.record("invoice_updated", invoice=Invoice.objects.get(handle=handle))
    for note in used:
        if note.handle not in new:
            events.record("credit_note_updated", credit_note=note)
