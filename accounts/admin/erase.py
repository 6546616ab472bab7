"""Erasing an account from its page; no group may, so a superuser has to (security, row 40)."""

from __future__ import annotations

from accounts import erasure
from accounts.admin import acts
from accounts.admin.acts import Act, Doing, Question
from accounts.models import Account


def _ask(account: Account, about: str) -> Question:
    return Question(
        title=f"Erase {account.email}?",
        lines=[
            "Deleted are the account, its profile, preferences, activity, mails, sessions and sign-in events.",
            "Deleted is the portal's copy of its plans, invoices and payment methods. None of it comes back.",
            "Invoices stay with the billing provider, for as long as the law wants them.",
            "Once that time is over, clear the customer's personal data there as well.",
            "What was answered when plans were cancelled stays for the reports, without a name.",
        ],
        button="Erase the account for good",
    )


def _erase(account: Account, doing: Doing) -> str:
    erasure.erase(account, actor=doing.actor)
    return "The account was erased."


acts.register(
    Act(name="erase", label="Erase the account", permission="accounts.delete_account", ask=_ask, do=_erase)
)
