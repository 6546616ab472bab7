"""A term that is charged: begin it, invoice it, collect it, and tell it in the provider's order."""

from __future__ import annotations

from dataclasses import dataclass

from billing.sandbox import events
from billing.sandbox.engine import collection, crediting, invoicing, terms
from billing.sandbox.models import CreditNote, Customer, Invoice, Subscription, Transaction


@dataclass(frozen=True)
class Charged:
    """What charging a term left: the invoice, the last attempt to collect it, and the credits it used."""

    invoice: Invoice
    payment: Transaction | None
    credits: list[CreditNote]


def charge_term(subscription: Subscription, customer: Customer, start: int, *, must_pay: bool) -> Charged:
    """Begin a term and bill it.

    With ``must_pay`` a failed collection raises collection.NothingToCharge or ChargeRefused and the caller undoes
    everything; without, it leaves the invoice due and in dunning.
    """
    terms.begin(subscription, start)
    invoice = invoicing.invoice_term(subscription, customer)
    used = crediting.apply(invoice, customer)
    collect = collection.collect_or_refuse if must_pay else collection.collect_or_dun
    payment = collect(invoice, subscription, customer)
    invoice.save()
    if invoice["status"] != "paid":
        invoicing.note_dues(subscription)
    terms.settle(subscription)
    return Charged(invoice, payment, used)


def tell(event_type: str, subscription: Subscription, customer: Customer, charged: Charged | None) -> None:
    """Record what happened to a subscription, then its payment, its invoice and the credits that went into it."""
    invoice = charged.invoice if charged else None
    events.record(event_type, subscription=subscription, customer=customer, invoice=invoice)
    if charged is None:
        return
    if charged.payment is not None:
        collection.record_payment(charged.payment, charged.invoice, subscription, customer)
    events.record("invoice_generated", invoice=invoice)
    for note in charged.credits:
        events.record("credit_note_updated", credit_note=note)
