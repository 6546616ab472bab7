"""The answers of the three hot reads, which are rendered and stored as JSON documents.

They depend only on the mirror, prices, coupons and rates, never on the current time. Shared data is read once, and the
number of queries does not grow with what an account holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import Account
from billing.models import AccountDocument, Customer
from billing.queries.next_bills import Balances, NextBill, next_bills_of
from billing.queries.payments.invoices import invoices_of, rows_for_invoices
from billing.queries.payments.past_due import has_any_failed_collection
from billing.queries.subscriptions.holdings import Holding, holdings_of
from billing.queries.subscriptions.plans import PlanRow, first_purchase_terms, held_plan, plans_to_add
from billing.queries.totals import Totals, totals_by_terms
from billing.terms import DEFAULT_CURRENCY, BillingTerms


@dataclass(frozen=True)
class AccountSummary:
    """The account and its plans, canceled ones included; `credit_balance` pays the next bills, in cents.

    `has_unbilled_charges`: charges wait for a bill, which comes at the latest when the subscription has ended.
    """

    account: Account
    plans: Sequence[PlanRow]
    has_payment_failure: bool
    next_bills: Sequence[NextBill]
    credit_balance: int
    credit_currency: str
    has_unbilled_charges: bool

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
    """The live plans, those that may be added, and the totals: at the account's terms (`own`) and at all others.

    `next_bills` says what is billed when.
    """

    existing_plans: Sequence[PlanRow]
    plans: Sequence[PlanRow]
    own: Totals
    others: Sequence[Totals]
    next_bills: Sequence[NextBill]


def document_answers(account: Account) -> dict[str, object]:
    """Return the answers of GET /api/account, manage-plans and /api/invoice/list by `AccountDocument.Kind`."""
    holdings, invoices = holdings_of(account), invoices_of(account)
    plans, bills = [held_plan(holding) for holding in holdings], next_bills_of(holdings)
    return {
        AccountDocument.Kind.ACCOUNT: AccountSummary(
            account=account,
            plans=plans,
            has_payment_failure=has_any_failed_collection(invoices),
            next_bills=bills,
            **_customer_balances(account),
        ),
        AccountDocument.Kind.PLANS: _managed_plans(account, holdings, bills),
        AccountDocument.Kind.INVOICES: rows_for_invoices(account, invoices),
    }


def _customer_balances(account: Account) -> dict[str, Any]:
    """Return what the account's credits can pay of its next bills, in cents, and what waits for a bill. One query."""
    customer = Customer.objects.filter(account=account).first()
    balances = Balances() if customer is None else Balances.of_customer(customer)
    return {
        "credit_balance": balances.total,
        "credit_currency": (customer.text("preferred_currency_code") if customer else "") or DEFAULT_CURRENCY,
        "has_unbilled_charges": customer is not None and customer.cents("unbilled_charges") > 0,
    }


def managed_plans(account: Account) -> ManagedPlans:
    """Return the live plans with their totals, and the plans that may be added."""
    holdings = holdings_of(account)
    return _managed_plans(account, holdings, next_bills_of(holdings))


def _managed_plans(account: Account, holdings: Sequence[Holding], bills: Sequence[NextBill]) -> ManagedPlans:
    live = [held_plan(holding) for holding in holdings if not holding.is_cancelled]
    own, *others = account_totals(account, holdings)
    offered = plans_to_add({row.plan.service for row in live}, terms=terms_of_additions(account, holdings))
    return ManagedPlans(existing_plans=live, plans=offered, own=own, others=others, next_bills=bills)


def account_totals(account: Account, holdings: Sequence[Holding]) -> tuple[Totals, ...]:
    """Return the totals at the account's terms, then those at all other terms that something bills at.

    `holdings` may include canceled ones: when nothing is live, their terms are still the account's.
    """
    bills = [(holding.terms, holding.price) for holding in holdings if holding.will_bill]
    return totals_by_terms(bills, otherwise=_first_terms(holdings) or first_purchase_terms(account))


def terms_of_additions(account: Account, holdings: Sequence[Holding]) -> BillingTerms:
    """Return the terms at which an account adds plans: those of its first changeable plan that bills, else monthly.

    Plans at other terms than monthly or yearly ones say only which currency the account pays in.
    """
    changeable = [holding for holding in holdings if holding.is_changeable]
    billing = [holding for holding in changeable if holding.will_bill]
    if terms := _first_terms(billing or changeable):
        return terms
    held = _first_terms(holdings)
    return BillingTerms(currency=held.currency) if held else first_purchase_terms(account)


def _first_terms(holdings: Sequence[Holding]) -> BillingTerms | None:
    live_first = sorted(holdings, key=lambda holding: holding.is_cancelled)
    return next((holding.terms for holding in live_first), None)
