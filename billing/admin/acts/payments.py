"""Acts on payments: try again to collect what is due, and send a receipt again."""

from __future__ import annotations

from django.db import transaction

from accounts.admin.desk.account_actions import (
    MAIL,
    AccountAction,
    ActionQuestion,
    ActionRequest,
    ConfirmedAction,
    register_action,
)
from accounts.mail import queue
from accounts.models import Account, OutgoingMail
from accounts.profile import events
from billing import clock
from billing.admin.acts.common import TOLD, confirm_action
from billing.models import PaymentSource
from billing.money import format_cents
from billing.payment_methods.collection import COLLECT_DUE, CollectDue
from billing.queries.payments.payment_commands import collected_cents
from billing.queries.payments.payment_methods import due_invoices
from billing.receipts import delivery, payment_mails
from billing.receipts.phrases import long_date, payment_method_name
from core.errors import NotFound


def _ask_collect(asked: ActionRequest) -> ActionQuestion:
    shown = CollectDue(asked.account, COLLECT_DUE).preview(clock.billing_now()).shown
    currency, source = shown["due_currency"], PaymentSource.objects.get(provider_id=shown["source"])
    charge = format_cents(shown["due_now"], currency)
    return ActionQuestion(
        title="Try the payment again?",
        lines=[
            f"{payment_method_name(source)} is charged for each invoice. Once one is declined, no other is tried.",
            TOLD,
        ],
        figures=[
            *((f"Invoice {number}", format_cents(cents, currency)) for number, cents in shown["invoices"].items()),
            ("Charged now", charge),
        ],
        button=f"Charge {charge}",
        quote=shown["quote"],
    )


def _collect(confirmed: ConfirmedAction) -> str:
    command = confirm_action(confirmed, CollectDue(confirmed.account, COLLECT_DUE))
    currency, due, paid = command.shown["due_currency"], command.shown["due_now"], collected_cents(command)
    if paid >= due:
        return f"{format_cents(paid, currency)} was collected."
    return f"{format_cents(paid, currency)} of {format_cents(due, currency)} was collected. The rest was declined."


def _can_be_collected(account: Account) -> bool:
    if not due_invoices(account):
        return False
    sources = PaymentSource.objects.filter(customer__account=account, deleted=False).select_related("customer")
    return any(source.customer.text("primary_payment_source_id") == source.provider_id for source in sources)


def _ask_resend(asked: ActionRequest) -> ActionQuestion:
    mail = _find_receipt(asked)
    return ActionQuestion(
        title="Send this receipt again?",
        lines=[
            f"“{mail.context['title']}” goes to {asked.account.email}, as it was sent on {long_date(mail.created_at)}.",
            "What can't be undone any more is left out. Their activity shows that support did this.",
        ],
        button="Send again",
    )


@transaction.atomic
def _resend_receipt(confirmed: ConfirmedAction) -> str:
    mail, account = _find_receipt(confirmed), confirmed.account
    title = mail.context["title"]
    queue.queue_mail(
        kind=mail.kind,
        to=account.email,
        account=account,
        context=mail.context,
        dedupe_key=f"again:{confirmed.key}",
    )
    events.record_event(
        account,
        kind="receipt_resent",
        text=f"This email was sent again: {title}",
        actor=confirmed.actor,
        reason=confirmed.reason,
        at=clock.billing_now(),
    )
    return f"“{title}” is sent again."


def _find_receipt(asked: ActionRequest) -> OutgoingMail:
    """Return the sent receipt that an action is about. Raises NotFound."""
    is_number = asked.subject_id.isascii() and asked.subject_id.isdigit()
    mail = OutgoingMail.objects.filter(account=asked.account, pk=asked.subject_id).first() if is_number else None
    if mail is None or not _is_sent_receipt(mail):
        raise NotFound
    return mail


def _is_sent_receipt(mail: OutgoingMail) -> bool:
    is_receipt = mail.kind in (delivery.MAIL_KIND, payment_mails.MAIL_KIND) and "title" in mail.context
    return is_receipt and mail.state == OutgoingMail.State.SENT


register_action(
    AccountAction(
        "collect",
        "Try payment again…",
        "billing.act_collect",
        _ask_collect,
        _collect,
        is_offered=_can_be_collected,
    )
)
register_action(
    AccountAction(
        "resend-receipt",
        "Send again…",
        "accounts.resend_mail",
        _ask_resend,
        _resend_receipt,
        MAIL,
        _is_sent_receipt,
    )
)
