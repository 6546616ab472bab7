"""Acts on pauses: schedule one, take a scheduled one back, and resume."""

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
    bill_figures,
    charge_figure,
    confirm_action,
    find_plan_name,
    require_holding,
)
from billing.changes import pauses, resumes
from billing.changes.preview import forecast_next_bills
from billing.mirror.pause_schedules import PAUSE_DAYS
from billing.money import format_cents
from billing.queries.subscriptions.holdings import Holding
from billing.queries.subscriptions.ownership import live_holdings
from billing.queries.subscriptions.pauses import pause_periods, with_pauses, without_pause
from billing.receipts.phrases import long_date


def _ask_pause(asked: ActionRequest) -> ActionQuestion:
    holding = pauses.pausable_holdings(asked.account, [asked.subject_id])[0]
    holdings = live_holdings(asked.account)
    periods = pause_periods(holdings, subscription_ids=[asked.subject_id], days=PAUSE_DAYS)
    period = periods[asked.subject_id]
    bills = forecast_next_bills(with_pauses(holdings, periods), now=clock.billing_now())
    return ActionQuestion(
        title=f"Pause {holding.plan.name} for a month?",
        lines=[
            f"It pauses on {long_date(period.pause_date)}, when the paid term ends.",
            f"It resumes by itself on {long_date(period.resume_date)}.",
            TOLD,
        ],
        figures=[charge_figure(0, holding.terms.currency), *bill_figures(bills)],
        button=f"Pause {holding.plan.name}",
    )


def _schedule_pause(confirmed: ConfirmedAction) -> str:
    change = pauses.SchedulePause(confirmed.account, pauses.PAUSE, [confirmed.subject_id], None, brand="", offered="")
    confirm_action(confirmed, change)
    return f"The pause of {find_plan_name(confirmed)} is scheduled."


def _ask_remove_pause(asked: ActionRequest) -> ActionQuestion:
    holding = require_holding(asked)
    if not holding.has_scheduled_pause or holding.pause_date is None:
        raise pauses.NoScheduledPause
    others = live_holdings(asked.account)
    continuing = [
        without_pause(other) if other.subscription.provider_id == asked.subject_id else other for other in others
    ]
    return ActionQuestion(
        title=f"Remove the scheduled pause of {holding.plan.name}?",
        lines=[
            f"It was set to start on {long_date(holding.pause_date)}. The plan continues and bills on that date.",
            TOLD,
        ],
        figures=[
            charge_figure(0, holding.terms.currency),
            *bill_figures(forecast_next_bills(continuing, now=clock.billing_now())),
        ],
        button="Remove the pause",
    )


def _remove_scheduled_pause(confirmed: ConfirmedAction) -> str:
    change = pauses.RemoveScheduledPause(confirmed.account, pauses.REMOVE_SCHEDULED_PAUSE, [confirmed.subject_id])
    confirm_action(confirmed, change)
    return f"The scheduled pause of {find_plan_name(confirmed)} was removed."


def _ask_resume(asked: ActionRequest) -> ActionQuestion:
    estimate = resumes.estimate_resume(
        asked.account, subscription_ids=[asked.subject_id], days=None, now=clock.billing_now()
    )
    charge = format_cents(estimate.amount_due, estimate.currency_code)
    return ActionQuestion(
        title=f"Resume {require_holding(asked).plan.name} now?",
        lines=["Their default payment method is charged. If it is declined, the plan stays paused.", TOLD],
        figures=[charge_figure(estimate.amount_due, estimate.currency_code), *bill_figures(estimate.next_bills)],
        button=f"Resume and charge {charge}",
        quote=estimate.quote,
    )


def _resume_subscription(confirmed: ConfirmedAction) -> str:
    resumes.resume_subscriptions(
        confirmed.account,
        subscription_ids=[confirmed.subject_id],
        quote=confirmed.quote,
        key=confirmed.key,
        actor=confirmed.actor,
        reason=confirmed.reason,
        now=clock.billing_now(),
    )
    return f"{find_plan_name(confirmed)} is active again."


def _can_be_paused(holding: Holding) -> bool:
    return holding.can_be_paused


def _has_scheduled_pause(holding: Holding) -> bool:
    return holding.has_scheduled_pause


def _is_paused(holding: Holding) -> bool:
    return holding.is_paused


ACTIONS = (
    AccountAction("pause", "Pause…", "billing.act_pause", _ask_pause, _schedule_pause, SUBSCRIPTION, _can_be_paused),
    AccountAction(
        "resume", "Resume now…", "billing.act_resume", _ask_resume, _resume_subscription, SUBSCRIPTION, _is_paused
    ),
    AccountAction(
        "remove-scheduled-pause",
        "Remove scheduled pause…",
        "billing.act_remove_pause",
        _ask_remove_pause,
        _remove_scheduled_pause,
        SUBSCRIPTION,
        _has_scheduled_pause,
    ),
)

for action in ACTIONS:
    register_action(action)
