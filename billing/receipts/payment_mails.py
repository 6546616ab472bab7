"""Mails about bills that the provider collects by itself: each once, if no change tells it (docs/rules.md, rule 22).

A row of the outbox is inserted in the transaction that writes the invoice, so a bill is told exactly once however often
it is read. What the row says is decided when it is sent: an open command may turn out to have made the invoice.
"""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from accounts.mail import queue
from accounts.mail.outbox import NeedsProvider, NotSettled
from accounts.models import Account, OutgoingMail
from accounts.profile import events
from billing.gateway.errors import GatewayError, NoTurn
from billing.mirror import account_import
from billing.models import Invoice, Subscription, Transaction
from billing.queries.commands import has_open_command
from billing.queries.payments.automatic_payments import (
    PAID,
    billed_subscriptions,
    bills_after_start,
    failed_tries,
    has_payment_method_failed,
    is_renewal,
    is_told_by_change,
    last_try_at,
    paid_at,
)
from billing.queries.payments.failed_payments import find_payment_failure, last_failed_attempt
from billing.queries.payments.invoices import PaymentLookup, last_payment
from billing.queries.payments.past_due import DUE_STATUSES
from billing.receipts.delivery import Receipt
from billing.receipts.phrases import charged_method_name
from billing.receipts.texts import payments

logger = logging.getLogger(__name__)

MAIL_KIND = "payment"
ACTIVITY_KINDS = {"paid": "bill_paid", "failed": "payment_failed"}
# What a comparison finds later is history: screens show it, and a mail would only confuse.
TELL_WITHIN = timedelta(days=7)


def queue_payment_mail(invoice: Invoice, before: Mapping[str, Any] | None, *, now: datetime) -> None:
    """Queue the mail about what is new in an invoice of an account; call it in the transaction that wrote the invoice.

    `before` is the payload that the mirror had, None for a new invoice; `now` is billing's time. Of several tries that
    failed since, the last one is told.
    """
    account = invoice.customer.account
    # First, because an import writes the invoices of years.
    if account is None or invoice.deleted or _happened_at(invoice) <= now - TELL_WITHIN:
        return
    what, tries = _find_news(invoice, before), failed_tries(invoice.payload)
    if what and not is_told_by_change(invoice, tries=tries):
        about = {"what": what, "invoice": invoice.pk, "tries": tries}
        queue.queue_mail(
            kind=MAIL_KIND,
            to=account.email,
            account=account,
            context={"about": about},
            dedupe_key=f"invoice-{what}:{invoice.pk}:{tries if what == 'failed' else 0}",
        )


def _happened_at(invoice: Invoice) -> datetime:
    """Return when an invoice was paid, or else last tried (UTC)."""
    return paid_at(invoice) if invoice.status == PAID else last_try_at(invoice)


def _find_news(invoice: Invoice, before: Mapping[str, Any] | None) -> str:
    """Return what to tell of an invoice: `paid`, `failed`, or nothing."""
    tries, known = failed_tries(invoice.payload), before or {}
    if invoice.status == PAID:
        is_news = known.get("status") != PAID and (tries > 0 or bills_after_start(invoice))
        return "paid" if is_news and not _was_taken_off(invoice, known) else ""
    return "failed" if tries > failed_tries(known) else ""


def _was_taken_off(invoice: Invoice, known: Mapping[str, Any]) -> bool:
    """Return whether what the mirror knew to be due was taken off the invoice, so that no payment settled it."""
    settled = sum(invoice.cents(name) - int(known.get(name) or 0) for name in ("amount_paid", "credits_applied"))
    return bool(known.get("amount_due")) and not settled


