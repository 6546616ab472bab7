"""What billing adds to the timeline of an account's admin page: charges, payments, changes, and survey answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.admin.desk import account_actions
from accounts.admin.desk.account_page import row_address
from accounts.admin.desk.timeline import Entry, EntryKind, Fold, Link, TimelineSource, register_source
from accounts.admin.desk.timeline_sources import mail_fold, mail_line, mail_links, mail_state, mail_title
from accounts.admin.lists.display import format_day
from accounts.models import Account, AccountEvent, OutgoingMail
from billing.admin.acts.common import INVOICE, Figure, bill_figures, charge_figure, given_figures, saved_figure
from billing.admin.formatting import (
    change_name,
    change_state,
    credit_note_state,
    dunning_words,
    error_words,
    failure_words,
    invoice_state,
    transaction_name,
    transaction_state,
)
from billing.admin.provider_links import IN_PROVIDER, provider_url
from billing.models import CancellationFeedback, Command, CreditNote, Invoice, RefusedCode, Transaction
from billing.models.commands import ALIGN_BUNDLE, SYSTEM_ACTOR
from billing.money import format_cents
from billing.queries.payments.invoices import invoices_by_payment
from billing.queries.payments.payment_methods import attach_sources, invoice_currency
from billing.queries.payments.refund_limits import REFUND_KINDS
from billing.queries.payments.refunds import Refundable, refundables_of
from billing.terms import DEFAULT_CURRENCY

# The provider ends the description of a prorated or credited line with its dates.
_PRORATED_DATES = re.compile(r"( - (?:Prorated Charges|Prorated Credits|Credits)) for .+")

COMMAND_PREFIX = "command:"
# What a mail about a bill has told: its charge and its payment are entries of their own.
_TOLD_BY_MAIL = ("bill_paid", "payment_failed")


def _invoice_rows(account: Account, kind: EntryKind | None) -> QuerySet[Invoice]:
    return Invoice.objects.filter(customer__account=account, deleted=False).select_related("customer")


def _describe_invoices(account: Account, invoices: Sequence[Invoice], request: HttpRequest) -> Mapping[Any, Entry]:
    return {
        refundable.invoice.pk: _invoice_entry(account, refundable, request)
        for refundable in refundables_of(account, invoices)
    }


def _invoice_entry(account: Account, refundable: Refundable, request: HttpRequest) -> Entry:
    invoice = refundable.invoice
    currency = invoice_currency(invoice)
    actions = account_actions.action_links(
        account, request, subject=INVOICE, row=refundable, subject_id=invoice.provider_id
    )
    tries = dunning_words(invoice)
    return Entry(
        what=f"Charge: invoice {invoice.provider_id}",
        amount=format_cents(invoice.cents("total"), currency),
        state=invoice_state(invoice),
        lines=[tries] if tries else [],
        facts=[*_line_facts(invoice, currency), *_sum_facts(invoice, currency)],
        links=[
            *(Link(action.address, action.label, is_action=True) for action in actions),
            Link(reverse("admin:billing_invoice_pdf", args=[invoice.pk]), "PDF"),
            Link(row_address(invoice), "Details"),
            Link(provider_url(invoice), IN_PROVIDER),
        ],
    )


def _line_facts(bill: Invoice | CreditNote, currency: str) -> Iterable[tuple[str, str]]:
    for line in bill.line_items:
        begin, end = _instant(line.get("date_from")), _instant(line.get("date_to"))
        span = f", {format_day(begin)} to {format_day(end)}" if begin and end and begin != end else ""
        # The provider's amount of a line is before its discount.
        name = _PRORATED_DATES.sub(r"\1", str(line.get("description") or "Other"))
        yield f"{name}{span}", format_cents(int(line.get("amount") or 0), currency)


def _discount_facts(bill: Invoice | CreditNote, currency: str) -> Iterable[tuple[str, str]]:
    for discount in bill.payload.get("discounts") or ():
        name = discount.get("coupon_set_code") or discount.get("entity_id") or discount.get("description") or "Discount"
        yield f"Discount {name}", format_cents(-int(discount.get("amount") or 0), currency)


def _sum_facts(invoice: Invoice, currency: str) -> Iterable[tuple[str, str]]:
    yield from _discount_facts(invoice, currency)
    for label, cents in (
        ("Tax", invoice.cents("tax")),
        ("Paid from the subscriber's credit", -invoice.cents("credits_applied")),
        ("Paid", invoice.cents("amount_paid")),
        ("Still due", invoice.cents("amount_due")),
    ):
        if cents:
            yield label, format_cents(cents, currency)


def _credit_note_rows(account: Account, kind: EntryKind | None) -> QuerySet[CreditNote]:
    return CreditNote.objects.filter(customer__account=account, deleted=False).select_related("customer")


def _describe_credit_notes(account: Account, notes: Sequence[CreditNote], request: HttpRequest) -> Mapping[Any, Entry]:
    return {note.pk: _credit_note_entry(note) for note in notes}


def _credit_note_entry(note: CreditNote) -> Entry:
    currency = note.text("currency_code") or DEFAULT_CURRENCY
    tax = sum(int(row.get("amount") or 0) for row in note.payload.get("taxes") or ())
    sums = (
        ("Tax", tax),
        ("Refunded", note.cents("amount_refunded")),
        ("Used for bills", note.cents("amount_allocated")),
        ("Left", note.cents("amount_available")),
    )
    return Entry(
        what=f"Credit {note.provider_id}" + (f" for invoice {note.invoice_number}" if note.invoice_number else ""),
        amount=format_cents(-note.cents("total"), currency),
        state=credit_note_state(note),
        facts=[
            *_line_facts(note, currency),
            *_discount_facts(note, currency),
            *((label, format_cents(cents, currency)) for label, cents in sums if cents),
        ],
        lines=[f"Reason: {reason}" for reason in [note.text("reason_code").replace("_", " ")] if reason],
        links=[Link(row_address(note), "Details"), Link(provider_url(note), IN_PROVIDER)],
    )


def _transaction_rows(account: Account, kind: EntryKind | None) -> QuerySet[Transaction]:
    return Transaction.objects.filter(customer__account=account, deleted=False).select_related("customer")


def _describe_transactions(
    account: Account, transactions: Sequence[Transaction], request: HttpRequest
) -> Mapping[Any, Entry]:
    attach_sources(transactions)
    invoices = invoices_by_payment(account)
    return {row.pk: _transaction_entry(row, invoices.get(row.provider_id, ())) for row in transactions}


def _transaction_entry(transaction: Transaction, invoices: Sequence[Invoice]) -> Entry:
    numbers = [_numbers_line(invoices)] if invoices else []
    return Entry(
        what=transaction_name(transaction),
        amount=format_cents(transaction.cents("amount"), transaction.text("currency_code") or DEFAULT_CURRENCY),
        state=transaction_state(transaction),
        lines=[*numbers, *filter(None, [failure_words(transaction)])],
        links=[Link(row_address(transaction), "Details"), Link(provider_url(transaction), IN_PROVIDER)],
    )


def _numbers_line(invoices: Sequence[Invoice]) -> SafeString:
    links = format_html_join(
        ", ", '<a href="{}">{}</a>', ((row_address(invoice), invoice.provider_id) for invoice in invoices)
    )
    return format_html("For {} {}", "invoice" if len(invoices) == 1 else "invoices", links)


def _event_rows(account: Account, kind: EntryKind | None) -> QuerySet[AccountEvent]:
    events = AccountEvent.objects.filter(account=account)
    return events.exclude(kind__in=_TOLD_BY_MAIL) if kind else events


def _describe_events(account: Account, events: Sequence[AccountEvent], request: HttpRequest) -> Mapping[Any, Entry]:
    mails: dict[int, list[OutgoingMail]] = {}
    if request.user.has_perm("accounts.view_outgoingmail"):
        for mail in OutgoingMail.objects.filter(event__in=events).order_by("pk"):
            mails.setdefault(mail.event_id or 0, []).append(mail)
    commands = _commands_by_event(mails)
    return {
        event.pk: _event_entry(account, event, mails.get(event.pk, []), commands.get(event.pk), request)
        for event in events
    }


def _commands_by_event(mails: Mapping[int, Sequence[OutgoingMail]]) -> dict[int, Command]:
    """Return the command whose receipt each event has, by the event's key. One query."""
    ids = {
        event: (mail.dedupe_key or "").removeprefix(COMMAND_PREFIX).partition(":")[0]
        for event, told in mails.items()
        for mail in told
        if (mail.dedupe_key or "").startswith(COMMAND_PREFIX)
    }
    commands = Command.objects.in_bulk(set(ids.values())) if ids else {}
    by_id = {str(pk): command for pk, command in commands.items()}
    return {event: by_id[pk] for event, pk in ids.items() if pk in by_id}


