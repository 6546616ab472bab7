"""A term that is charged: begin it, invoice it, collect it, and tell it in the provider's order."""

from __future__ import annotations

from dataclasses import dataclass

from billing.sandbox import events
from billing.sandbox.engine import collection, invoicing, terms
from billing.sandbox.models import Customer, Invoice, Subscription, Transaction


@dataclass(frozen=True)
class Charged:
    """What charging a term left: the invoice and the last attempt to collect it."""

    invoice: Invoice
    payment: Transaction | None


def charge_term(subscription: Subscription, customer: Customer, start: int, *, must_pay: bool) -> Charged:
    """Begin a term and bill it.

    With ``must_pay`` a failed collection raises collection.NothingToCharge or ChargeRefused and the caller undoes
    everything; without, it leaves the invoice due and in dunning.
    """
    terms.begin(subscription, start)
    invoice = invoicing.invoice_term(subscription, customer)
    collect = collection.collect_or_refuse if must_pay else collection.collect_or_dun
    payment = collect(invoice, subscription, customer)
    invoice.save()
    if invoice["status"] != "paid":
        invoicing.note_dues(subscription)
    terms.settle(subscription)
    return Charged(invoice, payment)


def tell(event_type: str, subscription: Subscription, customer: Customer, charged: Charged | None) -> None:
    """Record what happened to a subscription, then its payment, then its invoice."""
    invoice = charged.invoice if charged else None
    events.record(event_type, subscription=subscription, customer=customer, invoice=invoice)
    if charged is None:
        return
    if charged.payment is not None:
        collection.record_payment(charged.payment, charged.invoice, subscription, customer)
    events.record("invoice_generated", invoice=invoice)
