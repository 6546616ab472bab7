"""The profile: names and birthday. The address is customer service's to change."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import astuple, dataclass

from django.db import transaction
from django.utils import timezone

from accounts import events, hooks
from accounts.models import Account

LEAP_YEAR = 2000  # a birthday has no year, so February has its 29 days


@dataclass(frozen=True, slots=True)
class Profile:
    """What a subscriber says of themselves; 0 in month and day is no birthday."""

    first_name: str
    last_name: str
    birth_month: int
    birth_day: int

    @classmethod
    def of(cls, account: Account) -> Profile:
        """Give the profile that an account has."""
        return cls(account.first_name, account.last_name, account.birth_month, account.birth_day)


def is_birthday(month: int, day: int) -> bool:
    """Whether there is such a day in some year, or both are 0 and there is none."""
    if not month or not day:
        return month == day
    return 1 <= month <= 12 and 1 <= day <= monthrange(LEAP_YEAR, month)[1]


def save(account: Account, profile: Profile, *, key: str) -> Account:
    """Store a profile and give the account as it then is; `key` stands for this one intent.

    Every receiver of `profile_saving` takes the names over before anything is stored here. No log of it is kept, as
    there is of changes of plans: setting the same names twice is setting them once, so that whoever was not answered
    sends the same form again and it ends alike. Raises what a receiver raises.
    """
    hooks.save_names_elsewhere(account, first_name=profile.first_name, last_name=profile.last_name, key=key)
    with transaction.atomic():
        locked = Account.objects.select_for_update().get(pk=account.pk)
        if Profile.of(locked) != profile:
            _store(locked, profile)
    return locked


def _store(account: Account, profile: Profile) -> None:
    account.first_name, account.last_name, account.birth_month, account.birth_day = astuple(profile)
    account.save(update_fields=["first_name", "last_name", "birth_month", "birth_day"])
    events.record(
        account, kind="profile_changed", text="You changed your profile.", actor="you", at=timezone.now()
    )
    hooks.profile_saved.send(sender=Account, account=account)
