"""Collection of invoices: charges, declined charges, and dunning until an invoice is paid or dunning is exhausted.

A failed automatic charge is retried after a day, as often as the site's settings say. Then dunning is ``exhausted`` and
the invoice ``not_paid``; engine.subscriptions.dunning says what becomes of the subscription.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from chargebee_sandbox import clock, event_log, identifiers
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing import customer_balances, invoicing
from chargebee_sandbox.engine.payments import gateway, payment_instruments
from chargebee_sandbox.engine.subscriptions import terms
from chargebee_sandbox.models import Customer, Invoice, PaymentSource, Subscription, Transaction
from chargebee_sandbox.site_settings import load_settings

RETRY_SECONDS = 86_400
"""Seconds between two attempts."""


class NoPaymentSource(Exception):
    """An invoice is due and the customer has no payment source."""


class ChargeDeclined(Exception):
    """The gateway declined the charge; the message is its reason."""


class AuthorizedTooLittle(Exception):
    """The payer has authorized less than is to be charged, or another currency."""


@dataclass(frozen=True)
class _AuthorizedCharge:
    """A charge that the payer has authorized: the source, and the amount in cents of a currency."""

    source: PaymentSource
    amount: int
    currency: str


_authorized_charge: ContextVar[_AuthorizedCharge | None] = ContextVar("authorized", default=None)


@contextmanager
def charge_authorized(source: PaymentSource, amount: int, currency: str) -> Iterator[None]:
    """Charge inside the block this source alone, up to an amount (cents), as its payer has authorized."""
    token = _authorized_charge.set(_AuthorizedCharge(source, amount, currency))
    try:
        yield
    finally:
        _authorized_charge.reset(token)


def collect_or_refuse(invoice: Invoice, subscription: Subscription, customer: Customer) -> Transaction | None:
    """Collect an invoice that must be paid, or else the caller rolls back; None if nothing is to be charged.

    Raises: NoPaymentSource, ChargeDeclined.
    """
    if invoice["status"] == "paid" or not collects_automatically(subscription, customer):
        return None
    source = next(iter(chargeable_sources(subscription, customer)), None)
    if source is None:
        raise NoPaymentSource
    payment = charge_source(invoice, source)
    if payment["status"] != "success":
        raise ChargeDeclined(f"({payment['error_code']}) {payment['error_text']}")
    return payment


def collect_or_dun(invoice: Invoice, subscription: Subscription, customer: Customer) -> Transaction | None:
    """Collect an invoice; a failure starts dunning. Return the last attempt.

    The invoice is changed and not saved.
    """
    if invoice["status"] == "paid" or not collects_automatically(subscription, customer):
        return None
    payment = _try_sources(invoice, subscription, customer)
    if payment is None or payment["status"] != "success":
        _record_failure(invoice, payment)
    return payment


def retry_collection(invoice: Invoice, subscriptions: Sequence[Subscription], customer: Customer) -> None:
    """Retry an invoice in dunning, or make the only attempt that was scheduled for one."""
    payment = _try_sources(invoice, subscriptions[0], customer)
    invoice.due_at = None
    if payment is not None and payment["status"] == "success":
        invoice.set_attributes(dunning_status="success")
    elif invoice.collects_once:
        invoice.set_attributes(next_retry_at=None)
    else:
        _record_failure(invoice, payment)
    invoice.collects_once = False
    finish_collection(invoice, subscriptions, customer, payment)


def collect_now(shares: Sequence[tuple[Invoice, int]], source: PaymentSource) -> Transaction:
    """Charge shares (cents) of invoices on request, in one payment.

    Dunning ends when nothing is due any more, and a failure does not change it.
    """
    payment = charge_invoices(shares, source)
    for invoice, _share in shares:
        if invoice["status"] == "paid" and "dunning_status" in invoice.body:
            invoice.due_at = None
            invoice.set_attributes(dunning_status="stopped", next_retry_at=None)
        finish_collection(invoice, *invoice_owners(invoice), payment)
    return payment


def stop_dunning(subscription: Subscription) -> None:
    """Stop retrying a subscription's invoices, but for consolidated ones; they stay due."""
    for invoice in _invoices_in_dunning(subscription):
        invoice.due_at = None
        invoice.set_attributes(dunning_status="stopped", next_retry_at=None)
        invoice.save()


