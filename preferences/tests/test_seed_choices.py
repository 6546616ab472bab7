"""`manage.py seed_choices`: an account of the demo with a birthday and email preferences."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from accounts.models import Account
from preferences.email_preferences import change_preferences, preferences_of_account
from preferences.models import Preference, PreferenceChange

pytestmark = pytest.mark.django_db


def test_it_gives_ben_choices_once_and_keeps_his_own() -> None:
    call_command("seed_choices")
    ben = Account.objects.open_account(email="ben@example.com", first_name="Ben", last_name="Stone")
    call_command("seed_choices")
    ben.refresh_from_db()
    assert (ben.birth_month, ben.birth_day) == (2, 29)
    wanted = {preference for preference, is_wanted in preferences_of_account(ben).items() if is_wanted}
    assert wanted == {Preference.NEWS_LETTER, Preference.STREAMING}

    change_preferences(ben, {Preference.STREAMING: False}, source=PreferenceChange.Source.PORTAL)
    call_command("seed_choices")
    ben = Account.objects.get(pk=ben.pk)
    assert not preferences_of_account(ben)[Preference.STREAMING]
    assert PreferenceChange.objects.count() == 3
