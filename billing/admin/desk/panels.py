"""Billing's searches and panels of the desk."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Q
from django.http import HttpRequest
from django.urls import reverse

from accounts.admin.desk import front_page
from accounts.admin.desk.account_page import list_url
from accounts.admin.desk.front_page import MAX_FINDINGS, WEEK, Finding, Panel, PanelRow, account_finding
from accounts.admin.lists.display import format_day
from accounts.brands import site
from billing import clock
from billing.admin.health import list_url_of
from billing.health import checks
from billing.models import ChurnEvent, CreditNote, Customer, Invoice, PaymentSource, Subscription, Transaction
from billing.money import format_cents
from billing.queries.reports.collections import Outcome, money_moved
from billing.receipts.phrases import payment_method_name

DAY = timedelta(days=1)

Kind = ChurnEvent.Kind
# What subscribers do, in the order in which the desk counts it.
_COUNTED = {
    Kind.PAUSED: "Paused",
    Kind.RESUMED: "Resumed",
    Kind.CANCELLED: "Canceled",
    Kind.KEPT: "Cancellation undone",
}


def _customer_finding(customer: Customer, matched: str) -> Finding:
    """Return the account's page, or the customer's if nobody has signed in to it."""
    if customer.account is not None:
        return account_finding(customer.account, matched)
    page = reverse("admin:billing_customer_change", args=[customer.pk])
    return Finding(page, customer.email or customer.provider_id, f"{matched}; has never signed in")


def _find_customers(query: str) -> list[Finding]:
    customers = Customer.objects.select_related("account").order_by()
    by_id = customers.filter(provider_id=query)
    # An account's own address is found as the account's.
    by_address = customers.filter(email__startswith=query.lower(), account=None, deleted=False)[:MAX_FINDINGS]
    return [
        *(_customer_finding(customer, f"Customer {customer.provider_id}") for customer in by_id),
        *(
            _customer_finding(customer, "Email address in Chargebee")
            for customer in sorted(by_address, key=lambda row: row.email)
        ),
    ]


def _find_cards(query: str) -> list[Finding]:
    if not re.fullmatch("[0-9]{4}", query):
        return []
    cards = PaymentSource.objects.filter(last4=query, deleted=False).select_related("customer__account").order_by()
    found = sorted(cards[:MAX_FINDINGS], key=lambda card: card.customer.email)
    return [_customer_finding(card.customer, f"Payment method {payment_method_name(card)}") for card in found]


def _find_by_id(model: type[Any], describe: Callable[[Any], str]) -> Callable[[str], list[Finding]]:
    """Return a search for a record by its id at the provider, also typed in lower case."""

    def search(query: str) -> list[Finding]:
        rows = model.objects.filter(provider_id__in={query, query.upper()}).select_related("customer__account")
        return [_customer_finding(row.customer, describe(row)) for row in rows]

    return search


def _describe_invoice(invoice: Invoice) -> str:
    total = format_cents(invoice.cents("total"), invoice.text("currency_code") or "USD")
    return f"Invoice {invoice.provider_id}: {total} on {format_day(invoice.issued_at)}"


def _describe_transaction(transaction: Transaction) -> str:
    amount = format_cents(transaction.cents("amount"), transaction.text("currency_code") or "USD")
    return f"Transaction {transaction.provider_id}: {amount} on {format_day(transaction.instant('date'))}"


def _describe_credit_note(note: CreditNote) -> str:
    total = format_cents(note.cents("total"), note.text("currency_code") or "USD")
    return f"Credit note {note.provider_id}: {total} on {format_day(note.issued_at)}"


def _attention_panel(request: HttpRequest) -> Panel:
    failing = [check for check in checks.run_health_checks(now=clock.billing_now()) if check.needs_somebody]
    page = reverse("admin:billing_systemhealth_changelist")
    rows = [PanelRow(check.title, check.found, check.todo, list_url_of(check, request) or page) for check in failing]
    return Panel("Needs attention", rows, "All systems normal", page, "System health")


def _money_panel(request: HttpRequest) -> Panel:
    now, zone = clock.billing_now(), site.site_settings().time_zone
    day = clock.local_date(now, zone)
    today = clock.start_of_day(day, zone)
    moved = money_moved(today, now)
    before = money_moved(clock.start_of_day(day - DAY, zone), today)
    rows = [
        PanelRow(
            str(outcome).capitalize(),
            _format_sums(moved[outcome].cents),
            f"{_count_payments(moved[outcome].count)}, {_format_sums(before[outcome].cents)} yesterday",
            list_url(Transaction, outcome=outcome, made_at__gte=today.isoformat()),
        )
        for outcome in Outcome
    ]
    return Panel("Money today", rows, has_figures=True)


def _format_sums(cents: Mapping[str, int]) -> str:
    return " + ".join(format_cents(amount, currency) for currency, amount in sorted(cents.items())) or format_cents(0)


def _count_payments(count: int) -> str:
    return "1 transaction" if count == 1 else f"{count:,} transactions"


def _new_subscriptions_row(start: datetime, now: datetime) -> PanelRow:
    created = Subscription.objects.filter(created_at__lt=now, deleted=False)
    return PanelRow(
        "New",
        f"{created.filter(created_at__gte=start).count():,}",
        f"{created.filter(created_at__gte=start - WEEK, created_at__lt=start).count():,} the week before",
        list_url(Subscription, created_at__gte=start.isoformat()),
    )


def _changes_panel(request: HttpRequest) -> Panel:
    now = clock.billing_now()
    start = now - WEEK
    counts = {
        row["kind"]: (row["latest"], row["earlier"])
        for row in ChurnEvent.objects.filter(kind__in=_COUNTED, at__gte=start - WEEK, at__lt=now)
        .values("kind")
        .annotate(latest=Count("pk", filter=Q(at__gte=start)), earlier=Count("pk", filter=Q(at__lt=start)))
        .order_by()
    }
    may_list = request.user.has_perm("billing.view_churnevent")
    rows = [
        PanelRow(
            label,
            f"{latest:,}",
            f"{earlier:,} the week before",
            list_url(ChurnEvent, kind__exact=kind, at__gte=start.isoformat()) if may_list else "",
        )
        for kind, label in _COUNTED.items()
        for latest, earlier in [counts.get(kind, (0, 0))]
    ]
    report = reverse("admin:billing_churnreport_changelist")
    rows = [_new_subscriptions_row(start, now), *rows]
    return Panel("Subscriptions in the last 7 days", rows, rest=report, rest_label="Churn report", has_figures=True)


front_page.register_search("billing.view_customer", _find_customers)
front_page.register_search("billing.view_invoice", _find_by_id(Invoice, _describe_invoice))
front_page.register_search(
    "billing.view_subscription", _find_by_id(Subscription, lambda row: f"Subscription {row.provider_id}")
)
front_page.register_search(
    "billing.view_paymentsource", _find_by_id(PaymentSource, lambda row: f"Payment method {payment_method_name(row)}")
)
front_page.register_search("billing.view_paymentsource", _find_cards)
front_page.register_search("billing.view_transaction", _find_by_id(Transaction, _describe_transaction))
front_page.register_search("billing.view_creditnote", _find_by_id(CreditNote, _describe_credit_note))
front_page.register_panel(10, "billing.view_systemhealth", _attention_panel)
front_page.register_panel(15, "billing.view_transaction", _money_panel)
front_page.register_panel(20, "billing.view_churnreport", _changes_panel)