def schedule_payment_collection(subscription: Subscription, customer: Customer) -> None:
    """Pay a subscription's unpaid invoices from the customer's credits, and schedule one attempt to collect the rest.

    As documented the attempt is made soon, only with automatic collection, and a failure is not retried.
    """
    for invoice in invoicing.invoices_of(subscription, body__status__in=invoicing.UNPAID_STATUSES):
        used = customer_balances.apply_refundable_credits(invoice, customer)
        if invoice["status"] == "paid":
            invoice.due_at = None
            invoice.set_attributes(dunning_status="stopped", next_retry_at=None)
        elif collects_automatically(subscription, customer):
            invoice.due_at, invoice.collects_once = clock.now_seconds(), True
            invoice.set_attributes(next_retry_at=clock.now_seconds())
        invoice.save()
        for note in used:
            event_log.record_event("credit_note_updated", credit_note=note)
        if used:
            event_log.record_event("invoice_updated", invoice=invoice)
    invoicing.update_dues(subscription)


def finish_collection(
    invoice: Invoice, subscriptions: Sequence[Subscription], customer: Customer, payment: Transaction | None
) -> None:
    """Save an invoice after an attempt; record the events of the payment, the invoice, and the dunning."""
    invoice.save()
    for subscription in subscriptions:
        invoicing.update_dues(subscription)
        terms.save_derived(subscription)
    if payment is not None:
        record_payment_event(payment, invoice, subscriptions[0] if len(subscriptions) == 1 else None, customer)
    event_log.record_event("invoice_updated", invoice=invoice)
    if "dunning_status" in invoice.body:
        event_log.record_event("dunning_updated", invoice=invoice)


def record_payment_event(
    payment: Transaction, invoice: Invoice, subscription: Subscription | None, customer: Customer
) -> None:
    """Record a charge and how it ended; ``subscription`` is None for a consolidated invoice."""
    event_log.record_event("transaction_created", transaction=payment)
    kind = "payment_succeeded" if payment["status"] == "success" else "payment_failed"
    event_log.record_event(kind, transaction=payment, invoice=invoice, customer=customer, subscription=subscription)


def invoice_owners(invoice: Invoice) -> tuple[list[Subscription], Customer]:
    """Return the subscriptions, in the order of the lines, and the customer of an invoice."""
    return invoicing.charged_subscriptions(invoice), Customer.objects.get(handle=invoice.customer_id)


def collects_automatically(subscription: Subscription, customer: Customer) -> bool:
    """Return the subscription's setting, or else the customer's."""
    return bool(subscription.get("auto_collection", customer["auto_collection"]) == "on")


def chargeable_sources(subscription: Subscription, customer: Customer) -> list[PaymentSource]:
    """Return the sources to charge, in order: the subscription's own or the primary one, then the backup.

    Inside of ``charge_authorized`` only the source that its payer has authorized.
    """
    if (authorized := _authorized_charge.get()) is not None:
        return [authorized.source]
    first = subscription.get("payment_source_id") or customer.get("primary_payment_source_id")
    handles = [handle for handle in (first, customer.get("backup_payment_source_id")) if handle]
    sources = PaymentSource.objects.filter(deleted=False).in_bulk(handles, field_name="handle")
    return [sources[handle] for handle in handles if handle in sources]


def charge_source(invoice: Invoice, source: PaymentSource, amount: int | None = None) -> Transaction:
    """Charge a source for the amount due, or for ``amount`` (cents), and link the attempt to the unsaved invoice."""
    return charge_invoices([(invoice, invoice["amount_due"] if amount is None else amount)], source)


def charge_invoices(shares: Sequence[tuple[Invoice, int]], source: PaymentSource) -> Transaction:
    """Charge a source once for shares (cents) of invoices, and link the attempt to the unsaved invoices.

    Raises: AuthorizedTooLittle inside of ``charge_authorized``.
    """
    total = sum(share for _invoice, share in shares)
    authorized = _authorized_charge.get()
    if authorized is not None and (total > authorized.amount or shares[0][0]["currency_code"] != authorized.currency):
        raise AuthorizedTooLittle
    payment = Transaction.build_row(
        identifiers.new_id("txn_"),
        _transaction_body(shares[0][0], source, total, authenticated=authorized is not None),
        customer_id=source.customer_id,
        dated_at=clock.now_seconds(),
    )
    for invoice, share in shares:
        if payment["status"] == "success":
            _apply_payment(invoice, share)
        link = {"txn_id": payment.handle, "applied_amount": share, "applied_at": clock.now_seconds()}
        attempt = {"txn_status": payment["status"], "txn_date": clock.now_seconds(), "txn_amount": total}
        invoice.set_attributes(linked_payments=[*invoice["linked_payments"], {**link, **attempt}])
    linked = [_linked_invoice(invoice, share) for invoice, share in shares]
    payment.set_attributes(linked_invoices=linked, amount_unused=0)
    payment.save()
    return payment


