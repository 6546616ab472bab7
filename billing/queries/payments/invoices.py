"""The billing history: the rows of GET /api/invoice/list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from accounts.brands import site
from accounts.models import Account
from billing import clock
from billing.models import CreditNote, Customer, Invoice, ItemPrice, Plan, Subscription, Transaction
from billing.queries.payments.payment_methods import attach_sources, invoice_currency, type_name
from billing.terms import DEFAULT_CURRENCY

# A reversal is money that the bank took back for its cardholder.
REFUND_TYPES = ("refund", "payment_reversal")
REFUNDED, CREDITED, ADJUSTED = "REFUNDED", "CREDITED", "ADJUSTED"
CREDIT_NOTE_KINDS = (REFUNDED, CREDITED, ADJUSTED)


@dataclass(frozen=True)
class BilledItem:
    """What an invoice bills: its name, and from when to when (UTC), None for what has no period."""

    name: str
    starts_at: datetime | None
    ends_at: datetime | None


@dataclass(frozen=True)
class CreditNoteRow:
    """A credit note in the billing history, below its invoice: its amount in cents and what became of it.

    Of one that was refunded after it had paid a bill in part, the amount is what was refunded.

    `kind` is REFUNDED to a payment method, CREDITED for later bills, or ADJUSTED, taken off before it was paid. `left`
    (cents) still pays the next bills. The payment method is the one that a refund went to, at `refunded_at` (UTC).
    """

    number: str
    kind: str
    issued_at: datetime
    amount: int
    left: int
    currency_code: str
    refunded_at: datetime | None = None
    payment_source_type: str | None = None
    payment_source_name: str | None = None
    card_brand: str | None = None
    last4: str | None = None
    paypal_email: str | None = None


@dataclass(frozen=True)
class InvoiceRow:
    """An invoice in the billing history: what it bills, its amounts in cents, and how it was paid, if it was charged.

    `credits` is what the account's credit paid of the total, and `charged` what a payment method paid. If its last
    payment paid further invoices, these are `paid_together`, and `payment_total` is the amount of that payment.
    """

    number: str
    status: str
    transaction_date: datetime
    items: tuple[BilledItem, ...]
    total: int
    credits: int
    charged: int
    currency_code: str
    payment_source_type: str | None = None
    payment_source_name: str | None = None
    card_brand: str | None = None
    last4: str | None = None
    paypal_email: str | None = None
    paid_together: tuple[str, ...] = ()
    payment_total: int | None = None
    credit_notes: tuple[CreditNoteRow, ...] = ()


def invoice_rows(account: Account) -> list[InvoiceRow]:
    """Return the rows of the account's invoices, newest first. Seven queries at most."""
    return rows_for_invoices(account, invoices_of(account))


def invoices_of(account: Account) -> list[Invoice]:
    """Return the account's invoices, newest first. One query."""
    invoices = Invoice.objects.filter(customer__account=account, deleted=False)
    return list(invoices.order_by("-issued_at", "-pk"))


def invoices_of_year(account: Account, year: int) -> list[Invoice]:
    """Return the account's invoices that the billing history shows in a year, newest first. Two queries at most."""
    zone = site.site_settings().time_zone
    return [row for row in invoices_of(account) if clock.local_date(transaction_date(row), zone).year == year]


def transaction_date(invoice: Invoice) -> datetime:
    """Return when an invoice was paid, else when it was issued (UTC)."""
    return _payment_date(last_payment(invoice)) or invoice.issued_at


def attach_tax_in_prices(subscriptions: Sequence[Subscription]) -> None:
    """Read together whether the prices of subscriptions include tax. One query."""
    inclusive = Subscription.objects.tax_inclusive_keys(subscriptions)
    for subscription in subscriptions:
        subscription.is_tax_in_prices = subscription.pk in inclusive


