"""Acts that give money back: refund or credit an invoice, and give a promotional credit."""

from __future__ import annotations

from django import forms
from django.http import QueryDict

from accounts.admin.desk.account_actions import (
    AccountAction,
    ActionQuestion,
    ActionRequest,
    ConfirmedAction,
    register_action,
)
from accounts.models import Account
from billing import clock
from billing.admin.acts.common import INVOICE, TOLD, Figure, confirm_action
from billing.admin.money_field import CentsField
from billing.changes import refunds
from billing.changes.refunds import REASON_CODES, GiveCredit, RefundInvoice, credit_currency, refund_method_name
from billing.models import Customer
from billing.money import format_cents
from billing.queries.payments.refund_limits import allowance_of
from billing.queries.payments.refunds import ADJUST, CREDIT, REFUND, Refundable, find_refundable
from core.errors import NotFound

WAYS = {
    REFUND: "To the payment method",
    CREDIT: "As credit for the next bills",
    ADJUST: "Off what is still due",
}
REASONS = {code: code.replace("_", " ").capitalize() for code in REASON_CODES}


class WayField(forms.ChoiceField):
    """Offers the open ways and takes any.

    What is submitted again may be done, and what is not possible the act itself refuses in words.
    """

    def valid_value(self, value: object) -> bool:
        """Return whether there is such a way."""
        return value in WAYS


class RefundForm(forms.Form):
    """How much of an invoice is given back, how, and why."""

    way = WayField(label="How", widget=forms.RadioSelect)
    amount = CentsField(label="Amount")
    reason_code = forms.ChoiceField(
        label="Kind of reason", choices=list(REASONS.items()), help_text="For the reports in Chargebee."
    )


class CreditForm(forms.Form):
    """How much is given."""

    amount = CentsField(label="Amount")


def _build_refund_form(asked: ActionRequest, data: QueryDict | None) -> forms.Form:
    refundable = _require_refundable(asked)
    ways = refundable.ways or [REFUND]
    form = RefundForm(data, initial={"way": ways[0], "amount": refundable.most[ways[0]]})
    field = form.fields["way"]
    assert isinstance(field, forms.ChoiceField)  # noqa: S101  (for the type checker)
    field.choices = [
        (way, f"{WAYS[way]}, up to {format_cents(refundable.most[way], refundable.currency)}") for way in ways
    ]
    form.fields["amount"] = _amount_field(asked, refundable.currency)
    return form


def _build_credit_form(asked: ActionRequest, data: QueryDict | None) -> forms.Form:
    form = CreditForm(data)
    form.fields["amount"] = _amount_field(asked, credit_currency(asked.account))
    return form


def _amount_field(asked: ActionRequest, currency: str) -> CentsField:
    return CentsField(label="Amount", currency=currency, help_text=_limit_text(asked, currency))


def _limit_text(asked: ActionRequest, currency: str) -> str:
    allowance = allowance_of(asked.operator)
    return "" if allowance is None else f"You may give {format_cents(allowance.left, currency)} now."


def _refund(asked: ActionRequest) -> RefundInvoice:
    return RefundInvoice(
        asked.account,
        refunds.REFUND_INVOICE,
        number=asked.subject_id,
        way=asked.choices["way"],
        amount=asked.choices["amount"],
        reason_code=asked.choices["reason_code"],
        operator=asked.operator,
    )


