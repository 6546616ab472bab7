"""The email preferences of a subscriber."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command

from accounts.models import Account, AccountEvent
from accounts.tests.sign_in.sign_in_client import SignInClient
from preferences import email_preferences
from preferences.models import EmailPreferences, Preference, PreferenceChange

pytestmark = pytest.mark.django_db

PATH = "/api/account/communicationPreferences"
NONE = {"newsLetter": False, "streaming": False, "promotions": False, "branding": False}


def wanted_kinds(answer: Any) -> list[str]:
    """Return the kinds that a response shows as wanted."""
    assert answer.status_code == 200
    return [preference["key"] for preference in answer.json() if preference["checked"]]


@pytest.mark.shows("emails-2", "emails-3", "data-7", "api-32")
def test_all_kinds_are_off_by_default(signed_in: SignInClient) -> None:
    call_command("seed_site", verbosity=0)
    assert signed_in.api.get(PATH).json() == [
        {
            "key": "newsLetter",
            "name": "Faith & Family Newsletter",
            "summary": "A weekly newsletter of new episodes and movie titles.",
            "checked": False,
        },
        {
            "key": "streaming",
            "name": "What's Streaming",
            "summary": "A monthly newsletter with season announcements and early access.",
            "checked": False,
        },
        {
            "key": "promotions",
            "name": "Promotions",
            "summary": "Marketing and promotional emails.",
            "checked": False,
        },
        {
            "key": "branding",
            "name": "Our Other Brands",
            "summary": "Emails about our company's other brands' platforms.",
            "checked": False,
        },
    ]


@pytest.mark.shows("api-33")
def test_saved_preferences_are_returned(signed_in: SignInClient) -> None:
    answer = signed_in.api.post(PATH, {**NONE, "branding": True, "newsLetter": True})
    assert wanted_kinds(answer) == ["newsLetter", "branding"]
    assert wanted_kinds(signed_in.api.get(PATH)) == ["newsLetter", "branding"]
    snake_case = {"news_letter": True, "streaming": False, "promotions": False, "branding": False}
    assert wanted_kinds(signed_in.api.post(PATH, snake_case)) == ["newsLetter"]
    assert wanted_kinds(signed_in.api.post(PATH, NONE)) == []


def test_each_change_is_recorded_with_its_source(signed_in: SignInClient, ava: Account) -> None:
    signed_in.api.post(PATH, {**NONE, "streaming": True, "promotions": True})
    signed_in.api.post(PATH, {**NONE, "streaming": True, "promotions": True})
    signed_in.api.post(PATH, {**NONE, "streaming": True})
    recorded = PreferenceChange.objects.order_by("pk").values_list("preference", "wanted", "source")
    assert list(recorded) == [
        ("streaming", True, "portal"),
        ("promotions", True, "portal"),
        ("promotions", False, "portal"),
    ]
    assert [(event.kind, event.actor) for event in ava.events.all()] == [("email_preferences_changed", "you")] * 2


def test_a_change_affects_no_other_preference_or_account(signed_in: SignInClient, ava: Account) -> None:
    bob = Account.objects.open_account(email="bob@example.com")
    every = dict.fromkeys(Preference, True)
    for account in (ava, bob):
        email_preferences.change_preferences(
            account, every, source=PreferenceChange.Source.OPERATOR, actor="support:olga"
        )
    email_preferences.change_preferences(ava, {Preference.STREAMING: False}, source=PreferenceChange.Source.ONE_CLICK)
    assert wanted_kinds(signed_in.api.get(PATH)) == ["newsLetter", "promotions", "branding"]
    assert email_preferences.preferences_of_account(bob) == every


def test_what_another_account_of_the_address_wants_is_shown_and_ends_with_it(
    signed_in: SignInClient, ava: Account
) -> None:
    other = Account.objects.open_account(email=ava.email)
    email_preferences.change_preferences(
        other, {Preference.NEWS_LETTER: True, Preference.BRANDING: True}, source=PreferenceChange.Source.PORTAL
    )
    assert wanted_kinds(signed_in.api.get(PATH)) == ["newsLetter", "branding"]
    answer = signed_in.api.post(PATH, {**NONE, "streaming": True, "branding": True})
    assert wanted_kinds(answer) == ["streaming", "branding"]
    ended = PreferenceChange.objects.filter(wanted=False)
    assert [(change.account, change.preference) for change in ended] == [(other, "newsLetter")]
    assert wanted_kinds(signed_in.api.post(PATH, NONE)) == []
    assert not email_preferences.is_wanted(other, Preference.BRANDING)


@pytest.mark.shows("security-31")
def test_unknown_fields_are_ignored(signed_in: SignInClient, ava: Account) -> None:
    extra_fields = {"account": 7, "email": "eve@example.com", "isStaff": True, "source": "operator"}
    signed_in.api.post(PATH, {**NONE, "streaming": True, **extra_fields})
    assert EmailPreferences.objects.get().account == ava
    assert PreferenceChange.objects.get().source == "portal"


@pytest.mark.parametrize("missing", NONE)
def test_all_four_fields_are_required(signed_in: SignInClient, missing: str) -> None:
    answer = signed_in.api.post(PATH, {name: True for name in NONE if name != missing})
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [missing])
    assert not EmailPreferences.objects.exists()


@pytest.mark.parametrize("value", [None, "true", "yes", 1, 0, [], {}, "x" * 10_000])
def test_only_true_and_false_are_accepted(signed_in: SignInClient, value: Any) -> None:
    answer = signed_in.api.post(PATH, {**NONE, "branding": value})
    assert (answer.status_code, list(answer.json()["fields"])) == (400, ["branding"])
    assert not AccountEvent.objects.exists()


def test_reading_and_saving_require_a_token(db: None) -> None:
    api = SignInClient().api
    assert [api.get(PATH).status_code, api.post(PATH, NONE).status_code] == [401, 401]
