"""Requests the wanted estimates of next bills from the provider (decision 32)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from accounts.models import Account
from billing.gateway import estimates
from billing.gateway.errors import GatewayError, Refused
from billing.gateway.estimates import Bill, ChangeEstimate
from billing.mirror import documents
from billing.models import NextBillEstimate
from billing.queries.bundles import next_bill_at
from billing.queries.next_bills import Balances, EstimatedBill, content_version
from billing.queries.subscriptions.holdings import Holding, holdings_of
from core.workers import task_queue

logger = logging.getLogger(__name__)

State = NextBillEstimate.State

LEASE_DURATION = timedelta(minutes=1)
BACKOFF = timedelta(seconds=30)
MAX_ATTEMPTS = 6
ANNOUNCE_LIMIT = 200


def announce_due_estimates() -> None:
    """Enqueue the estimates that are due: their message was lost, or the provider could not be reached."""
    due = NextBillEstimate.objects.due().filter(subscription__customer__account__isnull=False)
    accounts = due.order_by("next_attempt_at", "pk").values_list("subscription__customer__account", flat=True)[
        :ANNOUNCE_LIMIT
    ]
    for account_pk in set(accounts):
        task_queue.enqueue_expiring_task("billing.tasks.estimate_next_bills", account_pk)


def estimate_wanted_bills(account_pk: int, *, now: datetime) -> None:
    """Request the wanted estimates of an account, and rebuild its documents with them.

    Does nothing for an account that was erased meanwhile.
    """
    account = Account.objects.filter(pk=account_pk).first()
    if account is None:
        return
    holdings = {holding.subscription.pk: holding for holding in holdings_of(account)}
    version = content_version()
    due = NextBillEstimate.objects.due().filter(subscription__customer__account=account)
    for row in due.select_related("subscription__customer"):
        if row.claim(LEASE_DURATION):
            _estimate_row(row, holdings.get(row.subscription_id), version, now)
    documents.rebuild_documents(account)


def _estimate_row(row: NextBillEstimate, holding: Holding | None, version: int, now: datetime) -> None:
    subscription = row.subscription if holding is None else holding.subscription
    try:
        bill = None if holding is None else estimate_bill(holding, now=now)
    except Refused as error:
        logger.warning("The next bill of subscription %s is not estimated: %s", subscription.provider_id, error.code)
        bill = None
    except GatewayError as error:
        logger.info("The next bill of subscription %s could not be estimated: %s", subscription.provider_id, error)
        if row.attempts < MAX_ATTEMPTS:
            row.retry_later(BACKOFF * row.attempts)
            return
        # Without its versions it counts as missing: the next read requests it again.
        row.finish(state=State.KNOWN, bill=None, subscription_version=0)
        return
    row.finish(
        state=State.KNOWN,
        bill=None if bill is None else _stored_bill(bill),
        bill_begins_at=None if bill is None else bill.begins_at,
        bill_ends_at=None if bill is None else bill.ends_at,
        subscription_version=subscription.resource_version,
        customer_version=row.subscription.customer.resource_version,
        content_version=version,
    )


def _stored_bill(bill: EstimatedBill) -> dict[str, Any]:
    """Return the fields of a bill that its row keeps as JSON."""
    return {name: value for name, value in asdict(bill).items() if name not in ("begins_at", "ends_at")}


def estimate_bill(holding: Holding, *, now: datetime) -> EstimatedBill | None:
    """Return the provider's estimate of a holding's next bill; None if nothing is scheduled to bill.

    A pause does not change the price of the bill after it. Raises NotSent and Refused.
    """
    at = next_bill_at(holding)
    if at is None or holding.is_cancelled:
        return None
    subscription_id = holding.subscription.provider_id
    if not holding.is_paused:
        return bill_before_balances(estimates.estimate_scheduled_bill(subscription_id, with_waiting=True))
    # A pause past its resume date would be resumed now.
    resumes_at = max(at, now + timedelta(minutes=1))
    return bill_before_balances(estimates.estimate_resumed_bill(subscription_id, at=resumes_at))


def bill_before_balances(bill: Bill) -> EstimatedBill:
    """Return an estimated bill without what balances pay of it."""
    return EstimatedBill(
        full_price=bill.full_price,
        price=bill.total,
        tax=_tax_before_balances(bill),
        coupon_ids=tuple(sorted(bill.coupon_ids)),
        begins_at=bill.begins_at,
        ends_at=bill.ends_at,
    )


def amounts_due(
    charges: Mapping[str, ChangeEstimate], balances: Balances, *, currency: str
) -> tuple[dict[str, int], Balances]:
    """Return what each of several charges collects, in cents and in their order, and the balances that they leave.

    The provider estimates each charge as if it were the only one, with all that the customer has. Once one has used
    some of it, the next are computed with the rest.
    """
    if not balances.can_pay(currency):
        return {subscription_id: estimate.now.amount_due for subscription_id, estimate in charges.items()}, balances
    due, left = {}, balances
    for subscription_id, estimate in charges.items():
        amount, after = replace(left, refundable=left.refundable + estimate.credits).pay(
            bill_before_balances(estimate.now)
        )
        due[subscription_id] = estimate.now.amount_due if left == balances else amount
        left = after
    return due, left


def _tax_before_balances(bill: Bill) -> int | None:
    """Return the tax as if no promotional credits had come off before it; None if that cannot be told.

    Of a bill of nothing, it is None if its items are taxed: the bills that follow it, at their full price, may be, too.
    """
    if bill.tax is not None and bill.total == 0:
        return 0 if bill.tax_percent == 0 else None
    taxed = bill.total - bill.promotional
    if bill.tax is None or not bill.promotional:
        return bill.tax
    if taxed > 0:
        return (2 * bill.tax * bill.total + taxed) // (2 * taxed)
    # The credits pay it in full, and nothing of it is taxed: the rate of its items says what would be.
    if bill.tax_percent is None:
        return None
    return int((bill.total * bill.tax_percent / 100).quantize(Decimal(1), rounding=ROUND_HALF_UP))
