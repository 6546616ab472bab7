"""Billing's sections of the account page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Q
from django.http import HttpRequest
from django.utils.html import format_html_join

from accounts.admin import account_actions, account_page
from accounts.admin.account_page import PageSection, newest_rows, row_link
from accounts.admin.read_only import account_link
from accounts.models import Account
from billing.admin.account_actions import REMOVE_PAUSE, RESUME
from billing.admin.formatting import UNSET, describe_source, format_instant, format_price
from billing.models import (
    CancellationFeedback,
    Command,
    Customer,
    Invoice,
    PauseSchedule,
    PaymentSource,
    Subscription,
    WebhookEvent,
)
from billing.money import format_cents
from billing.queries.customers import with_live_flag

_ACCOUNT_LOOKUP = "customer__account__id__exact"


def _customer_section(account: Account, request: HttpRequest) -> PageSection:
    concerned = Customer.objects.filter(Q(account=account) | Q(email=account.email, deleted=False) & ~Q(email=""))
    newest, list_url = newest_rows(with_live_flag(concerned).select_related("account").order_by("-pk"), q=account.email)
    rows = [
        (
            row_link(customer, customer.provider_id),
            customer.text("email") or UNSET,
            "deleted" if customer.deleted else "live subscriptions" if customer.has_live else "nothing live",
            _account_text(customer, account),
        )
        for customer in newest
    ]
    columns = ("Customer", "Email address in Chargebee", "State", "Account")
    return PageSection("Customers with this address", columns, rows, "No customer", list_url)


def _account_text(customer: Customer, account: Account) -> object:
    if customer.account is None:
        return "never signed in"
    return "this account" if customer.account == account else account_link(customer.account)


def _subscription_section(account: Account, request: HttpRequest) -> PageSection:
    subscriptions = Subscription.objects.filter(customer__account=account, deleted=False).order_by("-created_at")
    newest, list_url = newest_rows(subscriptions, **{_ACCOUNT_LOOKUP: account.pk})
    rows = [
        (
            row_link(subscription, subscription.plan.name),
            subscription.status,
            format_price(subscription.amount, subscription.terms),
            _next_event_text(subscription),
            ", ".join(str(coupon.get("coupon_id")) for coupon in subscription.coupons) or UNSET,
            _action_links(account, subscription, request),
        )
        for subscription in newest
    ]
    columns = ("Plan", "Status", "Price", "Next event", "Coupons", "Do")
    return PageSection("Subscriptions", columns, rows, "No subscriptions", list_url)


def _next_event_text(subscription: Subscription) -> str:
    if subscription.status == "paused":
        return f"paused since {format_instant(subscription.pause_date)}"
    if subscription.cancelled_at is not None:
        verb = "ended" if subscription.status == "cancelled" else "ends"
        return f"{verb} {format_instant(subscription.cancelled_at)}"
    if subscription.has_scheduled_pause:
        return f"pauses {format_instant(subscription.pause_date)}"
    change = ", with a plan change" if subscription.has_scheduled_changes else ""
    return f"bills {format_instant(subscription.next_billing_at)}{change}"


def _action_links(account: Account, subscription: Subscription, request: HttpRequest) -> object:
    actions = []
    if subscription.status == "paused":
        actions.append(RESUME)
    if subscription.has_scheduled_pause:
        actions.append(REMOVE_PAUSE)
    links = [(account_actions.action_link(account, action, request, subscription.provider_id),) for action in actions]
    return format_html_join(" ", "{}", links) or UNSET


def _pause_section(account: Account, request: HttpRequest) -> PageSection:
    schedules = PauseSchedule.objects.filter(subscription__customer__account=account)
    newest, list_url = newest_rows(
        schedules.select_related("subscription").order_by("-created_at", "-pk"),
        subscription__customer__account__id__exact=account.pk,
    )
    rows = [
        (
            row_link(schedule, format_instant(schedule.pause_date)),
            format_instant(schedule.resume_date),
            schedule.subscription.plan.name,
            schedule.get_state_display(),
            schedule.closed_because or UNSET,
            f"{schedule.last_error}, again {format_instant(schedule.retry_at)}" if schedule.last_error else UNSET,
        )
        for schedule in newest
    ]
    columns = ("From", "Until", "Plan", "State", "Closed because", "Last failure")
    return PageSection("Pauses", columns, rows, "No pauses", list_url)


def _invoice_section(account: Account, request: HttpRequest) -> PageSection:
    invoices = Invoice.objects.filter(customer__account=account, deleted=False).order_by("-issued_at", "-pk")
    newest, list_url = newest_rows(invoices, **{_ACCOUNT_LOOKUP: account.pk})
    rows = [
        (
            row_link(invoice, invoice.provider_id),
            format_instant(invoice.issued_at),
            invoice.status,
            format_cents(invoice.cents("total"), invoice.text("currency_code") or "USD"),
            format_cents(invoice.cents("amount_due"), invoice.text("currency_code") or "USD"),
            invoice.text("dunning_status") or UNSET,
        )
        for invoice in newest
    ]
    columns = ("Number", "Issued", "Status", "Total", "Amount due", "Dunning")
    return PageSection("Invoices", columns, rows, "No invoices", list_url)


def _payment_method_section(account: Account, request: HttpRequest) -> PageSection:
    sources = PaymentSource.objects.filter(customer__account=account, deleted=False)
    newest, list_url = newest_rows(sources.select_related("customer").order_by("pk"), **{_ACCOUNT_LOOKUP: account.pk})
    rows = [
        (
            row_link(source, describe_source(source)),
            _expiry_text(source.payload.get("card") or {}),
            source.text("status") or UNSET,
            "default" if source.customer.text("primary_payment_source_id") == source.provider_id else UNSET,
        )
        for source in newest
    ]
    columns = ("Method", "Expires", "State", "Role")
    return PageSection("Payment methods", columns, rows, "No payment methods", list_url)


def _expiry_text(card: Mapping[str, Any]) -> str:
    if not card.get("expiry_year"):
        return UNSET
    return f"{card.get('expiry_month'):02d}/{card['expiry_year']}"


def _command_section(account: Account, request: HttpRequest) -> PageSection:
    commands = Command.objects.filter(account=account).order_by("-created_at")
    newest, list_url = newest_rows(commands, account__id__exact=account.pk)
    rows = [
        (
            row_link(command, format_instant(command.created_at)),
            command.kind.replace("_", " "),
            command.actor,
            command.get_state_display(),
            command.error_code or UNSET,
        )
        for command in newest
    ]
    columns = ("Asked", "What", "By", "State", "Error")
    return PageSection("Commands", columns, rows, "No commands", list_url)


def _webhook_section(account: Account, request: HttpRequest) -> PageSection:
    owner = Customer.objects.filter(account=account).values_list("provider_id", flat=True).first()
    events = WebhookEvent.objects.filter(owner=owner) if owner else WebhookEvent.objects.none()
    newest, list_url = newest_rows(events.order_by("-received_at", "-pk"), owner__exact=owner)
    rows = [
        (
            row_link(event, format_instant(event.received_at)),
            event.event_type.replace("_", " "),
            event.get_state_display(),
            format_instant(event.processed_at),
            event.error or UNSET,
        )
        for event in newest
    ]
    columns = ("Received", "What", "State", "Processed", "Error")
    return PageSection("Webhooks", columns, rows, "No events in the last 90 days", list_url)


def _feedback_section(account: Account, request: HttpRequest) -> PageSection:
    newest, list_url = newest_rows(CancellationFeedback.objects.filter(account=account), account__id__exact=account.pk)
    rows = [
        (
            row_link(feedback, format_instant(feedback.at)),
            ", ".join(str(service) for service in feedback.services),
            feedback.reason or UNSET,
            feedback.satisfaction or UNSET,
            feedback.usage or UNSET,
            feedback.offer or UNSET,
            feedback.get_outcome_display(),
        )
        for feedback in newest
    ]
    columns = ("When", "Services", "Reason", "Satisfaction", "Usage", "Offer shown", "Outcome")
    return PageSection("Feedback", columns, rows, "No feedback", list_url)


account_page.register_section(5, "accounts.view_accountevent", _customer_section)
account_page.register_section(10, "billing.view_subscription", _subscription_section)
account_page.register_section(20, "billing.view_pauseschedule", _pause_section)
account_page.register_section(30, "billing.view_invoice", _invoice_section)
account_page.register_section(40, "billing.view_paymentsource", _payment_method_section)
account_page.register_section(50, "billing.view_command", _command_section)
account_page.register_section(60, "billing.view_webhookevent", _webhook_section)
account_page.register_section(80, "billing.view_cancellationfeedback", _feedback_section)