def prepare_payment_mail(row: OutgoingMail) -> dict[str, object] | None:
    """Return the context of the mail; None if a change's receipt tells it, or it is not true any more.

    Records the activity with it, once. Raises NotSettled while a command is open that may have made the invoice, and
    NeedsProvider if a payment must be read that is not mirrored yet.
    """
    about: dict[str, Any] = row.context["about"]
    invoice = Invoice.objects.select_related("customer").filter(pk=about["invoice"], deleted=False).first()
    # A customer that was merged into another took its invoices along.
    if row.account is None or invoice is None or invoice.customer.account_id != row.account.pk:
        return None
    if "title" in row.context:
        return dict(row.context) if about["what"] == "paid" or _is_still_failed(about, invoice) else None
    if has_open_command(row.account):
        raise NotSettled
    if is_told_by_change(invoice, tries=about["tries"]):
        return None
    _mirror_payment(last_payment(invoice) if about["what"] == "paid" else last_failed_attempt(invoice), row)
    receipt = _compose_receipt(about, invoice, row.account)
    return None if receipt is None else _record_receipt(row, receipt, invoice, row.account)


def _is_still_failed(about: Mapping[str, Any], invoice: Invoice) -> bool:
    """Return whether the try that a mail tells is the last one, and the invoice is still due."""
    return invoice.status in DUE_STATUSES and failed_tries(invoice.payload) == about["tries"]


@transaction.atomic
def _record_receipt(row: OutgoingMail, receipt: Receipt, invoice: Invoice, account: Account) -> dict[str, object]:
    """Record the activity, and that it is recorded; return the mail's context."""
    about: dict[str, Any] = row.context["about"]
    at = paid_at(invoice) if about["what"] == "paid" else last_try_at(invoice)
    kind = ACTIVITY_KINDS[about["what"]]
    row.event = events.record_event(account, kind=kind, text=receipt.title, actor="system", at=at)
    context: dict[str, object] = {**receipt.mail_context(), "about": about}
    row.context = context
    row.save(update_fields=["context", "event"])
    return context


def _compose_receipt(about: Mapping[str, Any], invoice: Invoice, account: Account) -> Receipt | None:
    if about["what"] == "paid":
        return _compose_paid(about, invoice, account)
    return _compose_failed(invoice, account) if _is_still_failed(about, invoice) else None


def _compose_paid(about: Mapping[str, Any], invoice: Invoice, account: Account) -> Receipt:
    return payments.paid_receipt(
        invoice,
        billed_subscriptions(invoice),
        method=_method_name(account, last_payment(invoice)),
        is_renewal=is_renewal(invoice),
        has_failed=about["tries"] > 0,
    )


def _compose_failed(invoice: Invoice, account: Account) -> Receipt | None:
    method = _method_name(account, last_failed_attempt(invoice))
    failure = find_payment_failure(account)
    failed = next((row for row in failure.failed_payments if row.number == invoice.provider_id), None)
    if failed is None:
        return None
    has_method = has_payment_method_failed(invoice)
    return payments.payment_failed_notice(
        failed,
        failure,
        method=method if has_method else "",
        has_method=has_method,
        at=last_try_at(invoice),
        ending=[row.provider_id for row in billed_subscriptions(invoice) if _ends_anyway(row)],
    )


def _ends_anyway(subscription: Subscription) -> bool:
    """Return whether a subscription has ended or ends without another bill, paid or not."""
    ends = subscription.has_scheduled_cancellation and not subscription.bills_before_end
    return ends or subscription.status == "cancelled"


def _mirror_payment(payment: Mapping[str, Any] | None, row: OutgoingMail) -> None:
    """Read the transaction of a payment if it is not mirrored yet, at the pace of jobs."""
    number = str(payment["txn_id"]) if payment else ""
    if not number or Transaction.objects.filter(provider_id=number).exists():
        return
    if row.queue != OutgoingMail.Queue.JOBS:
        raise NeedsProvider
    try:
        account_import.refresh_or_mark_deleted("transaction", number)
    except NoTurn as error:
        raise NotSettled from error
    except GatewayError as error:
        logger.warning("Payment %s could not be read for its mail: %s", number, error)


def _method_name(account: Account, payment: Mapping[str, Any] | None) -> str:
    """Return the name of what a payment charged."""
    return "" if payment is None else charged_method_name(PaymentLookup.for_account(account), str(payment["txn_id"]))
