"""Refunds and credits by operators, each once and within their limits (docs/rules.md, rule 24)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.models import Account, User
from billing.commands.command_kind import CommandKind
from billing.commands.confirmation import Change, Preview, compute_basis
from billing.commands.intents import require_customer
from billing.commands.quotes import compute_quote
from billing.errors import BillingError, BillingUnavailable, ChangeInProgress, NoLongerExists
from billing.gateway import refunds as gateway
from billing.gateway.errors import Missing, NotSent
from billing.mirror import account_import
from billing.models import Command, Customer, Invoice, Subscription
from billing.models.steps import Step, StepOperation, account_step
from billing.money import format_cents
from billing.queries.payments import refund_limits
from billing.queries.payments.invoices import PaymentLookup
from billing.queries.payments.refunds import ADJUST, CREDIT, REFUND, Refundable, find_refundable
from billing.queries.subscriptions.ownership import live_holdings
from billing.receipts.delivery import ActivityReceipt
from billing.receipts.phrases import charged_method_name
from billing.receipts.texts import refunds as texts
from billing.terms import DEFAULT_CURRENCY
from core.errors import NotFound

# Why money is given back, in the provider's codes for credit notes; the others are for disputes and its own notes.
REASON_CODES = (
    "service_unsatisfactory",
    "product_unsatisfactory",
    "order_cancellation",
    "order_change",
    "waiver",
    "other",
)
# The provider's types of credit notes, by way.
NOTE_TYPES = {CREDIT: "refundable", ADJUST: "adjustment"}
PROMOTIONAL_DESCRIPTION = "Credit from Customer Service"
_REFERENCE_LENGTH = 12


class NothingToRefund(BillingError):
    """Nothing of the invoice can be given back any more."""

    code = "nothing_to_refund"
    status = 409
    message = "Nothing of this invoice can be given back."


class RefundTooLarge(BillingError):
    """The amount is more than can be given back in that way."""

    code = "refund_too_large"
    status = 409


class OverRefundLimit(BillingError):
    """The amount is more than the operator may give."""

    code = "refund_limit"
    status = 403


@dataclass(frozen=True)
class RefundInvoice(Change):
    """A refund or credit of an amount (cents) of an invoice, in one of the ways REFUND, CREDIT and ADJUST."""

    number: str
    way: str
    amount: int
    reason_code: str
    operator: User

    def preview(self, now: datetime) -> Preview:
        """Return what is given back, after reading the invoice at the provider.

        Raises NotFound, NothingToRefund, RefundTooLarge, OverRefundLimit, BillingUnavailable, NoLongerExists.
        """
        mirrored = find_refundable(self.account, self.number)
        if mirrored is None:
            raise NotFound
        _check_limit(self.operator, self.amount, mirrored.currency)
        refundable = _refresh_refundable(self, now)
        self._check_amount(refundable)
        shown: dict[str, Any] = {
            "invoice": self.number,
            "way": self.way,
            "amount": self.amount,
            "currency": refundable.currency,
            "reason_code": self.reason_code,
            "most": refundable.most[self.way],
            "given": refundable.given,
            "payments": list(refundable.payments),
        }
        shown["quote"] = compute_quote(shown)
        return Preview(basis=compute_basis(live_holdings(self.account)), body=shown, shown=shown)

    def plan_steps(self, command: Command, preview: Preview | None) -> list[Step]:
        """Return the step. Raises OverRefundLimit, and ChangeInProgress if something was given back meanwhile."""
        seen = preview.shown if preview is not None else {}
        _use_limit(self.operator, command, self.amount, seen["currency"])
        refundable = find_refundable(self.account, self.number)
        if refundable is None or (refundable.most[self.way], refundable.given) != (seen["most"], seen["given"]):
            raise ChangeInProgress(retry_after=1)
        arguments = {
            "invoice": self.number,
            "amount": self.amount,
            "reason": self.reason_code,
            "reference": reference_of(command),
        }
        if self.way == REFUND:
            return [account_step(StepOperation.REFUND_INVOICE, **arguments)]
        return [account_step(StepOperation.CREDIT_INVOICE, kind=NOTE_TYPES[self.way], **arguments)]

    def _check_amount(self, refundable: Refundable) -> None:
        if not refundable.ways:
            raise NothingToRefund
        most = refundable.most.get(self.way, 0)
        if not 0 < self.amount <= most:
            text = f"At most {format_cents(most, refundable.currency)} can be given back in this way."
            raise RefundTooLarge(text, fields={"amount": [text]})


@dataclass(frozen=True)
class GiveCredit(Change):
    """A promotional credit of an amount (cents), which comes off the next bills."""

    amount: int
    operator: User

    def preview(self, now: datetime) -> Preview:
        """Return the credit and the balance. Raises OverRefundLimit."""
        currency = credit_currency(self.account)
        _check_limit(self.operator, self.amount, currency)
        customer = require_customer(self.account)
        shown: dict[str, Any] = {
            "amount": self.amount,
            "currency": currency,
            "balance": customer.cents("promotional_credits"),
        }
        shown["quote"] = compute_quote(shown)
        return Preview(basis=compute_basis(live_holdings(self.account)), body=shown, shown=shown)

    def plan_steps(self, command: Command, preview: Preview | None) -> list[Step]:
        """Return the step. Raises OverRefundLimit, and ChangeInProgress if the balance has changed meanwhile."""
        seen = preview.shown if preview is not None else {}
        _use_limit(self.operator, command, self.amount, seen["currency"])
        customer = require_customer(self.account)
        if customer.cents("promotional_credits") != seen["balance"]:
            raise ChangeInProgress(retry_after=1)
        return [
            account_step(
                StepOperation.ADD_PROMOTIONAL_CREDIT,
                customer=customer.provider_id,
                amount=self.amount,
                currency=seen["currency"],
                description=PROMOTIONAL_DESCRIPTION,
                reference=reference_of(command),
            )
        ]


def credit_currency(account: Account) -> str:
    """Return the currency of an account's promotional credits."""
    return require_customer(account).text("preferred_currency_code") or DEFAULT_CURRENCY


