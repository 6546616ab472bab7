"""Where one is signed in, and signing out elsewhere (contract, section 3)."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine

from accounts.models import Account, AccountEvent, SessionToken
from accounts.tests.door import Door

pytestmark = pytest.mark.django_db

LIST, REVOKE = "/api/account/sessions", "/api/account/sessions/revoke-others"


def elsewhere(account: Account, agent: str = "Firefox") -> str:
    """Sign the account in with another browser and give its token."""
    _session, token = SessionToken.objects.create(user=account.user, agent=agent)
    return str(token)


def status(token: str) -> int:
    """What the portal says to a token."""
    browser = Door()
    browser.carry(token)
    return int(browser.api.get(LIST).status_code)


def test_each_session_is_listed_the_last_used_first(
    ava: Account, door: Door, clock: time_machine.Traveller
) -> None:
    elsewhere(ava)
    clock.shift(timedelta(days=1))
    door.sign_in()
    mine, other = door.api.get(LIST).json()
    assert mine == {
        "id": str(SessionToken.objects.get(agent="").public_id),
        "createdAt": "2026-05-05T12:00:00Z",
        "lastUsedAt": "2026-05-05T12:00:00Z",
        "agent": "",
        "current": True,
    }
    assert (other["agent"], other["current"]) == ("Firefox", False)


def test_neither_an_expired_session_nor_a_strangers_is_listed(
    ava: Account, door: Door, clock: time_machine.Traveller
) -> None:
    elsewhere(ava)
    elsewhere(Account.objects.open(email="bob@example.com"))
    clock.shift(timedelta(days=15))
    door.sign_in()
    assert [one["current"] for one in door.api.get(LIST).json()] == [True]


def test_signing_out_elsewhere_kills_the_other_tokens_alone(ava: Account, door: Door) -> None:
    bob = elsewhere(Account.objects.open(email="bob@example.com"))
    others = [elsewhere(ava) for _ in range(2)]
    mine = door.sign_in()
    left = door.api.post(REVOKE)
    assert (left.status_code, [one["current"] for one in left.json()]) == (200, [True])
    assert [status(token) for token in (mine, *others, bob)] == [200, 401, 401, 200]
    assert [(one.kind, one.actor) for one in ava.events.all()] == [("signed_out", "you")]
    door.api.post(REVOKE, {"id": "x", "isStaff": True})
    assert AccountEvent.objects.count() == 1


def test_no_secret_is_told(ava: Account, door: Door) -> None:
    token = door.sign_in()
    told = door.api.get(LIST).content.decode()
    assert token not in told
    assert SessionToken.objects.get().digest not in told


def test_nobody_looks_without_a_token(door: Door) -> None:
    assert [door.api.get(LIST).status_code, door.api.post(REVOKE).status_code] == [401, 401]
