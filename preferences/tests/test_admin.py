"""What operators can see and do about email preferences."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Account, User
from preferences import email_preferences
from preferences.models import Preference, PreferenceChange

pytestmark = pytest.mark.django_db


def test_an_operator_can_unsubscribe_a_subscriber(client: Client, ava: Account) -> None:
    client.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
    email_preferences.change_preferences(ava, {Preference.STREAMING: True}, source=PreferenceChange.Source.PORTAL)
    page = reverse("admin:accounts_account_change", args=[ava.pk])
    assert "Emails wanted: what&#x27;s streaming" in client.get(page).content.decode()
    act = reverse("admin:accounts_account_act", args=[ava.pk, "unsubscribe"])
    assert "Unsubscribe ava@example.com from all emails?" in client.get(act).content.decode()
    assert "Unsubscribed from all emails." in client.post(act, {"reason": "She called"}, follow=True).content.decode()
    assert email_preferences.preferences_of_account(ava) == email_preferences.NONE_WANTED
    newest = PreferenceChange.objects.first()
    assert newest is not None
    assert (newest.wanted, newest.source) == (False, "operator")
    assert ava.events.latest("pk").actor == "support:olga"
