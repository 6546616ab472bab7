"""Add, update, remove, and make default a payment method, and collect what is due (docs/rules.md, rules 10 and 11).

Each change is one command. Its first step is the change itself: if the provider refuses it, nothing was changed. The
later steps do not depend on the card being accepted, and wait for the provider until they are done.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.models import Account
from billing.commands.command_kind import CommandKind
from billing.commands.confirmation import Change, Preview, confirm_change
from billing.commands.intents import require_customer
from billing.commands.payment_operations import BACKUP, PRIMARY
from billing.commands.quotes import compute_quote
from billing.errors import (
    BillingError,
    BillingPartial,
    QuoteChanged,
)
from billing.mirror import account_import
from billing.models import Command, Customer, Invoice, PaymentSource, Subscription
from billing.models.steps import ResultOf, Step, StepOperation, resolve_arguments
from billing.payment_methods import intents, partial_changes, steps
from billing.queries.payments.payment_commands import (
    added_source_id,
    collected_cents,
    invoice_ids_to_collect,
    kept_source_id,
)
from billing.queries.payments.payment_methods import (
    OTHER,
    Wallet,
    due_cents,
    due_money,
    invoice_currency,
    kind_of,
    unpaid_invoices,
    wallet_of,
)
from billing.receipts import delivery
from billing.receipts.texts import payment_methods
from billing.terms import DEFAULT_CURRENCY
from core.errors import InvalidInput, NotFound

logger = logging.getLogger(__name__)

ADD, UPDATE, DELETE, SETPRIMARY = "ADD", "UPDATE", "DELETE", "SETPRIMARY"
OPERATIONS = (ADD, UPDATE, DELETE, SETPRIMARY)
KIND_NAMES = {
    ADD: "add_payment_method",
    UPDATE: "update_payment_method",
    DELETE: "remove_payment_method",
    SETPRIMARY: "set_default_payment_method",
}
# What makes a method the default that was not; for one that was, only what is due is collected.
MAKE_DEFAULT = (StepOperation.ASSIGN_ROLE, StepOperation.MAKE_PAYER_PRIMARY)
PARTIAL_MESSAGE = "We made only part of this change. Check your payment methods and try again to finish."


class _NothingToChange(Exception):
    """The method is the default one, and nothing is due."""


class PaymentMethodInUse(BillingError):
    """The method is the default one, and a plan is live (docs/rules.md, rule 11)."""

    code = "payment_method_in_use"
    status = 409
    message = "Your default payment method can’t be deleted because you have an active plan."  # noqa: RUF001  (docs/specification.md, payment-5)


@dataclass(frozen=True)
class MethodChange:
    """A requested change: an operation, the method's type, the source it concerns, and a payment intent.

    `intent` is the id of the intent that the payer has authorized in the browser. `owner` has first_name, last_name,
    billing_state and billing_zip, for cards only. `quote` is that of the amount due.
    """

    operation: str
    method: str
    source_id: str = ""
    intent: str = ""
    owner: Mapping[str, str] | None = None
    quote: str | None = None

    @property
    def has_new_source(self) -> bool:
        """Whether the change adds a source."""
        return bool(self.intent) and self.operation in (ADD, UPDATE)

    @property
    def pays_authorized(self) -> bool:
        """Whether what is due is charged to the default card as its payer has authorized."""
        return bool(self.intent) and self.operation == SETPRIMARY

    @property
    def collects(self) -> bool:
        """Whether what is due is collected with the method: it is added, replaces another, or becomes the default."""
        return self.has_new_source or self.operation == SETPRIMARY


@dataclass(frozen=True)
class MethodChangeResult:
    """The source that a change ended with, None if it was removed, and the collected amount in cents."""

    source_id: str | None
    collected_cents: int


@dataclass(frozen=True)
class PaymentMethods:
    """An account's payment methods, the amount due in cents with its quote, and the change that was just made."""

    wallet: Wallet
    amount_due: int
    currency_code: str
    quote: str
    change: MethodChangeResult | None


def payment_methods_of(account: Account, *, change: MethodChangeResult | None = None) -> PaymentMethods:
    """Return an account's payment methods. Four queries."""
    amount, currency = due_money(account)
    return PaymentMethods(
        wallet=wallet_of(account),
        amount_due=amount,
        currency_code=currency,
        quote=compute_quote(due_cents(account)),
        change=change,
    )


