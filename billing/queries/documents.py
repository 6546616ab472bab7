"""The answers of the three hot reads, which are rendered and stored as JSON documents.

They depend only on the mirror, prices, coupons and rates, never on the current time. Shared data is read once, and the
number of queries does not grow with what an account holds.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from accounts.models import Account
from billing.models import AccountDocument, Invoice
from billing.queries.holdings import Holding, holdings_of
from billing.queries.invoices import invoices_of, rows_for_invoices
from billing.queries.past_due import has_any_failed_collection
from billing.queries.plans import held_plan, plans_to_add
from billing.queries.totals import MONTH, Totals, period_totals


def document_bodies(account: Account) -> dict[str, Any]:
    """Return the bodies of GET /api/account, manage-plans and /api/invoice/list by `AccountDocument.Kind`."""
    holdings, invoices = holdings_of(account), invoices_of(account)
    return {
        AccountDocument.Kind.ACCOUNT: _account_body(account, holdings, invoices),
        AccountDocument.Kind.PLANS: _plans_body(holdings),
        AccountDocument.Kind.INVOICES: rows_for_invoices(account, invoices),
    }


def plans_document(account: Account) -> dict[str, Any]:
    """Return the body of GET /api/account/manage-plans: held plans, totals, and plans that may be added."""
    return _plans_body(holdings_of(account))


def _account_body(
    account: Account, holdings: Sequence[Holding], invoices: Iterable[Invoice]
) -> dict[str, Any]:
    """Return the body of GET /api/account, canceled plans included."""
    return {
        "name": account.name,
        "email": account.email,
        "plans": [held_plan(holding) for holding in holdings],
        "hasPauseSub": any(holding.is_paused for holding in holdings),
        "hasScheduledPause": any(holding.has_scheduled_pause for holding in holdings),
        "hasPaymentFailure": has_any_failed_collection(invoices),
    }


def _plans_body(holdings: Sequence[Holding]) -> dict[str, Any]:
    live = [holding for holding in holdings if not holding.is_cancelled]
    own, other = account_totals(holdings)
    return {
        "existingPlans": [held_plan(holding) for holding in live],
        "plans": plans_to_add({holding.plan.service for holding in live}, period_unit=own.period_unit),
        "bundleSavings": own.bundle_savings,
        "couponDiscount": own.coupon_discount,
        "total": own.total,
        "periodUnit": own.period_unit,
        "otherTotal": _other_total_body(other),
    }


def account_totals(holdings: Sequence[Holding]) -> tuple[Totals, Totals | None]:
    """Return the totals of an account's billing period, and of the other period where something bills at it.

    `holdings` may include canceled ones: when nothing is live, their period is still the account's.
    """
    bills = [(holding.subscription.period_unit, holding.price) for holding in holdings if holding.will_bill]
    return period_totals(bills, otherwise=_fallback_period_unit(holdings))


def _fallback_period_unit(holdings: Sequence[Holding]) -> str:
    live_first = sorted(holdings, key=lambda holding: holding.is_cancelled)
    return next((holding.subscription.period_unit for holding in live_first), MONTH)


def _other_total_body(other: Totals | None) -> dict[str, Any] | None:
    if other is None:
        return None
    return {
        "periodUnit": other.period_unit,
        "total": other.total,
        "bundleSavings": other.bundle_savings,
        "couponDiscount": other.coupon_discount,
    }
