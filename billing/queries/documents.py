"""The three hot reads as documents: what the mirror says, with camelCase keys, ready to be finished JSON.

Each is a pure function of the mirror, prices, coupons and rates: nothing in one depends on now. A build
makes the same number of queries whatever the account holds.
"""

from collections.abc import Sequence
from typing import Any

from accounts.models import Account
from billing.queries.dues import has_payment_failure
from billing.queries.holdings import Holding, holdings_of
from billing.queries.invoices import invoice_rows
from billing.queries.plans import held_plan, plans_to_add
from billing.queries.totals import MONTH, Totals, totals


def account_document(account: Account) -> dict[str, Any]:
    """Return the body of GET /api/account; cancelled plans are in it."""
    holdings = holdings_of(account)
    return {
        "name": account.name,
        "email": account.email,
        "plans": [held_plan(holding) for holding in holdings],
        "hasPauseSub": any(holding.is_paused for holding in holdings),
        "hasScheduledPause": any(holding.has_scheduled_pause for holding in holdings),
        "hasPaymentFailure": has_payment_failure(account),
    }


def plans_document(account: Account) -> dict[str, Any]:
    """Return the body of GET /api/account/manage-plans: what is held, what it costs, what may be added."""
    every = holdings_of(account)
    holdings = [holding for holding in every if not holding.is_cancelled]
    own, other = account_totals(every)
    return {
        "existingPlans": [held_plan(holding) for holding in holdings],
        "plans": plans_to_add(holdings, period_unit=own.period_unit),
        "bundleSavings": own.bundle_savings,
        "couponDiscount": own.coupon_discount,
        "total": own.total,
        "periodUnit": own.period_unit,
        "otherTotal": _other_total(other),
    }


def invoices_document(account: Account) -> list[dict[str, Any]]:
    """Return the body of GET /api/invoice/list."""
    return invoice_rows(account)


def account_totals(holdings: Sequence[Holding]) -> tuple[Totals, Totals | None]:
    """Return the totals of an account's period and of the other one (contract, section 1).

    `holdings` may have cancelled ones among them: where nothing goes on, their period is the account's still.
    """
    bills = [(holding.subscription.period_unit, holding.price) for holding in holdings if holding.will_bill]
    return totals(bills, otherwise=_period_without_bills(holdings))


def _period_without_bills(holdings: Sequence[Holding]) -> str:
    live_first = sorted(holdings, key=lambda holding: holding.is_cancelled)
    return next((holding.subscription.period_unit for holding in live_first), MONTH)


def _other_total(other: Totals | None) -> dict[str, Any] | None:
    if other is None:
        return None
    return {
        "periodUnit": other.period_unit,
        "total": other.total,
        "bundleSavings": other.bundle_savings,
        "couponDiscount": other.coupon_discount,
    }