def refunds_of_year(account: Account, year: int) -> list[Transaction]:
    """Return the transactions that returned money to the account in a year, the oldest first. Two queries at most."""
    zone = site.site_settings().time_zone
    refunds = Transaction.objects.filter(
        customer__account=account, deleted=False, payload__type__in=REFUND_TYPES, payload__status="success"
    )
    dated = sorted((moment, refund.pk, refund) for refund in refunds if (moment := refund.instant("date")))
    return [refund for moment, _, refund in dated if clock.local_date(moment, zone).year == year]


def rows_for_invoices(account: Account, invoices: Sequence[Invoice]) -> list[InvoiceRow]:
    """Return the rows of these invoices of an account. Six queries at most."""
    payments, names, paid = PaymentLookup.for_account(account), _plan_names(invoices), _numbers_by_payment(invoices)
    notes = credit_notes_by_invoice(account)
    return [_invoice_row(invoice, payments, names, paid, notes.get(invoice.provider_id, ())) for invoice in invoices]


def credit_notes_by_invoice(account: Account) -> dict[str, list[CreditNote]]:
    """Return the account's credit notes that count, oldest first, by the number of their invoice. One query."""
    found: dict[str, list[CreditNote]] = {}
    for note in CreditNote.objects.filter(customer__account=account).order_by("issued_at", "pk"):
        if note.is_valid:
            found.setdefault(note.invoice_number, []).append(note)
    return found


def invoices_by_payment(account: Account) -> dict[str, list[Invoice]]:
    """Return the invoices that each transaction paid, tried to pay, or refunded, oldest first. Two queries."""
    invoices = {invoice.provider_id: invoice for invoice in reversed(invoices_of(account))}
    links = [
        *((link, invoice) for invoice in invoices.values() for link in invoice.payload.get("linked_payments") or ()),
        *(
            (link, invoices[number])
            for number, notes in credit_notes_by_invoice(account).items()
            if number in invoices
            for note in notes
            for link in note.payload.get("linked_refunds") or ()
        ),
    ]
    found: dict[str, dict[str, Invoice]] = {}
    for link, invoice in links:
        found.setdefault(str(link["txn_id"]), {})[invoice.provider_id] = invoice
    return {payment: list(paid.values()) for payment, paid in found.items()}


def credit_note_kind(note: CreditNote) -> str:
    """Return what became of a credit note: REFUNDED, CREDITED or ADJUSTED."""
    if note.is_adjustment:
        return ADJUSTED
    return REFUNDED if note.cents("amount_refunded") else CREDITED


def refund_link(note: CreditNote) -> Mapping[str, Any] | None:
    """Return the newest successful refund of a credit note, None if it was not refunded."""
    links = [row for row in note.payload.get("linked_refunds") or () if row.get("txn_status") == "success"]
    return max(links, key=lambda row: int(row.get("txn_date") or row.get("applied_at") or 0), default=None)


def _credit_note_row(note: CreditNote, payments: PaymentLookup) -> CreditNoteRow:
    kind, refund = credit_note_kind(note), refund_link(note)
    return CreditNoteRow(
        number=note.provider_id,
        kind=kind,
        issued_at=note.issued_at,
        amount=note.cents("amount_refunded" if kind == REFUNDED else "total"),
        left=note.cents("amount_available"),
        currency_code=note.text("currency_code") or DEFAULT_CURRENCY,
        refunded_at=_payment_date(refund),
        **payments.payment_method(refund),
    )


def _invoice_row(
    invoice: Invoice,
    payments: PaymentLookup,
    names: Mapping[str, str],
    paid: Mapping[str, Sequence[str]],
    notes: Iterable[CreditNote],
) -> InvoiceRow:
    payment = last_payment(invoice)
    together = [number for number in paid[payment["txn_id"]] if number != invoice.provider_id] if payment else []
    return InvoiceRow(
        number=invoice.provider_id,
        status=invoice.status.upper(),
        transaction_date=transaction_date(invoice),
        # A change bills a plan in several lines, such as a credit and a charge for the same time.
        items=tuple(dict.fromkeys(_billed_item(line, names) for line in invoice.line_items)),
        total=invoice.cents("total"),
        credits=invoice.cents("credits_applied"),
        charged=invoice.cents("amount_paid"),
        currency_code=invoice_currency(invoice),
        paid_together=tuple(together),
        payment_total=payment.get("txn_amount") if payment and together else None,
        credit_notes=tuple(_credit_note_row(note, payments) for note in notes),
        **payments.payment_method(payment),
    )


