"""The part of the data export that holds the email preferences."""

from __future__ import annotations

from collections.abc import Mapping

from accounts.models import Account
from preferences.email_preferences import preferences_of_account
from preferences.models import PreferenceChange


def preferences_export_part(account: Account) -> Mapping[str, object]:
    """Return the account's preferences and all their changes. Two queries."""
    return {
        "email_preferences": [
            {"key": preference.value, "wanted": is_wanted}
            for preference, is_wanted in preferences_of_account(account).items()
        ],
        "email_preference_changes": list(
            PreferenceChange.objects.filter(account=account).values("at", "preference", "wanted", "source")
        ),
    }
