"""Reading and changing email preferences. A change takes effect with the next email."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from accounts.models import Account
from accounts.profile import events
from preferences.models import EmailPreferences, Preference, PreferenceChange
from preferences.texts import PreferenceText, preference_text

NONE_WANTED: dict[Preference, bool] = dict.fromkeys(Preference, False)

_CHANGE_TEXTS = {
    PreferenceChange.Source.PORTAL: "You changed your email preferences.",
    PreferenceChange.Source.ONE_CLICK: "You unsubscribed by the link in an email.",
    PreferenceChange.Source.OPERATOR: "Your email preferences were changed.",
}


def preferences_of_account(account: Account) -> dict[Preference, bool]:
    """Return whether the account wants each kind of email, in the API's order. One query."""
    stored = EmailPreferences.objects.filter(account=account).first() or EmailPreferences()
    return {preference: stored.is_wanted(preference) for preference in Preference}


@dataclass(frozen=True, slots=True)
class PreferenceChoice:
    """A kind of email in words, and whether the account wants it."""

    key: Preference
    text: PreferenceText
    checked: bool


def preference_choices(account: Account) -> list[PreferenceChoice]:
    """Return each kind of email with its text, in the API's order. Two queries."""
    return [
        PreferenceChoice(preference, preference_text(preference), wanted)
        for preference, wanted in preferences_of_account(account).items()
    ]


def is_wanted(account: Account, category: str) -> bool:
    """Return whether the account wants email of a category now."""
    return preferences_of_account(account)[Preference(category)]


def change_preferences(
    account: Account,
    wanted: Mapping[Preference, bool],
    *,
    source: PreferenceChange.Source,
    actor: str = "you",
    reason: str = "",
) -> None:
    """Set these preferences, leave the others, and record each change with its time and source.

    `reason` is why an operator did it.
    """
    with transaction.atomic():
        EmailPreferences.objects.get_or_create(account=account)
        stored = EmailPreferences.objects.select_for_update().get(account=account)
        changed = {
            preference: is_wanted
            for preference, is_wanted in wanted.items()
            if stored.is_wanted(preference) != is_wanted
        }
        for preference, is_wanted in changed.items():
            stored.set_wanted(preference, wanted=is_wanted)
        if changed:
            stored.save()
            _record_changes(account, changed, source, actor, reason)


def _record_changes(
    account: Account, changed: Mapping[Preference, bool], source: PreferenceChange.Source, actor: str, reason: str
) -> None:
    now = timezone.now()
    PreferenceChange.objects.bulk_create(
        PreferenceChange(account=account, at=now, preference=preference, wanted=is_wanted, source=source)
        for preference, is_wanted in changed.items()
    )
    text = _CHANGE_TEXTS[source]
    events.record_event(account, kind="email_preferences_changed", text=text, actor=actor, reason=reason, at=now)
