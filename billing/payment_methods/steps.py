"""The steps of changes of payment methods. They contain no card data: a payment intent can be used once."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import Q

from accounts.models import Account
from billing.models import Customer, Invoice, PaymentSource
from billing.models.steps import ResultOf, Step, StepOperation, account_step
from billing.queries.payments.payment_methods import due_invoices


def update_card_step(source: PaymentSource, owner: Mapping[str, str]) -> Step:
    """Return the step that changes the owner's name and address of a card."""
    return account_step(StepOperation.UPDATE_CARD, source=source.provider_id, **owner)


def add_source_steps(
    customer: Customer,
    *,
    method: str,
    intent: str,
    owner: Mapping[str, str],
    as_primary: bool,
    earlier: Sequence[str] = (),
) -> list[Step]:
    """Return the steps that add a card or a PayPal account; the first creates it.

    `owner` is empty for a PayPal account. For `earlier` see `kept_source_placeholder`.
    """
    addition = {"method": method, "intent": intent, **_addition_arguments(customer, as_primary)}
    description = {"source": kept_source_placeholder(earlier), **owner}
    return [
        account_step(StepOperation.ADD_SOURCE, **addition),
        *_keep_one_steps(earlier),
        *([account_step(StepOperation.DESCRIBE_CARD, **description)] if owner else []),
    ]


def kept_source_placeholder(earlier: Sequence[str]) -> ResultOf:
    """Return the placeholder of the kept source: the new one, or one of the `earlier` sources that it duplicates."""
    return ResultOf(1 if earlier else 0)


def _keep_one_steps(earlier: Sequence[str]) -> list[Step]:
    if not earlier:
        return []
    return [account_step(StepOperation.KEEP_ONE, source=ResultOf(0), earlier=list(earlier))]


def remove_duplicate_steps(customer: Customer, earlier: Sequence[str]) -> list[Step]:
    """Return the steps that remove the new source and the earlier ones if they duplicate the kept one."""
    candidates = [ResultOf(0), *earlier] if earlier else []
    return [
        account_step(
            StepOperation.REMOVE_DUPLICATE,
            customer=customer.provider_id,
            source=source,
            kept=kept_source_placeholder(earlier),
        )
        for source in candidates
    ]


def _addition_arguments(customer: Customer, as_primary: bool) -> dict[str, Any]:
    # Deleted and hidden sources count too: none of them may pass for the new one.
    before = customer.payment_sources.values_list("provider_id", flat=True)
    return {"customer": customer.provider_id, "as_primary": as_primary, "before": sorted(before)}


def remove_source_step(customer: Customer, source: PaymentSource) -> Step:
    """Return the step that removes a source."""
    return account_step(StepOperation.REMOVE_SOURCE, customer=customer.provider_id, source=source.provider_id)


def assign_role_step(customer: Customer, source: Any, role: str) -> Step:
    """Return the step that assigns a role to a source."""
    return account_step(StepOperation.ASSIGN_ROLE, customer=customer.provider_id, source=source, role=role)


def reassign_subscription_steps(customer: Customer, source: Any, replaced: Iterable[PaymentSource]) -> list[Step]:
    """Return the steps that tie subscriptions of the replaced sources to a source."""
    tied = Q(payload__payment_source_id__in=[source.provider_id for source in replaced])
    subscriptions = customer.subscriptions.filter(tied, deleted=False).order_by("pk")
    return [
        account_step(
            StepOperation.REASSIGN_SUBSCRIPTION,
            subscription=subscription.provider_id,
            source=source,
            tied_to=subscription.text("payment_source_id"),
        )
        for subscription in subscriptions
    ]


def collect_due_steps(account: Account, customer: Customer, source: Any, paid: Sequence[str] = ()) -> list[Step]:
    """Return the steps that collect what is due with a source, and make the source the default if it pays.

    `paid` are the ids of sources that have paid in earlier, partly done commands.
    """
    due = due_invoices(account)
    if not due and not paid:
        return []
    arguments = {"customer": customer.provider_id, "source": source, "paid": list(paid)}
    return [
        *(_collect_step(invoice, source) for invoice in due),
        account_step(StepOperation.MAKE_PAYER_PRIMARY, **arguments),
    ]


def collect_authorized_steps(account: Account, customer: Customer, source: str, intent: str) -> list[Step]:
    """Return the steps that collect what is due with an intent authorized with a source, and make it the default."""
    due = due_invoices(account)
    arguments = {
        "customer": customer.provider_id,
        "source": source,
        "intent": intent,
        "due": {invoice.provider_id: invoice.cents("amount_due") for invoice in due},
        "before": sorted(link["txn_id"] for invoice in due for link in invoice.payload.get("linked_payments") or ()),
    }
    return [
        account_step(StepOperation.COLLECT_AUTHORIZED, **arguments),
        account_step(StepOperation.MAKE_PAYER_PRIMARY, customer=customer.provider_id, source=source, paid=[]),
    ]


def _collect_step(invoice: Invoice, source: Any) -> Step:
    # Earlier payments of a part of the invoice are not counted as collected by this command.
    before = sorted(link["txn_id"] for link in invoice.payload.get("linked_payments") or ())
    return account_step(StepOperation.COLLECT, invoice=invoice.provider_id, source=source, before=before)
