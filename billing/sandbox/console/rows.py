"""The site's resources as the console words them: read from rows, in sentences and dollars."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from billing.sandbox.console.chrome import site_time
from billing.sandbox.models import Customer, Event, Invoice, ItemPrice, PaymentSource, Subscription

OWED = ("payment_due", "not_paid")
_TONES = {
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


_WORDS = {"api": "API", "non_renewing": "Non-renewing", "re_scheduled": "Rescheduled"}


@dataclass(frozen=True, slots=True)
class State:
    """A status in the provider's word, how it reads, and how grave it is (good, warn, bad or nothing)."""

    code: str

    @property
    def label(self) -> str:
        """The word as a person writes it."""
        return _WORDS.get(self.code) or self.code.replace("_", " ").capitalize()

    @property
    def tone(self) -> str:
        """Which colour goes with the word."""
        return _TONES.get(self.code, "")


@dataclass(frozen=True, slots=True)
class SubscriptionRow:
    """A subscription: what it is of, its state, and the next thing that happens to it."""

    id: str
    name: str
    price: str
    state: State
    next: str
    next_at: datetime | None
    coupons: str
    term: tuple[datetime, datetime] | None


@dataclass(frozen=True, slots=True)
class AccountRow:
    """A customer with the subscriptions and what is owed, for the list of accounts."""

    id: str
    name: str
    email: str
    subscriptions: list[SubscriptionRow]
    owed: str


@dataclass(frozen=True, slots=True)
class InvoiceRow:
    """An invoice: its number, day, state, total and what is still owed (empty when nothing)."""

    id: str
    date: datetime
    state: State
    total: str
    owed: str
    lines: list[str]
    collection: str


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A way to pay, as the provider masks it."""

    id: str
    name: str
    state: State
    role: str
    billing: str


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event in a line: when, what, about whom, and how its delivery stands."""

    id: str
    at: datetime
    type: str
    source: str
    customer: str
    state: State

    @property
    def label(self) -> str:
        """The type of the event in words."""
        return State(self.type).label


def money(cents: int, currency: str = "USD") -> str:
    """Cents as `$6.99 USD`, negative amounts with the sign before the dollar."""
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02d} {currency}"


def accounts(customers: Iterable[Customer]) -> list[AccountRow]:
    """The list's rows for these customers, in three queries however many there are."""
    held = list(customers)
    handles = [customer.handle for customer in held]
    found = subscriptions(Subscription.objects.filter(customer_id__in=handles, deleted=False))
    owed = _owed(handles)
    return [
        AccountRow(
            id=customer.handle,
            name=full_name(customer),
            email=customer.get("email", ""),
            subscriptions=found.get(customer.handle, []),
            owed=money(owed[customer.handle]) if customer.handle in owed else "",
        )
        for customer in held
    ]


def full_name(customer: Customer) -> str:
    """First and last name, or the id where there is none."""
    return " ".join(filter(None, (customer.get("first_name"), customer.get("last_name")))) or customer.handle


def subscriptions(rows: QuerySet[Subscription]) -> dict[str, list[SubscriptionRow]]:
    """Subscriptions by customer: the living first, in the order they were begun."""
    held = sorted(rows, key=lambda row: (row["status"] == "cancelled", row.created_at, row.seq))
    wanted = {price_id for row in held if (price_id := _price_id(row))}
    prices = {price.handle: price for price in ItemPrice.objects.filter(handle__in=wanted)}
    by_customer: dict[str, list[SubscriptionRow]] = {}
    for row in held:
        by_customer.setdefault(row.customer_id, []).append(_subscription(row, prices.get(_price_id(row))))
    return by_customer


def invoices(customer_id: str) -> list[InvoiceRow]:
    """A customer's invoices, newest first."""
    rows = Invoice.objects.filter(customer_id=customer_id, deleted=False).order_by("-seq")
    return [_invoice(row) for row in rows]


def sources(customer: Customer) -> list[SourceRow]:
    """A customer's payment sources, the primary one first."""
    rows = PaymentSource.objects.filter(customer_id=customer.handle, deleted=False).order_by("seq")
    held = [_source(row, customer) for row in rows]
    return sorted(held, key=lambda row: row.role != "Primary")


def events(rows: Iterable[Event]) -> list[EventRow]:
    """Events as lines."""
    return [
        EventRow(
            id=row.handle,
            at=site_time(row.occurred_at),
            type=row.event_type,
            source=State(row.source).label,
            customer=_customer_of(row.content),
            state=State(row.webhook_status),
        )
        for row in rows
    ]


