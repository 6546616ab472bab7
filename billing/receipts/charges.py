"""What a command has charged, by the invoices that its steps have made and not by the estimates."""

from collections.abc import Iterable
from dataclasses import dataclass

from accounts.models import Account
from billing.models import Command, Invoice, Subscription
from billing.money import format_cents
from billing.queries.payments.invoices import PaymentLookup, last_payment
from billing.queries.payments.payment_methods import invoice_currency
from billing.receipts.phrases import Fact, charged_method_name
from billing.terms import DEFAULT_CURRENCY


@dataclass(frozen=True)
class Charges:
    """The amounts that were paid and that are still due, in cents of a currency, tax included.

    `methods` names what was charged.
    """

    paid: int = 0
    due: int = 0
    currency: str = DEFAULT_CURRENCY
    methods: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """Both together."""
        return self.paid + self.due

    def receipt_facts(self) -> list[Fact]:
        """Return the charges as facts of a receipt."""
        due = [("Still due", self._with_tax(self.due))] if self.due else []
        if self.paid or not due:
            return [("Charged", self._with_tax(self.paid)), *(("Payment method", name) for name in self.methods), *due]
        return due

    def _with_tax(self, cents: int) -> str:
        amount = format_cents(cents, self.currency)
        return f"{amount}, taxes included" if cents else amount


def command_charges(command: Command, subscriptions: Iterable[Subscription] | None = None) -> Charges:
    """Return what the steps of a command have charged for subscriptions, by default for all of them."""
    ids = None if subscriptions is None else {subscription.provider_id for subscription in subscriptions}
    made = {step.invoice_id for step in command.steps if ids is None or step.subscription_id in ids} - {""}
    if not made:
        return Charges()
    invoices = list(Invoice.objects.filter(customer__account=command.account, provider_id__in=made))
    return Charges(
        paid=sum(invoice.cents("amount_paid") for invoice in invoices),
        due=sum(invoice.cents("amount_due") for invoice in invoices),
        # One charge never covers several currencies (docs/rules.md, money-3).
        currency=next(map(invoice_currency, invoices), DEFAULT_CURRENCY),
        methods=_charged_methods(command.account, invoices),
    )


def _charged_methods(account: Account, invoices: Iterable[Invoice]) -> tuple[str, ...]:
    """Return the names of what paid these invoices, each once. Two queries, none if nothing was charged."""
    numbers = [str(payment["txn_id"]) for payment in map(last_payment, invoices) if payment]
    if not numbers:
        return ()
    lookup = PaymentLookup.for_account(account)
    return tuple(dict.fromkeys(filter(None, (charged_method_name(lookup, number) for number in numbers))))