def _invoices_in_dunning(subscription: Subscription) -> list[Invoice]:
    return list(Invoice.objects.filter(subscription_id=subscription.handle, due_at__isnull=False))


def _try_sources(invoice: Invoice, subscription: Subscription, customer: Customer) -> Transaction | None:
    payment = None
    for source in chargeable_sources(subscription, customer):
        payment = charge_source(invoice, source)
        if payment["status"] == "success":
            break
    return payment


def _apply_payment(invoice: Invoice, amount: int) -> None:
    left = invoice["amount_due"] - amount
    invoice.set_attributes(amount_paid=invoice["amount_paid"] + amount, amount_due=left, amount_to_collect=left)
    if not left:
        invoice.set_attributes(status="paid", paid_at=clock.now_seconds(), next_retry_at=None)


def _record_failure(invoice: Invoice, payment: Transaction | None) -> None:
    attempts = [
        *invoice["dunning_attempts"],
        _dunning_attempt(len(invoice["dunning_attempts"]), invoice, payment),
    ]
    if len(attempts) > load_settings().dunning_retries:
        invoice.due_at = None
        invoice.set_attributes(
            status="not_paid", dunning_status="exhausted", dunning_attempts=attempts, next_retry_at=None
        )
        return
    invoice.due_at = clock.now_seconds() + RETRY_SECONDS
    invoice.set_attributes(dunning_status="in_progress", dunning_attempts=attempts, next_retry_at=invoice.due_at)


def _dunning_attempt(number: int, invoice: Invoice, payment: Transaction | None) -> Body:
    attempt: Body = {"attempt": number, "dunning_type": "auto_collect", "created_at": clock.now_seconds()}
    if payment is None:
        return {**attempt, "txn_amount": invoice["amount_due"]}
    return {
        **attempt,
        "transaction_id": payment.handle,
        "txn_status": payment["status"],
        "txn_amount": payment["amount"],
    }


def _transaction_body(invoice: Invoice, source: PaymentSource, amount: int, *, authenticated: bool) -> Body:
    now = clock.now_seconds()
    decline_code = gateway.answer_charge(source.refusal, authenticated=authenticated)
    is_declined = bool(decline_code)
    card = source.get("card")
    return {
        "customer_id": invoice.customer_id,
        "subscription_id": invoice.subscription_id or None,
        "gateway_account_id": source["gateway_account_id"],
        # A card that its payer did not want to keep has no row.
        "payment_source_id": source.handle if source.pk else None,
        "payment_method": source["type"],
        "gateway": source["gateway"],
        "type": "payment",
        "date": now,
        "settled_at": None if is_declined else now,
        "exchange_rate": 1.0,
        "amount": amount,
        "id_at_gateway": identifiers.new_id("cb_"),
        "status": "failure" if is_declined else "success",
        "error_code": decline_code or None,
        "error_text": gateway.decline_text(decline_code) if is_declined else None,
        "initiator_type": "customer" if authenticated else "merchant",
        "three_d_secure": authenticated,
        "masked_card_number": card["masked_number"] if card else None,
        "iin": card["iin"] if card else None,
        "last4": card["last4"] if card else None,
        "payment_method_details": _payment_method_details(source),
        "currency_code": invoice["currency_code"],
        "base_currency_code": invoice["currency_code"],
        "linked_refunds": [],
        "deleted": False,
    }


def _payment_method_details(source: PaymentSource) -> str:
    details = {name: source[name] for name in payment_instruments.DETAIL_NAMES if name in source.body}
    return json.dumps(details, separators=(",", ":"))


def _linked_invoice(invoice: Invoice, amount: int) -> Body:
    return {
        "invoice_id": invoice.handle,
        "applied_amount": amount,
        "applied_at": clock.now_seconds(),
        "invoice_date": invoice["date"],
        "invoice_total": invoice["total"],
        "invoice_status": invoice["status"],
    }
