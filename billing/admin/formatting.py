"""Readable cents, times and payloads of the provider, and links between admin pages."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.db import models
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.admin.lists.display import BAD, GOOD, INFO, WARN, format_instant, state_pill
from billing.commands.executor import ERRORS_BY_CODE
from billing.models import Command, CreditNote, Invoice, Subscription, Transaction
from billing.money import format_cents
from billing.queries.payments.failed_payments import decline_reason
from billing.queries.reports.collections import FAILED_STATUSES
from billing.receipts.phrases import transaction_method_name
from billing.receipts.texts.payments import REASON_SENTENCES
from billing.terms import DEFAULT_CURRENCY, BillingTerms

NONE = "none"
_INSTANT_FIELD = re.compile(r"(_at|_end|_start|_till|_date|_from|_to|_since|^date)$")
_CENTS_FIELD = re.compile(r"(amount|total|sub_total|price|tax|credits?|payments|dues|_off)(_\w+)?$")
# Names that match one of the patterns by accident.
_PLAIN_FIELDS = frozenset({"price_type", "tax_id", "discount_type", "price_id"})
# September 2001: smaller numbers are not times of ours.
_EARLIEST_SECONDS = 10**9

# The provider's statuses in words, with the tone of their pill.
_INVOICE_STATES = {
    "paid": ("Paid", GOOD),
    "posted": ("Posted", INFO),
    "payment_due": ("Payment due", WARN),
    "not_paid": ("Not paid", BAD),
    "pending": ("Pending", INFO),
    "voided": ("Voided", ""),
}
_TRANSACTION_STATES = {
    "success": ("Went through", GOOD),
    "failure": ("Failed", BAD),
    "in_progress": ("In progress", INFO),
    "needs_attention": ("Needs attention", WARN),
    "timeout": ("Timed out", WARN),
    "voided": ("Voided", ""),
    "late_failure": ("Failed later", BAD),
}
_TRANSACTION_TYPES = {
    "payment": "Payment",
    "refund": "Refund",
    "payment_reversal": "Taken back by the bank",
    "authorization": "Card check",
}
_CREDIT_NOTE_STATES = {
    "refund_due": ("Not used up", INFO),
    "refunded": ("Used up", GOOD),
    "adjusted": ("Taken off the invoice", GOOD),
    "voided": ("Voided", ""),
}
_CHANGE_NAMES = {
    "add_remove_service": "Add and remove services",
    "align_bundle": "Set the bundle discount right",
    "claim_free_month": "Free month",
    "collect_due": "Try the payment again",
    "downgrade": "Switch to monthly billing",
    "redeem_code": "Redeem a code",
    "remove_scheduled_pause": "Remove a scheduled pause",
    "set_primary_payment_method": "Choose the default payment method",
    "undo_cancellation": "Keep a canceled subscription",
    "undo_change": "Undo a scheduled change",
    "upgrade": "Switch to annual billing",
}
_CHANGE_TONES = {
    Command.State.PENDING: INFO,
    Command.State.UNKNOWN: WARN,
    Command.State.SUCCEEDED: GOOD,
    Command.State.FAILED: BAD,
}
_SUBSCRIPTION_STATES = {
    "future": ("Not started", INFO),
    "in_trial": ("In trial", INFO),
    "active": ("Active", GOOD),
    "non_renewing": ("Ending", WARN),
    "paused": ("Paused", WARN),
    "cancelled": ("Canceled", ""),
}
_DUNNING_STATES = {
    "in_progress": "Being tried again",
    "exhausted": "Tries are used up",
    "stopped": "Tries were stopped",
    "success": "Collected by a later try",
}


def invoice_state(invoice: Invoice) -> SafeString:
    """Return an invoice's status as a pill."""
    return _state_in_words(invoice.status, _INVOICE_STATES)


def transaction_state(transaction: Transaction) -> SafeString:
    """Return how a payment ended as a pill."""
    return _state_in_words(transaction.text("status"), _TRANSACTION_STATES)


def change_name(kind: str) -> str:
    """Return what a kind of command changes, in words."""
    return _CHANGE_NAMES.get(kind, kind.replace("_", " ").capitalize())


