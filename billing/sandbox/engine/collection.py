"""Collecting an invoice: charges, what a failed one leaves behind, and dunning until it is paid or given up.

A failed automatic charge is tried again a day later, SANDBOX_DUNNING_RETRIES times. Then dunning is ``exhausted``, the
invoice ``not_paid``, and the subscription goes on: the site is set to leave it active.
"""

from __future__ import annotations

import json

from billing.sandbox import clock, events, identifiers, settings
from billing.sandbox.body import Body
from billing.sandbox.engine import gateway, invoicing, terms
from billing.sandbox.models import Customer, Invoice, PaymentSource, Subscription, Transaction

RETRY_AFTER = 86_400
"""Seconds between two attempts."""


class NothingToCharge(Exception):
    """Money is due and the customer has no way to pay."""


class ChargeRefused(Exception):
    """The gateway refused; the text is its reason."""


def collect_or_refuse(invoice: Invoice, subscription: Subscription, customer: Customer) -> Transaction | None:
    """Collect an invoice that must be paid for the caller's change to stand; None where nothing is to be charged.

    Raises: NothingToCharge, ChargeRefused; the caller undoes what it did.
    """
    if invoice["status"] == "paid" or not collects_automatically(subscription, customer):
        return None
    source = next(iter(sources(subscription, customer)), None)
    if source is None:
        raise NothingToCharge
    payment = charge(invoice, source)
    if payment["status"] != "success":
        raise ChargeRefused(f"({payment['error_code']}) {payment['error_text']}")
    return payment


def collect_or_dun(invoice: Invoice, subscription: Subscription, customer: Customer) -> Transaction | None:
    """Collect an invoice that stands whatever happens; a failure starts dunning. Returns the last attempt.

    The invoice is changed, not saved.
    """
    if invoice["status"] == "paid" or not collects_automatically(subscription, customer):
        return None
    payment = _try_sources(invoice, subscription, customer)
    if payment is None or payment["status"] != "success":
        _note_failure(invoice, payment)
    return payment


def retry(invoice: Invoice) -> None:
    """Try once more what dunning has come to."""
    subscription, customer = owners(invoice)
    payment = _try_sources(invoice, subscription, customer)
    if payment is None or payment["status"] != "success":
        _note_failure(invoice, payment)
    else:
        invoice.due_at = None
        invoice.change(dunning_status="success")
    finish(invoice, subscription, customer, payment)


def collect_now(invoice: Invoice, source: PaymentSource, amount: int) -> Transaction:
    """One charge asked for by hand; success ends dunning once nothing is due, failure leaves it as it is."""
    subscription, customer = owners(invoice)
    payment = charge(invoice, source, amount)
    if invoice["status"] == "paid" and "dunning_status" in invoice.body:
        invoice.due_at = None
        invoice.change(dunning_status="stopped", next_retry_at=None)
    finish(invoice, subscription, customer, payment)
    return payment


def stop_dunning(subscription: Subscription) -> None:
    """Try no more to collect what a subscription owes; it stays due."""
    for invoice in _in_dunning(subscription):
        invoice.due_at = None
        invoice.change(dunning_status="stopped", next_retry_at=None)
        invoice.save()


def schedule(subscription: Subscription) -> None:
    """Do not wait for the next retry of what a subscription owes."""
    for invoice in _in_dunning(subscription):
        invoice.due_at = clock.now()
        invoice.change(next_retry_at=clock.now())
        invoice.save()


def finish(
    invoice: Invoice, subscription: Subscription, customer: Customer, payment: Transaction | None
) -> None:
    """Save an invoice after an attempt and tell it: the payment, the invoice, the dunning, in this order."""
    invoice.save()
    invoicing.note_dues(subscription)
    terms.settle(subscription)
    if payment is not None:
        record_payment(payment, invoice, subscription, customer)
    events.record("invoice_updated", invoice=invoice)
    if "dunning_status" in invoice.body:
        events.record("dunning_updated", invoice=invoice)


def record_payment(
    payment: Transaction, invoice: Invoice, subscription: Subscription | None, customer: Customer
) -> None:
    """Tell how a charge ended."""
    kind = "payment_succeeded" if payment["status"] == "success" else "payment_failed"
    events.record(kind, transaction=payment, invoice=invoice, customer=customer, subscription=subscription)


def owners(invoice: Invoice) -> tuple[Subscription, Customer]:
    """Whose invoice it is."""
    subscription = Subscription.objects.get(handle=invoice.subscription_id)
    return subscription, Customer.objects.get(handle=invoice.customer_id)


def collects_automatically(subscription: Subscription, customer: Customer) -> bool:
    """The subscription's own setting, or else the customer's."""
    return bool(subscription.get("auto_collection", customer["auto_collection"]) == "on")


