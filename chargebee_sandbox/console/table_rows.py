"""The site's resources as rows of the console's tables, with labels and formatted amounts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from chargebee_sandbox.console.layout import site_time
from chargebee_sandbox.engine.billing.credit_notes import refundable_amount
from chargebee_sandbox.models import CreditNote, Customer, Event, Invoice, ItemPrice, PaymentSource, Subscription

OWED_STATUSES = ("payment_due", "not_paid")
_TONES_BY_STATUS = {
    "active": "good",
    "in_trial": "good",
    "paid": "good",
    "succeeded": "good",
    "valid": "good",
    "paused": "warn",
    "non_renewing": "warn",
    "expiring": "warn",
    "re_scheduled": "warn",
    "payment_due": "bad",
    "not_paid": "bad",
    "failed": "bad",
    "expired": "bad",
    "invalid": "bad",
}


_LABELS_BY_STATUS = {"api": "API", "non_renewing": "Non-renewing", "re_scheduled": "Rescheduled"}


@dataclass(frozen=True, slots=True)
class StatusLabel:
    """A status of the provider with its label and tone (good, warn, bad, or empty)."""

    code: str

    @property
    def label(self) -> str:
        """The status in words."""
        return _LABELS_BY_STATUS.get(self.code) or self.code.replace("_", " ").capitalize()

    @property
    def tone(self) -> str:
        """The color of the label."""
        return _TONES_BY_STATUS.get(self.code, "")


@dataclass(frozen=True, slots=True)
class SubscriptionRow:
    """A subscription: its plan, its state, and its next transition."""

    id: str
    name: str
    price: str
    state: StatusLabel
    next: str
    next_at: datetime | None
    coupons: str
    term: tuple[datetime, datetime] | None


@dataclass(frozen=True, slots=True)
class AccountRow:
    """A customer with subscriptions and the amount due, for the list of accounts."""

    id: str
    name: str
    email: str
    subscriptions: list[SubscriptionRow]
    owed: str


@dataclass(frozen=True, slots=True)
class InvoiceRow:
    """An invoice: its number, date, state, total, and amount due (empty if nothing is due).

    ``credited`` has what was refunded and credited of it, and ``is_refundable`` whether anything is left for that.
    """

    id: str
    date: datetime
    state: StatusLabel
    total: str
    owed: str
    lines: list[str]
    collection: str
    credited: list[str]
    is_refundable: bool


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A masked payment source."""

    id: str
    name: str
    state: StatusLabel
    role: str
    billing: str


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event: its time, type, customer, and webhook status."""

    id: str
    at: datetime
    type: str
    source: str
    customer: str
    state: StatusLabel

    @property
    def label(self) -> str:
        """The type of the event in words."""
        return StatusLabel(self.type).label


def format_money(cents: int, currency: str = "USD") -> str:
    """Return cents as `$6.99 USD`, negative amounts with the sign before the dollar."""
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02d} {currency}"


def account_rows(customers: Iterable[Customer]) -> list[AccountRow]:
    """Return the rows for these customers, with three queries."""
    customers = list(customers)
    handles = [customer.handle for customer in customers]
    subscriptions = subscription_rows(Subscription.objects.filter(customer_id__in=handles, deleted=False))
    owed = _owed_by_customer(handles)
    return [
        AccountRow(
            id=customer.handle,
            name=full_name(customer),
            email=customer.get("email", ""),
            subscriptions=subscriptions.get(customer.handle, []),
            owed=format_money(owed[customer.handle]) if customer.handle in owed else "",
        )
        for customer in customers
    ]


def full_name(customer: Customer) -> str:
    """Return the first and last name, or the id if there is none."""
    return " ".join(filter(None, (customer.get("first_name"), customer.get("last_name")))) or customer.handle


def subscription_rows(rows: QuerySet[Subscription]) -> dict[str, list[SubscriptionRow]]:
    """Return the subscriptions by customer, oldest first and canceled ones last."""
    ordered = sorted(rows, key=lambda row: (row["status"] == "cancelled", row.created_at, row.seq))
    price_ids = {price_id for row in ordered if (price_id := _price_id(row))}
    prices = {price.handle: price for price in ItemPrice.objects.filter(handle__in=price_ids)}
    by_customer: dict[str, list[SubscriptionRow]] = {}
    for row in ordered:
        by_customer.setdefault(row.customer_id, []).append(_subscription_row(row, prices.get(_price_id(row))))
    return by_customer


def invoice_rows(customer_id: str) -> list[InvoiceRow]:
    """Return a customer's invoices, newest first."""
    rows = Invoice.objects.filter(customer_id=customer_id, deleted=False).order_by("-seq")
    notes: dict[str, list[CreditNote]] = {}
    for note in CreditNote.objects.filter(customer_id=customer_id, deleted=False).order_by("seq"):
        notes.setdefault(note["reference_invoice_id"], []).append(note)
    return [_invoice_row(row, notes.get(row.handle, [])) for row in rows]


def source_rows(customer: Customer) -> list[SourceRow]:
    """Return a customer's payment sources, the primary one first."""
    sources = PaymentSource.objects.filter(customer_id=customer.handle, deleted=False).order_by("seq")
    rows = [_source_row(source, customer) for source in sources]
    return sorted(rows, key=lambda row: row.role != "Primary")


def event_rows(rows: Iterable[Event]) -> list[EventRow]:
    """Return the rows of events."""
    return [
        EventRow(
            id=row.handle,
            at=site_time(row.occurred_at),
            type=row.event_type,
            source=StatusLabel(row.source).label,
            customer=_event_customer_id(row.content),
            state=StatusLabel(row.webhook_status),
        )
        for row in rows
    ]


