"""The invoice that a step has made: the provider's answer names it; if the answer was lost, it is searched for."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from billing.gateway.snapshots import InvoiceSnapshot, Snapshot
from billing.models import Command
from billing.models.steps import Step

# The provider's clock and ours may differ by a few seconds.
CLOCK_SKEW = timedelta(seconds=5)


def made_invoice_id(snapshots: Sequence[Snapshot]) -> str:
    """Return the id of the invoice that a change has made; empty if it made none."""
    invoices = (snapshot for snapshot in snapshots if isinstance(snapshot, InvoiceSnapshot))
    return next((invoice.id for invoice in invoices if invoice.is_made_by_change), "")


def mark_invoice(snapshots: Sequence[Snapshot], command: Command, index: int) -> list[Snapshot]:
    """Return all snapshots of a customer with the invoice of a step marked, whose answer was lost.

    A change makes one invoice at most. It is the first one of the subscription since the step was begun that has a line
    of the step's price, and that no other step has made.
    """
    known = {step.invoice_id for other in Command.objects.filter(account=command.account) for step in other.steps}
    candidates = [
        snapshot
        for snapshot in snapshots
        if isinstance(snapshot, InvoiceSnapshot) and snapshot.id not in known and _fits(snapshot, command.steps[index])
    ]
    made = min(candidates, key=lambda invoice: invoice.issued_at, default=None)
    others = [snapshot for snapshot in snapshots if snapshot is not made]
    return others if made is None else [*others, replace(made, is_made_by_change=True)]


def _fits(invoice: InvoiceSnapshot, step: Step) -> bool:
    is_new = step.begun_at is None or invoice.issued_at >= step.begun_at - CLOCK_SKEW
    price = step.arguments.get("price")
    return is_new and any(
        line.get("subscription_id") == step.subscription_id and price in (None, line.get("entity_id"))
        for line in invoice.payload["line_items"]
    )
