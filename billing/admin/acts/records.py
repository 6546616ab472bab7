"""Acts on the portal's records of an account."""

from __future__ import annotations

from accounts.admin.desk.account_actions import (
    AccountAction,
    ActionQuestion,
    ActionRequest,
    ConfirmedAction,
    register_action,
)
from billing import clock
from billing.changes import operator_actions


def _ask_resync(asked: ActionRequest) -> ActionQuestion:
    return ActionQuestion(
        title="Refresh this account from Chargebee?",
        lines=[
            f"Chargebee's data for {asked.account.email} replaces the portal's. Nothing is charged.",
            "Their activity shows that support did this.",
        ],
        button="Refresh",
    )


def _resync_account(confirmed: ConfirmedAction) -> str:
    operator_actions.resync_as_operator(confirmed.account, actor=confirmed.actor, now=clock.billing_now())
    return "Refreshed from Chargebee."


register_action(
    AccountAction(
        "resync",
        "Refresh from Chargebee…",
        "billing.change_customer",
        _ask_resync,
        _resync_account,
        needs_reason=False,  # it changes nothing that the subscriber has
    )
)
