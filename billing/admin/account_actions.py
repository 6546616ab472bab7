"""Billing's actions on the account page: resume, remove a scheduled pause, resync with the provider."""

from __future__ import annotations

from accounts.admin import account_actions
from accounts.admin.account_actions import AccountAction, ActionQuestion, ConfirmedAction
from accounts.models import Account
from billing import clock
from billing.admin.formatting import format_instant
from billing.changes import operator_actions, pauses, resumes
from billing.models import PauseSchedule, Subscription
from billing.money import format_cents

RESUME, REMOVE_PAUSE, RESYNC = "resume", "remove-scheduled-pause", "resync"


def _subscription_label(account: Account, subscription_id: str) -> str:
    """Return the plan's name and the id; for a subscription of another account the id only."""
    subscription = Subscription.objects.filter(customer__account=account, provider_id=subscription_id).first()
    return f"{subscription.plan.name} ({subscription_id})" if subscription else subscription_id


def _ask_resume(account: Account, subscription_id: str) -> ActionQuestion:
    estimate = resumes.estimate_resume(account, subscription_ids=[subscription_id], days=None, now=clock.billing_now())
    name = _subscription_label(account, subscription_id)
    charge = format_cents(estimate.amount_due, estimate.currency_code)
    return ActionQuestion(
        title=f"Resume {name} now?",
        lines=[
            f"This charges {charge} now, to {account.email}'s payment method.",
            "We'll email them, and their activity shows that support did this.",
        ],
        button=f"Resume and charge {charge}",
        quote=estimate.quote,
    )


def _resume_subscription(account: Account, action: ConfirmedAction) -> str:
    resumes.resume_subscriptions(
        account,
        subscription_ids=[action.subject_id],
        quote=action.quote,
        key=action.key,
        actor=action.actor,
        now=clock.billing_now(),
    )
    return f"{_subscription_label(account, action.subject_id)} is active again."


def _ask_remove_pause(account: Account, subscription_id: str) -> ActionQuestion:
    schedule = PauseSchedule.objects.filter(
        subscription__customer__account=account,
        subscription__provider_id=subscription_id,
        state=PauseSchedule.State.SCHEDULED,
    ).first()
    if schedule is None:
        raise pauses.NoScheduledPause
    return ActionQuestion(
        title=f"Remove the scheduled pause of {_subscription_label(account, subscription_id)}?",
        lines=[
            (
                f"It was set to start on {format_instant(schedule.pause_date)}. "
                "The subscription continues and bills on that date."
            ),
            "We'll email them, and their activity shows that support did this.",
        ],
        button="Remove the pause",
    )


def _remove_scheduled_pause(account: Account, action: ConfirmedAction) -> str:
    pauses.remove_scheduled_pause(
        account,
        subscription_ids=[action.subject_id],
        key=action.key,
        actor=action.actor,
        now=clock.billing_now(),
    )
    return f"The scheduled pause of {_subscription_label(account, action.subject_id)} was removed."


def _ask_resync(account: Account, _subscription_id: str) -> ActionQuestion:
    return ActionQuestion(
        title="Refresh this account from Chargebee?",
        lines=[
            f"Chargebee's data for {account.email} replaces the portal's. Nothing is charged.",
            "Their activity shows that support did this.",
        ],
        button="Refresh",
    )


def _resync_account(account: Account, action: ConfirmedAction) -> str:
    operator_actions.resync_as_operator(account, actor=action.actor, now=clock.billing_now())
    return "Refreshed from Chargebee."


account_actions.register_action(
    AccountAction(
        RESUME,
        "Resume now…",
        "billing.change_pauseschedule",
        _ask_resume,
        _resume_subscription,
        is_row_action=True,
    )
)
account_actions.register_action(
    AccountAction(
        REMOVE_PAUSE,
        "Remove scheduled pause…",
        "billing.change_pauseschedule",
        _ask_remove_pause,
        _remove_scheduled_pause,
        is_row_action=True,
    )
)
account_actions.register_action(
    AccountAction(RESYNC, "Refresh from Chargebee…", "billing.change_customer", _ask_resync, _resync_account)
)