def reference_of(command: Command) -> str:
    """Return what identifies a command's refund or credit at the provider, and for the subscriber."""
    return f"R-{command.pk.hex[:_REFERENCE_LENGTH].upper()}"


def refund_method_name(account: Any, payments: list[str]) -> str:
    """Return the name of the payment method that takes a refund; empty if several payments come into question."""
    return charged_method_name(PaymentLookup.for_account(account), payments[0]) if len(payments) == 1 else ""


def _check_limit(operator: User, amount: int, currency: str, *, besides: Command | None = None) -> None:
    """Raise OverRefundLimit, with the limit in the currency of the amount: it counts cents, whatever their currency."""
    allowance = refund_limits.allowance_of(operator, besides=besides)
    if allowance is None or amount <= allowance.left:
        return
    text = (
        f"You may give {format_cents(allowance.per_act, currency)} at once and"
        f" {format_cents(allowance.per_day, currency)} in 24 hours; {format_cents(allowance.left, currency)} is left."
        " Ask somebody who may give more."
    )
    raise OverRefundLimit(text, fields={"amount": [text]})


def _use_limit(operator: User, command: Command, amount: int, currency: str) -> None:
    """Check the limit and count the amount toward it, in the transaction that opens the command."""
    # Acts of one operator on several accounts take turns, so that together they keep the limit.
    operator = User.objects.select_for_update().get(pk=operator.pk)
    _check_limit(operator, amount, currency, besides=command)
    refund_limits.record_grant(operator, command, amount=amount)


def _refresh_refundable(change: RefundInvoice, now: datetime) -> Refundable:
    """Return what can be given back by what the provider has now; the mirror has it then, too."""
    try:
        account_import.apply_snapshots(gateway.read_invoice_records(change.number), now=now)
    except NotSent as error:
        raise BillingUnavailable(retry_after=error.retry_after) from error
    except Missing as error:
        raise NoLongerExists from error
    refundable = find_refundable(change.account, change.number)
    if refundable is None:
        raise NotFound
    return refundable


def _compose_refund_receipt(command: Command, _: list[Subscription]) -> ActivityReceipt:
    shown, reference = command.shown, reference_of(command)
    invoice = Invoice.objects.select_related("customer").get(provider_id=shown["invoice"])
    match shown["way"]:
        case "credit":
            customer = Customer.objects.get(pk=invoice.customer.pk)
            receipt = texts.credited_receipt(invoice, customer, amount=shown["amount"], reference=reference)
        case "adjust":
            receipt = texts.adjusted_receipt(invoice, amount=shown["amount"], reference=reference)
        case _:
            method = refund_method_name(command.account, shown["payments"])
            receipt = texts.refunded_receipt(invoice, amount=shown["amount"], method=method, reference=reference)
    return ActivityReceipt("refunded", receipt)


def _compose_credit_receipt(command: Command, _: list[Subscription]) -> ActivityReceipt:
    receipt = texts.promotional_credit_receipt(
        require_customer(command.account),
        amount=command.shown["amount"],
        currency=command.shown["currency"],
        reference=reference_of(command),
    )
    return ActivityReceipt("credited", receipt)


REFUND_INVOICE = CommandKind(refund_limits.REFUND_INVOICE, compose_receipt=_compose_refund_receipt)
GIVE_CREDIT = CommandKind(refund_limits.GIVE_CREDIT, compose_receipt=_compose_credit_receipt)