def change_state(command: Command) -> SafeString:
    """Return how far a change is, as a pill."""
    return state_pill(command.get_state_display().capitalize(), _CHANGE_TONES[Command.State(command.state)])


def error_words(code: str) -> str:
    """Return why a change was refused, as the subscriber read it, with the code that the runbook names."""
    error = ERRORS_BY_CODE.get(code)
    return f"{error.message} ({code})" if error else code


def _transaction_type(transaction: Transaction) -> str:
    """Return what a transaction is, in words."""
    name = transaction.text("type")
    return _TRANSACTION_TYPES.get(name, name.replace("_", " ").capitalize())


def transaction_name(transaction: Transaction) -> str:
    """Return what a transaction is and its payment method, in words: `Payment by Visa ending in 1111`."""
    preposition = " to " if transaction.text("type") == "refund" else " by "
    return preposition.join(filter(None, (_transaction_type(transaction), transaction_method_name(transaction))))


def failure_words(transaction: Transaction) -> str:
    """Return why a payment failed in our words, with the bank's own; empty if it did not fail."""
    if transaction.text("status") not in FAILED_STATUSES:
        return ""
    bank = transaction.text("error_text")
    return REASON_SENTENCES[decline_reason(transaction)] + (f" The bank: {bank}" if bank else "")


def credit_note_state(note: CreditNote) -> SafeString:
    """Return a credit note's status as a pill."""
    return _state_in_words(note.text("status"), _CREDIT_NOTE_STATES)


def subscription_state(subscription: Subscription) -> SafeString:
    """Return a subscription's status as a pill."""
    return _state_in_words(subscription.status, _SUBSCRIPTION_STATES)


def dunning_words(invoice: Invoice) -> str:
    """Return whether a failed invoice is tried again, in words; empty if it never failed."""
    status = invoice.text("dunning_status")
    return _DUNNING_STATES.get(status, status)


def _state_in_words(status: str, states: Mapping[str, tuple[str, str]]) -> SafeString:
    # A status that the provider may add later is shown as its name reads.
    return state_pill(*states.get(status, (status.replace("_", " ").capitalize(), "")))


def format_price(cents: int, terms: BillingTerms) -> str:
    """Return a price with its period: `$6.99 a month`, `19.99 EUR per 3 months`."""
    word = "a" if terms.period == 1 else "per"
    return f"{format_cents(cents, terms.currency)} {word} {terms.period_phrase}"


def readable_payload(value: Any, name: str = "", currency: str = DEFAULT_CURRENCY) -> Any:
    """Return a payload with formatted times and amounts, of its currency, in front of the provider's numbers."""
    if isinstance(value, Mapping):
        currency = value.get("currency_code") or value.get("preferred_currency_code") or currency
        return {key: readable_payload(item, str(key), currency) for key, item in value.items()}
    if isinstance(value, list):
        return [readable_payload(item, name, currency) for item in value]
    if isinstance(value, bool) or not isinstance(value, int) or name in _PLAIN_FIELDS:
        return value
    if _INSTANT_FIELD.search(name) and value >= _EARLIEST_SECONDS:
        return f"{format_instant(datetime.fromtimestamp(value, tz=UTC))} ({value})"
    if _CENTS_FIELD.search(name):
        return f"{format_cents(value, currency)} ({value})"
    return value


def format_json(value: Any) -> SafeString:
    """Return data as indented JSON."""
    return format_html("<pre>{}</pre>", json.dumps(value, indent=2, ensure_ascii=False, default=str))


def page_link(row: models.Model | None) -> SafeString | str:
    """Return a link to a row's page; plain text where the admin has no page for it."""
    if row is None:
        return NONE
    meta = row._meta
    try:
        address = reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[row.pk])
    except NoReverseMatch:
        return str(row)
    return format_html('<a href="{}">{}</a>', address, str(row))


def related_list_links(row: models.Model) -> SafeString:
    """Return links to the lists of all rows that refer to this one."""
    links = []
    for relation in row._meta.related_objects:
        meta = relation.related_model._meta
        try:
            address = reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")
        except NoReverseMatch:
            continue
        links.append((address, relation.field.name, row.pk, meta.verbose_name_plural))
    return format_html_join("", '<p><a href="{}?{}__id__exact={}">{}</a></p>', links)
