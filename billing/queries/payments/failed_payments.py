"""Failed payments: what is due, why, when it is tried again, and what the provider did (docs/rules.md, rule 10)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing.models import Invoice, Transaction
from billing.queries.payments.invoices import PaymentLookup
from billing.queries.payments.past_due import NOT_PAID, has_failed_collection, past_due_invoices
from billing.queries.payments.payment_methods import invoice_currency
from billing.queries.subscriptions.holdings import Holding, holdings_of

# By what gateways write about a decline, each in its own words.
_DECLINE_REASONS = (
    (re.compile("insufficient|not enough", re.IGNORECASE), "insufficient_funds"),
    (re.compile("expired", re.IGNORECASE), "expired_card"),
    (re.compile("authenticat|3ds|3d.secure", re.IGNORECASE), "confirmation_needed"),
)
DECLINED = "declined"
DECLINE_REASONS = (*(reason for _, reason in _DECLINE_REASONS), DECLINED)


@dataclass(frozen=True)
class FailedPayment:
    """An invoice whose collection failed: what is due in cents, for which plans, why, and when it is tried again.

    The payment method is that of the last attempt.
    """

    number: str
    amount_due: int
    currency_code: str
    plans: tuple[str, ...]
    subscription_ids: tuple[str, ...]
    reason: str
    next_retry_at: datetime | None
    payment_source_type: str | None = None
    payment_source_name: str | None = None
    card_brand: str | None = None
    last4: str | None = None
    paypal_email: str | None = None


@dataclass(frozen=True)
class PaymentFailure:
    """Whether a due payment could not be collected, and what the provider ended over it.

    Plans are named; because several can have one name, the provider's ids of their subscriptions tell them apart.
    """

    has_payment_failure: bool
    canceled_plans: tuple[str, ...] = ()
    paused_plans: tuple[str, ...] = ()
    canceled_ids: tuple[str, ...] = ()
    paused_ids: tuple[str, ...] = ()
    failed_payments: tuple[FailedPayment, ...] = ()


def find_payment_failure(account: Account) -> PaymentFailure:
    """Return whether a payment failed and what the provider did at the end of its retries.

    It keeps, cancels or pauses the subscription, by a setting of the site. Eight queries at most,
    one without a failure.
    """
    failed = [invoice for invoice in past_due_invoices(account) if has_failed_collection(invoice)]
    if not failed:
        return PaymentFailure(has_payment_failure=False)
    unpaid_ids = _billed_ids(failed)
    exhausted_ids = _billed_ids(invoice for invoice in failed if invoice.status == NOT_PAID)
    holdings = [holding for holding in holdings_of(account) if holding.subscription.provider_id in unpaid_ids]
    payments = PaymentLookup.for_account(account)
    canceled = [holding for holding in holdings if _is_canceled_as_unpaid(holding)]
    paused = [
        holding
        for holding in holdings
        if _is_paused_by_provider(holding) and holding.subscription.provider_id in exhausted_ids
    ]
    return PaymentFailure(
        has_payment_failure=True,
        canceled_plans=_names(canceled),
        paused_plans=_names(paused),
        canceled_ids=_ids(canceled),
        paused_ids=_ids(paused),
        failed_payments=tuple(_failed_payment(invoice, holdings, payments) for invoice in failed),
    )


def _names(holdings: Iterable[Holding]) -> tuple[str, ...]:
    return tuple(holding.plan.name for holding in holdings)


def _ids(holdings: Iterable[Holding]) -> tuple[str, ...]:
    return tuple(holding.subscription.provider_id for holding in holdings)


def _billed_ids(invoices: Iterable[Invoice]) -> set[str]:
    return {subscription_id for invoice in invoices for subscription_id in invoice.billed_subscription_ids}


def _failed_payment(invoice: Invoice, holdings: Sequence[Holding], payments: PaymentLookup) -> FailedPayment:
    billed_ids = invoice.billed_subscription_ids
    billed = [holding for holding in holdings if holding.subscription.provider_id in billed_ids]
    attempt = last_failed_attempt(invoice)
    return FailedPayment(
        number=invoice.provider_id,
        amount_due=invoice.cents("amount_due"),
        currency_code=invoice_currency(invoice),
        plans=_names(billed),
        subscription_ids=_ids(billed),
        reason=_decline_reason(attempt, payments),
        next_retry_at=invoice.instant("next_retry_at"),
        **payments.payment_method(attempt),
    )


def last_failed_attempt(invoice: Invoice) -> Mapping[str, Any] | None:
    """Return the newest payment of an invoice that failed; None if there is none."""
    failed = [row for row in invoice.payload.get("linked_payments") or () if row.get("txn_status") == "failure"]
    return max(failed, key=lambda row: int(row.get("txn_date") or 0), default=None)


def _decline_reason(attempt: Mapping[str, Any] | None, payments: PaymentLookup) -> str:
    return decline_reason(payments.transactions.get(str(attempt["txn_id"])) if attempt else None)


def decline_reason(transaction: Transaction | None) -> str:
    """Return which of `DECLINE_REASONS` a failed payment has, `declined` if the gateway's words tell nothing else."""
    text = transaction.text("error_text") if transaction else ""
    return next((reason for pattern, reason in _DECLINE_REASONS if pattern.search(text)), DECLINED)


def _is_canceled_as_unpaid(holding: Holding) -> bool:
    return holding.is_cancelled and holding.subscription.text("cancel_reason") == NOT_PAID


def _is_paused_by_provider(holding: Holding) -> bool:
    """Whether nobody here has paused it."""
    return holding.is_paused and holding.schedule is None