def _ask_refund(asked: ActionRequest) -> ActionQuestion:
    shown = _refund(asked).preview(clock.billing_now()).shown
    way, amount = shown["way"], format_cents(shown["amount"], shown["currency"])
    titles = {
        REFUND: f"Refund {amount} of invoice {asked.subject_id}?",
        CREDIT: f"Give {amount} of invoice {asked.subject_id} back as credit?",
        ADJUST: f"Take {amount} off invoice {asked.subject_id}?",
    }
    lines = {
        REFUND: f"It goes back to {_method_name(asked, shown['payments'])}. A refund can't be undone.",
        CREDIT: "It pays their next bills automatically. No money leaves.",
        ADJUST: "Only what is still due gets less. No money leaves.",
    }
    buttons = {REFUND: f"Refund {amount}", CREDIT: f"Give {amount} credit", ADJUST: f"Take {amount} off"}
    return ActionQuestion(
        title=titles[way],
        lines=[lines[way], TOLD],
        figures=_refund_figures(_require_refundable(asked), way, shown["amount"]),
        button=buttons[way],
        quote=shown["quote"],
    )


def _refund_figures(refundable: Refundable, way: str, amount: int) -> list[Figure]:
    invoice = refundable.invoice
    figures = {
        "Invoice total": invoice.cents("total"),
        "Paid": invoice.cents("amount_paid"),
        "Paid from credit": invoice.cents("credits_applied"),
        "Still due": invoice.cents("amount_due"),
        "Given back before": refundable.given,
    }
    rows = {label: cents for label, cents in figures.items() if cents}
    labels = {REFUND: "Refunded now", CREDIT: "Credited now", ADJUST: "Taken off now"}
    rows |= {labels[way]: amount, "Left after that": refundable.most[way] - amount}
    return [(label, format_cents(cents, refundable.currency)) for label, cents in rows.items()]


def _method_name(asked: ActionRequest, payments: list[str]) -> str:
    return refund_method_name(asked.account, payments) or "the payment method that paid it"


def _perform_refund(confirmed: ConfirmedAction) -> str:
    shown = confirm_action(confirmed, _refund(confirmed)).shown
    amount = format_cents(shown["amount"], shown["currency"])
    outcomes = {REFUND: "was refunded", CREDIT: "was given back as credit", ADJUST: "was taken off"}
    return f"{amount} of invoice {shown['invoice']} {outcomes[shown['way']]}."


def _credit(asked: ActionRequest) -> GiveCredit:
    return GiveCredit(asked.account, refunds.GIVE_CREDIT, amount=asked.choices["amount"], operator=asked.operator)


def _ask_credit(asked: ActionRequest) -> ActionQuestion:
    shown = _credit(asked).preview(clock.billing_now()).shown
    amount, currency = shown["amount"], shown["currency"]
    return ActionQuestion(
        title=f"Give a credit of {format_cents(amount, currency)}?",
        lines=["It comes off their next bills, before tax. It can't be paid out.", TOLD],
        figures=[
            ("Promotional credit before", format_cents(shown["balance"], currency)),
            ("Given now", format_cents(amount, currency)),
            ("Promotional credit then", format_cents(shown["balance"] + amount, currency)),
        ],
        button=f"Give {format_cents(amount, currency)}",
        quote=shown["quote"],
    )


def _give_credit(confirmed: ConfirmedAction) -> str:
    shown = confirm_action(confirmed, _credit(confirmed)).shown
    return f"A credit of {format_cents(shown['amount'], shown['currency'])} was given."


def _require_refundable(asked: ActionRequest) -> Refundable:
    refundable = find_refundable(asked.account, asked.subject_id)
    if refundable is None:
        raise NotFound
    return refundable


def _is_refundable(refundable: Refundable) -> bool:
    return bool(refundable.ways)


def _has_customer(account: Account) -> bool:
    return Customer.objects.filter(account=account, deleted=False).exists()


ACTIONS = (
    AccountAction(
        "refund",
        "Refund…",
        "billing.act_refund",
        _ask_refund,
        _perform_refund,
        INVOICE,
        _is_refundable,
        build_form=_build_refund_form,
    ),
    AccountAction(
        "give-credit",
        "Give a credit…",
        "billing.act_give_credit",
        _ask_credit,
        _give_credit,
        is_offered=_has_customer,
        build_form=_build_credit_form,
    ),
)

for action in ACTIONS:
    register_action(action)
