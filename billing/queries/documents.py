"""The answers of the three hot reads, which are rendered and stored as JSON documents.

They depend only on the mirror, prices, coupons and rates, never on the current time. Shared data is read once, and the
number of queries does not grow with what an account holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from accounts.models import Account
from billing.models import AccountDocument
from billing.queries.holdings import Holding, holdings_of
from billing.queries.invoices import invoices_of, rows_for_invoices
from billing.queries.past_due import has_any_failed_collection
from billing.queries.plans import PlanRow, held_plan, plans_to_add
from billing.queries.totals import MONTH, Totals, period_totals


@dataclass(frozen=True)
class AccountSummary:
    """The account and its plans, canceled ones included."""

    account: Account
    plans: Sequence[PlanRow]
    has_payment_failure: bool

    @property
    def has_pause_sub(self) -> bool:
        """Whether a plan is paused."""
        return any(plan.is_paused for plan in self.plans)

    @property
    def has_scheduled_pause(self) -> bool:
        """Whether a pause is scheduled."""
        return any(plan.has_scheduled_pause for plan in self.plans)


@dataclass(frozen=True)
class ManagedPlans:
    """The live plans, those that may be added, and the totals of the account's `own` period and of the `other` one."""

    existing_plans: Sequence[PlanRow]
    plans: Sequence[PlanRow]
    own: Totals
    other: Totals | None


def document_answers(account: Account) -> dict[str, object]:
    """Return the answers of GET /api/account, manage-plans and /api/invoice/list by `AccountDocument.Kind`."""
    holdings, invoices = holdings_of(account), invoices_of(account)
    plans = [held_plan(holding) for holding in holdings]
    return {
        AccountDocument.Kind.ACCOUNT: AccountSummary(account, plans, has_any_failed_collection(invoices)),
        AccountDocument.Kind.PLANS: _managed_plans(holdings),
        AccountDocument.Kind.INVOICES: rows_for_invoices(account, invoices),
    }


def managed_plans(account: Account) -> ManagedPlans:
    """Return the live plans with their totals, and the plans that may be added."""
    return _managed_plans(holdings_of(account))


def _managed_plans(holdings: Sequence[Holding]) -> ManagedPlans:
    live = [held_plan(holding) for holding in holdings if not holding.is_cancelled]
    own, other = account_totals(holdings)
    offered = plans_to_add({row.plan.service for row in live}, period_unit=own.period_unit)
    return ManagedPlans(existing_plans=live, plans=offered, own=own, other=other)


def account_totals(holdings: Sequence[Holding]) -> tuple[Totals, Totals | None]:
    """Return the totals of an account's billing period, and of the other period where something bills at it.

    `holdings` may include canceled ones: when nothing is live, their period is still the account's.
    """
    bills = [(holding.subscription.period_unit, holding.price) for holding in holdings if holding.will_bill]
    return period_totals(bills, otherwise=_fallback_period_unit(holdings))


def _fallback_period_unit(holdings: Sequence[Holding]) -> str:
    live_first = sorted(holdings, key=lambda holding: holding.is_cancelled)
    return next((holding.subscription.period_unit for holding in live_first), MONTH)
