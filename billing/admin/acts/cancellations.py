"""Acts on cancellations: cancel with the term or at once, and keep what was to end."""

from __future__ import annotations

from accounts.admin.desk.account_actions import (
    AccountAction,
    ActionQuestion,
    ActionRequest,
    ConfirmedAction,
    register_action,
)
from billing import clock
from billing.admin.acts.common import (
    SUBSCRIPTION,
    TOLD,
    Figure,
    bill_figures,
    charge_figure,
    confirm_action,
    find_plan_name,
    require_holding,
)
from billing.changes import cancellation, undo
from billing.changes.preview import forecast_bills_after
from billing.changes.targets import CanceledSubscription, KeptSubscription, Target, restorable_changes
from billing.queries.subscriptions.holdings import NON_RENEWING, Holding
from billing.queries.subscriptions.ownership import live_holdings
from billing.receipts.phrases import long_date


def _ask_cancel(asked: ActionRequest) -> ActionQuestion:
    return _ask_ending(asked, CanceledSubscription(_continuing_holding(asked)))


def _ask_cancel_now(asked: ActionRequest) -> ActionQuestion:
    return _ask_ending(asked, CanceledSubscription(_continuing_holding(asked), now=True))


def _ask_ending(asked: ActionRequest, target: CanceledSubscription) -> ActionQuestion:
    name, end = target.holding.plan.name, target.ends_at
    if target.is_at_once:
        when = "It ends at once. Nothing is refunded."
    else:
        when = f"It ends on {long_date(end)}." if end else "It ends with its term."
        if target.bills_before_end:
            when = f"{when} It is bound by contract, and billed until then."
    return ActionQuestion(
        title=f"Cancel {name} now?" if target.now else f"Cancel {name}?",
        lines=[when, TOLD],
        figures=_figures_after(asked, target),
        button=f"Cancel {name} now" if target.now else f"Cancel {name}",
    )


def _cancel(confirmed: ConfirmedAction) -> str:
    name = find_plan_name(confirmed)
    confirm_action(confirmed, _cancellation(confirmed, at_once=False))
    holding = require_holding(confirmed)
    end = None if holding.is_cancelled else holding.cancel_at
    return f"{name} ends on {long_date(end)}." if end else f"{name} has ended."


def _cancel_now(confirmed: ConfirmedAction) -> str:
    name = find_plan_name(confirmed)
    confirm_action(confirmed, _cancellation(confirmed, at_once=True))
    return f"{name} has ended."


def _cancellation(confirmed: ConfirmedAction, *, at_once: bool) -> cancellation.CancelSubscriptions:
    # The survey is about what subscribers answer themselves.
    return cancellation.CancelSubscriptions(
        confirmed.account, cancellation.CANCEL, [confirmed.subject_id], None, at_once=at_once
    )


def _ask_keep(asked: ActionRequest) -> ActionQuestion:
    holding = require_holding(asked)
    if holding.status != NON_RENEWING:
        raise undo.NothingScheduled
    restored = restorable_changes(asked.account, holding)
    lines = ["It renews as before."]
    if restored.pause:
        lines.append("The pause that was scheduled before is scheduled again.")
    if restored.change.price:
        lines.append("The switch that was scheduled before is scheduled again.")
    return ActionQuestion(
        title=f"Keep {holding.plan.name}?",
        lines=[*lines, TOLD],
        figures=_figures_after(asked, KeptSubscription(holding, restored)),
        button=f"Keep {holding.plan.name}",
    )


def _keep(confirmed: ConfirmedAction) -> str:
    confirm_action(
        confirmed, undo.RemoveScheduledCancellation(confirmed.account, undo.UNDO_CANCELLATION, [confirmed.subject_id])
    )
    return f"{find_plan_name(confirmed)} continues."


def _figures_after(asked: ActionRequest, target: Target) -> list[Figure]:
    bills = forecast_bills_after(live_holdings(asked.account), [target], now=clock.billing_now())
    return [charge_figure(0, target.holding.terms.currency), *bill_figures(bills)]


def _continuing_holding(asked: ActionRequest) -> Holding:
    """Return the subscription that an action is about. Raises NothingToCancel if it has ended or is to end."""
    holding = require_holding(asked)
    if not holding.can_be_canceled:
        raise cancellation.NothingToCancel
    return holding


def _can_be_canceled(holding: Holding) -> bool:
    return holding.can_be_canceled


def _can_end_now(holding: Holding) -> bool:
    return holding.can_be_canceled and not holding.ends_at_once


def _is_ending(holding: Holding) -> bool:
    return holding.status == NON_RENEWING


ACTIONS = (
    AccountAction("keep", "Keep…", "billing.act_keep", _ask_keep, _keep, SUBSCRIPTION, _is_ending),
    AccountAction("cancel", "Cancel…", "billing.act_cancel", _ask_cancel, _cancel, SUBSCRIPTION, _can_be_canceled),
    AccountAction(
        "cancel-now",
        "Cancel now…",
        "billing.act_cancel_now",
        _ask_cancel_now,
        _cancel_now,
        SUBSCRIPTION,
        _can_end_now,
    ),
)

for action in ACTIONS:
    register_action(action)
