"""What billing knows of an account, as sections of its page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from django.utils.html import format_html_join

from accounts.admin import acts, story
from accounts.admin.story import Section, newest, row_link
from accounts.models import Account
from billing.admin.acts import REMOVE_PAUSE, RESUME
from billing.admin.readable import UNSET, masked, when
from billing.catalog import find_plan
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

_OF_ACCOUNT = "customer__account__id__exact"


def _plan_name(subscription: Subscription) -> str:
    plan = find_plan(subscription.plan_id)
    return plan.name if plan else subscription.plan_id


def _subscriptions(account: Account, request: HttpRequest) -> Section:
    found = Subscription.objects.filter(customer__account=account, deleted=False).order_by("-created_at")
    rows, rest = newest(found, **{_OF_ACCOUNT: account.pk})
    told = [
        (
            row_link(one, _plan_name(one)),
            one.status,
            f"{format_cents(one.amount)} a {one.period_unit or 'period'}",
            _what_comes(one),
            ", ".join(str(coupon.get("coupon_id")) for coupon in one.coupons) or UNSET,
            _acts_about(account, one, request),
        )
        for one in rows
    ]
    columns = ("Plan", "Status", "Price", "What comes next", "Coupons", "Do")
    return Section("Subscriptions", columns, told, "This account has no subscription.", rest)


def _what_comes(subscription: Subscription) -> str:
    if subscription.status == "paused":
        return f"paused since {when(subscription.pause_date)}"
    if subscription.cancelled_at is not None:
        verb = "ended" if subscription.status == "cancelled" else "ends"
        return f"{verb} {when(subscription.cancelled_at)}"
    if subscription.has_scheduled_pause:
        return f"pauses {when(subscription.pause_date)}"
    change = ", with a change of plan" if subscription.has_scheduled_changes else ""
    return f"bills {when(subscription.next_billing_at)}{change}"


def _acts_about(account: Account, subscription: Subscription, request: HttpRequest) -> object:
    possible = []
    if subscription.status == "paused":
        possible.append(RESUME)
    if subscription.has_scheduled_pause:
        possible.append(REMOVE_PAUSE)
    links = [(acts.link(account, name, request, subscription.provider_id),) for name in possible]
    return format_html_join(" ", "{}", links) or UNSET


def _pauses(account: Account, request: HttpRequest) -> Section:
    found = PauseSchedule.objects.filter(subscription__customer__account=account)
    rows, rest = newest(
        found.select_related("subscription").order_by("-created_at", "-pk"),
        subscription__customer__account__id__exact=account.pk,
    )
    told = [
        (
            row_link(one, when(one.pause_date)),
            when(one.resume_date),
            _plan_name(one.subscription),
            one.get_state_display(),
            one.closed_because or UNSET,
            f"{one.last_error}, again {when(one.next_try_at)}" if one.last_error else UNSET,
        )
        for one in rows
    ]
    columns = ("From", "Until", "Plan", "State", "Closed because", "Last failure")
    return Section("Pauses", columns, told, "Nothing was ever paused.", rest)


def _invoices(account: Account, request: HttpRequest) -> Section:
    found = Invoice.objects.filter(customer__account=account, deleted=False).order_by("-issued_at", "-pk")
    rows, rest = newest(found, **{_OF_ACCOUNT: account.pk})
    told = [
        (
            row_link(one, one.provider_id),
            when(one.issued_at),
            one.status,
            format_cents(one.cents("total"), one.text("currency_code") or "USD"),
            format_cents(one.cents("amount_due"), one.text("currency_code") or "USD"),
            one.text("dunning_status") or UNSET,
        )
        for one in rows
    ]
    columns = ("Number", "Issued", "Status", "Total", "Still due", "Dunning")
    return Section("Invoices", columns, told, "No invoice has been issued.", rest)


def _payment_methods(account: Account, request: HttpRequest) -> Section:
    found = PaymentSource.objects.filter(customer__account=account, deleted=False)
    rows, rest = newest(found.select_related("customer").order_by("pk"), **{_OF_ACCOUNT: account.pk})
    told = [
        (
            row_link(one, masked(one)),
            _expiry(one.payload.get("card") or {}),
            one.text("status") or UNSET,
            "default" if one.customer.text("primary_payment_source_id") == one.provider_id else UNSET,
        )
        for one in rows
    ]
    columns = ("Method", "Expires", "State", "Role")
    return Section("Payment methods", columns, told, "There is no payment method.", rest)


def _expiry(card: Mapping[str, Any]) -> str:
    if not card.get("expiry_year"):
        return UNSET
    return f"{card.get('expiry_month'):02d}/{card['expiry_year']}"


def _commands(account: Account, request: HttpRequest) -> Section:
    found = Command.objects.filter(account=account).order_by("-created_at")
    rows, rest = newest(found, account__id__exact=account.pk)
    told = [
        (
            row_link(one, when(one.created_at)),
            one.kind.replace("_", " "),
            one.actor,
            one.get_state_display(),
            one.error_code or UNSET,
        )
        for one in rows
    ]
    columns = ("Asked", "What", "By", "State", "Error")
    return Section("Commands", columns, told, "Nothing was asked of the provider.", rest)


def _webhooks(account: Account, request: HttpRequest) -> Section:
    owner = Customer.objects.filter(account=account).values_list("provider_id", flat=True).first()
    found = WebhookEvent.objects.filter(owner=owner) if owner else WebhookEvent.objects.none()
    rows, rest = newest(found.order_by("-received_at", "-pk"), owner__exact=owner)
    told = [
        (
            row_link(one, when(one.received_at)),
            one.event_type.replace("_", " "),
            one.get_state_display(),
            when(one.processed_at),
            one.error or UNSET,
        )
        for one in rows
    ]
    columns = ("Received", "What", "State", "Processed", "Error")
    return Section("Webhooks", columns, told, "No event of the last 90 days names this customer.", rest)


def _feedback(account: Account, request: HttpRequest) -> Section:
    rows, rest = newest(CancellationFeedback.objects.filter(account=account), account__id__exact=account.pk)
    told = [
        (
            row_link(one, when(one.at)),
            ", ".join(str(service) for service in one.services),
            one.reason or UNSET,
            one.satisfaction or UNSET,
            one.usage or UNSET,
            one.offer or UNSET,
            one.get_outcome_display(),
        )
        for one in rows
    ]
    columns = ("When", "Services", "Reason", "Satisfaction", "Usage", "Offer shown", "Outcome")
    return Section("Feedback", columns, told, "Nothing was said on leaving.", rest)


story.register(10, "billing.view_subscription", _subscriptions)
story.register(20, "billing.view_pauseschedule", _pauses)
story.register(30, "billing.view_invoice", _invoices)
story.register(40, "billing.view_paymentsource", _payment_methods)
story.register(50, "billing.view_command", _commands)
story.register(60, "billing.view_webhookevent", _webhooks)
story.register(80, "billing.view_cancellationfeedback", _feedback)
