"""What a command has charged, by its invoices and not by the estimates."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from billing.models import Command, Invoice, Subscription
from billing.money import format_cents
from billing.queries.commands import change_begun_at
from billing.receipts.phrases import Fact

# The provider's clock and ours may differ by a few seconds.
CLOCK_SKEW = timedelta(seconds=5)


@dataclass(frozen=True)
class Charges:
    """The amounts that were paid and that are still due, in cents."""

    paid: int = 0
    due: int = 0

    def receipt_facts(self) -> list[Fact]:
        """Return the charges as facts of a receipt."""
        due = [("Still due", format_cents(self.due))] if self.due else []
        if self.paid or not due:
            return [("Charged", format_cents(self.paid)), *due]
        return due


def command_charges(command: Command, subscriptions: Iterable[Subscription]) -> Charges:
    """Return what a command has charged for subscriptions, for each since its first step was sent."""
    since = {
        subscription.provider_id: change_begun_at(command, subscription.provider_id) - CLOCK_SKEW
        for subscription in subscriptions
    }
    invoices = Invoice.objects.filter(customer__account=command.account, payload__subscription_id__in=list(since))
    new = [invoice for invoice in invoices if invoice.issued_at >= since[invoice.text("subscription_id")]]
    return Charges(
        paid=sum(invoice.cents("amount_paid") for invoice in new),
        due=sum(invoice.cents("amount_due") for invoice in new),
    )
