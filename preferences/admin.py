"""What operators see of the preferences on an account's page, and the one thing they do there when asked to."""

from __future__ import annotations

from django.http import HttpRequest

from accounts.admin import acts, story
from accounts.admin.acts import Act, Doing, Question
from accounts.admin.story import Section
from accounts.models import Account
from preferences import choices
from preferences.models import PreferenceChange

VIEW, CHANGE = "preferences.view_emailpreferences", "preferences.change_emailpreferences"


def _section(account: Account, request: HttpRequest) -> Section:
    wanted = ", ".join(one.label for one, wish in choices.wanted_by(account).items() if wish)
    rows = [
        (
            story.instant(one.at),
            one.get_preference_display(),
            "wanted" if one.wanted else "ended",
            one.get_source_display(),
        )
        for one in PreferenceChange.objects.filter(account=account)[: story.SHOWN]
    ]
    title = f"Emails wanted: {wanted or 'none'}"
    return Section(title, ("When", "What", "Which way", "Where"), rows, "Never asked for any.")


def _ask(account: Account, about: str) -> Question:
    return Question(
        title=f"Unsubscribe {account.email} from all emails?",
        lines=[
            "From now on they get only mail that their account needs: codes, receipts and notices of bills.",
            "Their activity tells them that support did this.",
        ],
        button="Unsubscribe from all",
    )


def _unsubscribe(account: Account, doing: Doing) -> str:
    choices.change(account, choices.NOTHING, source=PreferenceChange.Source.OPERATOR, actor=doing.actor)
    return "Unsubscribed from all emails."


story.register(80, VIEW, _section)
acts.register(
    Act(name="unsubscribe", label="Unsubscribe from all", permission=CHANGE, ask=_ask, do=_unsubscribe)
)