def change_payment_method(
    account: Account, wish: MethodChange, *, key: str, actor: str, now: datetime
) -> MethodChangeResult:
    """Change the payment methods, and collect what is due if a method was added or became the default.

    Raises NotFound, InvalidInput, PaymentMethodInvalid (spent, expired, another's, not authorized), PaymentMethodInUse,
    PaymentProcessingFailed (the provider refused the new method; nothing was changed), QuoteChanged and what a command
    raises. A declined collection is no error: the method stays, and the result has 0 collected cents.
    """
    change = ChangePaymentMethod(account, KINDS[wish.operation], wish)
    try:
        command = confirm_change(change, quote=None, key=key, actor=actor, now=now)
    except _NothingToChange:
        return MethodChangeResult(source_id=wish.source_id, collected_cents=0)
    except BillingPartial as error:
        raise BillingPartial(PARTIAL_MESSAGE) from error
    return MethodChangeResult(source_id=_final_source_id(command), collected_cents=collected_cents(command))


@dataclass(frozen=True)
class ChangePaymentMethod(Change):
    """The change of a payment method."""

    wish: MethodChange

    def preview(self, now: datetime) -> None:
        """Check the source, and the intent with the provider. What is due is known without estimates."""
        _check_source(self.account, self.wish)
        _check_intent(self.account, self.wish)

    def plan_steps(self, command: Command, preview: Preview | None) -> list[Step]:
        """Return the steps. Checks the quote here, so that no more is collected than was shown."""
        _check_quote(self.account, self.wish)
        return _PLANNERS[self.wish.operation](self.account, self.wish)


def _check_source(account: Account, wish: MethodChange) -> None:
    """Check the source of a requested change. Raises NotFound and InvalidInput."""
    if wish.operation == ADD:
        return
    source = _require_source(wallet_of(account), wish)
    # A source of another type is replaced by a card or a PayPal account: it can't be entered again here.
    is_replaced = wish.has_new_source and kind_of(source) == OTHER
    if wish.method and kind_of(source) != wish.method and not is_replaced:
        raise InvalidInput(fields={"paymentsource": ["This is a different kind of payment method."]})


def _check_quote(account: Account, wish: MethodChange) -> None:
    if wish.quote is None or not wish.collects:
        return
    if wish.quote != compute_quote(due_cents(account)):
        raise QuoteChanged


def _check_intent(account: Account, wish: MethodChange) -> None:
    """Check the intent of a new source, which charges nothing, or of a default card that pays what is due."""
    if wish.has_new_source:
        intents.check_saving_intent(account, wish.intent, method=wish.method)
    elif wish.pays_authorized:
        _check_quote(account, wish)
        intents.check_paying_intent(account, wish.intent, source_id=wish.source_id)


def _plan_addition(account: Account, wish: MethodChange) -> list[Step]:
    customer, wallet = require_customer(account), wallet_of(account)
    # A card that an earlier, partly done command added is not kept twice when it is entered again.
    additions = [
        addition for addition in partial_changes.partial_additions(account) if wallet.find_source(addition.source_id)
    ]
    earlier = [addition.source_id for addition in additions]
    paid = [addition.source_id for addition in additions if addition.collected_cents]
    return [
        # The provider makes only a customer's first source primary; the primary one may have been removed since.
        *_addition_steps(customer, wish, as_primary=not wallet.primary_id, earlier=earlier),
        *steps.collect_due_steps(account, customer, steps.kept_source_placeholder(earlier), paid),
        *steps.remove_duplicate_steps(customer, earlier),
    ]


def _plan_update(account: Account, wish: MethodChange) -> list[Step]:
    customer, wallet = require_customer(account), wallet_of(account)
    old = _require_source(wallet, wish)
    if not wish.has_new_source:
        return [steps.update_card_step(old, wish.owner or {})]
    new = ResultOf(0)
    # Sources that earlier, partly done commands added may have a role by now; they are replaced with the old source,
    # which is removed last: while it exists, the change can be requested again.
    earlier = (
        wallet.find_source(addition.source_id)
        for addition in partial_changes.partial_additions(account, to_replace=old.provider_id)
    )
    replaced = [*filter(None, earlier), old]
    is_backup = any(source.provider_id == wallet.backup_id for source in replaced)
    return [
        *_addition_steps(customer, wish, as_primary=any(wallet.is_primary(source) for source in replaced)),
        *([steps.assign_role_step(customer, new, BACKUP)] if is_backup else []),
        *steps.reassign_subscription_steps(customer, new, replaced),
        *steps.collect_due_steps(account, customer, new),
        *(steps.remove_source_step(customer, source) for source in replaced),
    ]


def _plan_removal(account: Account, wish: MethodChange) -> list[Step]:
    wallet = wallet_of(account)
    source = _require_source(wallet, wish)
    if not wallet.is_deletable(source):
        raise PaymentMethodInUse
    return [steps.remove_source_step(require_customer(account), source)]


