"""What the acts share: the subscription they are about, the money that they show, and the road to a command."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from accounts.admin.desk.account_actions import ActionRequest, ConfirmedAction
from billing import clock
from billing.commands.confirmation import Change, confirm_change
from billing.models import Command
from billing.money import format_cents
from billing.queries.next_bills import BEFORE, NextBill
from billing.queries.subscriptions.holdings import Holding
from billing.queries.subscriptions.ownership import named_holdings
from billing.receipts.phrases import join_words, long_date
from billing.terms import DEFAULT_CURRENCY

SUBSCRIPTION, INVOICE = "subscription", "invoice"
TOLD = "We'll email them, and their activity shows that support did this."
NOT_KNOWN = "not known yet"

Figure = tuple[str, str]


def confirm_action(confirmed: ConfirmedAction, change: Change) -> Command:
    """Make a change as an operator has confirmed it; return its command, done. Raises as `confirm_change`."""
    return confirm_change(
        change,
        quote=confirmed.quote,
        key=confirmed.key,
        actor=confirmed.actor,
        reason=confirmed.reason,
        now=clock.billing_now(),
    )


def require_holding(asked: ActionRequest) -> Holding:
    """Return the subscription that an action is about. Raises NotFound, and InvalidState if another replaced it."""
    return named_holdings(asked.account, [asked.subject_id])[0]


def find_plan_name(asked: ActionRequest) -> str:
    """Return the name of the plan of the subscription that an action is about. Raises as `require_holding`."""
    return require_holding(asked).plan.name


def charge_figure(cents: int, currency: str = DEFAULT_CURRENCY) -> Figure:
    """Return what confirming charges, tax included."""
    return ("Charged now", format_cents(cents, currency))


def saved_figure(cents: int, currency: str) -> Figure:
    """Return what a free month saves."""
    return ("Saved", format_cents(cents, currency))


def given_figures(shown: Mapping[str, Any]) -> list[Figure]:
    """Return what was given back, as it is stored with a refund or a credit."""
    invoice = [("Invoice", str(shown["invoice"]))] if "invoice" in shown else []
    reason = [("Kind of reason", str(shown["reason_code"]).replace("_", " "))] if "reason_code" in shown else []
    return [*invoice, ("Given back", format_cents(shown["amount"], shown["currency"])), *reason]


def bill_figures(bills: Iterable[NextBill | Mapping[str, Any]]) -> list[Figure]:
    """Return the bills to come, as a query returns them or as they are stored with a preview."""
    return [_bill_figure(bill.as_json() if isinstance(bill, NextBill) else bill) for bill in bills]


def previewed_figures(shown: Mapping[str, Any]) -> list[Figure]:
    """Return what a previewed change charges now and the bills to come, as they are stored with its preview."""
    return [charge_figure(shown["due_now"], shown["due_currency"]), *bill_figures(shown["next_bills"])]


def _bill_figure(bill: Mapping[str, Any]) -> Figure:
    names, date = join_words(bill["plan_names"]), long_date(datetime.fromisoformat(bill["date"]))
    label = f"{names}, from {date} on" if bill["follows"] else f"{names}, next bill on {date}"
    if bill["amount"] is None:
        return (label, NOT_KNOWN)
    amount = format_cents(bill["amount"], bill["currency_code"])
    return (label, f"{amount} before tax" if bill["tax"] == BEFORE else amount)
