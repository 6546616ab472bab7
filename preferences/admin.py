"""The preferences on an account's admin page, and the action that unsubscribes the account from all emails."""

from __future__ import annotations

from django.http import HttpRequest

from accounts.admin import account_actions, account_page
from accounts.admin.account_actions import AccountAction, ActionQuestion, ConfirmedAction
from accounts.admin.account_page import PageSection
from accounts.models import Account
from preferences import email_preferences
from preferences.models import PreferenceChange

VIEW_PERMISSION, CHANGE_PERMISSION = (
    "preferences.view_emailpreferences",
    "preferences.change_emailpreferences",
)


def _preferences_section(account: Account, request: HttpRequest) -> PageSection:
    preferences = email_preferences.preferences_of_account(account)
    wanted = ", ".join(preference.label for preference, is_wanted in preferences.items() if is_wanted)
    rows = [
        (
            account_page.format_instant(change.at),
            change.get_preference_display(),
            "wanted" if change.wanted else "ended",
            change.get_source_display(),
        )
        for change in PreferenceChange.objects.filter(account=account)[: account_page.MAX_ROWS]
    ]
    title = f"Emails wanted: {wanted or 'none'}"
    return PageSection(title, ("When", "What", "Which way", "Where"), rows, "None requested")


def _unsubscribe_question(account: Account, _subject_id: str) -> ActionQuestion:
    return ActionQuestion(
        title=f"Unsubscribe {account.email} from all emails?",
        lines=[
            "From now on they get only mail that their account needs: codes, receipts and notices of bills.",
            "Their activity shows that support did this.",
        ],
        button="Unsubscribe from all",
    )


def _unsubscribe_from_all(account: Account, action: ConfirmedAction) -> str:
    email_preferences.change_preferences(
        account, email_preferences.NONE_WANTED, source=PreferenceChange.Source.OPERATOR, actor=action.actor
    )
    return "Unsubscribed from all emails."


account_page.register_section(80, VIEW_PERMISSION, _preferences_section)
account_actions.register_action(
    AccountAction(
        name="unsubscribe",
        label="Unsubscribe from all",
        permission=CHANGE_PERMISSION,
        build_question=_unsubscribe_question,
        perform=_unsubscribe_from_all,
    )
)