def _plan_default(account: Account, wish: MethodChange) -> list[Step]:
    customer, wallet = require_customer(account), wallet_of(account)
    source = _require_source(wallet, wish)
    source_id = source.provider_id
    if wish.pays_authorized:
        return steps.collect_authorized_steps(account, customer, source_id, wish.intent)
    role = [] if wallet.is_primary(source) else [steps.assign_role_step(customer, source_id, PRIMARY)]
    default_steps = [*role, *steps.collect_due_steps(account, customer, source_id)]
    if not default_steps:
        raise _NothingToChange
    return default_steps


_PLANNERS: dict[str, Callable[[Account, MethodChange], list[Step]]] = {
    ADD: _plan_addition,
    UPDATE: _plan_update,
    DELETE: _plan_removal,
    SETPRIMARY: _plan_default,
}


def _require_source(wallet: Wallet, wish: MethodChange) -> PaymentSource:
    """Return the source of a requested change. Raises NotFound."""
    source = wallet.find_source(wish.source_id)
    if source is None:
        raise NotFound
    return source


def _addition_steps(
    customer: Customer, wish: MethodChange, *, as_primary: bool, earlier: Sequence[str] = ()
) -> list[Step]:
    return steps.add_source_steps(
        customer,
        method=wish.method,
        intent=wish.intent,
        owner=wish.owner or {},
        as_primary=as_primary,
        earlier=earlier,
    )


def _final_source_id(command: Command) -> str | None:
    """Return the id of the source that a command ended with; None if it was removed."""
    if command.kind == KIND_NAMES[DELETE]:
        return None
    return kept_source_id(command) or str(command.steps[0].arguments["source"])


def _finish_change(command: Command, subscriptions: list[Subscription], now: datetime) -> None:
    for source_id in (
        *_removed_source_ids(command, StepOperation.REMOVE_SOURCE),
        *_removed_source_ids(command, StepOperation.REMOVE_DUPLICATE),
    ):
        account_import.mark_deleted("payment_source", source_id)


def _removed_source_ids(command: Command, operation: StepOperation) -> list[str]:
    """Return the ids of the sources that the done steps of this operation have removed."""
    return [
        str(resolve_arguments(command.steps, index)["source"])
        for index, step in enumerate(command.steps)
        if step.operation == operation and step.is_done
    ]


def _activity_receipt(command: Command, _: list[Subscription]) -> delivery.ActivityReceipt:
    return delivery.ActivityReceipt(kind=command.kind, receipt=_compose_receipt(command))


def _compose_receipt(command: Command) -> delivery.Receipt:
    """Return the receipt of the steps of `command`; an earlier receipt may have had its other steps."""
    if command.kind == KIND_NAMES[DELETE]:
        removed = PaymentSource.objects.get(provider_id=command.steps[0].arguments["source"])
        return payment_methods.method_removed_receipt(removed)
    whole = Command.objects.get(pk=command.pk)
    source = PaymentSource.objects.get(provider_id=_final_source_id(whole))
    tried = Invoice.objects.filter(provider_id__in=invoice_ids_to_collect(command))
    unpaid = [invoice for invoice in unpaid_invoices(command.account) if invoice in tried]
    receipt = _choose_receipt_text(whole)(
        source,
        collected=collected_cents(command),
        still_due=sum(invoice.cents("amount_due") for invoice in unpaid),
        currency=next((invoice_currency(invoice) for invoice in tried), DEFAULT_CURRENCY),
    )
    # An earlier receipt may have announced the new source.
    has_main_step = added_source_id(whole) is None or added_source_id(command) is not None
    return receipt if has_main_step else payment_methods.rest_receipt(receipt)


def _choose_receipt_text(command: Command) -> Callable[..., delivery.Receipt]:
    """Return the receipt's function by what was done: an update that has not removed the old source added one."""
    has_added = kept_source_id(command) is not None and not _removed_source_ids(command, StepOperation.REMOVE_SOURCE)
    if has_added:
        return payment_methods.method_added_receipt
    if command.kind == KIND_NAMES[UPDATE]:
        return payment_methods.method_updated_receipt
    has_new_default = any(step.is_done and step.operation in MAKE_DEFAULT for step in command.steps)
    return payment_methods.default_method_receipt if has_new_default else payment_methods.due_payment_receipt


KINDS: Mapping[str, CommandKind] = {
    operation: CommandKind(name, compose_receipt=_activity_receipt, finish=_finish_change)
    for operation, name in KIND_NAMES.items()
}
