"""Reading and changing email preferences. A change takes effect with the next email.

Several accounts can have one address (decision 28), and preferences are about what arrives there: whatever one of them
wants is shown to each, and ended for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q, QuerySet
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
    """Return whether each kind of email is wanted at the account's address, in the API's order. One query."""
    stored = list(_preferences_at_address(account))
    return {preference: any(row.is_wanted(preference) for row in stored) for preference in Preference}


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
    """Return whether email of a category is wanted at the account's address now."""
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

    What nobody at the address wants yet, this account wants from now on; what is not wanted ends for all of them.
    `reason` is why an operator did it.
    """
    with transaction.atomic():
        EmailPreferences.objects.get_or_create(account=account)
        rows = _preferences_at_address(account).select_related("account")
        stored = list(rows.select_for_update(of=("self",)).order_by("pk"))
        held = {preference for preference in wanted if any(row.is_wanted(preference) for row in stored)}
        for row in stored:
            ended = {kind: False for kind, is_wanted in wanted.items() if not is_wanted and row.is_wanted(kind)}
            begun = {kind: True for kind, is_wanted in wanted.items() if is_wanted and kind not in held}
            changed = ended | begun if row.account_id == account.pk else ended
            for preference, is_wanted in changed.items():
                row.set_wanted(preference, wanted=is_wanted)
            if changed:
                row.save()
                _record_changes(row.account, changed, source, actor, reason)


def _preferences_at_address(account: Account) -> QuerySet[EmailPreferences]:
    """Return the preferences of the account and of the others that have its address."""
    accounts = Account.objects.filter(Q(pk=account.pk) | Q(email=account.email) & ~Q(email=""))
    return EmailPreferences.objects.filter(account__in=accounts)


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
