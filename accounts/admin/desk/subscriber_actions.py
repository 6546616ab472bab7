"""The actions on an account that need nothing of billing: sign out everywhere, and erase."""

from __future__ import annotations

from accounts.admin.desk.account_actions import (
    AccountAction,
    ActionQuestion,
    ActionRequest,
    ConfirmedAction,
    register_action,
)
from accounts.profile import erasure
from accounts.sign_in import flow


def _ask_sign_out(asked: ActionRequest) -> ActionQuestion:
    return ActionQuestion(
        title="Sign out everywhere?",
        lines=[
            f"This ends every session of {asked.account.email}. They can sign in again with a code.",
            "Their activity shows that support did this.",
        ],
        button="Sign out everywhere",
    )


def _sign_out_everywhere(confirmed: ConfirmedAction) -> str:
    ended = flow.sign_out_by_operator(confirmed.account, actor=confirmed.actor, reason=confirmed.reason)
    return f"Sessions ended: {ended}."


def _ask_erasure(asked: ActionRequest) -> ActionQuestion:
    return ActionQuestion(
        title=f"Erase {asked.account.email}?",
        lines=[
            "This deletes the account, its profile, preferences, activity, emails, sessions, and sign-in events.",
            "It also deletes the portal's copy of its plans, invoices, and payment methods. You can't undo this.",
            "Invoices stay in Chargebee for as long as the law requires.",
            "After that, clear the customer's personal data there, too.",
            "Survey answers stay for the reports, without a name.",
        ],
        button="Erase account permanently",
    )


def _erase_account(confirmed: ConfirmedAction) -> str:
    erasure.erase_account(confirmed.account, actor=confirmed.actor)
    return "The account was erased."


def register_actions() -> None:
    """Offer these actions on accounts; the erasure is the last one."""
    register_action(
        AccountAction(
            name="sign-out-everywhere",
            label="Sign out everywhere…",
            permission="accounts.sign_out_account",
            build_question=_ask_sign_out,
            perform=_sign_out_everywhere,
        )
    )
    register_action(
        AccountAction(
            name="erase",
            label="Erase account…",
            permission="accounts.delete_account",  # no group has it, so only a superuser may
            build_question=_ask_erasure,
            perform=_erase_account,
        )
    )


register_actions()
