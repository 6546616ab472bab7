"""Billing's sections of the account page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.admin.desk import account_actions, account_page
from accounts.admin.desk.account_actions import ActionLink
from accounts.admin.desk.account_page import Fact, PageSection, list_url, newest_rows, row_link
from accounts.admin.lists.display import NO_VALUE, format_day, format_instant
from accounts.admin.lists.read_only import account_link, page_link
from accounts.models import Account
from billing import clock
from billing.admin.acts.common import SUBSCRIPTION
from billing.admin.formatting import (
    format_price,
    subscription_state,
)
from billing.admin.provider_links import provider_link
from billing.mirror import wanted_estimates
from billing.models import (
    Customer,
    PauseSchedule,
    PaymentSource,
    Subscription,
    WebhookEvent,
)
from billing.money import format_cents
from billing.queries.customers import with_live_flag
from billing.queries.next_bills import NextBill, next_bills_of
from billing.queries.payments.failed_payments import FailedPayment, find_payment_failure
from billing.queries.subscriptions.holdings import Holding, holdings_of
from billing.receipts.phrases import CARD_BRAND_NAMES, payment_method_name
from billing.receipts.texts.payments import REASON_SENTENCES

_ACCOUNT_LOOKUP = "customer__account__id__exact"


def _bills_section(account: Account, request: HttpRequest) -> PageSection:
    # An account that never reads its bills has no estimates of them: its operators' reads request them, too.
    wanted_estimates.want_missing_estimates(account)
    rows = [
        *(_owed_row(payment) for payment in find_payment_failure(account).failed_payments),
        *(_next_bill_row(bill) for bill in next_bills_of(holdings_of(account))),
    ]
    columns = ("What", "Amount", "When", "Paid with", "Why")
    return PageSection("Owed and next bills", columns, rows, "Nothing is owed, and nothing will be billed")


def _owed_row(payment: FailedPayment) -> tuple[object, ...]:
    return (
        f"Owed: invoice {payment.number}",
        format_cents(payment.amount_due, payment.currency_code),
        _retry_text(payment),
        _failed_method(payment),
        REASON_SENTENCES[payment.reason],
    )


def _retry_text(payment: FailedPayment) -> str:
    if payment.next_retry_at is None:
        return "won't be tried again"
    return f"will be tried again {format_instant(payment.next_retry_at)}"


def _failed_method(payment: FailedPayment) -> str:
    if not payment.last4:
        return payment.paypal_email or NO_VALUE
    brand = (payment.card_brand or "card").lower()
    return f"{CARD_BRAND_NAMES.get(brand, brand.title())} ending in {payment.last4}"


def _next_bill_row(bill: NextBill) -> tuple[object, ...]:
    return (
        f"{bill.plan.name}, from then on" if bill.follows else f"Next bill: {bill.plan.name}",
        "being requested; reload the page" if bill.amount is None else format_cents(bill.amount, bill.terms.currency),
        format_instant(bill.date),
        payment_method_name(bill.payment_source) if bill.payment_source else "no payment method",
        NO_VALUE,
    )


def _customer_section(account: Account, request: HttpRequest) -> PageSection:
    concerned = Customer.objects.filter(Q(account=account) | Q(email=account.email, deleted=False) & ~Q(email=""))
    newest, list_url = newest_rows(with_live_flag(concerned).select_related("account").order_by("-pk"), q=account.email)
    rows = [
        (
            row_link(customer, customer.provider_id),
            customer.text("email") or NO_VALUE,
            "deleted" if customer.deleted else "live subscriptions" if customer.has_live else "nothing live",
            _account_text(customer, account),
        )
        for customer in newest
    ]
    columns = ("Customer", "Email address in Chargebee", "State", "Account")
    return PageSection("Customers with this address", columns, rows, "No customer", list_url, is_aside=True)


def _account_text(customer: Customer, account: Account) -> object:
    if customer.account is None:
        return "never signed in"
    return "this account" if customer.account == account else account_link(customer.account)


def _subscription_section(account: Account, request: HttpRequest) -> PageSection:
    subscriptions = Subscription.objects.filter(customer__account=account, deleted=False).order_by("-created_at")
    newest, list_url = newest_rows(subscriptions, **{_ACCOUNT_LOOKUP: account.pk})
    holdings = {holding.subscription.provider_id: holding for holding in holdings_of(account)}
    now = clock.billing_now()
    rows = [
        (
            row_link(subscription, subscription.plan.name),
            subscription_state(subscription),
            format_price(subscription.amount, subscription.terms),
            _next_event_text(subscription, holdings.get(subscription.provider_id), now),
            ", ".join(str(coupon.get("coupon_id")) for coupon in subscription.coupons) or NO_VALUE,
            _action_links(account, subscription, holdings.get(subscription.provider_id), request),
        )
        for subscription in newest
    ]
    columns = ("Plan", "Status", "Price", "Next event", "Coupons", "Do")
    return PageSection("Subscriptions", columns, rows, "No subscriptions", list_url)


def _next_event_text(subscription: Subscription, holding: Holding | None, now: datetime) -> str:
    resume_date = holding.resume_date if holding else None
    if subscription.status == "paused":
        since = f"paused since {format_instant(subscription.pause_date)}"
        if resume_date is None and subscription.cancelled_at is not None:
            return f"ends {format_instant(subscription.cancelled_at)}, {since}"
        if resume_date is None:
            return f"{since}, with no end"
        verb = "resumes" if resume_date > now else "should have resumed"
        return f"{verb} {format_instant(resume_date)}, {since}"
    if subscription.cancelled_at is not None:
        verb = "ended" if subscription.status == "cancelled" else "ends"
        return f"{verb} {format_instant(subscription.cancelled_at)}"
    if subscription.has_scheduled_pause:
        until = f" until {format_instant(resume_date)}" if resume_date else ", with no end"
        return f"pauses {format_instant(subscription.pause_date)}{until}"
    change = ", with a plan change" if subscription.has_scheduled_changes else ""
    return f"bills {format_instant(subscription.next_billing_at)}{change}"


def _action_links(
    account: Account, subscription: Subscription, holding: Holding | None, request: HttpRequest
) -> SafeString:
    """Return the actions on a subscription, unless another replaced it, and the link to it at the provider."""
    links: Iterable[ActionLink] = ()
    if holding is not None:
        subject_id = subscription.provider_id
        links = account_actions.action_links(account, request, subject=SUBSCRIPTION, row=holding, subject_id=subject_id)
    acts = format_html_join(" ", '<a class="act" href="{}">{}</a>', ((link.address, link.label) for link in links))
    # One element, since a narrow screen sets each element of a cell below the other.
    return format_html("<div>{} {}</div>", acts, provider_link(subscription))


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
            schedule.closed_because or NO_VALUE,
            f"{schedule.last_error}, again {format_instant(schedule.retry_at)}" if schedule.last_error else NO_VALUE,
        )
        for schedule in newest
    ]
    columns = ("From", "Until", "Plan", "State", "Closed because", "Last failure")
    return PageSection("Pauses", columns, rows, "", list_url)


def _payment_method_section(account: Account, request: HttpRequest) -> PageSection:
    sources = PaymentSource.objects.filter(customer__account=account, deleted=False)
    newest, list_url = newest_rows(sources.select_related("customer").order_by("pk"), **{_ACCOUNT_LOOKUP: account.pk})
    rows = [
        (
            row_link(source, payment_method_name(source)),
            _expiry_text(source.payload.get("card") or {}),
            source.text("status") or NO_VALUE,
            "default" if source.customer.text("primary_payment_source_id") == source.provider_id else NO_VALUE,
        )
        for source in newest
    ]
    columns = ("Method", "Expires", "State", "Role")
    return PageSection("Payment methods", columns, rows, "No payment methods", list_url, is_aside=True)


def _expiry_text(card: Mapping[str, Any]) -> str:
    if not card.get("expiry_year"):
        return NO_VALUE
    return f"{card.get('expiry_month'):02d}/{card['expiry_year']}"


def _billing_facts(account: Account, request: HttpRequest) -> Iterable[Fact]:
    customer = Customer.objects.filter(account=account).first()
    if customer is None:
        yield "Customer in Chargebee", "none"
        return
    yield "Customer in Chargebee", format_html("{} {}", row_link(customer, customer), provider_link(customer))
    yield "Customer since", format_day(customer.instant("created_at"))
    yield "Language", customer.text("locale") or "not set in Chargebee"
    if request.user.has_perm("billing.view_webhookevent"):
        yield "Webhooks", page_link(list_url(WebhookEvent, owner__exact=customer.provider_id), "See the list")


account_page.register_facts("billing.view_customer", _billing_facts)
account_page.register_section(1, "billing.view_invoice", _bills_section)
account_page.register_section(5, "accounts.view_accountevent", _customer_section)
account_page.register_section(10, "billing.view_subscription", _subscription_section)
account_page.register_section(20, "billing.view_pauseschedule", _pause_section)
account_page.register_section(40, "billing.view_paymentsource", _payment_method_section)
