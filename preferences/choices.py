"""Reading and changing what a subscriber wants to be written about. A change holds from the next email on."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from accounts import events
from accounts.models import Account
from preferences.models import EmailPreferences, Preference, PreferenceChange

NOTHING: dict[Preference, bool] = dict.fromkeys(Preference, False)

_CHANGED = {
    PreferenceChange.Source.PORTAL: "You changed your email preferences.",
    PreferenceChange.Source.ONE_CLICK: "You unsubscribed by the link in an email.",
    PreferenceChange.Source.OPERATOR: "Your email preferences were changed.",
}


def wanted_by(account: Account) -> dict[Preference, bool]:
    """Give what an account wants, in the contract's order; nothing until it says otherwise. One query."""
    held = EmailPreferences.objects.filter(account=account).first() or EmailPreferences()
    return {one: held.wants(one) for one in Preference}


def wants(account: Account, category: str) -> bool:
    """Whether an account wants email of a category, as it stands now."""
    return wanted_by(account)[Preference(category)]


def change(
    account: Account,
    wanted: Mapping[Preference, bool],
    *,
    source: PreferenceChange.Source,
    actor: str = "you",
) -> None:
    """Want these kinds and not those from now on, and keep when and where that was said. Others stay as they are."""
    with transaction.atomic():
        EmailPreferences.objects.get_or_create(account=account)
        held = EmailPreferences.objects.select_for_update().get(account=account)
        changed = [one for one, wish in wanted.items() if held.wants(one) != wish]
        for one in changed:
            held.put(one, wanted=wanted[one])
        if changed:
            held.save()
            _keep(account, {one: wanted[one] for one in changed}, source, actor)


def _keep(
    account: Account, changed: Mapping[Preference, bool], source: PreferenceChange.Source, actor: str
) -> None:
    now = timezone.now()
    PreferenceChange.objects.bulk_create(
        PreferenceChange(account=account, at=now, preference=one, wanted=wish, source=source)
        for one, wish in changed.items()
    )
    events.record(account, kind="email_preferences_changed", text=_CHANGED[source], actor=actor, at=now)
