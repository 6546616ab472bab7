"""Which emails one wants."""

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
    """The kinds that an answer shows as wanted."""
    assert answer.status_code == 200
    return [preference["key"] for preference in answer.json() if preference["checked"]]


@pytest.mark.shows("emails-2", "emails-3", "data-7", "api-32")
def test_nothing_is_wanted_until_it_is_asked_for(signed_in: SignInClient) -> None:
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
def test_what_is_saved_is_answered_and_read(signed_in: SignInClient) -> None:
    answer = signed_in.api.post(PATH, {**NONE, "branding": True, "newsLetter": True})
    assert wanted_kinds(answer) == ["newsLetter", "branding"]
    assert wanted_kinds(signed_in.api.get(PATH)) == ["newsLetter", "branding"]
    in_the_other_case = {"news_letter": True, "streaming": False, "promotions": False, "branding": False}
    assert wanted_kinds(signed_in.api.post(PATH, in_the_other_case)) == ["newsLetter"]
    assert wanted_kinds(signed_in.api.post(PATH, NONE)) == []


def test_each_change_is_kept_with_time_and_source(signed_in: SignInClient, ava: Account) -> None:
    signed_in.api.post(PATH, {**NONE, "streaming": True, "promotions": True})
    signed_in.api.post(PATH, {**NONE, "streaming": True, "promotions": True})
    signed_in.api.post(PATH, {**NONE, "streaming": True})
    kept = PreferenceChange.objects.order_by("pk").values_list("preference", "wanted", "source")
    assert list(kept) == [
        ("streaming", True, "portal"),
        ("promotions", True, "portal"),
        ("promotions", False, "portal"),
    ]
    assert [(event.kind, event.actor) for event in ava.events.all()] == [("email_preferences_changed", "you")] * 2


def test_one_choice_leaves_the_others_and_everybody_else_alone(signed_in: SignInClient, ava: Account) -> None:
    bob = Account.objects.open_account(email="bob@example.com")
    every = dict.fromkeys(Preference, True)
    for account in (ava, bob):
        email_preferences.change_preferences(
            account, every, source=PreferenceChange.Source.OPERATOR, actor="support:olga"
        )
    email_preferences.change_preferences(ava, {Preference.STREAMING: False}, source=PreferenceChange.Source.ONE_CLICK)
    assert wanted_kinds(signed_in.api.get(PATH)) == ["newsLetter", "promotions", "branding"]
    assert email_preferences.preferences_of_account(bob) == every


@pytest.mark.shows("security-31")
def test_nothing_but_the_four_is_taken(signed_in: SignInClient, ava: Account) -> None:
    more = {"account": 7, "email": "eve@example.com", "isStaff": True, "source": "operator"}
    signed_in.api.post(PATH, {**NONE, "streaming": True, **more})
    assert EmailPreferences.objects.get().account == ava
    assert PreferenceChange.objects.get().source == "portal"


@pytest.mark.parametrize("missing", NONE)
def test_all_four_are_needed(signed_in: SignInClient, missing: str) -> None:
    answer = signed_in.api.post(PATH, {name: True for name in NONE if name != missing})
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [missing])
    assert not EmailPreferences.objects.exists()


@pytest.mark.parametrize("value", [None, "true", "yes", 1, 0, [], {}, "x" * 10_000])
def test_only_true_and_false_are_taken(signed_in: SignInClient, value: Any) -> None:
    answer = signed_in.api.post(PATH, {**NONE, "branding": value})
    assert (answer.status_code, list(answer.json()["fields"])) == (400, ["branding"])
    assert not AccountEvent.objects.exists()


def test_nobody_reads_or_saves_without_a_token(db: None) -> None:
    api = SignInClient().api
    assert [api.get(PATH).status_code, api.post(PATH, NONE).status_code] == [401, 401]
