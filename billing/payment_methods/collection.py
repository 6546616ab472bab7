"""Try again to collect what is due with the default payment method, as operators do; subscribers change the method."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from billing.commands.command_kind import CommandKind
from billing.commands.confirmation import Change, Preview, compute_basis
from billing.commands.intents import require_customer
from billing.commands.quotes import compute_quote
from billing.errors import BillingError, PaymentMethodRequired
from billing.models import Command, Invoice, PaymentSource, Subscription
from billing.models.steps import Step
from billing.payment_methods import steps
from billing.queries.payments.payment_commands import collected_cents, invoice_ids_to_collect
from billing.queries.payments.payment_methods import due_cents, due_money, invoice_currency, unpaid_invoices, wallet_of
from billing.queries.subscriptions.ownership import live_holdings
from billing.receipts.delivery import ActivityReceipt
from billing.receipts.texts import payment_methods
from billing.terms import DEFAULT_CURRENCY


class NothingDue(BillingError):
    """The account owes nothing."""

    code = "nothing_due"
    status = 409
    message = "Nothing is due."


@dataclass(frozen=True)
class CollectDue(Change):
    """The collection of what is due, each invoice by itself, with the default payment method."""

    def preview(self, now: datetime) -> Preview:
        """Return the amount due and the method. Raises NothingDue and PaymentMethodRequired."""
        amount, currency = due_money(self.account)
        if not amount:
            raise NothingDue
        shown = {
            "due_now": amount,
            "due_currency": currency,
            "source": self._default_source().provider_id,
            "invoices": due_cents(self.account),
        }
        shown["quote"] = compute_quote(shown)
        return Preview(basis=compute_basis(live_holdings(self.account)), body=shown, shown=shown)

    def plan_steps(self, command: Command, preview: Preview | None) -> list[Step]:
        """Return the steps. Raises NothingDue if the due invoices were paid meanwhile."""
        customer, source = require_customer(self.account), self._default_source()
        due_steps = steps.collect_due_steps(self.account, customer, source.provider_id)
        if not due_steps:
            raise NothingDue
        return due_steps

    def _default_source(self) -> PaymentSource:
        wallet = wallet_of(self.account)
        source = wallet.find_source(wallet.primary_id)
        if source is None:
            raise PaymentMethodRequired
        return source


def _compose_receipt(command: Command, _: list[Subscription]) -> ActivityReceipt:
    source = PaymentSource.objects.get(provider_id=command.shown["source"])
    tried = Invoice.objects.filter(provider_id__in=invoice_ids_to_collect(command))
    unpaid = [invoice for invoice in unpaid_invoices(command.account) if invoice in tried]
    receipt = payment_methods.tried_again_receipt(
        source,
        collected=collected_cents(command),
        still_due=sum(invoice.cents("amount_due") for invoice in unpaid),
        currency=next((invoice_currency(invoice) for invoice in tried), DEFAULT_CURRENCY),
    )
    return ActivityReceipt("due_collected", receipt)


COLLECT_DUE = CommandKind("collect_due", compose_receipt=_compose_receipt)