def _event_entry(
    account: Account, event: AccountEvent, mails: Sequence[OutgoingMail], command: Command | None, request: HttpRequest
) -> Entry:
    is_mail = event.kind in _TOLD_BY_MAIL
    folds = [fold for mail in mails for fold in [mail_fold(mail)] if fold]
    return Entry(
        what=f"Email: {event.text}" if is_mail else event.text,
        by="" if is_mail else _actor_name(event.actor),
        reason=event.reason,
        state=mail_state(mails[0]) if is_mail and mails else "",
        lines=[mail_line(mail) if is_mail else f"Email “{mail_title(mail)}”: {mail_line(mail)}" for mail in mails],
        facts=_charge_facts(command),
        folds=[*_confirmed_folds(command), *folds],
        links=[
            *([Link(row_address(command), "Steps")] if command else []),
            *(link for mail in mails for link in mail_links(account, mail, request)),
        ],
    )


def _charge_facts(command: Command | None) -> list[tuple[str, str]]:
    """Return what a change was to charge in all, which its invoices and payments show only in parts."""
    shown: Mapping[str, Any] = command.shown if command else {}
    if not shown.get("due_now"):
        return []
    return [
        ("Charge that was confirmed", format_cents(shown["due_now"], shown.get("due_currency") or DEFAULT_CURRENCY))
    ]


