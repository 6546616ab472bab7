"""Listing one's sessions, and signing out of the others."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine

from accounts.models import Account, AccountEvent, SessionToken
from accounts.tests.sign_in.sign_in_client import SignInClient

pytestmark = pytest.mark.django_db

LIST, REVOKE = "/api/account/sessions", "/api/account/sessions/revoke-others"


def sign_in_elsewhere(account: Account, agent: str = "Firefox") -> str:
    """Sign the account in with another browser and return its token."""
    _session, token = SessionToken.objects.create(user=account.user, agent=agent)
    return str(token)


def status_for_token(token: str) -> int:
    """Return the status that a request with this token gets."""
    browser = SignInClient()
    browser.carry_token(token)
    return int(browser.api.get(LIST).status_code)


@pytest.mark.shows("api-36")
def test_sessions_are_listed_last_used_first(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    sign_in_elsewhere(ava)
    clock.shift(timedelta(days=1))
    sign_in_client.sign_in()
    mine, other = sign_in_client.api.get(LIST).json()
    assert mine == {
        "id": str(SessionToken.objects.get(agent="").public_id),
        "createdAt": "2026-05-05T12:00:00Z",
        "lastUsedAt": "2026-05-05T12:00:00Z",
        "agent": "",
        "current": True,
    }
    assert (other["agent"], other["current"]) == ("Firefox", False)


def test_expired_sessions_and_those_of_others_are_not_listed(
    ava: Account, sign_in_client: SignInClient, clock: time_machine.Traveller
) -> None:
    sign_in_elsewhere(ava)
    sign_in_elsewhere(Account.objects.open_account(email="bob@example.com"))
    clock.shift(timedelta(days=15))
    sign_in_client.sign_in()
    assert [session["current"] for session in sign_in_client.api.get(LIST).json()] == [True]


@pytest.mark.shows("api-37", "security-17")
def test_signing_out_elsewhere_ends_only_the_other_sessions(ava: Account, sign_in_client: SignInClient) -> None:
    bob = sign_in_elsewhere(Account.objects.open_account(email="bob@example.com"))
    others = [sign_in_elsewhere(ava) for _ in range(2)]
    mine = sign_in_client.sign_in()
    remaining = sign_in_client.api.post(REVOKE)
    assert (remaining.status_code, [session["current"] for session in remaining.json()]) == (200, [True])
    assert [status_for_token(token) for token in (mine, *others, bob)] == [200, 401, 401, 200]
    assert [(event.kind, event.actor) for event in ava.events.all()] == [("signed_out", "you")]
    sign_in_client.api.post(REVOKE, {"id": "x", "isStaff": True})
    assert AccountEvent.objects.count() == 1


def test_the_list_contains_no_secrets(ava: Account, sign_in_client: SignInClient) -> None:
    token = sign_in_client.sign_in()
    listed = sign_in_client.api.get(LIST).content.decode()
    assert token not in listed
    assert SessionToken.objects.get().digest not in listed


def test_listing_and_revoking_require_a_token(sign_in_client: SignInClient) -> None:
    assert [sign_in_client.api.get(LIST).status_code, sign_in_client.api.post(REVOKE).status_code] == [
        401,
        401,
    ]
