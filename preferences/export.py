"""What preferences holds on an account, for the subscriber themselves."""

from __future__ import annotations

from collections.abc import Mapping

from accounts.models import Account
from preferences.choices import wanted_by
from preferences.models import PreferenceChange


def export_part(account: Account) -> Mapping[str, object]:
    """Return what is wanted and every change of it. Two queries."""
    return {
        "email_preferences": [
            {"key": one.value, "wanted": wanted} for one, wanted in wanted_by(account).items()
        ],
        "email_preference_changes": list(
            PreferenceChange.objects.filter(account=account).values("at", "preference", "wanted", "source")
        ),
    }