def _confirmed_folds(command: Command | None) -> list[Fold]:
    """Return the figures that were shown and confirmed before a change, if it has any."""
    shown: Mapping[str, Any] = command.shown if command else {}
    if command is not None and command.kind in REFUND_KINDS:
        return [Fold("What was confirmed", facts=given_figures(shown))]
    currency = shown.get("due_currency") or DEFAULT_CURRENCY
    figures = [
        *((f"Invoice {number}", format_cents(cents, currency)) for number, cents in shown.get("invoices", {}).items()),
        *_charge_figures(shown),
        *bill_figures(shown.get("next_bills", [])),
    ]
    return [Fold("What was confirmed", facts=figures)] if figures else []


def _charge_figures(shown: Mapping[str, Any]) -> list[Figure]:
    """Return what a change was to charge, or what a free month was to save."""
    if "due_now" in shown:
        return [charge_figure(shown["due_now"], shown.get("due_currency") or DEFAULT_CURRENCY)]
    return [saved_figure(shown["amount_saved"], shown["currency_code"])] if "amount_saved" in shown else []


def _unfinished_rows(account: Account, kind: EntryKind | None) -> QuerySet[Command]:
    unfinished = Command.objects.filter(account=account).exclude(state=Command.State.SUCCEEDED)
    return unfinished.exclude(Q(kind=ALIGN_BUNDLE, actor=SYSTEM_ACTOR))


def _describe_unfinished(account: Account, commands: Sequence[Command], request: HttpRequest) -> Mapping[Any, Entry]:
    return {
        command.pk: Entry(
            what=f"{change_name(command.kind)}: {command.get_state_display()}",
            by=_actor_name(command.actor),
            reason=command.reason,
            state=change_state(command),
            lines=[error_words(command.error_code)] if command.error_code else [],
            folds=_confirmed_folds(command),
            links=[Link(row_address(command), "Steps")],
        )
        for command in commands
    }


def _feedback_rows(account: Account, kind: EntryKind | None) -> QuerySet[CancellationFeedback]:
    return CancellationFeedback.objects.filter(account=account)


def _describe_feedback(
    account: Account, rows: Sequence[CancellationFeedback], request: HttpRequest
) -> Mapping[Any, Entry]:
    return {
        row.pk: Entry(
            what=f"Survey of a cancellation: {row.get_outcome_display()}",
            by=_actor_name(row.actor),
            facts=[
                (label, value)
                for label, value in (
                    ("Services", ", ".join(map(str, row.services))),
                    ("Reason", row.reason or "not answered"),
                    ("Satisfaction", row.satisfaction),
                    ("Usage", row.usage),
                    ("Offered instead", row.get_offer_display()),
                )
                if value
            ],
            links=[Link(row_address(row), "Details")],
        )
        for row in rows
    }


def _refused_code_rows(account: Account, kind: EntryKind | None) -> QuerySet[RefusedCode]:
    return RefusedCode.objects.filter(account=account)


def _describe_refused_codes(account: Account, rows: Sequence[RefusedCode], request: HttpRequest) -> Mapping[Any, Entry]:
    return {row.pk: Entry(what=str(row), by=_actor_name("you")) for row in rows}


def _actor_name(actor: str) -> str:
    """Return who acted in an operator's words."""
    kind, _, operator = actor.partition(":")
    return {"you": "the subscriber", "support": f"{operator} (support)", "system": "the portal"}.get(kind, actor)


def _instant(seconds: Any) -> datetime | None:
    return datetime.fromtimestamp(int(seconds), tz=UTC) if seconds else None


_EVENTS = "accounts.view_accountevent"

for _source in (
    TimelineSource(
        "feedback", EntryKind.CHANGES, "billing.view_cancellationfeedback", "at", _feedback_rows, _describe_feedback
    ),
    TimelineSource("activity", EntryKind.CHANGES, _EVENTS, "at", _event_rows, _describe_events),
    TimelineSource(
        "change", EntryKind.CHANGES, "billing.view_command", "created_at", _unfinished_rows, _describe_unfinished
    ),
    TimelineSource(
        "refused_code", EntryKind.CHANGES, "billing.view_refusedcode", "at", _refused_code_rows, _describe_refused_codes
    ),
    TimelineSource(
        "invoice", EntryKind.CHARGES, "billing.view_invoice", "issued_at", _invoice_rows, _describe_invoices
    ),
    TimelineSource(
        "credit",
        EntryKind.CHARGES,
        "billing.view_creditnote",
        "issued_at",
        _credit_note_rows,
        _describe_credit_notes,
    ),
    TimelineSource(
        "payment",
        EntryKind.PAYMENTS,
        "billing.view_transaction",
        "made_at",
        _transaction_rows,
        _describe_transactions,
    ),
):
    register_source(_source)
