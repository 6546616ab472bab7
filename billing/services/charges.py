"""What a command has charged: told from the invoices that came of it, never from what was expected."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from billing.models import Command, Invoice, Subscription
from billing.money import format_cents
from billing.services import operations
from billing.services.wording import Fact

# The provider's clock and ours tell the same second at different times.
SKEW = timedelta(seconds=5)


@dataclass(frozen=True)
class Charges:
    """What was paid at once and what is left to pay, in cents."""

    paid: int = 0
    due: int = 0

    def facts(self) -> list[Fact]:
        """Return what a mail tells of them."""
        due = [("Still due", format_cents(self.due))] if self.due else []
        if self.paid or not due:
            return [("Charged", format_cents(self.paid)), *due]
        return due


def charged_by(command: Command, subscriptions: Iterable[Subscription]) -> Charges:
    """Return what a command charged for these subscriptions, for each since the command began to change it."""
    since = {one.provider_id: operations.begun_at(command, one.provider_id) - SKEW for one in subscriptions}
    found = Invoice.objects.filter(
        customer__account=command.account, payload__subscription_id__in=list(since)
    )
    own = [one for one in found if one.issued_at >= since[one.text("subscription_id")]]
    return Charges(
        paid=sum(one.cents("amount_paid") for one in own), due=sum(one.cents("amount_due") for one in own)
    )
