"""The profile: names and birthday. Only customer service changes the email address."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import astuple, dataclass

from django.db import transaction
from django.utils import timezone

from accounts import signals
from accounts.models import Account
from accounts.profile import events

LEAP_YEAR = 2000  # a birthday has no year, so February has its 29 days


@dataclass(frozen=True, slots=True)
class Profile:
    """Names and birthday of a subscriber; month and day are 0 if there is no birthday."""

    first_name: str
    last_name: str
    birth_month: int
    birth_day: int

    @classmethod
    def from_account(cls, account: Account) -> Profile:
        """Return the account's profile."""
        return cls(account.first_name, account.last_name, account.birth_month, account.birth_day)


def is_birthday(month: int, day: int) -> bool:
    """Return whether the day exists in some year, or both are 0."""
    if not month or not day:
        return month == day
    return 1 <= month <= 12 and 1 <= day <= monthrange(LEAP_YEAR, month)[1]


def save_profile(account: Account, profile: Profile, *, key: str) -> Account:
    """Store a profile and return the updated account.

    Receivers of `profile_pre_save` get the names and the idempotency `key` before anything is stored here; what they
    raise is passed on. There is no durable command, as there is for a change of plans, because saving is idempotent:
    a client that got no answer sends the same form again.
    """
    signals.propagate_names(account, first_name=profile.first_name, last_name=profile.last_name, key=key)
    with transaction.atomic():
        locked = Account.objects.select_for_update().get(pk=account.pk)
        if Profile.from_account(locked) != profile:
            _store_profile(locked, profile)
    return locked


def _store_profile(account: Account, profile: Profile) -> None:
    account.first_name, account.last_name, account.birth_month, account.birth_day = astuple(profile)
    account.save(update_fields=["first_name", "last_name", "birth_month", "birth_day"])
    events.record_event(
        account, kind="profile_changed", text="You changed your profile.", actor="you", at=timezone.now()
    )
    signals.profile_post_save.send(sender=Account, account=account)
