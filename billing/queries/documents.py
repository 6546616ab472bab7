"""The three hot reads as documents: what the mirror says, with camelCase keys, ready to be finished JSON.

They are a pure function of the mirror, prices, coupons and rates: nothing in them depends on now. What several show is
read once, and a build makes no more queries for an account that holds much.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from accounts.models import Account
from billing.models import AccountDocument, Invoice
from billing.queries.dues import payment_failed_among
from billing.queries.holdings import Holding, holdings_of
from billing.queries.invoices import invoices_of, rows_of
from billing.queries.plans import held_plan, plans_to_add
from billing.queries.totals import MONTH, Totals, totals


def documents_of(account: Account) -> dict[str, Any]:
    """Return the bodies of GET /api/account, manage-plans and /api/invoice/list, by the kinds of `AccountDocument`."""
    holdings, invoices = holdings_of(account), invoices_of(account)
    return {
        AccountDocument.Kind.ACCOUNT: _account(account, holdings, invoices),
        AccountDocument.Kind.PLANS: _plans(holdings),
        AccountDocument.Kind.INVOICES: rows_of(account, invoices),
    }


def plans_document(account: Account) -> dict[str, Any]:
    """Return the body of GET /api/account/manage-plans: what is held, what it costs, what may be added."""
    return _plans(holdings_of(account))


def _account(account: Account, holdings: Sequence[Holding], invoices: Iterable[Invoice]) -> dict[str, Any]:
    """Return the body of GET /api/account; cancelled plans are in it."""
    return {
        "name": account.name,
        "email": account.email,
        "plans": [held_plan(holding) for holding in holdings],
        "hasPauseSub": any(holding.is_paused for holding in holdings),
        "hasScheduledPause": any(holding.has_scheduled_pause for holding in holdings),
        "hasPaymentFailure": payment_failed_among(invoices),
    }


def _plans(every: Sequence[Holding]) -> dict[str, Any]:
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