def events_about(customer_id: str) -> Q:
    """The condition that an event's content belongs to this customer."""
    return (
        Q(content__customer__id=customer_id)
        | Q(content__subscription__customer_id=customer_id)
        | Q(content__invoice__customer_id=customer_id)
        | Q(content__payment_source__customer_id=customer_id)
    )


def _owed(customer_ids: list[str]) -> dict[str, int]:
    owed: dict[str, int] = {}
    due = Invoice.objects.filter(customer_id__in=customer_ids, deleted=False, body__status__in=OWED)
    for invoice in due:
        owed[invoice.customer_id] = owed.get(invoice.customer_id, 0) + invoice.get("amount_due", 0)
    return owed


def _price_id(row: Subscription) -> str:
    items: list[dict[str, Any]] = row.get("subscription_items", [])
    return next((str(item["item_price_id"]) for item in items), "")


def _subscription(row: Subscription, price: ItemPrice | None) -> SubscriptionRow:
    words, at = _next_step(row)
    start, end = row.get("current_term_start"), row.get("current_term_end")
    return SubscriptionRow(
        id=row.handle,
        name=price.get("external_name") or price["name"] if price else _price_id(row),
        price=_price(row),
        state=State(row["status"]),
        next=words,
        next_at=site_time(at) if at else None,
        coupons=", ".join(coupon["coupon_id"] for coupon in row.get("coupons", [])),
        term=(site_time(start), site_time(end)) if start and end else None,
    )


def _price(row: Subscription) -> str:
    amount = sum(item.get("amount", 0) for item in row.get("subscription_items", []))
    return f"{money(amount, row['currency_code'])} a {row.get('billing_period_unit', 'term')}"


def _next_step(row: Subscription) -> tuple[str, int | None]:
    """What happens next and when; the order is that of what would happen first."""
    status = row["status"]
    if status == "cancelled":
        return "Ended", row.get("cancelled_at")
    if status == "paused":
        return (
            ("Resumes", row["resume_date"])
            if row.get("resume_date")
            else ("Paused since", row.get("pause_date"))
        )
    if row.get("cancelled_at"):
        return "Ends", row["cancelled_at"]
    if row.get("pause_date"):
        return "Pauses", row["pause_date"]
    if status == "in_trial":
        return "Trial ends", row.get("trial_end")
    return "Next billing", row.get("next_billing_at")


def _invoice(row: Invoice) -> InvoiceRow:
    currency = row["currency_code"]
    due = row.get("amount_due", 0)
    return InvoiceRow(
        id=row.handle,
        date=site_time(row["date"]),
        state=State(row["status"]),
        total=money(row["total"], currency),
        owed=money(due, currency) if due else "",
        lines=[line["description"] for line in row.get("line_items", [])],
        collection=_collection(row),
    )


def _collection(row: Invoice) -> str:
    if row.get("dunning_status") != "in_progress":
        return ""
    retry_at = row.get("next_retry_at")
    return f"In dunning, next try {site_time(retry_at):%-d %b %Y, %H:%M}" if retry_at else "In dunning"


def _source(row: PaymentSource, customer: Customer) -> SourceRow:
    roles = {
        customer.get("primary_payment_source_id"): "Primary",
        customer.get("backup_payment_source_id"): "Backup",
    }
    return SourceRow(
        id=row.handle,
        name=_source_name(row),
        state=State(row["status"]),
        role=roles.get(row.handle, ""),
        billing=_billing(row),
    )


def _source_name(row: PaymentSource) -> str:
    card = row.get("card")
    if card:
        brand = State(card.get("brand", "card")).label
        return f"{brand} ending {card['last4']}, {card['expiry_month']:02d}/{card['expiry_year']}"
    paypal = row.get("paypal") or {}
    return f"PayPal {paypal.get('email', '')}".strip()


def _billing(row: PaymentSource) -> str:
    card = row.get("card") or {}
    name = " ".join(filter(None, (card.get("first_name"), card.get("last_name"))))
    place = " ".join(filter(None, (card.get("billing_state_code"), card.get("billing_zip"))))
    return ", ".join(filter(None, (name, place)))


def _customer_of(content: dict[str, Any]) -> str:
    if "customer" in content:
        return str(content["customer"]["id"])
    return next((str(part["customer_id"]) for part in content.values() if _names_customer(part)), "")


def _names_customer(part: object) -> bool:
    return isinstance(part, dict) and "customer_id" in part