def events_about(customer_id: str) -> Q:
    """Return the condition that an event is about this customer."""
    return (
        Q(content__customer__id=customer_id)
        | Q(content__subscription__customer_id=customer_id)
        | Q(content__invoice__customer_id=customer_id)
        | Q(content__payment_source__customer_id=customer_id)
    )


def _owed_by_customer(customer_ids: list[str]) -> dict[str, int]:
    owed: dict[str, int] = {}
    due = Invoice.objects.filter(customer_id__in=customer_ids, deleted=False, body__status__in=OWED_STATUSES)
    for invoice in due:
        owed[invoice.customer_id] = owed.get(invoice.customer_id, 0) + invoice.get("amount_due", 0)
    return owed


def _price_id(row: Subscription) -> str:
    items: list[dict[str, Any]] = row.get("subscription_items", [])
    return next((str(item["item_price_id"]) for item in items), "")


def _subscription_row(row: Subscription, price: ItemPrice | None) -> SubscriptionRow:
    words, at = _next_transition(row)
    start, end = row.get("current_term_start"), row.get("current_term_end")
    return SubscriptionRow(
        id=row.handle,
        name=price.get("external_name") or price["name"] if price else _price_id(row),
        price=_price_label(row),
        state=StatusLabel(row["status"]),
        next=words,
        next_at=site_time(at) if at else None,
        coupons=", ".join(coupon["coupon_id"] for coupon in row.get("coupons", [])),
        term=(site_time(start), site_time(end)) if start and end else None,
    )


def _price_label(row: Subscription) -> str:
    amount = sum(item.get("amount", 0) for item in row.get("subscription_items", []))
    return f"{format_money(amount, row['currency_code'])} a {row.get('billing_period_unit', 'term')}"


def _next_transition(row: Subscription) -> tuple[str, int | None]:
    """Return the label and the instant of the next transition."""
    status = row["status"]
    if status == "cancelled":
        return "Ended", row.get("cancelled_at")
    if status == "paused":
        label, name = ("Resumes", "resume_date") if row.get("resume_date") else ("Paused since", "pause_date")
        return label, row.get(name)
    if row.get("cancelled_at"):
        return "Ends", row["cancelled_at"]
    if row.get("pause_date"):
        return "Pauses", row["pause_date"]
    if status == "in_trial":
        return "Trial ends", row.get("trial_end")
    return "Next billing", row.get("next_billing_at")


def _invoice_row(row: Invoice, notes: list[CreditNote]) -> InvoiceRow:
    currency = row["currency_code"]
    due = row.get("amount_due", 0)
    return InvoiceRow(
        id=row.handle,
        date=site_time(row["date"]),
        state=StatusLabel(row["status"]),
        total=format_money(row["total"], currency),
        owed=format_money(due, currency) if due else "",
        lines=[line["description"] for line in row.get("line_items", [])],
        collection=_dunning_label(row),
        credited=[_credit_label(note) for note in notes],
        is_refundable=refundable_amount(row) > 0,
    )


def _credit_label(note: CreditNote) -> str:
    """Return what became of a credit note: `$2.00 USD refunded`, `$5.00 USD credited`, and so on."""
    amount, refunded = note["total"], note["amount_refunded"]
    currency = note["currency_code"]
    if note["status"] == "voided" or note["type"] == "adjustment":
        return f"{format_money(amount, currency)} {note['status']}"
    parts = [(refunded, "refunded"), (amount - refunded, "credited")]
    return ", ".join(f"{format_money(cents, currency)} {word}" for cents, word in parts if cents)


def _dunning_label(row: Invoice) -> str:
    if row.get("dunning_status") != "in_progress":
        return ""
    retry_at = row.get("next_retry_at")
    return f"In dunning, next try {site_time(retry_at):%-d %b %Y, %H:%M}" if retry_at else "In dunning"


def _source_row(row: PaymentSource, customer: Customer) -> SourceRow:
    roles = {
        customer.get("primary_payment_source_id"): "Primary",
        customer.get("backup_payment_source_id"): "Backup",
    }
    return SourceRow(
        id=row.handle,
        name=_source_name(row),
        state=StatusLabel(row["status"]),
        role=roles.get(row.handle, ""),
        billing=_billing_label(row),
    )


def _source_name(row: PaymentSource) -> str:
    card = row.get("card")
    if card:
        brand = StatusLabel(card.get("brand", "card")).label
        return f"{brand} ending {card['last4']}, {card['expiry_month']:02d}/{card['expiry_year']}"
    if row["type"] != "paypal_express_checkout":
        return str(row["type"]).replace("_", " ").capitalize()
    paypal = row.get("paypal") or {}
    return f"PayPal {paypal.get('email', '')}".strip()


def _billing_label(row: PaymentSource) -> str:
    card = row.get("card") or {}
    name = " ".join(filter(None, (card.get("first_name"), card.get("last_name"))))
    place = " ".join(filter(None, (card.get("billing_state_code"), card.get("billing_zip"))))
    return ", ".join(filter(None, (name, place)))


def _event_customer_id(content: dict[str, Any]) -> str:
    if "customer" in content:
        return str(content["customer"]["id"])
    return next((str(part["customer_id"]) for part in content.values() if _has_customer_id(part)), "")


def _has_customer_id(part: object) -> bool:
    return isinstance(part, dict) and "customer_id" in part