def sources(subscription: Subscription, customer: Customer) -> list[PaymentSource]:
    """What may be charged, in order: the subscription's own or the primary source, then the backup."""
    first = subscription.get("payment_source_id") or customer.get("primary_payment_source_id")
    handles = [handle for handle in (first, customer.get("backup_payment_source_id")) if handle]
    known = PaymentSource.objects.filter(deleted=False).in_bulk(handles, field_name="handle")
    return [known[handle] for handle in handles if handle in known]


def charge(invoice: Invoice, source: PaymentSource, amount: int | None = None) -> Transaction:
    """Charge a source for what is due (or less) and link the attempt to the invoice, which is not saved."""
    amount = invoice["amount_due"] if amount is None else amount
    payment = Transaction.make(
        identifiers.new("txn_"), _transaction(invoice, source, amount), customer_id=invoice.customer_id
    )
    succeeded = payment["status"] == "success"
    if succeeded:
        _credit(invoice, amount)
    link = {"txn_id": payment.handle, "applied_amount": amount, "applied_at": clock.now()}
    attempt = {"txn_status": payment["status"], "txn_date": clock.now(), "txn_amount": amount}
    invoice.change(linked_payments=[*invoice["linked_payments"], {**link, **attempt}])
    payment.change(linked_invoices=[_link_to(invoice, amount)], amount_unused=0)
    payment.save()
    return payment


def _in_dunning(subscription: Subscription) -> list[Invoice]:
    return list(Invoice.objects.filter(subscription_id=subscription.handle, due_at__isnull=False))


def _try_sources(invoice: Invoice, subscription: Subscription, customer: Customer) -> Transaction | None:
    payment = None
    for source in sources(subscription, customer):
        payment = charge(invoice, source)
        if payment["status"] == "success":
            break
    return payment


def _credit(invoice: Invoice, amount: int) -> None:
    left = invoice["amount_due"] - amount
    invoice.change(amount_paid=invoice["amount_paid"] + amount, amount_due=left, amount_to_collect=left)
    if not left:
        invoice.change(status="paid", paid_at=clock.now(), next_retry_at=None)


def _note_failure(invoice: Invoice, payment: Transaction | None) -> None:
    attempts = [*invoice["dunning_attempts"], _attempt(len(invoice["dunning_attempts"]), invoice, payment)]
    if len(attempts) > settings.SANDBOX_DUNNING_RETRIES:
        invoice.due_at = None
        invoice.change(
            status="not_paid", dunning_status="exhausted", dunning_attempts=attempts, next_retry_at=None
        )
        return
    invoice.due_at = clock.now() + RETRY_AFTER
    invoice.change(dunning_status="in_progress", dunning_attempts=attempts, next_retry_at=invoice.due_at)


def _attempt(number: int, invoice: Invoice, payment: Transaction | None) -> Body:
    attempt: Body = {"attempt": number, "dunning_type": "auto_collect", "created_at": clock.now()}
    if payment is None:
        return {**attempt, "txn_amount": invoice["amount_due"]}
    return {
        **attempt,
        "transaction_id": payment.handle,
        "txn_status": payment["status"],
        "txn_amount": payment["amount"],
    }


def _transaction(invoice: Invoice, source: PaymentSource, amount: int) -> Body:
    now = clock.now()
    refusal = gateway.answer(source.refusal)
    refused = bool(refusal)
    card = source.get("card")
    return {
        "customer_id": invoice.customer_id,
        "subscription_id": invoice.subscription_id,
        "gateway_account_id": source["gateway_account_id"],
        "payment_source_id": source.handle,
        "payment_method": source["type"],
        "gateway": source["gateway"],
        "type": "payment",
        "date": now,
        "settled_at": None if refused else now,
        "exchange_rate": 1.0,
        "amount": amount,
        "id_at_gateway": identifiers.new("cb_"),
        "status": "failure" if refused else "success",
        "error_code": refusal or None,
        "error_text": gateway.text(refusal) if refused else None,
        "initiator_type": "merchant",
        "three_d_secure": False,
        "masked_card_number": card["masked_number"] if card else None,
        "iin": card["iin"] if card else None,
        "last4": card["last4"] if card else None,
        "payment_method_details": _details(source),
        "currency_code": invoice["currency_code"],
        "base_currency_code": invoice["currency_code"],
        "linked_refunds": [],
        "deleted": False,
    }


def _details(source: PaymentSource) -> str:
    name = "card" if "card" in source.body else "paypal"
    return json.dumps({name: source[name]}, separators=(",", ":"))


def _link_to(invoice: Invoice, amount: int) -> Body:
    return {
        "invoice_id": invoice.handle,
        "applied_amount": amount,
        "applied_at": clock.now(),
        "invoice_date": invoice["date"],
        "invoice_total": invoice["total"],
        "invoice_status": invoice["status"],
    }
