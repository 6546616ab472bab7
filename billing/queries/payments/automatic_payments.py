"""Bills that the provider collects by itself, apart from those that a change of the portal makes or collects."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from billing.models import Command, Invoice, Subscription
from billing.models.steps import Step, StepOperation, StepState

PAID = "paid"
_IN_DUNNING = "in_progress"


def failed_tries(payload: Mapping[str, Any]) -> int:
    """Return how often the provider has tried in vain to collect an invoice by itself."""
    tries = [row for row in payload.get("dunning_attempts") or () if row.get("txn_status") != "success"]
    return len(tries) or int(payload.get("dunning_status") == _IN_DUNNING)


def last_try_at(invoice: Invoice) -> datetime:
    """Return when the provider last tried to collect an invoice by itself, at first when it issued it (UTC)."""
    tries = [int(row.get("created_at") or 0) for row in invoice.payload.get("dunning_attempts") or ()]
    return max([datetime.fromtimestamp(seconds, tz=UTC) for seconds in tries], default=invoice.issued_at)


def has_payment_method_failed(invoice: Invoice) -> bool:
    """Return whether the last try charged a payment method; without one on file, it did not."""
    tries = invoice.payload.get("dunning_attempts") or ()
    return not tries or bool(tries[-1].get("txn_status"))


def paid_at(invoice: Invoice) -> datetime:
    """Return when an invoice was paid (UTC)."""
    return invoice.instant("paid_at") or invoice.issued_at


def billed_subscriptions(invoice: Invoice) -> list[Subscription]:
    """Return the mirrored subscriptions that an invoice bills, in the order of its lines. One query."""
    ids = invoice.billed_subscription_ids
    rows = {row.provider_id: row for row in Subscription.objects.filter(provider_id__in=ids)}
    return [rows[identifier] for identifier in ids if identifier in rows]


def bills_after_start(invoice: Invoice) -> bool:
    """Return whether an invoice bills a time after the start of a subscription. One query."""
    return any(begins_at > started for _, started, begins_at in _dated_lines(invoice))


def is_renewal(invoice: Invoice) -> bool:
    """Return whether an invoice bills a later term of a subscription, or the first one after its trial. One query.

    What customer service changes or adds within a term is billed from then on, and is none.
    """
    return any(
        begins_at > started and not _is_within_term(subscription, begins_at)
        for subscription, started, begins_at in _dated_lines(invoice)
    )


def _dated_lines(invoice: Invoice) -> list[tuple[Subscription, datetime, datetime]]:
    """Return the subscription of each line that bills one, its start, and from when the line bills it (UTC)."""
    rows = {row.provider_id: row for row in billed_subscriptions(invoice)}
    return [
        (subscription, started, datetime.fromtimestamp(int(line.get("date_from") or 0), tz=UTC))
        for line in invoice.line_items
        if (subscription := rows.get(str(line.get("subscription_id") or ""))) is not None
        and (started := subscription.instant("started_at")) is not None
    ]


def _is_within_term(subscription: Subscription, at: datetime) -> bool:
    start, end = subscription.instant("current_term_start"), subscription.current_term_end
    return start is not None and end is not None and start < at < end


def is_told_by_change(invoice: Invoice, *, tries: int) -> bool:
    """Return whether the receipt of a change tells how an invoice was paid, or that its first try failed. One query.

    `tries` counts the provider's own tries that failed.
    """
    commands = Command.objects.filter(account=invoice.customer.account)
    steps = [step for command in commands for step in command.steps]
    if any(_collects(step, invoice.provider_id) for step in steps):
        return True
    first = 0 if invoice.status == PAID else 1
    return tries == first and any(step.invoice_id == invoice.provider_id for step in steps)


def _collects(step: Step, number: str) -> bool:
    """Return whether a step has collected an invoice, or may be collecting it now."""
    if step.operation == StepOperation.COLLECT:
        is_named = step.arguments["invoice"] == number
    else:
        is_named = step.operation == StepOperation.COLLECT_AUTHORIZED and number in step.arguments["due"]
    return is_named and (step.state == StepState.SENT or (step.is_done and bool(step.result)))