def _numbers_by_payment(invoices: Iterable[Invoice]) -> Mapping[str, Sequence[str]]:
    """Return the numbers of the invoices that each transaction was the last one to pay."""
    numbers: dict[str, list[str]] = {}
    for invoice in invoices:
        if payment := last_payment(invoice):
            numbers.setdefault(payment["txn_id"], []).append(invoice.provider_id)
    return numbers


def _plan_names(invoices: Iterable[Invoice]) -> dict[str, str]:
    """Return the names of the plans that invoices bill, by price. Three queries at most."""
    ids = {str(line["entity_id"]) for invoice in invoices for line in invoice.line_items if line.get("entity_id")}
    prices = {price.provider_id: price for price in ItemPrice.objects.filter(provider_id__in=ids)} if ids else {}
    return {price_id: plan.name for price_id, plan in Plan.objects.by_price(prices).items()} if prices else {}


def _billed_item(line: Mapping[str, Any], names: Mapping[str, str]) -> BilledItem:
    """Return what a line bills, by its plan's name; by its own description if it bills no known price."""
    return BilledItem(
        name=names.get(str(line.get("entity_id"))) or str(line.get("description") or "Other"),
        starts_at=_instant(line.get("date_from")),
        ends_at=_instant(line.get("date_to")),
    )


def last_payment(invoice: Invoice) -> Mapping[str, Any] | None:
    """Return the newest successful payment, None when nothing was charged."""
    successful = [row for row in invoice.payload.get("linked_payments") or () if row.get("txn_status") == "success"]
    return max(successful, key=lambda row: int(row.get("txn_date") or row.get("applied_at") or 0), default=None)


def _payment_date(payment: Mapping[str, Any] | None) -> datetime | None:
    return _instant(payment.get("txn_date") or payment.get("applied_at")) if payment else None


def _instant(seconds: int | None) -> datetime | None:
    return datetime.fromtimestamp(seconds, tz=UTC) if seconds else None


@dataclass(frozen=True)
class PaymentLookup:
    """An account's transactions by their ids, each with its payment source, also if it was removed."""

    transactions: Mapping[str, Transaction]

    @classmethod
    def for_account(cls, account: Account) -> PaymentLookup:
        """Return those of an account. Two queries."""
        return cls._attach_sources(Transaction.objects.filter(customer__account=account))

    @classmethod
    def for_customer(cls, customer: Customer) -> PaymentLookup:
        """Return those of a customer. Two queries."""
        return cls._attach_sources(Transaction.objects.filter(customer=customer))

    @classmethod
    def _attach_sources(cls, transactions: Iterable[Transaction]) -> PaymentLookup:
        rows = list(transactions)
        attach_sources(rows)
        return cls({row.provider_id: row for row in rows})

    def payment_method(self, payment: Mapping[str, Any] | None) -> dict[str, str | None]:
        """Return the fields of a row that describe how it was paid; none without a payment."""
        transaction = self.transactions.get(str(payment["txn_id"])) if payment else None
        method = transaction.text("payment_method") if transaction else ""
        if transaction is None or not method:
            return {}
        source = transaction.payment_source
        card: Mapping[str, Any] = (source.payload.get("card") if source else None) or {}
        paypal: Mapping[str, Any] = (source.payload.get("paypal") if source else None) or {}
        return {
            "payment_source_type": method.upper(),
            "payment_source_name": type_name(method),
            "card_brand": str(card["brand"]).upper() if card.get("brand") else None,
            "last4": card_last4(transaction) or card.get("last4"),
            "paypal_email": paypal.get("email"),
        }


def card_last4(transaction: Transaction) -> str | None:
    """Return the last four digits of the card that a payment charged; None if it charged no card."""
    return transaction.text("last4") or transaction.text("masked_card_number")[-4:] or None
